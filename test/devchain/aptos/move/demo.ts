import { AccountAddress, createObjectAddress } from "@aptos-labs/ts-sdk";
import * as z from "zod";
import { APTOS_DEMO_MODULE, APTOS_GOLD } from "../../demo.ts";
import { type Address, displayAddress, longAddress, primaryStore } from "../address.ts";
import { addressArgument, amount, type Call, entry, signer, text, view } from "./function.ts";
import { assetBalance, setAssetBalance, transferApt } from "./fungible.ts";
import { objectAt, objectCore, requireOwner } from "./objects.ts";
import { OBJECT_CORE, OBJECT_GROUP } from "./slots.ts";
import { u64 } from "./values.ts";
import { moveAbort, type World } from "./world.ts";

const COUNTER = `${APTOS_DEMO_MODULE}::Counter`;
const BADGE = `${APTOS_DEMO_MODULE}::Badge`;
/** Modelled: a small resource with its key, and an object with a core and a name. */
const COUNTER_BYTES = 100;
const BADGE_BYTES = 250;
const MAX_NAME_BYTES = 256;

const ABORT_NO_COUNTER = 1n;
const ABORT_NAME_TAKEN = 2n;
const ABORT_NAME_TOO_LONG = 3n;

const CounterData = z.object({ value: z.string().transform(BigInt) });

function counterOf(world: Pick<World, "get">, owner: Address): bigint | undefined {
  const data = world.get(owner, COUNTER)?.resources[COUNTER];
  return data === undefined ? undefined : CounterData.parse(data).value;
}

function increment(call: Call): void {
  const owner = signer(call, 0);
  const value = (counterOf(call.world, owner) ?? 0n) + 1n;
  call.world.put(owner, COUNTER, { [COUNTER]: { value: String(value) } }, COUNTER_BYTES);
}

function close(call: Call): void {
  const owner = signer(call, 0);
  if (counterOf(call.world, owner) === undefined) throw moveAbort(APTOS_DEMO_MODULE, ABORT_NO_COUNTER);
  call.world.remove(owner, COUNTER);
}

function mint(call: Call): void {
  const creator = signer(call, 0);
  const name = text(call, 0);
  const owner = addressArgument(call, 1);
  const nameBytes = new TextEncoder().encode(name).length;
  if (nameBytes > MAX_NAME_BYTES) throw moveAbort(APTOS_DEMO_MODULE, ABORT_NAME_TOO_LONG);
  const object = badgeAddress(creator, name);
  if (call.world.get(object, OBJECT_GROUP) !== undefined) throw moveAbort(APTOS_DEMO_MODULE, ABORT_NAME_TAKEN);
  const resources = { [OBJECT_CORE]: objectCore(object, owner), [BADGE]: { name } };
  call.world.put(object, OBJECT_GROUP, resources, BADGE_BYTES + nameBytes);
  call.world.emit(`${APTOS_DEMO_MODULE}::BadgeMinted`, {
    badge: displayAddress(object),
    name,
    owner: displayAddress(owner),
  });
}

/** A badge is a named object: its address follows from its creator and its name. */
export function badgeAddress(creator: Address, name: string): Address {
  return longAddress(createObjectAddress(AccountAddress.from(creator), name).toStringLong());
}

function burn(call: Call): void {
  const object = addressArgument(call, 0);
  requireOwner(call.world, signer(call, 0), object);
  if (objectAt(call.world, object).resources[BADGE] === undefined) {
    throw moveAbort("0x1::object", 0x60001n, "ERESOURCE_DOES_NOT_EXIST", "The resource does not exist at this address");
  }
  call.world.remove(object, OBJECT_GROUP);
}

function payTogether(call: Call): void {
  for (const index of [0, 1]) {
    transferApt(call.world, signer(call, index), addressArgument(call, 0), amount(call, index + 1));
  }
}

function mintGold(call: Call): void {
  const gold = longAddress(APTOS_GOLD);
  const to = addressArgument(call, 0);
  setAssetBalance(call.world, to, gold, assetBalance(call.world, to, gold) + amount(call, 1));
  call.world.emit("0x1::fungible_asset::Deposit", { amount: String(amount(call, 1)), store: primaryStore(to, gold) });
}

/** The demo module; test/devchain/README.md shows it as Move source. */
export const DEMO_FUNCTIONS = [
  entry(APTOS_DEMO_MODULE, "increment", ["&signer"], increment),
  entry(APTOS_DEMO_MODULE, "close", ["&signer"], close),
  entry(APTOS_DEMO_MODULE, "mint", ["&signer", "0x1::string::String", "address"], mint),
  entry(APTOS_DEMO_MODULE, "burn", ["&signer", `0x1::object::Object<${BADGE}>`], burn),
  entry(APTOS_DEMO_MODULE, "pay_together", ["&signer", "&signer", "address", "u64", "u64"], payTogether),
  entry(APTOS_DEMO_MODULE, "mint_gold", ["&signer", "address", "u64"], mintGold),
  entry(APTOS_DEMO_MODULE, "abort_with", ["&signer", "u64"], (call) => {
    throw moveAbort(APTOS_DEMO_MODULE, amount(call, 0));
  }),
  view(APTOS_DEMO_MODULE, "counter", [["address"], ["u64"]], (call) => [
    u64(counterOf(call.world, addressArgument(call, 0)) ?? 0n),
  ]),
];

export const DEMO_STRUCTS: Readonly<Record<string, readonly string[]>> = {
  [APTOS_DEMO_MODULE]: ["Counter", "Badge", "BadgeMinted", "Delegate"],
};
