import { SECOND_LOOK_MS } from "../../../chain/failover.ts";
import type { FactsReading, SuiNode } from "../../../chain/sui/node.ts";
import type { Deadline } from "../../../deadline.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import type { SuiNetwork } from "../../../networks.ts";
import { FundCore, type FundParts } from "../../core.ts";
import type { FundRecord } from "../../record.ts";
import { pausedRefusal } from "../../refusals.ts";
import { CHAIN_RESET, FUNGIBLE_STORE, type FundMode, SHORT_EPOCH } from "../../views.ts";
import { type ChainClaim, type ChainFacts, freshness, isPlausible, weighEpoch } from "../chain-facts.ts";
import type { SuiFundContext } from "../checks.ts";
import { SPONSORSHIP_TTL_MS } from "../limits.ts";
import { SqliteSuiFundStore } from "../sqlite-store.ts";

type PauseCause = typeof CHAIN_RESET | typeof SHORT_EPOCH;

/** A Sui fund inside its Durable Object. Adds its node and the chain's facts to the core of every fund. */
export class SuiFundCore extends FundCore<SqliteSuiFundStore> {
  readonly node: SuiNode;
  readonly mode: FundMode;
  readonly network: SuiNetwork;
  /** The configured URLs. They may hold keys, so no log names them. */
  readonly urls: readonly string[];
  /** Count of the configured hosts. */
  readonly endpointCount: number;
  #facts: ChainFacts | null = null;
  #claim: ChainClaim | null = null;
  /** The checkpoint of the newest facts. */
  #checkpoint: bigint | null = null;
  /** A reported cause that would pause the fund, and the time of its first report. Null without one. */
  #suspected: { readonly cause: PauseCause; readonly sinceMs: number } | null = null;
  #refreshing: Promise<Outcome<ChainFacts>> | null = null;

  constructor(parts: FundParts, record: FundRecord, network: SuiNetwork) {
    const { deps, state, due, raise } = parts;
    super(parts, record, new SqliteSuiFundStore(state.storage, (...row) => due.set(...row), raise));
    this.network = network;
    this.node = deps.suiNode(network, () => this.record.seen);
    if (record.mode === FUNGIBLE_STORE) throw new Error("a Sui fund has no fungible store");
    this.mode = record.mode;
    this.urls = deps.config.nodes[network];
    this.endpointCount = new Set(this.urls.map((url) => new URL(url).host)).size;
  }

  /** Builds the context of a decision from the fund's record and these facts. */
  context(address: string, facts: ChainFacts): SuiFundContext {
    const { policy, record } = this;
    const state = { ...this.sponsoringState(), feeAtoms: record.sponsorshipFeeAtoms, nowMs: this.nowMs() };
    return { address, facts, mode: this.mode, policy, ...state };
  }

  /**
   * Returns facts that may be signed with. Waits for a fetch only if the cached ones are stale.
   *
   * @param deadline the longest wait for them. Null for no limit.
   * @returns the refusals of `refreshFacts`.
   */
  async factsForSigning(deadline: Deadline | null = null): Promise<Outcome<ChainFacts>> {
    const cached = this.#facts;
    const age = cached === null ? "stale" : freshness(cached, this.nowMs());
    if (cached === null || age === "stale")
      return deadline === null ? this.refreshFacts() : deadline.within(deadline.asking(() => this.refreshFacts()));
    // A scan since then has postponed the second look.
    if (this.#claim !== null) this.#lookAgain(this.#claim.madeAtMs);
    if (age === "aging" || this.#owesSecondLook()) this.refreshFacts().catch((error: unknown) => this.#logFault(error));
    return done(cached);
  }

  /**
   * Fetches the chain's facts, once for all callers that wait.
   *
   * @returns `node_unavailable` if no node answers, or if its facts do not count yet. `fund_paused` for facts of
   * another chain.
   */
  refreshFacts(): Promise<Outcome<ChainFacts>> {
    this.#refreshing ??= this.#fetchFacts().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** Checks whether a claim has waited long enough for its second look. */
  #owesSecondLook(): boolean {
    return this.#claim !== null && Math.abs(this.nowMs() - this.#claim.madeAtMs) >= SECOND_LOOK_MS;
  }

  #logFault(error: unknown): void {
    this.deps.log("fund.facts_failed", { fund: this.record.fundId, error: String(error) });
  }

  async #fetchFacts(): Promise<Outcome<ChainFacts>> {
    // A lower epoch than the believed one comes from a node that lags.
    const atLeastEpoch = this.record.seen?.epoch ?? 0n;
    const first = await this.node.chainFacts(atLeastEpoch);
    const taken = first.ok ? this.#take(first.value) : first;
    if (taken.ok || !first.ok || taken.error.reason !== "node_unavailable") return taken;
    // Another endpoint may have newer facts, or confirm these.
    const second = await this.node.chainFacts(atLeastEpoch, first.value.endpoint);
    return second.ok ? this.#take(second.value) : taken;
  }

  /**
   * Weighs fetched facts and keeps them.
   *
   * @returns `node_unavailable` for facts that do not count yet. `fund_paused` for facts of another chain.
   */
  #take(facts: FactsReading): Outcome<ChainFacts> {
    const { seen } = this.record;
    const nowMs = this.nowMs();
    if (!isPlausible(facts, seen, nowMs))
      return refuse("node_unavailable", "the node reports an implausible epoch: repeat later");
    const cause = this.#causeToPause(facts);
    if (cause === null) this.#suspected = null;
    else if (!this.#isSaidAgain(cause))
      return refuse("node_unavailable", `a node reports ${cause}, and no second reply confirms it yet: repeat later`);
    else if (cause === CHAIN_RESET) {
      this.pauseByItself(cause, facts.chain);
      return pausedRefusal(cause);
    } else if (this.record.pausedCause === null) this.pauseByItself(cause, facts.chain);
    const weighed = weighEpoch(facts, { seen, claim: this.#claim }, this.#weighContext(nowMs));
    this.#claim = weighed.claim;
    if (weighed.seen !== seen) this.commit(() => this.changeRecord({ seen: weighed.seen }));
    // An instance may end before the next call. A claim in memory ends with it.
    if (weighed.claim !== null || !weighed.isUsable) this.#lookAgain(weighed.claim?.madeAtMs ?? nowMs);
    if (!weighed.isUsable) {
      return refuse("node_unavailable", `no second reply confirms epoch ${facts.epoch} yet: repeat later`);
    }
    // One reply may have too high a checkpoint. A row from that checkpoint on could never be proved dead.
    const { chain: chainIdentifier, epoch, checkpoint, timestampMs, value } = facts;
    const before = this.#checkpoint ?? checkpoint;
    this.#checkpoint = checkpoint;
    const earlier = before < checkpoint ? before : checkpoint;
    this.#facts = { ...value, chainIdentifier, epoch, checkpoint: earlier, timestampMs };
    return done(this.#facts);
  }

  #weighContext(nowMs: number) {
    const known = this.#facts;
    const isOfBelieved = known !== null && known.epoch === this.record.seen?.epoch;
    const epochEndMs = isOfBelieved ? known.epochStartMs + known.epochDurationMs : null;
    return { nowMs, epochEndMs, bindsToEpoch: this.mode === "address_balance" };
  }

  #causeToPause({ chain, value: { epochDurationMs } }: FactsReading): PauseCause | null {
    const { seen } = this.record;
    // Every coin and signature of the fund belongs to the chain that it was made on.
    if (seen !== null && seen.chainIdentifier !== chain) return CHAIN_RESET;
    // A sponsorship from the address balance is bound to two epochs at most. Those must be able to last its hour.
    return this.mode === "address_balance" && epochDurationMs < SPONSORSHIP_TTL_MS ? SHORT_EPOCH : null;
  }

  /** Checks whether a later look repeats the cause of a pause. One reply does not pause the fund. */
  #isSaidAgain(cause: PauseCause): boolean {
    if (this.record.pausedCause === cause) return true;
    const nowMs = this.nowMs();
    if (this.#suspected?.cause !== cause) this.#suspected = { cause, sinceMs: nowMs };
    // A clock that has gone back puts the second look off by no more than usual.
    const sinceMs = Math.min(this.#suspected.sinceMs, nowMs);
    this.#suspected = { cause, sinceMs };
    this.#lookAgain(sinceMs);
    return nowMs - sinceMs >= SECOND_LOOK_MS;
  }

  /** Sets the alarm to the time at which a second look counts. Until then the fund may have no facts to sign with. */
  #lookAgain(firstLookAtMs: number): void {
    const atMs = firstLookAtMs + SECOND_LOOK_MS;
    const isDue = (this.due.dueAt("scan", "") ?? Number.POSITIVE_INFINITY) <= atMs;
    if (atMs > this.nowMs() && !isDue) this.commitIfTaken(() => this.due.set("scan", "", atMs, "by_then"));
  }
}
