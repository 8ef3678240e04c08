import type { Outcome } from "../errors.ts";
import type { AptosExecuted, AptosExecuteInput } from "../fund/aptos/engine/execute.ts";
import type { AptosInitialization, AptosInitializationInput } from "../fund/aptos/engine/initialize.ts";
import type { AptosScreenInput, AptosSponsorInput } from "../fund/aptos/engine/reserve.ts";
import type { AptosSponsored } from "../fund/aptos/engine/sponsor.ts";
import type { Executed, ExecuteInput } from "../fund/sui/engine/execution.ts";
import type { BoundedSponsorInput, Prepared, Simulated, Sponsored } from "../fund/sui/engine/sponsor.ts";
import type { SponsorInput } from "../fund/sui/engine/sponsor-input.ts";
import type { SponsorshipStatus } from "../fund/sui/engine/status.ts";
import type { IdempotencyClaim } from "../idempotency.ts";

/**
 * The methods of the `Fund` object that sponsor transactions. They throw for a fund that was never created, and for a
 * fund of the other chain.
 */
export interface SponsoringFund {
  /**
   * Reserves gas, signs, and hands the signature out, for transactions that the caller submits. On Sui.
   *
   * @returns `overloaded`, `idempotency_conflict`; `bad_key` for a revoked key, `fund_paused`, `policy_refused`;
   *   `unsupported_transaction`, `non_canonical_bytes`, `gas_coin_used`, `foreign_withdrawal`, `sender_is_fund`;
   *   `gas_price_out_of_range`, `gas_budget_out_of_range`, `dry_run_failed`; `balance_too_low`, `no_gas_object`;
   *   `node_unavailable`, `storage`, `storage_budget`, `key_service`. Nothing is held after a refusal.
   */
  sponsor(input: SponsorInput): Promise<Outcome<Sponsored>>;

  /**
   * Reserves gas for ten minutes. No signature of the fund exists before `execute`. On Sui.
   *
   * @returns the refusals of `sponsor`.
   */
  prepare(input: SponsorInput): Promise<Outcome<Simulated>>;

  /**
   * Prepares within bounds that narrow what the policies allow. An earlier build does not have this method, so that no
   * fund ignores the bounds. On Sui.
   *
   * @returns `wrong_network`, and the refusals of `sponsor`.
   */
  prepareBounded(input: BoundedSponsorInput): Promise<Outcome<Simulated>>;

  /**
   * Prepares for a call that continues with `execute`. A repeat gets the preparation of the first call.
   *
   * @returns the refusals of `sponsor`.
   */
  prepareExecution(input: SponsorInput): Promise<Outcome<Prepared>>;

  /** Frees the preparation of a call that was then refused, and its Idempotency-Key. A signed sponsorship stays. */
  abandon(digest: string, idempotency: IdempotencyClaim | null): Promise<void>;

  /**
   * Signs and submits a sponsorship that its sender has signed. A repeat resends the same bytes, or answers from the
   * chain. The fund never signs other bytes. On Sui.
   *
   * @returns `overloaded`, `idempotency_conflict`, `unknown_sponsorship`, `sponsorship_expired`, `bad_signature`,
   * `bad_key`, `fund_paused`, `node_unavailable`, `storage`, `storage_budget`, `key_service`: nothing was sent.
   * `node_refused`: no node shows an execution, and its coin is taken back. `outcome_unknown`, with the digest: it may
   * have been executed, or may still be.
   */
  execute(input: ExecuteInput): Promise<Outcome<Executed>>;

  /**
   * Returns the status of a digest that the caller may rely on. `COMPLETE` and the end of the hour come from the chain
   * only. On Sui.
   *
   * @returns `node_unavailable` if the hour is over and no node shows the end yet, or if none could look up a digest that
   * the fund does not know.
   */
  status(digest: string, leftMs?: number): Promise<Outcome<SponsorshipStatus>>;

  /**
   * Checks whether the fund would pay for a transaction, before anybody signs it. Writes nothing. On Aptos.
   *
   * @returns `unsupported_transaction`, `non_canonical_bytes`, `wrong_chain_id`, `sender_is_fund`, `duplicate_signer`,
   * `expired`, `expiration_too_far`, `gas_price_out_of_range`, `gas_budget_out_of_range`; `bad_key` for a revoked key,
   * `fund_paused`, `policy_refused`; `sequence_conflict`, `outcome_unknown`; `balance_too_low`, `node_unavailable`,
   * `storage_budget`.
   */
  aptosScreen(input: AptosScreenInput): Promise<Outcome<{ readonly feePayerAddress: string }>>;

  /**
   * Signs as fee payer, and hands the signature out: for transactions that the caller submits. On Aptos.
   *
   * @returns the refusals of `aptosScreen`; `overloaded`, `idempotency_conflict`, `account_not_found`, `storage`.
   */
  aptosSponsor(input: AptosSponsorInput): Promise<Outcome<AptosSponsored>>;

  /**
   * Signs as fee payer and submits a transaction that all others have signed. A repeat submits the same bytes, or
   * returns their result. Another transaction with the same sequence number is refused. On Aptos.
   *
   * @returns the refusals of `aptosSponsor`, and `bad_signature`: nothing was sent. `node_refused`: no node has taken
   *   it, now or before. `outcome_unknown`, with the hash: it may be committed.
   */
  aptosExecute(input: AptosExecuteInput): Promise<Outcome<AptosExecuted>>;

  /**
   * Checks whether the fund would pay for the initialisation of any account. On Aptos.
   *
   * @returns `fund_paused`, `gas_budget_out_of_range`, `balance_too_low`, `node_unavailable`, `storage_budget`.
   */
  aptosScreenInitialization(): Promise<Outcome<null>>;

  /**
   * Checks whether an account is on chain. If not, prepares the transaction that creates it, for the account to sign.
   * On Aptos.
   *
   * @returns the refusals of `aptosScreen`. If the account's first transaction is sent again, those of `aptosExecute`.
   */
  aptosInitialization(input: AptosInitializationInput): Promise<Outcome<AptosInitialization>>;
}
