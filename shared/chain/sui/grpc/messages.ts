/**
 * The messages of a Sui node that Gasworks sends or reads, as sui.rpc.v2 defines them. The SDK's own types hold every
 * message of every service, and take 15 KiB more in gzip. A test compares each field with the SDK's.
 *
 * A line is a message: number, name and type of each field, separated by commas. `[]` repeats, and `{}` repeats
 * a key with its value. `!` has a default, and every other field may be absent. After `/` is the choice that a field is
 * one of. A message without a line exists, and is neither sent nor read. Enumerations are int32.
 */
const TEXTS = {
  Timestamp: "1 seconds int64!, 2 nanos int32!",
  FieldMask: "1 paths string[]",
  Value:
    "1 nullValue int32 /kind, 2 numberValue double /kind, 3 stringValue string /kind, 4 boolValue bool /kind, 5 structValue Struct /kind, 6 listValue ListValue /kind",
  Struct: "1 fields StructField{}",
  StructField: "1 key string!, 2 value Value",
  ListValue: "1 values Value[]",
  Status: "1 code int32!, 2 message string!, 3 details Any[]",
  Bcs: "1 name string, 2 value bytes",
  Owner: "1 kind int32, 2 address string, 3 version uint64",

  GetServiceInfoRequest: "",
  GetServiceInfoResponse:
    "1 chainId string, 2 chain string, 3 epoch uint64, 4 checkpointHeight uint64, 5 timestamp Timestamp, 6 lowestAvailableCheckpoint uint64, 7 lowestAvailableCheckpointObjects uint64, 8 server string",
  GetEpochRequest: "1 epoch uint64, 2 readMask FieldMask",
  GetEpochResponse: "1 epoch Epoch",
  Epoch: "1 epoch uint64, 3 systemState SystemState, 6 start Timestamp, 8 referenceGasPrice uint64",
  SystemState: "3 protocolVersion uint64, 6 parameters SystemParameters, 15 epochStartTimestampMs uint64",
  SystemParameters: "1 epochDurationMs uint64",

  BatchGetObjectsRequest: "1 requests GetObjectRequest[], 2 readMask FieldMask",
  GetObjectRequest: "1 objectId string, 2 version uint64, 3 readMask FieldMask",
  BatchGetObjectsResponse: "1 objects GetObjectResult[]",
  GetObjectResult: "1 object Object /result, 2 error Status /result",
  Object:
    "2 objectId string, 3 version uint64, 4 digest string, 5 owner Owner, 6 objectType string, 8 contents Bcs, 10 previousTransaction string, 101 balance uint64",
  ListOwnedObjectsRequest:
    "1 owner string, 2 pageSize uint32, 3 pageToken bytes, 4 readMask FieldMask, 5 objectType string",
  ListOwnedObjectsResponse: "1 objects Object[], 2 nextPageToken bytes",
  GetBalanceRequest: "1 owner string, 2 coinType string",
  GetBalanceResponse: "1 balance Balance",
  ListBalancesRequest: "1 owner string, 2 pageSize uint32, 3 pageToken bytes",
  ListBalancesResponse: "1 balances Balance[], 2 nextPageToken bytes",
  Balance: "1 coinType string, 3 balance uint64, 4 addressBalance uint64, 5 coinBalance uint64",

  BatchGetTransactionsRequest: "1 digests string[], 2 readMask FieldMask",
  BatchGetTransactionsResponse: "1 transactions GetTransactionResult[]",
  GetTransactionResult: "1 transaction ExecutedTransaction /result, 2 error Status /result",
  ExecuteTransactionRequest: "1 transaction Transaction, 2 signatures UserSignature[], 3 readMask FieldMask",
  ExecuteTransactionResponse: "1 transaction ExecutedTransaction",
  SimulateTransactionRequest: "1 transaction Transaction, 2 readMask FieldMask, 3 checks int32, 4 doGasSelection bool",
  SimulateTransactionResponse: "1 transaction ExecutedTransaction",
  ExecutedTransaction:
    "1 digest string, 2 transaction Transaction, 3 signatures UserSignature[], 4 effects TransactionEffects, 5 events TransactionEvents, 6 checkpoint uint64, 7 timestamp Timestamp, 8 balanceChanges BalanceChange[], 9 objects ObjectSet, 10 transactionIndex uint64",
  Transaction:
    "1 bcs Bcs, 2 digest string, 3 version int32, 4 kind TransactionKind, 5 sender string, 6 gasPayment GasPayment, 7 expiration TransactionExpiration",
  GasPayment: "1 objects ObjectReference[], 2 owner string, 3 price uint64, 4 budget uint64",
  ObjectReference: "1 objectId string, 2 version uint64, 3 digest string",
  UserSignature:
    "1 bcs Bcs, 2 scheme int32, 3 simple SimpleSignature /signature, 4 multisig MultisigAggregatedSignature /signature, 5 zklogin ZkLoginAuthenticator /signature, 6 passkey PasskeyAuthenticator /signature",
  TransactionEffects:
    "1 bcs Bcs, 2 digest string, 3 version int32, 4 status ExecutionStatus, 5 epoch uint64, 6 gasUsed GasCostSummary, 7 transactionDigest string, 8 gasObject ChangedObject, 9 eventsDigest string, 10 dependencies string[], 11 lamportVersion uint64, 12 changedObjects ChangedObject[], 13 unchangedConsensusObjects UnchangedConsensusObject[], 14 auxiliaryDataDigest string, 15 unchangedLoadedRuntimeObjects ObjectReference[]",
  GasCostSummary:
    "1 computationCost uint64, 2 storageCost uint64, 3 storageRebate uint64, 4 nonRefundableStorageFee uint64",
  ChangedObject:
    "1 objectId string, 2 inputState int32, 3 inputVersion uint64, 4 inputDigest string, 5 inputOwner Owner, 6 outputState int32, 7 outputVersion uint64, 8 outputDigest string, 9 outputOwner Owner, 10 idOperation int32, 11 objectType string, 12 accumulatorWrite AccumulatorWrite",
  TransactionEvents: "1 bcs Bcs, 2 digest string, 3 events Event[]",
  Event:
    "1 packageId string, 2 module string, 3 sender string, 4 eventType string, 5 contents Bcs, 6 json Value, 7 checkpoint uint64, 8 transactionDigest string, 9 transactionIndex uint64, 10 eventIndex uint32",
  BalanceChange: "1 address string, 2 coinType string, 3 amount string",

  ExecutionStatus: "1 success bool, 2 error ExecutionError",
  ExecutionError:
    "1 description string, 2 command uint64, 3 kind int32, 4 abort MoveAbort /errorDetails, 5 sizeError SizeError /errorDetails, 6 commandArgumentError CommandArgumentError /errorDetails, 7 typeArgumentError TypeArgumentError /errorDetails, 8 packageUpgradeError PackageUpgradeError /errorDetails, 9 indexError IndexError /errorDetails, 10 objectId string /errorDetails, 11 coinDenyListError CoinDenyListError /errorDetails, 12 congestedObjects CongestedObjects /errorDetails",
  MoveAbort: "1 abortCode uint64, 2 location MoveLocation, 3 cleverError CleverError",
  MoveLocation: "1 package string, 2 module string, 3 function uint32, 4 instruction uint32, 5 functionName string",
  CleverError:
    "1 errorCode uint64, 2 lineNumber uint64, 3 constantName string, 4 constantType string, 5 rendered string /value, 6 raw bytes /value",
  SizeError: "1 size uint64, 2 maxSize uint64",
  CommandArgumentError: "1 argument uint32, 2 kind int32, 3 indexError IndexError",
  IndexError: "1 index uint32, 2 subresult uint32",
  TypeArgumentError: "1 typeArgument uint32, 2 kind int32",
  PackageUpgradeError: "1 kind int32, 2 packageId string, 3 digest string, 4 policy uint32, 5 ticketId string",
  CoinDenyListError: "1 address string, 2 coinType string",
  CongestedObjects: "1 objects string[]",

  GetFunctionRequest: "1 packageId string, 2 moduleName string, 3 name string",
  GetFunctionResponse: "1 function FunctionDescriptor",
  FunctionDescriptor: "1 name string, 8 parameters OpenSignature[]",
  OpenSignature: "1 reference int32, 2 body OpenSignatureBody",
  OpenSignatureBody:
    "1 type int32, 2 typeName string, 3 typeParameterInstantiation OpenSignatureBody[], 4 typeParameter uint32",
  VerifySignatureRequest: "1 message Bcs, 2 signature UserSignature, 3 address string, 4 jwks ActiveJwk[]",
  VerifySignatureResponse: "1 isValid bool, 2 reason string",
} as const;

/** The name of a message, without its package. */
export type MessageName = keyof typeof TEXTS;

/** A field of a message. */
export interface Field {
  readonly no: number;
  /** The name of the field in JSON. */
  readonly name: string;
  /** A scalar of protobuf, or the name of a message. */
  readonly type: string;
  readonly isList: boolean;
  readonly isMap: boolean;
  /** True if an absent field has the default of its type. */
  readonly hasDefault: boolean;
  /** The choice that the field is one of. Null for a field of its own. */
  readonly choice: string | null;
}

const FIELD = /^([0-9]+) (\w+) (\w+)(\[\]|\{\}|!)?(?: \/(\w+))?$/;

function fieldOf(text: string): Field {
  const [, no, name = "", type = "", mark, choice = null] = FIELD.exec(text) ?? [];
  return {
    no: Number(no),
    name,
    type,
    isList: mark === "[]",
    isMap: mark === "{}",
    hasDefault: mark === "!",
    choice,
  };
}

const read = new Map<MessageName, readonly Field[]>();

/** True for a message that has a line here. */
export function isDescribed(name: string): name is MessageName {
  return Object.hasOwn(TEXTS, name);
}

/** Returns the fields of a message. Its line is read at the first use, so that a start does not pay for it. */
export function fieldsOf(name: MessageName): readonly Field[] {
  const known = read.get(name);
  if (known !== undefined) return known;
  const text = TEXTS[name];
  const fields = text === "" ? [] : text.split(", ").map(fieldOf);
  read.set(name, fields);
  return fields;
}

/** The names of all messages that have a line here. */
export const MESSAGE_NAMES = Object.keys(TEXTS).filter(isDescribed);
