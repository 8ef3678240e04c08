import * as z from "zod";
import { type Address, APT_METADATA, displayAddress, primaryStore } from "../address.ts";
import { objectCore } from "./objects.ts";
import { FUNGIBLE_STORE, OBJECT_CORE, OBJECT_GROUP } from "./slots.ts";
import type { Json } from "./values.ts";
import { moveAbort, type World } from "./world.ts";

/** What a store takes in storage: makes one cost 532,400 octas. Recorded. */
const STORE_BYTES = 331;

const CONCURRENT_SUPPLY = "0x1::fungible_asset::ConcurrentSupply";
const MAX_U128 = 2n ** 128n - 1n;
const SupplyData = z.object({ current: z.object({ value: z.string().transform(BigInt) }) });
const StoreData = z.object({ balance: z.string().transform(BigInt) });

/** What an address holds of APT, all of it in its primary store. */
export function aptBalance(world: Pick<World, "get">, owner: Address): bigint {
  return assetBalance(world, owner, APT_METADATA);
}

/** Whether an address has a primary store of APT, be it empty. */
export function hasAptStore(world: Pick<World, "get">, owner: Address): boolean {
  return world.get(primaryStore(owner, APT_METADATA), OBJECT_GROUP) !== undefined;
}

/** What an address holds of an asset in its primary store. */
export function assetBalance(world: Pick<World, "get">, owner: Address, metadata: Address): bigint {
  const data = world.get(primaryStore(owner, metadata), OBJECT_GROUP)?.resources[FUNGIBLE_STORE];
  return data === undefined ? 0n : StoreData.parse(data).balance;
}

export function setAptBalance(world: World, owner: Address, octas: bigint): void {
  setAssetBalance(world, owner, APT_METADATA, octas);
}

/** Makes the balance what it is to be, and the store when there is none yet. */
export function setAssetBalance(world: World, owner: Address, metadata: Address, amount: bigint): void {
  const store = primaryStore(owner, metadata);
  const resources: Record<string, Json> = {
    [FUNGIBLE_STORE]: {
      balance: String(amount),
      frozen: false,
      metadata: { inner: displayAddress(metadata) },
    },
    [OBJECT_CORE]: objectCore(store, owner, false),
  };
  world.put(store, OBJECT_GROUP, resources, STORE_BYTES);
}

/** The supply of APT, from which fees are burned and to which storage refunds are minted. */
export function setAptSupply(world: World, octas: bigint): void {
  const current = { max_value: String(MAX_U128), value: String(octas) };
  world.put(APT_METADATA, CONCURRENT_SUPPLY, { [CONCURRENT_SUPPLY]: { current } }, 1);
}

export function changeAptSupply(world: World, byOctas: bigint): void {
  const data = world.get(APT_METADATA, CONCURRENT_SUPPLY)?.resources[CONCURRENT_SUPPLY];
  setAptSupply(world, SupplyData.parse(data).current.value + byOctas);
}

export function transferApt(world: World, from: Address, to: Address, octas: bigint): void {
  withdraw(world, from, octas);
  deposit(world, to, octas);
}

function withdraw(world: World, owner: Address, octas: bigint): void {
  const balance = aptBalance(world, owner);
  if (balance < octas) {
    throw moveAbort(
      "0x1::fungible_asset",
      0x10004n,
      "EINSUFFICIENT_BALANCE",
      "Insufficient balance to withdraw or transfer.",
    );
  }
  setAptBalance(world, owner, balance - octas);
  world.emit("0x1::fungible_asset::Withdraw", { amount: String(octas), store: primaryStore(owner) });
}

function deposit(world: World, owner: Address, octas: bigint): void {
  setAptBalance(world, owner, aptBalance(world, owner) + octas);
  world.emit("0x1::fungible_asset::Deposit", { amount: String(octas), store: primaryStore(owner) });
}
