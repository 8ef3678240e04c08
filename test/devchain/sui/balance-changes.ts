import { type Account, accountKey } from "./accounts.ts";
import type { ObjectChange } from "./effects.ts";
import { type AccumulatorWrite, signedAmount } from "./funds.ts";
import { type ChainObject, coinBalance, coinTypeOf, type Owner } from "./objects.ts";

export interface BalanceChange {
  readonly address: string;
  readonly coinType: string;
  readonly amount: bigint;
}

/**
 * Sums what each owner gained and lost in coins and in funds, sorted by owner and coin type; zero sums are left out
 * (sui-types balance_change.rs: `derive_balance_changes_2`).
 */
export function deriveBalanceChanges(
  changes: readonly ObjectChange[],
  funds: readonly AccumulatorWrite[],
): BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  function add(account: Account, amount: bigint): void {
    const key = accountKey(account);
    sums.set(key, { ...account, amount: (sums.get(key)?.amount ?? 0n) + amount });
  }
  for (const { before, after } of changes) {
    if (before) addCoin(add, before, -1n);
    if (after) addCoin(add, after, 1n);
  }
  for (const write of funds) add(write.account, signedAmount(write));
  return [...sums.entries()]
    .filter(([, { amount }]) => amount !== 0n)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, change]) => change);
}

function addCoin(add: (account: Account, amount: bigint) => void, object: ChainObject, sign: bigint): void {
  const coinType = coinTypeOf(object.type);
  const address = coinHolder(object.owner);
  if (coinType !== undefined && address !== undefined) add({ address, coinType }, sign * coinBalance(object.contents));
}

function coinHolder(owner: Owner): string | undefined {
  if (owner.kind === "object") return owner.parent;
  return owner.kind === "address" || owner.kind === "party" ? owner.address : undefined;
}
