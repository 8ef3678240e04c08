/**
 * The methods of Sui full nodes (sui-apis, `proto/sui/rpc/v2/*.proto`), by service. A test compares them with those of
 * the installed SDK. Further methods of a node do not pass.
 */
const UNARY = {
  LedgerService: [
    "GetServiceInfo",
    "GetObject",
    "BatchGetObjects",
    "GetTransaction",
    "BatchGetTransactions",
    "GetCheckpoint",
    "GetEpoch",
  ],
  MovePackageService: ["GetPackage", "GetDatatype", "GetFunction", "ListPackageVersions"],
  NameService: ["LookupName", "ReverseLookupName"],
  SignatureVerificationService: ["VerifySignature"],
  StateService: ["ListDynamicFields", "ListOwnedObjects", "GetCoinInfo", "GetBalance", "ListBalances"],
  TransactionExecutionService: ["ExecuteTransaction", "SimulateTransaction"],
} as const;

const SERVER_STREAMS = {
  LedgerService: ["ListCheckpoints", "ListTransactions", "ListEvents"],
  SubscriptionService: ["SubscribeCheckpoints", "SubscribeTransactions", "SubscribeEvents"],
} as const;

const PACKAGE = "sui.rpc.v2";

function named(services: Readonly<Record<string, readonly string[]>>): ReadonlySet<string> {
  return new Set(
    Object.entries(services).flatMap(([service, methods]) =>
      methods.map((method) => `${PACKAGE}.${service}/${method}`),
    ),
  );
}

/** The unary methods, as `<package>.<Service>/<Method>`. */
export const SUI_UNARY_METHODS = named(UNARY);
/** The methods whose answer is an endless stream. */
export const SUI_STREAM_METHODS = named(SERVER_STREAMS);
/** The only method that changes something. */
export const SUI_EXECUTE = `${PACKAGE}.TransactionExecutionService/ExecuteTransaction`;
