import type { EventSubscriptions } from "../durable/subscriptions.ts";
import type { Outcome } from "../errors.ts";
import type {
  AptosExecuted,
  AptosExecuteInput,
  AptosInitialization,
  AptosInitializationInput,
  AptosScreenInput,
  AptosSponsored,
  AptosSponsorInput,
} from "../fund/aptos/engine/sponsor.ts";
import type { RevocationResult, Withdrawal, WithdrawInput } from "../fund/engine.ts";
import type { LedgerRow } from "../fund/ledger/books.ts";
import type { FundSettings } from "../fund/record.ts";
import type { Executed, ExecuteInput, SponsorshipStatus } from "../fund/sui/engine/execute.ts";
import type { Prepared, Simulated, Sponsored, SponsorInput } from "../fund/sui/engine/sponsor.ts";
import type { UnusableView } from "../fund/sui/unusable.ts";
import type { AnyFundMode, FundView, Reconciliation, SponsorshipView } from "../fund/views.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import type { Network } from "../networks.ts";
import type { Page, PageRequest } from "../paging.ts";
import type { PolicyPatch } from "../policy/policy-schema.ts";

export interface CreateFund extends FundSettings {
  readonly fundId: string;
  readonly projectId: string;
  readonly network: Network;
  /** `fungible_store` on Aptos, one of the others on Sui. */
  readonly mode: AnyFundMode;
}

export interface FundPatch extends Partial<Omit<FundSettings, "policy">> {
  readonly paused?: boolean;
  /** Merged here, so that two changes at once both hold. */
  readonly policy?: PolicyPatch;
}

/** The `Fund` object, as its callers see it. */
export interface FundObject {
  /**
   * Creates the fund, without a key; repeated with the same id, answers what exists.
   *
   * @returns `unsupported_network` for an address balance where the epochs are too short for it, `node_unavailable`
   * where that cannot be asked.
   */
  create(input: CreateFund): Promise<Outcome<FundView>>;

  /** Null: no fund was ever created under this id. */
  view(): Promise<FundView | null>;

  /**
   * Changes settings, pauses or resumes; null where the fund does not exist. Holds from the next call. A fund whose
   * chain seemed gone is resumed only where the node answers for that chain again: a single answer for another chain
   * pauses a fund, and it may have been a wrong address in the configuration.
   */
  update(input: FundPatch): Promise<FundView | null>;

  /** Makes the fund's key, once. Its address is the deposit address. */
  createDepositAddress(): Promise<FundView | null>;

  /** Whether the fund's key opens. Null: it has none yet, or one that is under another master key version. */
  opensUnder(masterKeyVersion: number): Promise<boolean | null>;

  /**
   * Seals the fund's key under the current master key. A repeat changes nothing.
   *
   * @returns the master key version that the key is under from now on, also one that is only about to be made. Throws
   * where it does not open; then it is as it was.
   */
  reseal(): Promise<Outcome<number>>;

  /** Reads the fund's coins from the chain now. */
  refresh(): Promise<Outcome<FundView> | null>;

  /** Newest first; null where the fund does not exist. */
  sponsorships(page: PageRequest): Promise<Page<SponsorshipView> | null>;

  /** Reads from a node what lies at the fund's address and pays for nothing; null where the fund does not exist. */
  unusable(page: PageRequest): Promise<Outcome<Page<UnusableView>> | null>;

  /** Lends coins, signs, and hands the signature out: for transactions that the caller submits. */
  sponsor(input: SponsorInput): Promise<Outcome<Sponsored>>;

  /** Lends coins for ten minutes; no signature of the fund exists before `execute`. */
  prepare(input: SponsorInput): Promise<Outcome<Simulated>>;

  /** As `prepare`, for a call that goes on to `execute` by itself: a repeat is given what the first call has prepared. */
  prepareExecution(input: SponsorInput): Promise<Outcome<Prepared>>;

  /** Frees what was prepared for a call that was refused after all, and its Idempotency-Key. What is signed stays. */
  abandon(digest: string, idempotency: IdempotencyClaim | null): Promise<void>;

  /**
   * Submits a sponsorship that its sender has signed. Repeated, it resends the same bytes or answers what the chain
   * shows; there is never a signature over other bytes.
   */
  execute(input: ExecuteInput): Promise<Outcome<Executed>>;

  /** What the caller may believe about a digest. `COMPLETE` and the end of the hour come from the chain only. */
  status(digest: string, leftMs?: number): Promise<Outcome<SponsorshipStatus>>;

  /** On Aptos: whether the fund would pay for a transaction, before anybody signs anything. Nothing is written. */
  aptosScreen(input: AptosScreenInput): Promise<Outcome<{ readonly feePayerAddress: string }>>;

  /** On Aptos: signs as fee payer, and hands the signature out: for transactions that the caller submits. */
  aptosSponsor(input: AptosSponsorInput): Promise<Outcome<AptosSponsored>>;

  /**
   * On Aptos: signs as fee payer and submits what all others have signed. Repeated, it submits the same bytes, or answers
   * what became of them; another transaction with the same sequence number is refused.
   */
  aptosExecute(input: AptosExecuteInput): Promise<Outcome<AptosExecuted>>;

  /** On Aptos: whether the fund would pay for some account's initialisation, as far as that depends on the fund alone. */
  aptosScreenInitialization(): Promise<Outcome<null>>;

  /** On Aptos: whether an account is on chain, and the transaction that makes one, to be signed by it. */
  aptosInitialization(input: AptosInitializationInput): Promise<Outcome<AptosInitialization>>;

  /**
   * Withdraws money from the fund. Idempotent by its key.
   *
   * @returns null where the fund does not exist; the refusals of `FundWithdrawals.withdraw`.
   */
  withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal> | null>;

  /**
   * Makes the signatures worthless that are out: of one access key, or of the whole fund (null), which is then paused.
   * Safe to repeat; null where the fund does not exist.
   */
  revoke(keyId: string | null): Promise<RevocationResult | null>;

  /** An access key that was revoked is in use again. */
  unrevokeKey(keyId: string): Promise<void>;

  /** Compares the books with the chain, after settling what is open; null where the fund does not exist. */
  reconcile(): Promise<Outcome<Reconciliation> | null>;

  /** Newest first; null where the fund does not exist. */
  ledger(page: PageRequest): Promise<Page<LedgerRow> | null>;

  /**
   * Says once when the available balance has crossed its threshold, and once when it has recovered. The fund's own alarm
   * asks this now and then, and so does the cron, which thereby arms what an alarm may have lost.
   */
  check(): Promise<FundView | null>;

  /** Which events the project's webhooks want from now on: others are not raised. */
  setSubscribedEvents(listeners: EventSubscriptions): Promise<void>;
}
