import { bcs } from "@mysten/sui/bcs";
import { DEMO_ABORT_ZERO_INCREMENT, DEMO_PACKAGE } from "../../demo.ts";
import { createObject, transferObject } from "../workspace.ts";
import { readU64, u64Value } from "./data.ts";
import { COIN_FUNCTIONS } from "./demo-coins.ts";
import { BADGE_MINTED_TYPE, BADGE_TYPE, Badge, BadgeMinted, COUNTER_TYPE, Counter } from "./demo-types.ts";
import { LOCKER_FUNCTIONS } from "./locker.ts";
import { STRING_TYPE } from "./pure.ts";
import { byValue, datatype, demoFunction, immutable, type MoveCall, type MoveFunction, mutable, U64 } from "./types.ts";

const MAX_U64 = 2n ** 64n - 1n;
const COUNTER = datatype(COUNTER_TYPE);

/**
 * Module `demo` of the demo package, in Move:
 * ```move
 * public struct Counter has key { id: UID, value: u64 }
 * public struct Badge has key, store { id: UID, name: String }
 * public struct Locker has key, store { id: UID, badge: Option<Badge> }
 * public struct Parcel has key, store { id: UID, coin: Coin<SUI> }
 * public struct BadgeMinted has copy, drop { badge_id: ID, name: String, owner: address }
 * ```
 */
export const DEMO_FUNCTIONS: readonly MoveFunction[] = [
  demoFunction({
    name: "increment",
    index: 0,
    parameters: [mutable(COUNTER)],
    run: (call) => {
      addToCounter(call, 1n);
      return [];
    },
  }),
  demoFunction({
    name: "increment_by",
    index: 1,
    parameters: [mutable(COUNTER), byValue(U64)],
    run: (call) => {
      const amount = readU64(call.bytes(1));
      if (amount === 0n) call.abort(DEMO_ABORT_ZERO_INCREMENT);
      addToCounter(call, amount);
      return [];
    },
  }),
  demoFunction({
    name: "value",
    index: 2,
    parameters: [immutable(COUNTER)],
    returns: [U64],
    run: (call) => [u64Value(BigInt(Counter.parse(call.object(0).contents).value))],
  }),
  demoFunction({
    name: "mint",
    index: 3,
    parameters: [byValue(datatype(STRING_TYPE))],
    takesContext: true,
    run: (call) => {
      const { workspace } = call;
      const name = bcs.string().parse(call.bytes(0));
      const badge = createObject(workspace, {
        type: BADGE_TYPE,
        hasPublicTransfer: true,
        contents: (id) => Badge.serialize({ id, name }).toBytes(),
      });
      transferObject(badge, workspace.sender);
      workspace.events.push({
        package: DEMO_PACKAGE,
        module: "demo",
        sender: workspace.sender,
        type: BADGE_MINTED_TYPE,
        contents: BadgeMinted.serialize({ badge_id: badge.id, name, owner: workspace.sender }).toBytes(),
      });
      return [];
    },
  }),
  ...LOCKER_FUNCTIONS,
  ...COIN_FUNCTIONS,
];

function addToCounter(call: MoveCall, amount: bigint): void {
  const counter = call.object(0);
  const { id, value } = Counter.parse(counter.contents);
  const sum = BigInt(value) + amount;
  if (sum > MAX_U64) call.arithmeticError();
  counter.contents = Counter.serialize({ id, value: sum }).toBytes();
}
