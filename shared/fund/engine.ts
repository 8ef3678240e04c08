import type { Outcome } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import type { Page, PageRequest } from "../paging.ts";
import type { ArchiveReader } from "./archive/reader.ts";
import type { FundCore } from "./core.ts";
import type { ExplainedSponsorship, OnChain } from "./explain/story.ts";
import type { CoinRequest, CoinView } from "./sui/coin-list.ts";
import type { UnusableView } from "./sui/unusable.ts";
import type {
  DroppedCoin,
  ForceClosed,
  Reconciliation,
  RecoveryView,
  TreasuryState,
  UnconvertedView,
} from "./views.ts";

/** A withdrawal that an operator orders. */
export interface WithdrawInput {
  /** An address of the fund's chain, full length. */
  readonly to: string;
  readonly amountAtoms: bigint;
  /** `fees` pays out of earned fees. `available` pays out of the available balance. */
  readonly from: "available" | "fees";
  /** The operator's confirmation that this payment was not made before the fund was recovered. Absent without one. */
  readonly confirmed?: { readonly to: string; readonly amountAtoms: bigint };
  readonly idempotency: IdempotencyClaim;
}

/** The transaction of a withdrawal, and its state now. */
export interface Withdrawal {
  /** The digest on Sui, the hash on Aptos. */
  readonly digest: string;
  /**
   * The alarm settles `pending`. `failed` and `dead` paid nothing.
   * Only the balance shows the outcome of `unresolvable`.
   */
  readonly state: TreasuryState;
}

/** The counts of sponsorships after a revocation, by outcome. */
export interface RevocationResult {
  /** Can never execute any more. */
  readonly revoked: number;
  /** The chain executed them before the revocation. */
  readonly tooLate: number;
  /** Cannot be taken back, and can execute until their time on the chain is over. */
  readonly irrevocable: number;
  /**
   * Their outcome is not known yet: the node did not answer, or a transaction is under way. The fund continues by
   * itself.
   */
  readonly pending: number;
}

/** The methods of a Fund object that differ by chain. */
export interface FundEngine {
  readonly core: FundCore;
  /** Returns the amount that the operator may withdraw or use for sponsorships, atoms. */
  availableAtoms(): bigint;
  /** Returns the money that waits for conversion into the form that pays. Null if no money waits. */
  unconverted(): UnconvertedView | null;
  /** Returns the amount set aside for the gas of the fund's treasury transactions, atoms. */
  maintenanceReserveAtoms(): bigint;
  /** Reads the fund's rows, with the archived ones. */
  readonly rows: ArchiveReader;
  /**
   * Reads from a node the coins at the fund's address that pay for nothing.
   *
   * @returns `node_unavailable`, `bad_params` for a cursor of another list, or `unsupported_network` if the network's
   * nodes do not list assets by owner.
   */
  unusable(page: PageRequest): Promise<Outcome<Page<UnusableView>>>;
  /** Lists the coins in the books. Returns `unsupported_network` if the fund's chain has no coins. */
  coins(request: CoinRequest): Outcome<Page<CoinView>>;
  /** Reads the fund's assets from the chain now. */
  refresh(): Promise<Outcome<null>>;
  /** Returns true if the node serves the chain of the fund's books. */
  isOnItsChain(): Promise<boolean>;
  /** Pays money out, at most once for each Idempotency-Key. */
  withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal>>;
  /** Makes the live signatures of one access key, or of the whole fund (null), worthless if the chain allows it. */
  revoke(keyId: string | null): Promise<RevocationResult>;
  /** Settles open rows, then compares the books with the chain. */
  reconcile(): Promise<Outcome<Reconciliation>>;
  /**
   * Brings a state that may be older than the chain up to the chain. Begins a recovery, or continues the one under way.
   * The alarm continues it, too.
   *
   * @returns `fund_paused` if the fund's chain is gone, `node_unavailable`.
   */
  recover(): Promise<Outcome<RecoveryView>>;
  /**
   * Closes a row that no node can show and that can never execute any more. A repeat changes nothing.
   *
   * @returns null if the fund has no such row. `bad_params` if the row may still end by itself, `fund_paused`,
   * `node_unavailable`, `storage`.
   */
  forceClose(digest: string): Promise<Outcome<ForceClosed | null>>;
  /**
   * Drops a coin that no node shows as the fund's. A repeat changes nothing.
   *
   * @returns null if the fund has no such coin. `bad_params` if a node shows it or a transaction holds it,
   * `unsupported_network` on Aptos, and the other refusals of `forceClose`.
   */
  dropCoin(objectId: string): Promise<Outcome<DroppedCoin | null>>;
  /** Finds a sponsorship by its digest or its hash, also in the archives. Null if none matches. */
  explain(name: string): Promise<ExplainedSponsorship | null>;
  /** Looks a digest or a hash up at the nodes. Books nothing. */
  onChain(name: string): Promise<OnChain>;
  /** Handles all due work. */
  runDue(): Promise<void>;
}
