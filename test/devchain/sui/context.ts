import type { Protocol } from "./protocol.ts";

/** The state of the chain that a transaction is checked against. */
export interface ChainContext {
  readonly chainId: string;
  readonly epoch: bigint;
  readonly referenceGasPrice: bigint;
  readonly protocol: Protocol;
  /** Whether `0x2::coin::send_funds` takes the gas coin. */
  readonly sendsGasCoin: boolean;
  /** The transaction that published the packages. Null: they are from genesis, and nothing depends on them. */
  readonly publishedBy: string | null;
}

/**
 * `execute` checks everything. `schedule` is for what was admitted before and comes out of consensus now: funds that
 * have run short since no longer refuse it. `simulate` mocks an empty gas payment that the payer's address balance
 * does not cover, and `estimate` every empty one. `inspect` is a simulation with checks disabled: no ownership, gas or
 * expiration rules.
 */
export type CheckMode = "execute" | "schedule" | "simulate" | "estimate" | "inspect";
