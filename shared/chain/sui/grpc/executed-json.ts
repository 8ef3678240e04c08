import { GrpcTypes } from "@mysten/sui/grpc";
import type { ChangedObject, MoveAbort, SuiEvent, SuiExecution, SuiOwner } from "../execution.ts";
import { isObject, type JsonObject, masked, type ReadMask, shows } from "./read-mask.ts";

export { readMaskOf, shows } from "./read-mask.ts";

/** An executed transaction, with the parts that only some masks show. */
export interface ShownExecution {
  readonly execution: SuiExecution;
  /** BCS of the transaction data. */
  readonly txBytes: Uint8Array;
  /** Base64, the sender's and the sponsor's. Null if they are not shown. */
  readonly signatures: readonly string[] | null;
  /** BCS of the effects. Null if they are not shown, or if no node has them. */
  readonly rawEffects: Uint8Array | null;
}

type Owner = GrpcTypes.Owner;

/** The kinds of owners by their numbers in `Owner.OwnerKind`. */
function ownerMessage(owner: SuiOwner | null): Owner | undefined {
  switch (owner?.kind) {
    case "address":
      return { kind: 1, address: owner.address };
    case "object":
      return { kind: 2, address: owner.objectId };
    case "shared":
      return { kind: 3, version: owner.initialSharedVersion };
    case "immutable":
      return { kind: 4 };
    case "consensus":
      return { kind: 5, address: owner.address, version: owner.startVersion };
    default:
      return undefined;
  }
}

const OPERATIONS = { none: 1, created: 2, deleted: 3 } as const;

/**
 * `OutputObjectState`: 1 does not exist, 2 object, 3 package. An object that exists neither before nor after, and was
 * neither created nor deleted, means a change of an address balance (4).
 */
function outputState({
  objectType,
  operation,
  input,
  output,
}: ChangedObject): GrpcTypes.ChangedObject_OutputObjectState {
  if (output !== null) return objectType === "package" ? 3 : 2;
  return input === null && operation === "none" ? 4 : 1;
}

function changedObjectMessage(changed: ChangedObject): GrpcTypes.ChangedObject {
  const { objectId, objectType, operation, input, output } = changed;
  const [inputOwner, outputOwner] = [ownerMessage(input?.owner ?? null), ownerMessage(output?.owner ?? null)];
  return {
    objectId,
    ...(objectType !== null && { objectType }),
    idOperation: OPERATIONS[operation],
    inputState: input === null ? 1 : 2,
    ...(input !== null && { inputVersion: input.version, inputDigest: input.digest }),
    ...(inputOwner !== undefined && { inputOwner }),
    outputState: outputState(changed),
    ...(output !== null && { outputVersion: output.version, outputDigest: output.digest }),
    ...(outputOwner !== undefined && { outputOwner }),
  };
}

const Kind = GrpcTypes.ExecutionError_ExecutionErrorKind;

/** The names of sui-types whose difference from `ExecutionErrorKind` is more than their case. */
const OTHER_NAMES: Readonly<Record<string, GrpcTypes.ExecutionError_ExecutionErrorKind>> = {
  MoveObjectTooBig: Kind.OBJECT_TOO_BIG,
  MovePackageTooBig: Kind.PACKAGE_TOO_BIG,
};

/** Returns the kind of a failure, which begins its text. Undefined for a text that names none. */
function kindOf(error: string): GrpcTypes.ExecutionError_ExecutionErrorKind | undefined {
  const [name = ""] = /^[A-Za-z]+/.exec(error) ?? [];
  const found = Object.entries(Kind).find(([kind]) => kind.replaceAll("_", "") === name.toUpperCase());
  return typeof found?.[1] === "number" ? found[1] : OTHER_NAMES[name];
}

/** The service keeps the text of a failure, and the parts of an abort. */
function errorMessage(error: string, abort: MoveAbort | null): GrpcTypes.ExecutionError {
  const kind = abort === null ? kindOf(error) : Kind.MOVE_ABORT;
  const [, command] = / in command ([0-9]{1,5})$/.exec(error) ?? [];
  const shared = {
    description: error,
    ...(command !== undefined && { command: BigInt(command) }),
    ...(kind !== undefined && { kind }),
  };
  if (abort === null) return { ...shared, errorDetails: { oneofKind: undefined } };
  const { abortCode, function: functionName, package: packageId, module, constant: constantName } = abort;
  const cleverError = constantName !== undefined && { constantName, value: { oneofKind: undefined } };
  return {
    ...shared,
    errorDetails: {
      oneofKind: "abort",
      abort: {
        abortCode,
        location: { package: packageId, module, ...(functionName !== null && { functionName }) },
        ...(cleverError && { cleverError }),
      },
    },
  };
}

function eventMessage({ packageId, module, sender, eventType, contents, json }: SuiEvent): GrpcTypes.Event {
  const shown = GrpcTypes.Event.fromJson(
    json === null || json === undefined ? {} : { json: JSON.parse(JSON.stringify(json)) },
  );
  return { ...shown, packageId, module, sender, eventType, contents: { name: eventType, value: contents } };
}

/** The end of the year 9999. Protobuf writes no later time. */
const LAST_TIMESTAMP_MS = 253_402_300_799_999;

/** Undefined for a time that protobuf cannot write. */
function timestampMessage(timestampMs: number | null) {
  if (timestampMs === null || timestampMs > LAST_TIMESTAMP_MS) return undefined;
  const ms = BigInt(timestampMs);
  return { seconds: ms / 1_000n, nanos: Number(ms % 1_000n) * 1_000_000 };
}

function bytesOf(signature: string): Uint8Array {
  return Uint8Array.from(atob(signature), (char) => char.charCodeAt(0));
}

/** Leaves lists that the mask does not show empty, because an app's own package can make them long. */
function transactionMessage(
  { execution, txBytes, signatures, rawEffects }: ShownExecution,
  mask: ReadMask,
): GrpcTypes.ExecutedTransaction {
  const { digest, success, error, abort, gasUsed, changedObjects, eventsDigest, checkpoint } = execution;
  const listed = <T>(path: string, items: readonly T[]): readonly T[] => (shows(mask, path) ? items : []);
  const events = listed("events", execution.events);
  const balanceChanges = listed("balance_changes", execution.balanceChanges);
  const timestamp = timestampMessage(execution.timestampMs);
  const gasObject = changedObjects.find(({ objectId }) => objectId === execution.gasObjectId);
  return {
    digest,
    transaction: { digest, bcs: { name: "TransactionData", value: txBytes } },
    signatures: (signatures ?? []).map((signature) => ({
      bcs: { name: "UserSignatureBytes", value: bytesOf(signature) },
      signature: { oneofKind: undefined },
    })),
    effects: {
      ...(rawEffects !== null && { bcs: { name: "TransactionEffects", value: rawEffects } }),
      status: success ? { success } : { success, error: errorMessage(error ?? "", abort) },
      epoch: execution.epoch,
      gasUsed: {
        computationCost: gasUsed.computationCostMist,
        storageCost: gasUsed.storageCostMist,
        storageRebate: gasUsed.storageRebateMist,
        nonRefundableStorageFee: gasUsed.nonRefundableStorageFeeMist,
      },
      transactionDigest: digest,
      ...(gasObject !== undefined && { gasObject: changedObjectMessage(gasObject) }),
      ...(eventsDigest !== null && { eventsDigest }),
      dependencies: [...execution.dependencies],
      lamportVersion: execution.lamportVersion,
      changedObjects: listed("effects.changed_objects", changedObjects).map(changedObjectMessage),
      unchangedConsensusObjects: [],
      unchangedLoadedRuntimeObjects: [],
    },
    ...(events.length > 0 && { events: { events: events.map(eventMessage) } }),
    ...(checkpoint !== null && { checkpoint }),
    ...(timestamp !== undefined && { timestamp }),
    balanceChanges: balanceChanges.map(({ amount, ...change }) => ({ ...change, amount: amount.toString() })),
  };
}

/**
 * Returns the protobuf JSON of an `ExecuteTransactionResponse` of sui.rpc.v2, with the fields of a mask: names in
 * lowerCamelCase, 64-bit integers as strings, bytes as base64, times as RFC 3339, enumerations by name.
 */
export function executedJson(shown: ShownExecution, mask: ReadMask): { readonly transaction: JsonObject } {
  const transaction = GrpcTypes.ExecutedTransaction.toJson(transactionMessage(shown, mask));
  return { transaction: isObject(transaction) ? masked(transaction, mask) : {} };
}
