import { CLOCK_ID } from "./clock-object.ts";
import { parseCoinReservation } from "./coin-reservation.ts";
import type { CheckMode } from "./context.ts";
import { lockConflict } from "./lock-conflict.ts";
import { type ChainObject, consensusStart, type Owner, SUI_COIN_TYPE } from "./objects.ts";
import type { SlotAccess } from "./slots.ts";
import { MissingInput, transactionRefused } from "./status.ts";
import type { ObjectStore } from "./store.ts";
import type { CallArg, DecodedTransaction, ObjectRef } from "./transaction.ts";

export interface InputObject {
  readonly object: ChainObject;
  readonly access: SlotAccess;
  /** Taken by id through consensus instead of by version. */
  readonly isConsensus: boolean;
}

/** The versions of owned objects that a transaction consumes: one of them is consumed by one transaction alone. */
export function consumedBy(store: ObjectStore, { programmable, data }: DecodedTransaction, chainId: string) {
  const inputs = programmable.inputs.flatMap(({ Object: object }) => object?.ImmOrOwnedObject ?? []);
  const owned = inputs.filter(({ objectId }) => store.liveObject(objectId)?.owner.kind === "address");
  return [...owned, ...data.gasData.payment.filter((ref) => parseCoinReservation(ref, chainId) === undefined)];
}

/** Reads the object of an input. Each object may be used once, `seen` holds those that are. */
export function readInput(
  store: ObjectStore,
  sender: string,
  input: NonNullable<CallArg["Object"]>,
  seen: Set<string>,
  mode: CheckMode,
): InputObject | undefined {
  switch (input.$kind) {
    case "ImmOrOwnedObject":
      return readOwnedInput(store, sender, input.ImmOrOwnedObject, seen, mode);
    case "SharedObject":
      return readConsensusInput(store, sender, input.SharedObject, seen, mode);
    case "Receiving":
      return undefined;
  }
}

function readOwnedInput(
  store: ObjectStore,
  sender: string,
  ref: ObjectRef,
  seen: Set<string>,
  mode: CheckMode,
): InputObject {
  const object = readReference(store, ref, seen, mode);
  const { owner } = object;
  switch (owner.kind) {
    case "immutable":
      return { object, access: "readonly", isConsensus: false };
    case "address":
      if (mode !== "inspect" && owner.address !== sender) throw wrongSigner(object.id, owner.address, sender);
      return { object, access: "owned", isConsensus: false };
    case "object":
      throw childObject(object.id, owner.parent);
    case "shared":
    case "party":
      throw transactionRefused("Object used as owned is not owned");
  }
}

function readConsensusInput(
  store: ObjectStore,
  sender: string,
  ref: { objectId: string; initialSharedVersion: string; mutable: boolean },
  seen: Set<string>,
  mode: CheckMode,
): InputObject {
  markUsed(ref.objectId, seen);
  const object = store.liveObject(ref.objectId);
  if (object === undefined) throw new MissingInput(objectNotFound(ref.objectId, undefined));
  const { owner } = object;
  const start = consensusStart(owner);
  if (start === undefined) throw transactionRefused("Object used as shared is not shared");
  if (start !== BigInt(ref.initialSharedVersion)) {
    throw transactionRefused("Wrong initial version given for shared object");
  }
  if (object.id === CLOCK_ID && ref.mutable)
    throw transactionRefused("Mutable parameter provided, immutable parameter expected");
  if (owner.kind !== "party") return { object, access: ref.mutable ? "shared" : "readonly", isConsensus: true };
  if (mode !== "inspect" && owner.address !== sender) throw wrongSigner(object.id, owner.address, sender);
  return { object, access: ref.mutable ? "owned" : "readonly", isConsensus: true };
}

/** Reads an object that a Move call may receive from the object that it was sent to (sui-transaction-checks lib.rs). */
export function readReceiving(store: ObjectStore, ref: ObjectRef, seen: Set<string>): ChainObject {
  const object = store.liveObject(ref.objectId);
  const version = BigInt(ref.version);
  if (object === undefined) throw new MissingInput(objectNotFound(ref.objectId, version));
  if (object.version !== version) throw transactionRefused(versionUnavailable(ref, object.version));
  if (object.digest !== ref.digest) throw transactionRefused(wrongDigest(object));
  switch (object.owner.kind) {
    case "address":
      break;
    case "object":
      throw childObject(object.id, object.owner.parent);
    case "immutable":
      throw transactionRefused(`Mutable parameter provided, immutable parameter expected: ${object.id}`);
    case "shared":
    case "party":
      throw transactionRefused("Object used as shared is not shared");
  }
  if (seen.has(object.id)) throw transactionRefused("The transaction inputs contain duplicates ObjectRef's");
  seen.add(object.id);
  return object;
}

/** Reads a coin that is to pay for the gas. */
export function readGasCoin(
  store: ObjectStore,
  gasOwner: string,
  ref: ObjectRef,
  seen: Set<string>,
  mode: CheckMode,
): ChainObject {
  const live = store.liveObject(ref.objectId);
  // Whatever version the payment names (recorded, 1.62).
  if (live !== undefined && live.owner.kind !== "address")
    throw transactionRefused(`Gas object is not an owned object with owner: ${ownerText(live.owner)}`);
  const coin = readReference(store, ref, seen, mode);
  if (coin.owner.kind !== "address") {
    throw transactionRefused(`Gas object is not an owned object with owner: ${ownerText(coin.owner)}`);
  }
  if (coin.owner.address !== gasOwner) throw wrongSigner(coin.id, coin.owner.address, gasOwner);
  if (coin.type !== SUI_COIN_TYPE) throw transactionRefused(`Object ${coin.id} is not a gas object`);
  return coin;
}

/** sui-types object.rs: `Owner`, as Rust shows it. */
function ownerText(owner: Owner): string {
  switch (owner.kind) {
    case "address":
      return `AddressOwner(${owner.address})`;
    case "object":
      return `ObjectOwner(${owner.parent})`;
    case "shared":
      return `Shared { initial_shared_version: SequenceNumber(${owner.initialSharedVersion}) }`;
    case "party":
      return `ConsensusAddressOwner { start_version: SequenceNumber(${owner.startVersion}), owner: ${owner.address} }`;
    case "immutable":
      return "Immutable";
  }
}

export function gasReservation(ref: ObjectRef, chainId: string): bigint {
  return parseCoinReservation(ref, chainId)?.amount ?? 0n;
}

/** An owned version is consumed once: whoever comes later finds another one and must build anew. */
function readReference(store: ObjectStore, ref: ObjectRef, seen: Set<string>, mode: CheckMode): ChainObject {
  markUsed(ref.objectId, seen);
  const version = BigInt(ref.version);
  const object = store.liveObject(ref.objectId);
  if (object === undefined || object.version < version) throw new MissingInput(objectNotFound(ref.objectId, version));
  if (object.version > version) {
    if (mode === "schedule") throw lockConflict(ref, object.previousTransaction);
    throw transactionRefused(versionUnavailable(ref, object.version));
  }
  if (object.digest !== ref.digest) throw transactionRefused(wrongDigest(object));
  return object;
}

function versionUnavailable({ objectId, version, digest }: ObjectRef, current: bigint): string {
  return (
    `Transaction needs to be rebuilt because object ${objectId} version 0x${BigInt(version).toString(16)} (${digest}) ` +
    `is unavailable for consumption, current version: 0x${current.toString(16)}`
  );
}

function wrongDigest({ id, digest }: ChainObject): string {
  return `Invalid Object digest for object ${id}. Expected digest : ${digest}`;
}

function wrongSigner(id: string, owner: string, signer: string) {
  return transactionRefused(
    `Transaction was not signed by the correct sender: Object ${id} is owned by account address ` +
      `${owner}, but given owner/signer address is ${signer}`,
  );
}

function childObject(id: string, parent: string) {
  return transactionRefused(
    `Object ${id} is owned by object ${parent}. Objects owned by other objects cannot be used as input arguments`,
  );
}

function objectNotFound(id: string, version: bigint | undefined): string {
  const at = version === undefined ? "None" : `Some(SequenceNumber(${version}))`;
  return `Could not find the referenced object ${id} at version ${at}`;
}

function markUsed(id: string, seen: Set<string>): void {
  if (seen.has(id)) throw transactionRefused(`Mutable object ${id} cannot appear more than one in one transaction`);
  seen.add(id);
}
