import { Account, Ed25519PrivateKey } from "@aptos-labs/ts-sdk";
import { APTOS_GOLD } from "../demo.ts";
import type { Sql } from "../sql.ts";
import { type Address, APT_METADATA, FRAMEWORK, longAddress } from "./address.ts";
import { fromHex, toHex } from "./hex.ts";
import { putAccount } from "./move/account.ts";
import { setAptBalance, setAptSupply } from "./move/fungible.ts";
import { objectCore } from "./move/objects.ts";
import { OBJECT_CORE, OBJECT_GROUP } from "./move/slots.ts";
import { createWorld } from "./move/world.ts";
import { CHAIN_ID } from "./prologue.ts";
import { addressOf } from "./signed.ts";
import type { Store } from "./store.ts";

/** All of it is in the faucet's account. Modelled. */
const SUPPLY_OCTAS = 1_000_000_000n * 100_000_000n;
const CONFIGURATION = "0x1::reconfiguration::Configuration";
/** The one event of a handle: the genesis begins the first epoch. */
export const EPOCH_EVENTS = {
  creationNumber: "2",
  events: [
    {
      version: "0",
      guid: { creation_number: "2", account_address: "0x1" },
      sequence_number: "0",
      type: "0x1::reconfiguration::NewEpochEvent",
      data: { epoch: "1" },
    },
  ],
} as const;
const SEED_BYTES = 32;
const GENESIS_VERSION = 0;

export interface Genesis {
  /** Tells this chain from every other: the chain id is that of all local chains. */
  readonly id: string;
  readonly genesisMs: number;
  readonly faucet: Account;
}

/** The chain of the storage, or a new one. */
export function openOrCreateGenesis(sql: Sql, store: Store, nowMs: number): Genesis {
  if (store.value("genesis_id") === undefined) sql.transaction(() => create(store, nowMs));
  return {
    id: requireValue(store, "genesis_id"),
    genesisMs: Number(requireValue(store, "genesis_ms")),
    faucet: accountOf(requireValue(store, "faucet_seed")),
  };
}

function requireValue(store: Store, name: string): string {
  const value = store.value(name);
  if (value === undefined) throw new Error(`the chain's storage has no ${name}`);
  return value;
}

function create(store: Store, nowMs: number): void {
  const randomHex = () => toHex(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
  const seed = randomHex();
  store.setValue("genesis_id", randomHex());
  store.setValue("genesis_ms", String(nowMs));
  store.setValue("faucet_seed", seed);

  const world = createWorld(() => undefined);
  const faucet = addressOf(accountOf(seed).accountAddress);
  for (const address of [FRAMEWORK, faucet])
    putAccount(world, address, { sequenceNumber: 0n, authenticationKey: address });
  world.put(FRAMEWORK, "0x1::chain_id::ChainId", { "0x1::chain_id::ChainId": { id: CHAIN_ID } }, 1);
  world.put(FRAMEWORK, CONFIGURATION, { [CONFIGURATION]: configuration() }, 1);
  setAptBalance(world, faucet, SUPPLY_OCTAS);
  setAptSupply(world, SUPPLY_OCTAS);
  putAsset(world, APT_METADATA, { name: "Aptos Coin", symbol: "APT", decimals: 8 });
  putAsset(world, longAddress(APTOS_GOLD), { name: "Demo Gold", symbol: "GOLD", decimals: 0 });
  store.putItems(world.changes(), GENESIS_VERSION);
}

function configuration() {
  const guid = { id: { addr: "0x1", creation_num: EPOCH_EVENTS.creationNumber } };
  return { epoch: "1", events: { counter: "1", guid }, last_reconfiguration_time: "0" };
}

function putAsset(
  world: ReturnType<typeof createWorld>,
  address: Address,
  shape: { readonly name: string; readonly symbol: string; readonly decimals: number },
): void {
  const resources = {
    "0x1::fungible_asset::Metadata": { ...shape, icon_uri: "", project_uri: "" },
    [OBJECT_CORE]: objectCore(address, FRAMEWORK, false),
  };
  world.put(address, OBJECT_GROUP, resources, 1);
}

function accountOf(seedHex: string): Account {
  return Account.fromPrivateKey({ privateKey: new Ed25519PrivateKey(fromHex(seedHex), false) });
}
