import type { Recalled } from "../access/lease.ts";
import type { EventSubscriptions } from "../durable/subscriptions.ts";
import type { Outcome } from "../errors.ts";
import type { RevocationResult, Withdrawal, WithdrawInput } from "../fund/engine.ts";
import type { RefusedCall } from "../fund/explain/refused-call.ts";
import type { RefusalCount, RefusalCountQuery, RefusalQuery } from "../fund/explain/sqlite-refused-calls.ts";
import type { FundStory, StoryQuery } from "../fund/explain/story.ts";
import type { FundLimitsPatch } from "../fund/fund-limits.ts";
import type { LedgerRow } from "../fund/ledger/books.ts";
import type { SpendQuery, SpendView } from "../fund/ledger/spend.ts";
import type { LedgerFilter, SponsorshipFilter } from "../fund/lists/filter.ts";
import type { GroupSum } from "../fund/lists/sums.ts";
import type { FundMetrics } from "../fund/metrics.ts";
import type { FundSettings } from "../fund/record.ts";
import type { CoinRequest, CoinView } from "../fund/sui/coin-list.ts";
import type { UnusableView } from "../fund/sui/unusable.ts";
import type {
  AnyFundMode,
  DroppedCoin,
  ForceClosed,
  FundView,
  Reconciliation,
  RecoveryView,
  SponsorshipView,
} from "../fund/views.ts";
import type { Network } from "../networks.ts";
import type { Page, PageRequest, SummableRequest, SummedPage } from "../paging.ts";
import type { PolicyPatch } from "../policy/policy-schema.ts";
import type { AdmitAndCall, AdmittedCall, FundMethod } from "./fund-calls.ts";
import type { SponsoringFund } from "./fund-sponsoring.ts";
import type { MovingObject } from "./transfer.ts";

/** A fund to create. */
export interface CreateFund extends Omit<FundSettings, "limits"> {
  readonly fundId: string;
  readonly projectId: string;
  readonly network: Network;
  /** `fungible_store` on Aptos, one of the others on Sui. */
  readonly mode: AnyFundMode;
  /** An omitted limit takes its default. */
  readonly limits?: FundLimitsPatch;
}

/** A change of a fund's settings. Absent fields stay. */
export interface FundPatch extends Partial<Omit<FundSettings, "policy" | "limits">> {
  readonly paused?: boolean;
  /** Merged here, so that two changes at once both hold. */
  readonly policy?: PolicyPatch;
  /** Merged here, as the policy. */
  readonly limits?: FundLimitsPatch;
}

/**
 * The `Fund` object, as its callers see it. A method that answers null does so for a fund that was never created. The
 * methods that sponsor throw for such a fund, and for a fund of the other chain: admission knows both.
 */
export interface FundObject extends MovingObject, SponsoringFund {
  /**
   * Creates the fund, without a key. A repeat with the same id returns the existing fund.
   *
   * @returns `unsupported_network` for a mode of the other chain, and for an address balance if epochs are too short
   * for it; `node_unavailable` if no node shows their length.
   */
  create(input: CreateFund): Promise<Outcome<FundView>>;

  /** Names the fund's archives, also while the fund is closed for a transfer. */
  archiveNames(): Promise<readonly string[]>;

  /** Shows the fund. Null if it was never created. */
  view(): Promise<FundView | null>;

  /**
   * Changes settings, pauses or resumes. Holds from the next call. A fund that `chain_reset` has paused resumes only
   * if a node answers for its chain again; otherwise `pausedCause` stays. A wrong address in the configuration may
   * have paused it.
   */
  update(input: FundPatch): Promise<FundView | null>;

  /** Makes the fund's key, once. Its address is the deposit address. Throws under another master key than before. */
  createDepositAddress(): Promise<FundView | null>;

  /** Returns true if the fund's key opens. Null if it has none yet, or one under another master key version. */
  opensUnder(masterKeyVersion: number): Promise<boolean | null>;

  /**
   * Seals the fund's key under the current master key. A repeat changes nothing.
   *
   * @returns the master key version of the key from now on, also for a key that will be made later. Throws if the key
   * does not open, and then leaves it unchanged.
   */
  reseal(): Promise<Outcome<number>>;

  /** Reads the fund's assets from the chain. Refuses with `node_unavailable` or `fund_paused`. */
  refresh(): Promise<Outcome<FundView> | null>;

  /**
   * Lists sponsorships, newest first, or adds up a part of them. An earlier build applies no filter, and its page has no
   * `isFiltered`.
   */
  sponsorships(
    page: SummableRequest<SponsorshipFilter>,
  ): Promise<SummedPage<SponsorshipView, readonly GroupSum[]> | null>;

  /** Lists the coins in the books. `unsupported_network` on Aptos. An earlier build does not have this method. */
  coins(request: CoinRequest): Promise<Outcome<Page<CoinView>> | null>;

  /**
   * Reads from a node what lies at the fund's address and pays for nothing.
   *
   * @returns `node_unavailable`; `bad_params` for a cursor of no such list; `unsupported_network` on Aptos.
   */
  unusable(page: PageRequest): Promise<Outcome<Page<UnusableView>> | null>;

  /**
   * Admits a request by a leased copy of its access key, and runs its call in the same turn.
   *
   * @returns no admission if the access key has to admit the request. An earlier build does not have this method.
   */
  admitAndCall<Method extends FundMethod>(input: AdmitAndCall<Method>): Promise<AdmittedCall<Method>>;

  /**
   * Ends the lease of an access key. No later call is admitted by it. A repeat returns the same.
   *
   * @returns the bucket of the key's calls, if the fund holds it.
   */
  recallLease(keyId: string): Promise<Recalled>;

  /**
   * Withdraws money from the fund, at most once for each Idempotency-Key.
   *
   * @returns `idempotency_conflict`; `fund_paused` while the state is behind the chain, `recovery_unconfirmed` after a
   * recovery; `bad_params` for the fund's own address; `balance_too_low`, `node_unavailable`, `key_service`; on
   * Sui `no_gas_object` and `dry_run_failed`; on Aptos `sequence_conflict` while another withdrawal is under way.
   */
  withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal> | null>;

  /**
   * Makes the signatures of one access key worthless, or of the whole fund (null), which is then paused. Safe to
   * repeat.
   */
  revoke(keyId: string | null): Promise<RevocationResult | null>;

  /** Takes a revoked access key into use again. Throws if the fund was never created. */
  unrevokeKey(keyId: string): Promise<void>;

  /**
   * Compares the books with the chain, after settling everything open. Refuses with `node_unavailable` or
   * `fund_paused`.
   */
  reconcile(): Promise<Outcome<Reconciliation> | null>;

  /**
   * Brings a state that may be older than the chain up to the chain, after a restored backup. The fund is paused until
   * the end. Begins a recovery, or continues the one under way. The alarm continues it by itself.
   *
   * @returns `fund_paused` if the fund's chain is gone, `node_unavailable`.
   */
  recover(): Promise<Outcome<RecoveryView> | null>;

  /**
   * Takes the operator's word that no Idempotency-Key from before a recovery will be used again. Withdrawals need no
   * confirmation from then on.
   *
   * @returns `recovery_unconfirmed` while there is no ended recovery.
   */
  confirmWithdrawals(): Promise<Outcome<RecoveryView> | null>;

  /**
   * Closes a row that no node can show and that can never execute any more. Refusals as `FundEngine.forceClose`.
   *
   * @returns a value of null if the fund has no such row.
   */
  forceClose(digest: string): Promise<Outcome<ForceClosed | null> | null>;

  /**
   * Drops a coin that no node shows as the fund's. Refusals as `FundEngine.dropCoin`.
   *
   * @returns a value of null if the fund has no such coin.
   */
  dropCoin(objectId: string): Promise<Outcome<DroppedCoin | null> | null>;

  /** Lists the last refused calls, newest first. An earlier build does not have this method, nor the next one. */
  refusals(query: RefusalQuery): Promise<Page<RefusedCall> | null>;

  /**
   * Collects everything that the fund knows about a question. Null if it was never created. An earlier build does not
   * have this method.
   */
  tell(query: StoryQuery): Promise<FundStory | null>;

  /** Lists the daily counters of refused calls, the newest day first. */
  refusalCounts(query: RefusalCountQuery): Promise<Page<RefusalCount> | null>;

  /** Reads what ended sponsorships have cost, by the daily counters. */
  spend(query: SpendQuery): Promise<SpendView | null>;

  /** Lists ledger entries, newest first, or adds up a part of them. An earlier build is as for `sponsorships`. */
  ledger(page: SummableRequest<LedgerFilter>): Promise<SummedPage<LedgerRow, readonly GroupSum[]> | null>;

  /**
   * Raises an event once the available balance or the storage has crossed its threshold, and once it has recovered. The fund's own
   * alarm checks now and then. The cron does, too, which arms an alarm that was lost.
   */
  check(): Promise<FundView | null>;

  /** Reads the fund's counters. Null if it was never created. An earlier build does not have this method. */
  metrics(): Promise<FundMetrics | null>;

  /** Sets which events the project's webhooks want from now on. Other events are not raised. */
  setSubscribedEvents(listeners: EventSubscriptions): Promise<void>;
}
