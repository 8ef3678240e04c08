import { toBase64 } from "../../../crypto/base64.ts";
import type { ChangedObject, ObjectState, SuiExecution, SuiOwner } from "../execution.ts";
import { shownAbort } from "../shown-abort.ts";
import type { JsonRpcOwner, ObjectChange, SuiTransactionResponse } from "./response-schema.ts";

type OwnedObjectRef = SuiTransactionResponse["effects"]["gasObject"];
type ObjectRef = OwnedObjectRef["reference"];

/** Base58 of 32 bytes of 99, 88 and 0, which sui-types uses instead of a digest (`ObjectDigest::OBJECT_DIGEST_…`). */
const DELETED_DIGEST = "7gyGAp71YXQRoxmFBaHxofQXAipvgHyBKPyxmdSJxyvz";
const WRAPPED_DIGEST = "6ws1bVyu3F8wGy1fPHhrc2v8UyWiGbRAAuek8SwikKPD";
const ZERO_DIGEST = "11111111111111111111111111111111";
const ZERO_ADDRESS = `0x${"0".repeat(64)}`;

/** The gas object in a full node's JSON-RPC if a transaction had none (`TransactionEffectsV2`). */
const NO_GAS_OBJECT: OwnedObjectRef = {
  owner: { AddressOwner: ZERO_ADDRESS },
  reference: { objectId: ZERO_ADDRESS, version: 0, digest: ZERO_DIGEST },
};

type ChangeKind = "created" | "mutated" | "unwrapped" | "deleted" | "unwrappedThenDeleted" | "wrapped";

/** Sorts a changed object as `TransactionEffectsV2` does. Null for one that existed neither before nor after. */
function changeKind({ input, output, operation }: ChangedObject): ChangeKind | null {
  if (output !== null) {
    if (input !== null) return "mutated";
    return operation === "created" ? "created" : "unwrapped";
  }
  if (input !== null) return operation === "deleted" ? "deleted" : "wrapped";
  return operation === "deleted" ? "unwrappedThenDeleted" : null;
}

function jsonRpcOwner(owner: SuiOwner): JsonRpcOwner {
  switch (owner.kind) {
    case "address":
      return { AddressOwner: owner.address };
    case "object":
      return { ObjectOwner: owner.objectId };
    case "shared":
      return { Shared: { initial_shared_version: Number(owner.initialSharedVersion) } };
    case "consensus":
      return { ConsensusAddressOwner: { owner: owner.address, start_version: Number(owner.startVersion) } };
    case "immutable":
      return "Immutable";
  }
}

/**
 * JSON-RPC writes the framework's addresses short in types (`0x2::sui::SUI`), and a space after each comma. gRPC does
 * neither (sui-types, `to_sui_struct_tag_string`).
 */
function jsonRpcType(type: string): string {
  return type.replace(/\b0x0*(0|1|2|3|5|6|dee9)(?=::)/g, "0x$1").replace(/,\s*/g, ", ");
}

function ownedRef(objectId: string, state: ObjectState | null): readonly OwnedObjectRef[] {
  if (state === null || state.owner === null) return [];
  return [
    {
      owner: jsonRpcOwner(state.owner),
      reference: { objectId, version: Number(state.version), digest: state.digest },
    },
  ];
}

/** JSON-RPC omits the empty parts of effects (sui-json-rpc-types, `skip_serializing_if`). */
function unlessEmpty<Name extends string, Item>(name: Name, list: Item[]) {
  return (list.length > 0 ? { [name]: list } : {}) as { [K in Name]?: Item[] };
}

function effectsOf(execution: SuiExecution): SuiTransactionResponse["effects"] {
  const withFate = (fate: ChangeKind): readonly ChangedObject[] =>
    execution.changedObjects.filter((object) => changeKind(object) === fate);
  const written = (fate: ChangeKind): OwnedObjectRef[] =>
    withFate(fate).flatMap(({ objectId, output }) => ownedRef(objectId, output));
  const removed = (fate: ChangeKind, digest: string): ObjectRef[] =>
    withFate(fate).map(({ objectId }) => ({ objectId, version: Number(execution.lamportVersion), digest }));

  const gas = execution.changedObjects.find(({ objectId }) => objectId === execution.gasObjectId);
  const [gasObject = NO_GAS_OBJECT] = gas ? ownedRef(gas.objectId, gas.output) : [];
  const { gasUsed } = execution;
  return {
    messageVersion: "v1",
    status: execution.success
      ? { status: "success" }
      : {
          status: "failure",
          error: execution.error ?? "the node did not say why",
          ...(execution.abort && { abort: shownAbort(execution.abort) }),
        },
    executedEpoch: execution.epoch.toString(),
    gasUsed: {
      computationCost: gasUsed.computationCostMist.toString(),
      storageCost: gasUsed.storageCostMist.toString(),
      storageRebate: gasUsed.storageRebateMist.toString(),
      nonRefundableStorageFee: gasUsed.nonRefundableStorageFeeMist.toString(),
    },
    ...unlessEmpty(
      "modifiedAtVersions",
      execution.changedObjects.flatMap(({ objectId, input }) =>
        input === null ? [] : [{ objectId, sequenceNumber: input.version.toString() }],
      ),
    ),
    transactionDigest: execution.digest,
    ...unlessEmpty("created", written("created")),
    ...unlessEmpty("mutated", written("mutated")),
    ...unlessEmpty("unwrapped", written("unwrapped")),
    ...unlessEmpty("deleted", removed("deleted", DELETED_DIGEST)),
    ...unlessEmpty("unwrappedThenDeleted", removed("unwrappedThenDeleted", DELETED_DIGEST)),
    ...unlessEmpty("wrapped", removed("wrapped", WRAPPED_DIGEST)),
    gasObject,
    ...(execution.eventsDigest === null ? {} : { eventsDigest: execution.eventsDigest }),
    ...unlessEmpty("dependencies", [...execution.dependencies]),
  };
}

/**
 * A full node reports created, mutated, deleted and wrapped objects here, and no unwrapped ones. Packages have no
 * object type. They are in `effects.created`, because an execution does not have the module names of JSON-RPC's
 * `published` entry.
 */
function objectChange(object: ChangedObject, sender: string, lamportVersion: bigint): readonly ObjectChange[] {
  const { objectId, input, output } = object;
  if (object.objectType === null || object.objectType === "package") return [];
  const objectType = jsonRpcType(object.objectType);
  const fate = changeKind(object);
  if (fate === "deleted" || fate === "wrapped")
    return [{ type: fate, sender, objectType, objectId, version: lamportVersion.toString() }];
  if (output === null || output.owner === null) return [];
  const written = {
    sender,
    objectType,
    objectId,
    owner: jsonRpcOwner(output.owner),
    version: output.version.toString(),
    digest: output.digest,
  };
  if (fate === "created") return [{ type: fate, ...written }];
  if (fate === "mutated" && input !== null)
    return [{ type: fate, ...written, previousVersion: input.version.toString() }];
  return [];
}

/**
 * Shows an execution as a full node's `sui_executeTransactionBlock` answers with every `show…` option except the input
 * (sui-json-rpc-types, `SuiTransactionBlockResponse`; sui-types, `effects_v2.rs`).
 *
 * `effects.sharedObjects` is omitted, because an execution does not hold objects that a transaction only read.
 *
 * @param sender of the transaction. JSON-RPC repeats it in every object change.
 * @param confirmedLocalExecution null if no caller waited for it.
 */
export function transactionResponse(
  execution: SuiExecution,
  sender: string,
  confirmedLocalExecution: boolean | null,
): SuiTransactionResponse {
  return {
    digest: execution.digest,
    effects: effectsOf(execution),
    events: execution.events.map((event, index) => ({
      id: { txDigest: execution.digest, eventSeq: index.toString() },
      packageId: event.packageId,
      transactionModule: event.module,
      sender: event.sender,
      type: jsonRpcType(event.eventType),
      parsedJson: event.json,
      bcsEncoding: "base64",
      bcs: toBase64(event.contents),
    })),
    objectChanges: execution.changedObjects.flatMap((object) => objectChange(object, sender, execution.lamportVersion)),
    balanceChanges: execution.balanceChanges.map(({ address, coinType, amount }) => ({
      owner: { AddressOwner: address },
      coinType: jsonRpcType(coinType),
      amount: amount.toString(),
    })),
    ...(execution.timestampMs === null ? {} : { timestampMs: execution.timestampMs.toString() }),
    ...(execution.checkpoint === null ? {} : { checkpoint: execution.checkpoint.toString() }),
    ...(confirmedLocalExecution === null ? {} : { confirmedLocalExecution }),
  };
}
