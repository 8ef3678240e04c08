import { type Account, accountKey, accumulatorId } from "./accounts.ts";

/** What a running transaction has put into an account and taken out of it, in the coin's smallest unit. */
interface FundsFlow {
  readonly account: Account;
  merged: bigint;
  split: bigint;
}

export type FundsFlows = Map<string, FundsFlow>;

/** One account's entry in the effects. A flow that cancels out is a merge of zero. */
export interface AccumulatorWrite {
  readonly id: string;
  readonly account: Account;
  readonly operation: "merge" | "split";
  readonly amount: bigint;
}

/** Records a deposit, or a withdrawal when the amount is negative; nothing when it is zero. */
export function moveFunds(flows: FundsFlows, account: Account, amount: bigint): void {
  if (amount === 0n) return;
  const key = accountKey(account);
  const flow = flows.get(key) ?? { account, merged: 0n, split: 0n };
  if (amount > 0n) flow.merged += amount;
  else flow.split -= amount;
  flows.set(key, flow);
}

/** All flows of an account make one entry (sui-types object_change.rs: `AccumulatorWriteV1::merge`). */
export function accumulatorWrites(flows: FundsFlows): AccumulatorWrite[] {
  return [...flows.values()].map(({ account, merged, split }) => ({
    id: accumulatorId(account),
    account,
    ...(merged >= split
      ? { operation: "merge" as const, amount: merged - split }
      : { operation: "split" as const, amount: split - merged }),
  }));
}

export function signedAmount({ operation, amount }: AccumulatorWrite): bigint {
  return operation === "merge" ? amount : -amount;
}
