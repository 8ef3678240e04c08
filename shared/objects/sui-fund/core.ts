import type { ChainFacts, SuiNode } from "../../chain/sui/node.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { freshness, isPlausible } from "../../fund/chain-facts.ts";
import { SqliteFundStore } from "../../fund/sqlite-fund-store.ts";
import { type FundContext, SPONSORSHIP_TTL_MS } from "../../fund/sui-fund.ts";
import { CHAIN_RESET, FUNGIBLE_STORE, type FundMode, SHORT_EPOCH } from "../../fund/views.ts";
import type { SuiNetwork } from "../../networks.ts";
import { FundCore, type FundParts } from "../fund-core.ts";
import type { FundRecord } from "../fund-record.ts";

/** A Sui fund inside its Durable Object: its chain, and what it knows of it, beside what every fund has. */
export class SuiFundCore extends FundCore<SqliteFundStore> {
  readonly node: SuiNode;
  readonly mode: FundMode;
  #facts: ChainFacts | null = null;
  #refreshing: Promise<Outcome<ChainFacts>> | null = null;

  constructor(parts: FundParts, record: FundRecord, network: SuiNetwork) {
    const { deps, state, due, raise } = parts;
    super(parts, record, new SqliteFundStore(state.storage, (...row) => due.set(...row), raise));
    this.node = deps.suiNode(network);
    if (record.mode === FUNGIBLE_STORE) throw new Error("a Sui fund has no fungible store");
    this.mode = record.mode;
  }

  context(address: string, facts: ChainFacts): FundContext {
    const { pausedCause, sponsorshipFeeAtoms: feeAtoms } = this.record;
    return { address, facts, mode: this.mode, policy: this.policy, feeAtoms, pausedCause, nowMs: this.nowMs() };
  }

  /** Facts that may be signed with; fetched first only where the cached ones are stale. */
  async factsForSigning(): Promise<Outcome<ChainFacts>> {
    const cached = this.#facts;
    const age = cached === null ? "stale" : freshness(cached, this.nowMs());
    if (cached === null || age === "stale") return this.refreshFacts();
    if (age === "aging") this.refreshFacts().catch((error: unknown) => this.#logFault(error));
    return done(cached);
  }

  /** Asks the chain for its facts, once for all who wait. */
  refreshFacts(): Promise<Outcome<ChainFacts>> {
    this.#refreshing ??= this.#fetchFacts().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  #logFault(error: unknown): void {
    this.deps.log("fund.facts_failed", { fund: this.record.fundId, error: String(error) });
  }

  async #fetchFacts(): Promise<Outcome<ChainFacts>> {
    // A lower epoch than one that was seen comes from a node that lags.
    const fetched = await this.node.chainFacts(this.record.seen?.epoch ?? 0n);
    if (!fetched.ok) return fetched;
    const { chainIdentifier, epoch } = fetched.value;
    const { seen } = this.record;
    const seenAtMs = this.nowMs();
    if (!isPlausible(fetched.value, seen, seenAtMs))
      return refuse("node_unavailable", "the node says of its epoch what cannot be");
    // Every coin and signature of the fund belongs to the chain that it was made on.
    if (seen !== null && seen.chainIdentifier !== chainIdentifier) {
      this.commit(() => this.changeRecord({ pausedCause: CHAIN_RESET }));
      this.deps.log("fund.chain_reset", { fund: this.record.fundId, chain: chainIdentifier });
      const details = "the node answers for another chain than this fund's: chain_reset";
      return refuse("fund_paused", details, { cause: CHAIN_RESET });
    }
    // A promise from the address balance is bound to two epochs at most, so it has to be able to last its hour.
    const tooShort = this.mode === "address_balance" && fetched.value.epochDurationMs < SPONSORSHIP_TTL_MS;
    if (tooShort && this.record.pausedCause === null)
      this.commit(() => this.changeRecord({ pausedCause: SHORT_EPOCH }));
    this.#facts = fetched.value;
    if (seen === null || epoch > seen.epoch)
      this.commit(() => this.changeRecord({ seen: { chainIdentifier, epoch, seenAtMs } }));
    return fetched;
  }
}
