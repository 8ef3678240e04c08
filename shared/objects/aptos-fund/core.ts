import type { AptosNode, LedgerState } from "../../chain/aptos/node.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { isAnotherLedger, isWorthRemembering, memoryOf } from "../../fund/aptos-chain.ts";
import type { AptosChainFacts, AptosFundContext } from "../../fund/aptos-fund.ts";
import { SqliteAptosFundStore } from "../../fund/sqlite-aptos-fund-store.ts";
import { CHAIN_RESET } from "../../fund/views.ts";
import type { AptosNetwork } from "../../networks.ts";
import { FundCore, type FundParts } from "../fund-core.ts";
import type { FundRecord } from "../fund-record.ts";

/** Older than this, facts are fetched before anything is signed. */
const STALE_AFTER_MS = 60_000;

interface CachedFacts extends AptosChainFacts {
  readonly fetchedAtMs: number;
}

/** An Aptos fund inside its Durable Object: its chain, and what it knows of it, beside what every fund has. */
export class AptosFundCore extends FundCore<SqliteAptosFundStore> {
  readonly node: AptosNode;
  #facts: CachedFacts | null = null;
  #refreshing: Promise<Outcome<AptosChainFacts>> | null = null;

  constructor(parts: FundParts, record: FundRecord, network: AptosNetwork) {
    const { deps, state, due, raise } = parts;
    super(parts, record, new SqliteAptosFundStore(state.storage, (...row) => due.set(...row), raise));
    this.node = deps.aptosNode(network);
  }

  context(address: string, facts: AptosChainFacts): AptosFundContext {
    const { pausedCause, sponsorshipFeeAtoms: feeAtoms } = this.record;
    return { address, facts, policy: this.policy, feeAtoms, pausedCause, nowMs: this.nowMs() };
  }

  /** Facts that may be signed with; fetched first only where the cached ones are stale, once for all who wait. */
  async factsForSigning(): Promise<Outcome<AptosChainFacts>> {
    const cached = this.#facts;
    if (cached !== null && this.nowMs() - cached.fetchedAtMs <= STALE_AFTER_MS) return done(cached);
    this.#refreshing ??= this.#fetchFacts().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #fetchFacts(): Promise<Outcome<AptosChainFacts>> {
    const ledger = await this.node.ledger();
    if (!ledger.ok) return ledger;
    const taken = this.takeLedger(ledger.value);
    if (!taken.ok) return taken;
    const price = await this.node.gasPrice();
    if (!price.ok) return price;
    this.#facts = { ledger: ledger.value, gasPriceOctas: price.value, fetchedAtMs: this.nowMs() };
    return done(this.#facts);
  }

  /**
   * Compares a ledger with the one of the fund's books, which belong to the chain that they were begun on.
   *
   * @returns `fund_paused` where it is another one: then the fund pauses.
   */
  takeLedger(ledger: LedgerState): Outcome<null> {
    const { seen, pausedCause, fundId } = this.record;
    if (isAnotherLedger(ledger, seen)) {
      if (pausedCause !== CHAIN_RESET) {
        this.commit(() => this.changeRecord({ pausedCause: CHAIN_RESET }));
        this.deps.log("fund.chain_reset", { fund: fundId, chain: String(ledger.chainId) });
      }
      const details = "the node answers for another chain than this fund's: chain_reset";
      return refuse("fund_paused", details, { cause: CHAIN_RESET });
    }
    if (isWorthRemembering(ledger, seen)) this.commit(() => this.changeRecord({ seen: memoryOf(ledger) }));
    return done(null);
  }
}
