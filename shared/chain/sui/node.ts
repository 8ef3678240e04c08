import type { Outcome } from "../../errors.ts";
import type { CallTime } from "../failover.ts";
import type { Observed } from "./coins.ts";
import type { BalanceChange, GasUsed, MoveAbort, SuiExecution } from "./execution.ts";
import type { CoinPage, ListPage, OwnedObject, PageTokens, TypeBalance } from "./listing.ts";
import type { RecentHeights } from "./recent-heights.ts";
import type { SuiSeen } from "./seen.ts";

/** The facts of an epoch. `fetchedAtMs` is by our clock, the other times are by the chain's. */
export interface EpochFacts {
  readonly epochStartMs: number;
  readonly epochDurationMs: number;
  readonly referenceGasPriceMist: bigint;
  readonly fetchedAtMs: number;
}

/**
 * The facts of an endpoint's epoch. `epoch` belongs to the facts. A transaction that is signed later executes in a
 * later checkpoint than this one.
 */
export type FactsReading = SuiSeen<EpochFacts>;

/** The status of a refusal by an endpoint of another chain. It is not a gRPC code. */
export const OTHER_CHAIN = "OTHER_CHAIN";

/** The outcome of one submission, over all called endpoints. */
export type SubmitOutcome =
  | { readonly kind: "executed"; readonly execution: SuiExecution }
  /** The node answered that it did not execute it. `status` is its gRPC code, or `OTHER_CHAIN`. */
  | { readonly kind: "refused"; readonly status: string; readonly text: string }
  /** No answer came, or one that decides nothing. Only a look-up of the digest can decide. */
  | { readonly kind: "unknown"; readonly text: string };

/** The answer of one endpoint about a digest. */
export type SuiFound =
  | { readonly kind: "executed"; readonly execution: SuiExecution }
  /** This endpoint does not know the digest. */
  | { readonly kind: "missing" }
  /** This endpoint could not answer, which proves nothing. */
  | { readonly kind: "no_answer" };

/** The address that paid for the gas of an executed transaction. */
export interface GasPaid {
  readonly address: string;
  /** Null if the endpoint does not name it. */
  readonly sender: string | null;
  /** The checkpoint of the transaction. Null if the endpoint knows none yet. */
  readonly checkpoint: bigint | null;
}

/** `null`: this endpoint does not know the digest. `no_answer`: it could not answer, which proves nothing. */
export type GasOwner = GasPaid | null | "no_answer";

/**
 * The part of an execution that a look-up reads. `charge`: its cost and its gas object, which no sender can make large.
 * `effects`: also every changed object. `full`: also events and balance changes. `history`: the charge, the balance
 * changes and the dependencies.
 */
export type LookUpDetail = "charge" | "effects" | "full" | "history";

/** The SUI of an address. */
export interface Balances {
  readonly coinBalanceMist: bigint;
  /** Null if the endpoint is too old to know address balances. */
  readonly addressBalanceMist: bigint | null;
  /** Look-ups of the requested digests, at the same endpoint after the balance, in their order. */
  readonly findings: readonly SuiFound[];
}

/** The SUI of an address, with the endpoint's progress on the chain. */
export type BalanceReading = SuiSeen<Balances>;

/** A simulated transaction. */
export interface DryRun {
  readonly success: boolean;
  /** The failure as in `SuiExecution`. */
  readonly error: string | null;
  readonly abort: MoveAbort | null;
  readonly gasUsed: GasUsed;
  /** The changes of every address, with gas. Null if the node names none, or too many to pass on. */
  readonly balanceChanges: readonly BalanceChange[] | null;
}

/** The most objects or transactions that a node accepts in one batch call (`sui-rpc-api`). */
export const NODE_BATCH_LIMIT = 50;

/**
 * `unjudged`: the scheme is not known here, or the signature is valid under another key than the address derives from.
 * Such a key may be an alias of the address (`address_aliases`, protocol 136).
 */
export type SignatureVerdict = "valid" | "invalid" | "unjudged";

/**
 * A Sui full node, over all configured endpoints.
 *
 * Every method has a time-out, and checks replies against these shapes. An endpoint that lags is believed if no other
 * is up to date, or about facts that never change. Refusals are `node_unavailable`, unless the method names more.
 */
export interface SuiNode {
  /** Returns the same node for one call. Every question ends with the call's time, over all endpoints. */
  within(call: CallTime): SuiNode;
  /**
   * Reads from an endpoint of the expected chain, in this epoch or later, whose newest checkpoint is at most a minute
   * old. If all lag, reads the newest one. Returns facts of another chain only if every endpoint answers and none
   * serves the expected chain.
   *
   * @param besides a host to leave out.
   */
  chainFacts(atLeastEpoch: bigint, besides?: string): Promise<Outcome<FactsReading>>;
  /**
   * Reads the SUI of an address, and looks digests up at the same endpoint.
   *
   * @param digests looked up as `charge`.
   * @param ownDigests looked up as `effects`. Their findings are last.
   * @param besides a host to leave out.
   */
  balances(
    owner: string,
    digests: readonly string[],
    ownDigests?: readonly string[],
    besides?: string,
  ): Promise<Outcome<BalanceReading>>;
  /**
   * Looks up at most `NODE_BATCH_LIMIT` digests, in the given order. If all are `no_answer`, an endpoint answers, but
   * could not answer about these. A smaller batch may succeed.
   *
   * @param besides hosts to leave out.
   * @param heights heights that the look-up may follow. If absent, it follows one that it reads itself.
   */
  lookUp(
    digests: readonly string[],
    detail: LookUpDetail,
    besides?: readonly string[],
    heights?: RecentHeights,
  ): Promise<Outcome<SuiSeen<readonly SuiFound[]>>>;
  /**
   * Reads the payer of the gas of at most `NODE_BATCH_LIMIT` digests, in the given order.
   *
   * @param besides a host to leave out.
   */
  gasOwners(digests: readonly string[], besides?: string): Promise<Outcome<SuiSeen<readonly GasOwner[]>>>;
  /** Reads BCS of the `TransactionEffects` of a digest. Null if the endpoint shows none, or an unknown form. */
  rawEffects(digest: string): Promise<Outcome<Uint8Array | null>>;
  /** Submits signed bytes. Resending the same bytes is safe, because the chain executes a digest once. */
  submit(transactionBytes: Uint8Array, signatures: readonly string[], digest: string): Promise<SubmitOutcome>;
  /**
   * Executes without committing, in one upstream call. The node mocks an empty gas payment.
   *
   * @returns also refuses with `dry_run_failed`, in the node's own text.
   */
  dryRun(transactionBytes: Uint8Array): Promise<Outcome<DryRun>>;
  /**
   * Reads a page of the SUI coin objects of an address: its own, and those that it owns as a party.
   *
   * @param tokens null for the first page of any endpoint.
   */
  coins(owner: string, tokens: PageTokens | null): Promise<Outcome<CoinPage>>;
  /**
   * Reads at most `NODE_BATCH_LIMIT` coins, in the given order.
   *
   * @param besides a host, or several, to leave out.
   */
  observeCoins(
    objectIds: readonly string[],
    besides?: string | readonly string[],
  ): Promise<Outcome<SuiSeen<readonly Observed[]>>>;
  /**
   * Reads a page of the objects that an address owns, alone or as a party. Frozen, shared and wrapped objects have no
   * such owner.
   *
   * @param after the end of the previous page. Null for the first page.
   * @returns also refuses with `bad_params`, if no endpoint accepts that place.
   */
  owned(owner: string, after: Uint8Array | null): Promise<Outcome<ListPage<OwnedObject>>>;
  /**
   * Reads a page of the address balances of an address, one for each coin type. `after` and refusals as for `owned`.
   */
  typeBalances(owner: string, after: Uint8Array | null): Promise<Outcome<ListPage<TypeBalance>>>;
  /** Reads the addresses whose keys are aliases of an address. None if it has never had one: it signs for itself. */
  aliases(address: string): Promise<Outcome<readonly string[]>>;
  /** Verifies a signature over these bytes by this address, without the chain's state. */
  verifySignature(transactionBytes: Uint8Array, signature: string, address: string): Promise<Outcome<SignatureVerdict>>;
}
