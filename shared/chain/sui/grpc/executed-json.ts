import { toBase64 } from "../../../crypto/base64.ts";
import type { ChangedObject, MoveAbort, SuiEvent, SuiExecution, SuiOwner } from "../execution.ts";
import { type JsonObject, masked, type ReadMask, shows } from "./read-mask.ts";

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

function ownerJson(owner: SuiOwner): JsonObject | null {
  switch (owner.kind) {
    case "address":
      return { kind: "ADDRESS", address: owner.address };
    case "object":
      return { kind: "OBJECT", address: owner.objectId };
    case "shared":
      return { kind: "SHARED", version: owner.initialSharedVersion.toString() };
    case "immutable":
      return { kind: "IMMUTABLE" };
    case "consensus":
      return { kind: "CONSENSUS_ADDRESS", address: owner.address, version: owner.startVersion.toString() };
    default:
      return null;
  }
}

/** The parts of an object before or after a transaction. @param side begins the names of the fields. */
function stateJson(side: "input" | "output", state: ChangedObject["input"]): JsonObject {
  if (state === null) return {};
  const owner = state.owner === null ? null : ownerJson(state.owner);
  return {
    [`${side}Version`]: state.version.toString(),
    [`${side}Digest`]: state.digest,
    ...(owner !== null && { [`${side}Owner`]: owner }),
  };
}

/**
 * The end of a name in `OutputObjectState`. An object that exists neither before nor after, and was neither created nor
 * deleted, means a change of an address balance.
 */
function outputState({ objectType, operation, input, output }: ChangedObject): string {
  if (output !== null) return objectType === "package" ? "PACKAGE_WRITE" : "OBJECT_WRITE";
  return input === null && operation === "none" ? "ACCUMULATOR_WRITE" : "DOES_NOT_EXIST";
}

function changedObjectJson(changed: ChangedObject): JsonObject {
  const { objectId, objectType, operation, input, output } = changed;
  return {
    objectId,
    ...(objectType !== null && { objectType }),
    idOperation: operation.toUpperCase(),
    inputState: `INPUT_OBJECT_STATE_${input === null ? "DOES_NOT_EXIST" : "EXISTS"}`,
    ...stateJson("input", input),
    outputState: `OUTPUT_OBJECT_STATE_${outputState(changed)}`,
    ...stateJson("output", output),
  };
}

/** The names of `ExecutionErrorKind`, whose order does not matter here. */
const KINDS = [
  "INSUFFICIENT_GAS",
  "INVALID_GAS_OBJECT",
  "INVARIANT_VIOLATION",
  "FEATURE_NOT_YET_SUPPORTED",
  "OBJECT_TOO_BIG",
  "PACKAGE_TOO_BIG",
  "CIRCULAR_OBJECT_OWNERSHIP",
  "INSUFFICIENT_COIN_BALANCE",
  "COIN_BALANCE_OVERFLOW",
  "PUBLISH_ERROR_NON_ZERO_ADDRESS",
  "SUI_MOVE_VERIFICATION_ERROR",
  "MOVE_PRIMITIVE_RUNTIME_ERROR",
  "MOVE_ABORT",
  "VM_VERIFICATION_OR_DESERIALIZATION_ERROR",
  "VM_INVARIANT_VIOLATION",
  "FUNCTION_NOT_FOUND",
  "ARITY_MISMATCH",
  "TYPE_ARITY_MISMATCH",
  "NON_ENTRY_FUNCTION_INVOKED",
  "COMMAND_ARGUMENT_ERROR",
  "TYPE_ARGUMENT_ERROR",
  "UNUSED_VALUE_WITHOUT_DROP",
  "INVALID_PUBLIC_FUNCTION_RETURN_TYPE",
  "INVALID_TRANSFER_OBJECT",
  "EFFECTS_TOO_LARGE",
  "PUBLISH_UPGRADE_MISSING_DEPENDENCY",
  "PUBLISH_UPGRADE_DEPENDENCY_DOWNGRADE",
  "PACKAGE_UPGRADE_ERROR",
  "WRITTEN_OBJECTS_TOO_LARGE",
  "CERTIFICATE_DENIED",
  "SUI_MOVE_VERIFICATION_TIMEDOUT",
  "CONSENSUS_OBJECT_OPERATION_NOT_ALLOWED",
  "INPUT_OBJECT_DELETED",
  "EXECUTION_CANCELED_DUE_TO_CONSENSUS_OBJECT_CONGESTION",
  "ADDRESS_DENIED_FOR_COIN",
  "COIN_TYPE_GLOBAL_PAUSE",
  "EXECUTION_CANCELED_DUE_TO_RANDOMNESS_UNAVAILABLE",
  "MOVE_VECTOR_ELEM_TOO_BIG",
  "MOVE_RAW_VALUE_TOO_BIG",
  "INVALID_LINKAGE",
  "INSUFFICIENT_FUNDS_FOR_WITHDRAW",
  "NON_EXCLUSIVE_WRITE_INPUT_OBJECT_MODIFIED",
];

/** The names of sui-types whose difference from `ExecutionErrorKind` is more than their case. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  MoveObjectTooBig: "OBJECT_TOO_BIG",
  MovePackageTooBig: "PACKAGE_TOO_BIG",
};

/** Returns the kind of a failure, which begins its text. Undefined for a text that names none. */
function kindOf(error: string): string | undefined {
  const [name = ""] = /^[A-Za-z]+/.exec(error) ?? [];
  return KINDS.find((kind) => kind.replaceAll("_", "") === name.toUpperCase()) ?? OTHER_NAMES[name];
}

/** The service keeps the text of a failure, and the parts of an abort. */
function errorJson(error: string, abort: MoveAbort | null): JsonObject {
  const kind = abort === null ? kindOf(error) : "MOVE_ABORT";
  const [, command] = / in command ([0-9]{1,5})$/.exec(error) ?? [];
  return {
    description: error,
    ...(command !== undefined && { command: String(Number(command)) }),
    ...(kind !== undefined && { kind }),
    ...(abort !== null && { abort: abortJson(abort) }),
  };
}

function abortJson({ abortCode, package: packageId, module, ...abort }: MoveAbort): JsonObject {
  const { function: functionName, constant: constantName } = abort;
  return {
    abortCode: abortCode.toString(),
    location: { package: packageId, module, ...(functionName !== null && { functionName }) },
    ...(constantName !== undefined && { cleverError: { constantName } }),
  };
}

function bytesJson(name: string, value: Uint8Array): JsonObject {
  return { name, value: toBase64(value) };
}

function eventJson({ packageId, module, sender, eventType, contents, json }: SuiEvent): JsonObject {
  return {
    packageId,
    module,
    sender,
    eventType,
    contents: bytesJson(eventType, contents),
    ...(json !== null && json !== undefined && { json: JSON.parse(JSON.stringify(json)) as unknown }),
  };
}

/** The end of the year 9999. Protobuf writes no later time. */
const LAST_TIMESTAMP_MS = 253_402_300_799_999;

/** Undefined for a time that protobuf cannot write. */
function timestampJson(timestampMs: number | null): string | undefined {
  if (timestampMs === null || timestampMs > LAST_TIMESTAMP_MS) return undefined;
  return new Date(timestampMs).toISOString().replace(".000Z", "Z");
}

function bytesOf(signature: string): Uint8Array {
  return Uint8Array.from(atob(signature), (char) => char.charCodeAt(0));
}

/** A list that is empty is not in the JSON. */
function listed<T>(name: string, items: readonly T[], json: (item: T) => unknown): JsonObject {
  return items.length === 0 ? {} : { [name]: items.map(json) };
}

/** Leaves lists that the mask does not show empty, because an app's own package can make them long. */
function transactionJson({ execution, txBytes, signatures, rawEffects }: ShownExecution, mask: ReadMask): JsonObject {
  const { digest, success, error, abort, gasUsed, changedObjects, eventsDigest, checkpoint } = execution;
  const shown = <T>(path: string, items: readonly T[]): readonly T[] => (shows(mask, path) ? items : []);
  const events = shown("events", execution.events);
  const timestamp = timestampJson(execution.timestampMs);
  const gasObject = changedObjects.find(({ objectId }) => objectId === execution.gasObjectId);
  return {
    digest,
    transaction: { digest, bcs: bytesJson("TransactionData", txBytes) },
    ...listed("signatures", signatures ?? [], (one) => ({ bcs: bytesJson("UserSignatureBytes", bytesOf(one)) })),
    effects: {
      ...(rawEffects !== null && { bcs: bytesJson("TransactionEffects", rawEffects) }),
      status: success ? { success } : { success, error: errorJson(error ?? "", abort) },
      epoch: execution.epoch.toString(),
      gasUsed: {
        computationCost: gasUsed.computationCostMist.toString(),
        storageCost: gasUsed.storageCostMist.toString(),
        storageRebate: gasUsed.storageRebateMist.toString(),
        nonRefundableStorageFee: gasUsed.nonRefundableStorageFeeMist.toString(),
      },
      transactionDigest: digest,
      ...(gasObject !== undefined && { gasObject: changedObjectJson(gasObject) }),
      ...(eventsDigest !== null && { eventsDigest }),
      ...listed("dependencies", execution.dependencies, (one) => one),
      lamportVersion: execution.lamportVersion.toString(),
      ...listed("changedObjects", shown("effects.changed_objects", changedObjects), changedObjectJson),
    },
    ...(events.length > 0 && { events: { events: events.map(eventJson) } }),
    ...(checkpoint !== null && { checkpoint: checkpoint.toString() }),
    ...(timestamp !== undefined && { timestamp }),
    ...listed("balanceChanges", shown("balance_changes", execution.balanceChanges), ({ amount, ...change }) => ({
      ...change,
      amount: amount.toString(),
    })),
  };
}

/**
 * Returns the protobuf JSON of an `ExecuteTransactionResponse` of sui.rpc.v2, with the fields of a mask: names in
 * lowerCamelCase, 64-bit integers as strings, bytes as base64, times as RFC 3339, enumerations by name.
 */
export function executedJson(shown: ShownExecution, mask: ReadMask): { readonly transaction: JsonObject } {
  return { transaction: masked(transactionJson(shown, mask), mask) };
}
