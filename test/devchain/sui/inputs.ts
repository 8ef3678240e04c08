import { type ChainObject, SUI_COIN_TYPE } from "./objects.ts";
import type { SlotAccess } from "./slots.ts";
import { transactionRefused } from "./status.ts";
import type { ObjectStore } from "./store.ts";
import type { CallArg, ObjectRef } from "./transaction.ts";
import type { CheckMode } from "./validate.ts";

export interface InputObject {
  readonly object: ChainObject;
  readonly access: SlotAccess;
}

/** Reads one input, or gives undefined for a pure one. Each object may be used once, `seen` holds those that are. */
export function readInput(
  store: ObjectStore,
  sender: string,
  input: CallArg,
  seen: Set<string>,
  mode: CheckMode,
): InputObject | undefined {
  switch (input.$kind) {
    case "Pure":
      return undefined;
    case "FundsWithdrawal":
      if (input.FundsWithdrawal.withdrawFrom.$kind !== "Sender") {
        throw transactionRefused("Explicit sponsor withdrawals are not yet supported");
      }
      throw transactionRefused("Address balance withdrawals are not supported by this development chain yet");
    case "Object":
      break;
  }
  switch (input.Object.$kind) {
    case "ImmOrOwnedObject":
      return readOwnedInput(store, sender, input.Object.ImmOrOwnedObject, seen, mode);
    case "SharedObject":
      return readSharedInput(store, input.Object.SharedObject, seen);
    case "Receiving":
      throw transactionRefused("Receiving objects is not supported by this development chain yet");
  }
}

function readOwnedInput(
  store: ObjectStore,
  sender: string,
  ref: ObjectRef,
  seen: Set<string>,
  mode: CheckMode,
): InputObject {
  const object = readReference(store, ref, seen);
  if (object.owner.kind === "shared")
    throw transactionRefused(`Object ${object.id} is a shared object, not an owned one`);
  if (object.owner.kind === "immutable") return { object, access: "readonly" };
  if (mode !== "inspect" && object.owner.address !== sender) {
    throw transactionRefused(
      `Transaction was not signed by the correct sender: Object ${object.id} is owned by account address ` +
        `${object.owner.address}, but given owner/signer address is ${sender}`,
    );
  }
  return { object, access: "owned" };
}

function readSharedInput(
  store: ObjectStore,
  ref: { objectId: string; initialSharedVersion: string; mutable: boolean },
  seen: Set<string>,
): InputObject {
  markUsed(ref.objectId, seen);
  const object = store.liveObject(ref.objectId);
  if (object === undefined) throw transactionRefused(objectNotFound(ref.objectId, undefined));
  if (object.owner.kind !== "shared") throw transactionRefused("Object used as shared is not shared");
  if (object.owner.initialSharedVersion !== BigInt(ref.initialSharedVersion)) {
    throw transactionRefused("Wrong initial version given for shared object");
  }
  return { object, access: ref.mutable ? "shared" : "readonly" };
}

/** Reads a coin that is to pay for the gas. */
export function readGasCoin(store: ObjectStore, gasOwner: string, ref: ObjectRef, seen: Set<string>): ChainObject {
  const coin = readReference(store, ref, seen);
  if (coin.owner.kind !== "address") {
    throw transactionRefused(`Gas object is not an owned object with owner: ${coin.owner.kind}`);
  }
  if (coin.owner.address !== gasOwner) {
    throw transactionRefused(
      `Transaction was not signed by the correct sender: Object ${coin.id} is owned by account address ` +
        `${coin.owner.address}, but given owner/signer address is ${gasOwner}`,
    );
  }
  if (coin.type !== SUI_COIN_TYPE) throw transactionRefused(`Object ${coin.id} is not a gas object`);
  return coin;
}

/** An owned version is consumed once: whoever comes later finds another one and must build anew. */
function readReference(store: ObjectStore, ref: ObjectRef, seen: Set<string>): ChainObject {
  markUsed(ref.objectId, seen);
  const version = BigInt(ref.version);
  const object = store.liveObject(ref.objectId);
  if (object === undefined || object.version < version) throw transactionRefused(objectNotFound(ref.objectId, version));
  if (object.version > version) {
    throw transactionRefused(
      `Transaction needs to be rebuilt because object ${ref.objectId} version 0x${version.toString(16)} (${ref.digest}) ` +
        `is unavailable for consumption, current version: 0x${object.version.toString(16)}`,
    );
  }
  if (object.digest !== ref.digest) {
    throw transactionRefused(`Invalid Object digest for object ${ref.objectId}. Expected digest : ${object.digest}`);
  }
  return object;
}

function objectNotFound(id: string, version: bigint | undefined): string {
  const at = version === undefined ? "None" : `Some(SequenceNumber(${version}))`;
  return `Could not find the referenced object ${id} at version ${at}`;
}

function markUsed(id: string, seen: Set<string>): void {
  if (seen.has(id)) throw transactionRefused(`Mutable object ${id} cannot appear more than one in one transaction`);
  seen.add(id);
}
