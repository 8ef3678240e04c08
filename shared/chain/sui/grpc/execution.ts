import { bcs } from "@mysten/sui/bcs";
import type { GrpcTypes } from "@mysten/sui/grpc";
import { InvalidReplyError } from "../../failover.ts";
import type { BalanceChange, ChangedObject, ObjectState, SuiEvent, SuiExecution, SuiOwner } from "../execution.ts";
import { digestOf, objectId, readGasUsed, readStatus, readTimestampMs, required, type Value } from "./fields.ts";

function readOwner(owner: GrpcTypes.Owner | undefined): SuiOwner | null {
  // `Owner_OwnerKind` of sui.rpc.v2: 1 address, 2 object, 3 shared, 4 immutable, 5 address through consensus.
  switch (owner?.kind) {
    case 1:
      return { kind: "address", address: required(owner.address, "owner address") };
    case 2:
      return { kind: "object", objectId: required(owner.address, "owner object") };
    case 3:
      return { kind: "shared", initialSharedVersion: required(owner.version, "initial shared version") };
    case 4:
      return { kind: "immutable" };
    case 5:
      return {
        kind: "consensus",
        address: required(owner.address, "owner address"),
        startVersion: required(owner.version, "owner start version"),
      };
    default:
      return null;
  }
}

/** Reads an owner. @throws InvalidReplyError if it is missing or of an unknown kind. */
export function readKnownOwner(owner: GrpcTypes.Owner | undefined): SuiOwner {
  const known = readOwner(required(owner, "owner"));
  if (known === null) throw new InvalidReplyError("the node's reply has an unknown kind of owner");
  return known;
}

/** Requires a value of an enumeration. Zero means that the node has given none. */
export function known<E extends number>(value: E | undefined, name: string): E {
  if (required(value, name) === 0) throw new InvalidReplyError(`the node's reply lacks ${name}`);
  return required(value, name);
}

function readChangedObject(changed: GrpcTypes.ChangedObject): ChangedObject {
  const state = (
    version: bigint | undefined,
    digest: string | undefined,
    owner: GrpcTypes.Owner | undefined,
  ): ObjectState => ({
    version: required(version, "object version"),
    digest: digestOf(digest, "object digest"),
    owner: readOwner(required(owner, "object owner")),
  });
  const { inputVersion, inputDigest, inputOwner, outputVersion, outputDigest, outputOwner } = changed;
  const inputState = known(changed.inputState, "input_state");
  const outputState = known(changed.outputState, "output_state");
  const idOperation = known(changed.idOperation, "id_operation");
  // `InputObjectState` 2: exists. `OutputObjectState` 2: object written, 3: package written.
  const written = outputState === 2 || outputState === 3;
  return {
    objectId: objectId(changed.objectId, "changed object"),
    objectType: changed.objectType ?? null,
    // `IdOperation` 2: created, 3: deleted.
    operation: idOperation === 2 ? "created" : idOperation === 3 ? "deleted" : "none",
    input: inputState === 2 ? state(inputVersion, inputDigest, inputOwner) : null,
    output: written ? state(outputVersion, outputDigest, outputOwner) : null,
  };
}

/** Converts a protobuf `Value` to the JSON that it represents. */
export function readJson(value: Value | undefined): unknown {
  switch (value?.kind.oneofKind) {
    case "boolValue":
      return value.kind.boolValue;
    case "numberValue":
      return value.kind.numberValue;
    case "stringValue":
      return value.kind.stringValue;
    case "listValue":
      return value.kind.listValue.values.map(readJson);
    case "structValue":
      return Object.fromEntries(
        Object.entries(value.kind.structValue.fields).map(([name, field]) => [name, readJson(field)]),
      );
    default:
      return null;
  }
}

function readEvent(event: GrpcTypes.Event): SuiEvent {
  return {
    packageId: required(event.packageId, "event package"),
    module: required(event.module, "event module"),
    sender: required(event.sender, "event sender"),
    eventType: required(event.eventType, "event type"),
    contents: required(event.contents?.value, "event contents"),
    json: readJson(event.json),
  };
}

/** Reads a balance change. @throws InvalidReplyError if it is incomplete or malformed. */
export function readBalanceChange({ address, coinType, amount }: GrpcTypes.BalanceChange): BalanceChange {
  const text = required(amount, "balance change");
  if (!/^-?[0-9]{1,39}$/.test(text)) throw new InvalidReplyError("the node's reply has a malformed balance change");
  return {
    address: required(address, "balance change address"),
    coinType: required(coinType, "coin type"),
    amount: BigInt(text),
  };
}

/** @returns null if the effects belong to another transaction, or to a version that the SDK's codec does not know. */
export function readRawEffects({ effects }: GrpcTypes.ExecutedTransaction, digest: string): Uint8Array | null {
  const bytes = required(effects?.bcs?.value, "effects.bcs");
  try {
    const read = bcs.TransactionEffects.parse(bytes);
    return read.V2?.transactionDigest === digest ? bytes : null;
  } catch {
    return null;
  }
}

/** @param expectedDigest a reply about another transaction is refused. */
export function readExecution(transaction: GrpcTypes.ExecutedTransaction, expectedDigest: string): SuiExecution {
  if (transaction.digest !== expectedDigest) throw new InvalidReplyError("the node answered about another digest");
  const effects = required(transaction.effects, "effects");
  const { changedObjects, gasObject } = effects;
  // A request for the gas object alone omits the changed objects. The gas object is still shown.
  const changed = changedObjects.length > 0 || gasObject === undefined ? changedObjects : [gasObject];
  return {
    digest: expectedDigest,
    ...readStatus(effects.status),
    epoch: required(effects.epoch, "epoch"),
    gasUsed: readGasUsed(effects.gasUsed),
    gasObjectId: effects.gasObject ? objectId(effects.gasObject.objectId, "gas object") : null,
    lamportVersion: required(effects.lamportVersion, "lamport_version"),
    dependencies: effects.dependencies,
    eventsDigest: effects.eventsDigest ?? null,
    changedObjects: changed.map(readChangedObject),
    events: (transaction.events?.events ?? []).map(readEvent),
    balanceChanges: transaction.balanceChanges.map(readBalanceChange),
    checkpoint: transaction.checkpoint ?? null,
    timestampMs: transaction.timestamp ? readTimestampMs(transaction.timestamp) : null,
  };
}
