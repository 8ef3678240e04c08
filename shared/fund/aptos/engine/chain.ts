import { ChainGuard } from "../../../chain/aptos/chain-guard.ts";
import type { AptosNode } from "../../../chain/aptos/node.ts";
import type { AptosSeen } from "../../../chain/aptos/seen.ts";
import { SECOND_LOOK_MS } from "../../../chain/failover.ts";
import type { Deadline } from "../../../deadline.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import type { AptosNetwork } from "../../../networks.ts";
import { FundCore, type FundParts } from "../../core.ts";
import type { FundRecord } from "../../record.ts";
import { pausedRefusal } from "../../refusals.ts";
import { CHAIN_RESET } from "../../views.ts";
import {
  isAnotherLedger,
  isStale,
  type LedgerBelief,
  type LedgerLook,
  lastSeenOf,
  weighLedger,
} from "../chain-facts.ts";
import type { AptosChainFacts, AptosFundContext } from "../checks.ts";
import { SqliteAptosFundStore } from "../sqlite-store.ts";

/** Facts older than this are fetched anew before a signature. */
const STALE_AFTER_MS = 60_000;

interface CachedFacts extends AptosChainFacts {
  readonly fetchedAtMs: number;
}

/** An Aptos fund inside its Durable Object. It adds the chain and its facts to the common core. */
export class AptosFundCore extends FundCore<SqliteAptosFundStore> {
  readonly node: AptosNode;
  /** Count of the configured hosts. */
  readonly endpointCount: number;
  #facts: CachedFacts | null = null;
  #belief: LedgerBelief;
  /** True once this instance has found a ledger usable. */
  #hasBelieved = false;
  #refreshing: Promise<Outcome<AptosChainFacts>> | null = null;

  constructor(parts: FundParts, record: FundRecord, network: AptosNetwork) {
    const { deps, state, due, raise } = parts;
    super(parts, record, new SqliteAptosFundStore(state.storage, (...row) => due.set(...row), raise));
    this.endpointCount = new Set(deps.config.nodes[network].map((url) => new URL(url).host)).size;
    const guard = new ChainGuard({
      network,
      urls: deps.config.nodes[network],
      clock: deps.clock,
      log: deps.log,
      isAnother: (ledger) => isAnotherLedger(ledger, this.record.seen),
      onReset: (ledger) => this.#pause(ledger),
    });
    this.#belief = { look: remembered(record), claims: [] };
    this.node = deps.aptosNode(network, (url, ledger) => guard.accepts(url, ledger) && this.#believes(ledger));
  }

  /** Combines the fund's settings with facts of its chain, as the checks use them. */
  context(address: string, facts: AptosChainFacts): AptosFundContext {
    const { policy, record } = this;
    const state = { ...this.sponsoringState(), feeAtoms: record.sponsorshipFeeAtoms, nowMs: this.nowMs() };
    return { address, facts, policy, ...state };
  }

  /**
   * Returns facts that are fresh enough for a signature. Stale ones are fetched first, once for all waiting calls.
   *
   * @param deadline the longest wait of a call. Null if the wait has no limit.
   */
  async factsForSigning(deadline: Deadline | null = null): Promise<Outcome<AptosChainFacts>> {
    const cached = this.#facts;
    // A clock that was set back must not keep facts of a fast clock until its time.
    const isFresh = cached !== null && Math.abs(this.nowMs() - cached.fetchedAtMs) <= STALE_AFTER_MS;
    if (isFresh) return done(cached);
    return deadline === null ? this.#refreshFacts() : deadline.within(this.#refreshFacts());
  }

  #refreshFacts(): Promise<Outcome<AptosChainFacts>> {
    this.#refreshing ??= this.#fetchFacts()
      .then((facts) => this.pausedOr(facts))
      .finally(() => {
        this.#refreshing = null;
      });
    return this.#refreshing;
  }

  async #fetchFacts(): Promise<Outcome<AptosChainFacts>> {
    const ledger = await this.node.ledger();
    if (!ledger.ok) return ledger;
    const taken = this.takeLedger(ledger.value);
    if (!taken.ok) return taken;
    const price = await this.node.estimateGasPrice();
    if (!price.ok) return price;
    this.#facts = { ledger: ledger.value, gasPriceOctas: price.value, fetchedAtMs: this.nowMs() };
    return done(this.#facts);
  }

  /** Returns true if an endpoint's ledger is plausible or confirmed. Stores facts that two looks agree on. */
  #believes(ledger: AptosSeen<null>): boolean {
    const { endpoint } = ledger;
    const { isUsable, agreed, ...belief } = weighLedger(ledger, this.#belief, this.nowMs());
    this.#belief = belief;
    this.#hasBelieved ||= isUsable;
    if (agreed !== null && isStale(agreed, this.record.seen))
      this.commitIfTaken(() => this.changeRecord({ seen: lastSeenOf(agreed) }));
    if (isUsable) return true;
    this.deps.log("fund.ledger_too_far", { fund: this.record.fundId, host: endpoint });
    const claimedAtMs = belief.claims.find((claim) => claim.endpoint === endpoint)?.atMs ?? null;
    if (claimedAtMs !== null && !this.#hasBelieved) this.#lookAgain(claimedAtMs + SECOND_LOOK_MS);
    return false;
  }

  /**
   * Makes the alarm look again. The instance may end before the next call, and then loses a first look with its memory.
   */
  #lookAgain(atMs: number): void {
    if (atMs > this.nowMs()) this.commitIfTaken(() => this.due.set("scan", "", atMs, "by_then"));
  }

  /**
   * Compares a ledger with the fund's own, which its books belong to.
   *
   * @returns `node_unavailable` for another ledger.
   */
  takeLedger(ledger: AptosSeen<unknown>): Outcome<null> {
    // The stored facts may have changed since the answer was accepted.
    return isAnotherLedger(ledger, this.record.seen)
      ? refuse("node_unavailable", "the node serves another chain: repeat later")
      : done(null);
  }

  /** Replaces a node's refusal by `fund_paused` if no node serves the fund's chain any more. */
  pausedOr<T>(outcome: Outcome<T>): Outcome<T> {
    if (outcome.ok || this.record.pausedCause !== CHAIN_RESET) return outcome;
    return pausedRefusal(CHAIN_RESET);
  }

  /** Returns the sequence number of the fund's next own transaction, according to its state. */
  nextOwnSequenceNumber(): bigint {
    const own = this.store.nextOwnSequenceNumber();
    const recovered = this.record.recovery?.ownSequenceNumber ?? 0n;
    return own < recovered ? recovered : own;
  }

  #pause({ chain }: AptosSeen<null>): void {
    this.pauseByItself(CHAIN_RESET, String(chain));
  }
}

/** Converts the stored facts to a look at their time. */
function remembered({ seen }: FundRecord): LedgerLook | null {
  if (seen === null) return null;
  const { chainIdentifier, epoch: version, seenAtMs } = seen;
  return { endpoint: "", chain: Number(chainIdentifier), version, timestampMs: seenAtMs, atMs: seenAtMs };
}
