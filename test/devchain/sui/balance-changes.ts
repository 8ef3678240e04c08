import type { ObjectChange } from "./effects.ts";
import { type ChainObject, coinBalance, coinTypeOf } from "./objects.ts";

export interface BalanceChange {
  readonly address: string;
  readonly coinType: string;
  readonly amount: bigint;
}

/** Sums what each address gained and lost in coins, sorted by address and coin type; zero sums are left out. */
export function deriveBalanceChanges(changes: readonly ObjectChange[]): BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  for (const { before, after } of changes) {
    addCoin(sums, before, -1n);
    addCoin(sums, after, 1n);
  }
  return [...sums.entries()]
    .filter(([, { amount }]) => amount !== 0n)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, change]) => change);
}

function addCoin(sums: Map<string, BalanceChange>, object: ChainObject | undefined, sign: bigint): void {
  if (object === undefined || object.owner.kind !== "address") return;
  const coinType = coinTypeOf(object.type);
  if (coinType === undefined) return;
  const { address } = object.owner;
  const key = `${address} ${coinType}`;
  const amount = (sums.get(key)?.amount ?? 0n) + sign * coinBalance(object.contents);
  sums.set(key, { address, coinType, amount });
}
