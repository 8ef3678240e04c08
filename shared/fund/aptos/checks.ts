// Aptos only (precheckBudget, checkBalance): an account is also made for a wallet, before there is a request to check.
// Aptos only (gasBudgetOf, checkExpiration, expiredRefusal, policyTermsOf): the sender
// builds the whole transaction on Aptos, so the fund checks each part of it.

import { formatAddress } from "../../chain/aptos/address.ts";
import {
  MAX_GAS_UNITS,
  MAX_SEQUENCE_NUMBER,
  MIN_GAS_UNIT_PRICE_OCTAS,
  MIN_GAS_UNITS,
} from "../../chain/aptos/limits.ts";
import { payloadTraits } from "../../chain/aptos/payload.ts";
import type { RawTransaction } from "../../chain/aptos/raw-transaction.ts";
import type { AptosLedgerState } from "../../chain/aptos/seen.ts";
import { isNoOp } from "../../chain/aptos/treasury-payloads.ts";
import type { Outcome } from "../../errors.ts";
import { done, refuse } from "../../errors.ts";
import type { IdempotencyClaim } from "../../idempotency.ts";
import type { CompiledPolicy } from "../../policy/compile-fund-policy.ts";
import { availableOctas } from "../ledger/available.ts";
import { MAX_PRICE_FACTOR } from "../limits.ts";
import { policyRefusal, type SponsoringState, sponsoringRefusal } from "../refusals.ts";
import { MAX_EXPIRATION_SECONDS, MAX_ORDERLESS_SECONDS } from "./limits.ts";
import type { AptosAuthenticators, AptosFundStore } from "./store.ts";

/** The facts of a fund's chain that the checks use. */
export interface AptosChainFacts {
  readonly ledger: Pick<AptosLedgerState, "chain" | "timestampMs" | "version">;
  /** The node's estimate (`AptosNode.estimateGasPrice`). */
  readonly gasPriceOctas: bigint;
}

/** The fund's settings and facts that judge a request. */
export interface AptosFundContext extends SponsoringState {
  /** The fund's address. The fund is the fee payer, and never another signer. */
  readonly address: string;
  readonly policy: CompiledPolicy;
  /** The operator's fee for each completed sponsorship. */
  readonly feeAtoms: bigint;
  readonly facts: AptosChainFacts;
  readonly nowMs: number;
}

/** A decoded request, before the chain shows its sender. */
export interface AptosSponsorTerms {
  readonly rawTransaction: RawTransaction;
  /** Addresses in full length, in the order of their signatures. */
  readonly secondaryAddresses: readonly string[];
  /** The access key's own policy. This policy and the fund's must both pass. */
  readonly keyPolicy: CompiledPolicy;
}

/** The sender's account, as a node showed it. */
export interface SenderFacts {
  /** The sequence number of its next transaction. 0 if no account exists. */
  readonly sequenceNumber: bigint;
  /** True if the resource `0x1::account::Account` exists. */
  readonly exists: boolean;
  /** The chain's time of the ledger that shows the account. */
  readonly ledgerTimeMs: number;
  /** True if an earlier call read the account. The sender may have used numbers since then. */
  readonly isRemembered: boolean;
}

/** The parts of a request that identify a repeat. */
export interface AptosRequestBase extends Pick<AptosSponsorTerms, "secondaryAddresses"> {
  readonly keyId: string;
  /** BCS that `rawTransaction` was decoded from. */
  readonly rawTransactionBytes: Uint8Array;
  /** Null if the caller gets our signature and submits. Otherwise the authenticators are verified, and we submit. */
  readonly authenticators: AptosAuthenticators | null;
  /** Null if the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
  /** The `x-request-id` of the answer. Null or absent if it is not known. */
  readonly requestId?: string | null;
}

/** A request to reserve gas for, with its sender's account. */
export interface AptosSponsorRequest extends AptosSponsorTerms, AptosRequestBase {
  readonly account: SenderFacts;
}

/** Computes the greatest possible cost of a transaction, octas. */
export function gasBudgetOf({ maxGasAmount, gasUnitPriceOctas }: RawTransaction): bigint {
  return maxGasAmount * gasUnitPriceOctas;
}

/**
 * Returns the refusals that do not depend on the sender's account. Writes nothing.
 *
 * @returns `fund_paused`, `storage_budget`, `sender_is_fund`, `duplicate_signer`, `unsupported_transaction`,
 * `wrong_chain_id`, `expired`, `expiration_too_far`, `gas_price_out_of_range`, `gas_budget_out_of_range`,
 * `policy_refused`, `balance_too_low`.
 */
export function precheck(store: AptosFundStore, terms: AptosSponsorTerms, context: AptosFundContext): Outcome<null> {
  const refused =
    sponsoringRefusal(context) ??
    checkSigners(terms, context) ??
    checkPayload(terms, context) ??
    checkExpiration(terms.rawTransaction, context) ??
    checkGas(terms.rawTransaction, context.facts);
  if (refused !== null) return refused;
  const judged = policyTermsOf(terms);
  for (const [scope, policy] of [
    ["fund", context.policy],
    ["key", terms.keyPolicy],
  ] as const) {
    const refusal = policy.evaluateTerms(judged);
    if (refusal !== null) return policyRefusal({ ...refusal, scope });
  }
  return checkBalance(store, judged.gasBudgetAtoms, context) ?? done(null);
}

/**
 * Checks that the fund would pay this amount for any sender. Writes nothing.
 *
 * @returns `fund_paused`, `storage_budget`, `balance_too_low`.
 */
export function precheckBudget(
  store: AptosFundStore,
  gasBudgetAtoms: bigint,
  context: SponsoringState & Pick<AptosFundContext, "feeAtoms">,
): Outcome<null> {
  return sponsoringRefusal(context) ?? checkBalance(store, gasBudgetAtoms, context) ?? done(null);
}

/** Refuses with `balance_too_low` if the budget and the fee exceed the available balance. Null otherwise. */
export function checkBalance(
  store: AptosFundStore,
  gasBudgetAtoms: bigint,
  { feeAtoms }: Pick<AptosFundContext, "feeAtoms">,
): Refused | null {
  const available = availableOctas(store);
  if (available >= gasBudgetAtoms + feeAtoms) return null;
  const fee = feeAtoms > 0n ? ` and the fee is ${feeAtoms} octas` : "";
  return refuse(
    "balance_too_low",
    `the fund has ${available > 0n ? available : 0n} octas available, the transaction may cost ${gasBudgetAtoms} octas${fee}: deposit, or lower max_gas_amount`,
  );
}

/** A refusal as a value. */
export type Refused = ReturnType<typeof refuse>;

/** Refuses repeated signers, which the chain forbids. The fund's one signature must not count for two roles. */
function checkSigners({ rawTransaction, secondaryAddresses }: AptosSponsorTerms, { address }: AptosFundContext) {
  const signers = [rawTransaction.sender, ...secondaryAddresses];
  if (signers.includes(address))
    return refuse(
      "sender_is_fund",
      "the fund is the sender or a secondary signer, but it may only pay: use another account",
    );
  const duplicate = signers.find((signer, index) => signers.indexOf(signer) !== index);
  return duplicate === undefined
    ? null
    : refuse(
        "duplicate_signer",
        `${formatAddress(duplicate)} signs twice, as sender or in secondaryAddresses: name it once`,
      );
}

function checkPayload(
  { rawTransaction: { payload, sequenceNumber }, keyPolicy }: AptosSponsorTerms,
  { policy }: AptosFundContext,
): Refused | null {
  const { isMultisig, nonce, asksHigherLimits } = payloadTraits(payload);
  const unsupported = (what: string) => refuse("unsupported_transaction", `${what}`);
  if (nonce !== null && !(policy.orderless && keyPolicy.orderless))
    return unsupported("orderless transactions are not sponsored: give it a sequence number");
  if (isMultisig)
    return unsupported("transactions of on-chain multisig accounts are not sponsored: send it from an owner's account");
  if (asksHigherLimits)
    return unsupported("transactions that ask for higher limits are not sponsored: leave the request out");
  return nonce === null && sequenceNumber > MAX_SEQUENCE_NUMBER
    ? refuse(
        "unsupported_transaction",
        "sequence_number is above the highest that the chain executes: use the account's next one",
      )
    : null;
}

/** Refuses another chain's id, an expired transaction, and one that expires too far ahead. Null otherwise. */
export function checkExpiration(
  { chainId, expirationTimestampSeconds, payload }: RawTransaction,
  { facts: { ledger }, nowMs }: AptosFundContext,
): Refused | null {
  if (chainId !== ledger.chain)
    return refuse(
      "wrong_chain_id",
      `rawTransaction has chain id ${chainId}, the fund's chain has ${ledger.chain}: build it for that chain`,
    );
  const isOrderless = payloadTraits(payload).nonce !== null;
  const mostSeconds = isOrderless ? MAX_ORDERLESS_SECONDS : MAX_EXPIRATION_SECONDS;
  if (expirationTimestampSeconds > BigInt(Math.floor(nowMs / 1_000)) + mostSeconds)
    return refuse(
      "expiration_too_far",
      isOrderless
        ? `expiration_timestamp_secs of an orderless transaction must be at most ${mostSeconds} seconds ahead`
        : `expiration_timestamp_secs must be at most ${mostSeconds} seconds ahead`,
    );
  return expirationTimestampSeconds * 1_000n <= BigInt(Math.max(nowMs, ledger.timestampMs)) ? expiredRefusal() : null;
}

/** Refuses an expired transaction. */
export function expiredRefusal() {
  return refuse("expired", "the transaction has expired: build a new one");
}

function checkGas(rawTransaction: RawTransaction, { gasPriceOctas }: AptosChainFacts): Refused | null {
  const { maxGasAmount, gasUnitPriceOctas } = rawTransaction;
  const highestOctas = gasPriceOctas * MAX_PRICE_FACTOR;
  if (gasUnitPriceOctas < MIN_GAS_UNIT_PRICE_OCTAS || gasUnitPriceOctas > highestOctas)
    return refuse(
      "gas_price_out_of_range",
      `gas_unit_price must be between ${MIN_GAS_UNIT_PRICE_OCTAS} and ${highestOctas} octas, ${MAX_PRICE_FACTOR} times the node's estimate`,
      { gasEstimate: gasPriceOctas.toString() },
    );
  return maxGasAmount < MIN_GAS_UNITS || maxGasAmount > MAX_GAS_UNITS
    ? refuse("gas_budget_out_of_range", `max_gas_amount must be between ${MIN_GAS_UNITS} and ${MAX_GAS_UNITS} units`)
    : null;
}

/**
 * Extracts the terms that policies judge. A script brings its own code, so no list of functions can describe it. A
 * no-op creates an account as the first transaction of a sender without one. A later no-op would only spend gas.
 *
 * @param account absent until it is read, which happens before a reservation.
 */
export function policyTermsOf({ rawTransaction }: AptosSponsorTerms, account?: SenderFacts) {
  const { moveTarget, isScript, nonce } = payloadTraits(rawTransaction.payload);
  const makesAccount = account?.exists !== true && nonce === null && rawTransaction.sequenceNumber === 0n;
  return {
    moveTargets: moveTarget === null ? [] : [moveTarget],
    publishesCode: isScript,
    isNoOp: makesAccount && isNoOp(rawTransaction.payload),
    sender: rawTransaction.sender,
    gasBudgetAtoms: gasBudgetOf(rawTransaction),
  };
}
