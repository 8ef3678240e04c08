import type { Outcome } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import type { Page, PageRequest } from "../paging.ts";
import type { AptosTreasuryState } from "./aptos/store.ts";
import type { FundCore } from "./core.ts";
import type { UnusableView } from "./sui/unusable.ts";
import type { Reconciliation, SponsorshipView, UnconvertedView } from "./views.ts";

export interface WithdrawInput {
  /** An address of the fund's chain, full length. */
  readonly to: string;
  readonly amountAtoms: bigint;
  /** `fees`: out of what sponsorships have earned; otherwise out of what is available. */
  readonly from: "available" | "fees";
  readonly idempotency: IdempotencyClaim;
}

export interface Withdrawal {
  /** The digest on Sui, the hash on Aptos. */
  readonly digest: string;
  /** `pending`: settled by the alarm. `failed` and `dead`: nothing was paid. `unresolvable`: only the balance tells. */
  readonly state: AptosTreasuryState;
}

/** What a revocation has come to. */
export interface RevocationResult {
  /** Can never execute any more. */
  readonly revoked: number;
  /** The chain had executed them first. */
  readonly tooLate: number;
  /** Cannot be taken back: they can execute until their time on the chain is over. */
  readonly irrevocable: number;
  /** Not known yet: the node did not answer, or a transaction is still under way. The fund goes on by itself. */
  readonly pending: number;
}

/** What a Fund object does differently on each chain. */
export interface FundEngine {
  readonly core: FundCore;
  /** What the operator may withdraw, and what is left for further sponsorships. */
  availableAtoms(): bigint;
  /** What waits to be converted into the form that pays; null: nothing does. */
  unconverted(): UnconvertedView | null;
  /** What is set aside for the gas of the fund's treasury transactions. */
  maintenanceReserveAtoms(): bigint;
  /** Newest first. */
  sponsorships(page: PageRequest): Page<SponsorshipView>;
  /**
   * Reads from a node what lies at the fund's address and pays for nothing.
   *
   * @returns `node_unavailable`; `bad_params` for a cursor of no such list; `unsupported_network` where nodes list nothing
   * by its owner.
   */
  unusable(page: PageRequest): Promise<Outcome<Page<UnusableView>>>;
  /** Reads what the fund owns from the chain now. */
  refresh(): Promise<Outcome<null>>;
  /** Whether the node answers for the chain that the fund's books are of. */
  isOnItsChain(): Promise<boolean>;
  /** Pays money out, at most once for each Idempotency-Key. */
  withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal>>;
  /** Makes the live signatures of one access key, or of the whole fund (null), worthless where the chain allows it. */
  revoke(keyId: string | null): Promise<RevocationResult>;
  /** Compares the books with the chain, after settling what is open. */
  reconcile(): Promise<Outcome<Reconciliation>>;
  /** Handles everything that is due. */
  runDue(): Promise<void>;
}
