// Sui only (expirationEpoch, windowEnd): a transaction on Sui expires with an epoch, which the fund sets.
// Sui only (lengthRefusal): the fund adds its gas data to the bytes on Sui alone.

import type { InspectedKind } from "../../chain/sui/kind.ts";
import { MAX_GAS_BUDGET_MIST, MAX_TRANSACTION_BYTES, MIN_BUDGET_UNITS } from "../../chain/sui/limits.ts";
import type { Outcome } from "../../errors.ts";
import { done, refuse } from "../../errors.ts";
import type { IdempotencyClaim } from "../../idempotency.ts";
import type { CompiledPolicy } from "../../policy/compile-fund-policy.ts";
import { sponsorableMist, unconvertedMist } from "../ledger/available.ts";
import { MAX_PRICE_FACTOR } from "../limits.ts";
import { policyRefusal, type SponsoringState, sponsoringRefusal } from "../refusals.ts";
import type { FundMode } from "../views.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { SPONSORSHIP_TTL_MS } from "./limits.ts";
import type { SuiFundStore } from "./store.ts";

/** The fund's settings and the chain's facts for one decision. */
export interface SuiFundContext extends SponsoringState {
  /** The fund's address. It owns the gas, and it is the one sender that the fund never sponsors. */
  readonly address: string;
  readonly mode: FundMode;
  readonly policy: CompiledPolicy;
  /** The operator's fee for each sponsorship that completes, MIST. */
  readonly feeAtoms: bigint;
  readonly facts: ChainFacts;
  readonly nowMs: number;
}

/** The terms of a sponsorship that the first checks need. */
export interface SuiSponsorTerms {
  readonly sender: string;
  readonly kind: Pick<InspectedKind, "moveTargets" | "publishesCode" | "funders">;
  /** The network charges no gas for it: price and budget are 0, and no coin pays. */
  readonly isGasless: boolean;
  /** The access key's own policy. Both this and the fund's policy must pass. */
  readonly keyPolicy: CompiledPolicy;
  readonly gasPriceMist: bigint;
  /** Null until a dry run sets it. */
  readonly gasBudgetAtoms: bigint | null;
  /** The last epoch that the sender has named. Null if the fund sets it. */
  readonly lastEpoch: bigint | null;
}

/** A sponsorship request with every value that its reservation needs. */
export interface SuiSponsorRequest extends SuiSponsorTerms {
  readonly keyId: string;
  readonly kind: InspectedKind;
  readonly gasBudgetAtoms: bigint;
  /** The storage cost by a dry run, MIST. Null if there was no dry run. */
  readonly storageCostAtoms: bigint | null;
  /** Null if the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
  /** The `x-request-id` of the answer. Null or absent if it is not known. */
  readonly requestId?: string | null;
}

/**
 * Returns the last epoch in which a sponsorship is valid. It covers the hour, whenever in the epoch the signature is
 * handed out.
 */
export function expirationEpoch(facts: ChainFacts): bigint {
  return facts.epoch + 1n + BigInt(Math.floor(SPONSORSHIP_TTL_MS / facts.epochDurationMs));
}

/**
 * Returns the last epoch of a transaction without coins. The chain lets it live for two epochs at most, so it lives as
 * short as the hour allows.
 */
export function windowEnd({ epoch, epochStartMs, epochDurationMs }: ChainFacts, nowMs: number): bigint {
  return epochStartMs + epochDurationMs < nowMs + SPONSORSHIP_TTL_MS ? epoch + 1n : epoch;
}

/**
 * Checks every rule for a request that needs no call to the chain. Writes nothing.
 *
 * @returns `fund_paused`, `storage_budget`, `sender_is_fund`, `foreign_withdrawal`, `unsupported_transaction`, `gas_price_out_of_range`,
 * `gas_budget_out_of_range`, `policy_refused`, `balance_too_low`.
 */
export function precheck(store: SuiFundStore, terms: SuiSponsorTerms, context: SuiFundContext): Outcome<null> {
  const closed = sponsoringRefusal(context);
  if (closed !== null) return closed;
  if (terms.sender === context.address)
    return refuse(
      "sender_is_fund",
      "the sender is the fund itself: use another sender, because one signature would count for both roles",
    );
  // Only the fund itself could give that allowance, and no fund gives one.
  if (terms.kind.funders.includes(context.address))
    return refuse(
      "foreign_withdrawal",
      "the transaction withdraws from an allowance of the fund: withdraw from another address",
    );
  const otherEpoch = checkEpoch(terms.lastEpoch, context);
  if (otherEpoch !== null) return otherEpoch;
  const referenceMist = context.facts.referenceGasPriceMist;
  const { kind, sender, gasPriceMist, gasBudgetAtoms: gasBudgetMist, isGasless } = terms;
  if (!isGasless && (gasPriceMist < referenceMist || gasPriceMist > referenceMist * MAX_PRICE_FACTOR))
    return refuse(
      "gas_price_out_of_range",
      `gasPrice must be between the reference gas price ${referenceMist} and ${MAX_PRICE_FACTOR} times it`,
      { referenceGasPrice: referenceMist.toString() },
    );
  const minMist = MIN_BUDGET_UNITS * gasPriceMist;
  if (gasBudgetMist !== null && (gasBudgetMist < minMist || gasBudgetMist > MAX_GAS_BUDGET_MIST))
    return refuse("gas_budget_out_of_range", `gasBudget must be between ${minMist} and ${MAX_GAS_BUDGET_MIST} MIST`);
  for (const [scope, policy] of [
    ["fund", context.policy],
    ["key", terms.keyPolicy],
  ] as const) {
    const refusal = policy.evaluateTerms({ ...kind, sender, gasBudgetAtoms: gasBudgetMist });
    if (refusal !== null) return policyRefusal({ ...refusal, scope });
  }
  if (gasBudgetMist === null) return done(null);
  const neededMist = gasBudgetMist + context.feeAtoms;
  const payable = sponsorableMist(store, context.mode);
  if (neededMist > 0n && payable < neededMist) {
    const waitingMist = unconvertedMist(store, context.mode);
    const fee = context.feeAtoms > 0n ? ` and the fee ${context.feeAtoms} MIST` : "";
    const waiting =
      waitingMist > 0n ? `; ${waitingMist} MIST more wait to be converted, see the fund's unconverted` : "";
    return refuse(
      "balance_too_low",
      `the fund has ${payable > 0n ? payable : 0n} MIST available, the gas budget is ${gasBudgetMist} MIST${fee}${waiting}: deposit, or lower gasBudget`,
    );
  }
  return done(null);
}

/**
 * Refuses an epoch that differs from the fund's own. Only the fund sets how long its signature lives. Null if the epoch
 * fits.
 */
function checkEpoch(lastEpoch: bigint | null, { mode, facts }: SuiFundContext) {
  const own = expirationEpoch(facts);
  if (lastEpoch === null || (mode === "coin" && lastEpoch === own)) return null;
  const details = `the transaction expires with epoch ${lastEpoch}: leave its expiration out, the fund sets it`;
  return refuse("unsupported_transaction", mode === "coin" ? `${details}, now to epoch ${own}` : details);
}

/** Builds the refusal of a transaction that exceeds the chain's size limit once the gas data is in it. */
export function lengthRefusal() {
  return refuse(
    "unsupported_transaction",
    `with gas data the transaction exceeds ${MAX_TRANSACTION_BYTES} bytes: make it smaller`,
  );
}
