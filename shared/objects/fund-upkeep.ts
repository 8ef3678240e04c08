import { type Found, NODE_BATCH_LIMIT } from "../chain/sui/node.ts";
import { done, type Outcome } from "../errors.ts";
import { recordMiss, releaseDead, releasePrepared, settle, takeListing } from "../fund/sui-fund.ts";
import type { FundCore } from "./fund-core.ts";
import type { FundPool } from "./fund-pool.ts";

const SCAN_INTERVAL_MS = 15_000;
/** A balance that matches may still hide two changes that cancel out, so the coins are listed now and then anyway. */
const FULL_LISTING_INTERVAL_MS = 600_000;
/** After a node gave no answer. */
const RETRY_MS = 15_000;
/** Digests settled in one alarm. */
const SETTLE_LIMIT = 500;
const REFILLS_PER_SCAN = 8;

/** What a fund does by itself, woken by its alarm: settle, free, resend, find deposits, refill. */
export class FundUpkeep {
  readonly #core: FundCore;
  readonly #pool: FundPool;
  #listedAtMs = 0;

  constructor(core: FundCore, pool: FundPool) {
    this.#core = core;
    this.#pool = pool;
  }

  /** Handles everything that is due. A part that fails is logged and tried again; it never stops the others. */
  async run(): Promise<void> {
    await this.#guarded("settle", () => this.#settleDue());
    await this.#guarded("own", () => this.#resendOwn());
    await this.#guarded("scan", () => this.#scanDue());
  }

  async #guarded(kind: "settle" | "own" | "scan", work: () => Promise<void>): Promise<void> {
    const { deps, due, record } = this.#core;
    try {
      await work();
    } catch (error) {
      deps.log("fund.upkeep_failed", { fund: record.fundId, kind, error: String(error) });
      const nowMs = this.#core.nowMs();
      for (const { reference } of due.take(kind, nowMs, SETTLE_LIMIT)) due.set(kind, reference, nowMs + RETRY_MS);
    }
  }

  async #settleDue(): Promise<void> {
    const { store, due } = this.#core;
    const signed: string[] = [];
    const expired: string[] = [];
    for (const { reference } of due.take("settle", this.#core.nowMs(), SETTLE_LIMIT)) {
      const state = store.sponsorship(reference)?.state;
      if (state === "prepared") this.#core.commit(() => releasePrepared(store, reference, this.#core.nowMs()));
      else if (state === "signed") signed.push(reference);
      else if (state === "expired") expired.push(reference);
      else due.set("settle", reference, null);
    }
    for (let start = 0; start < signed.length; start += NODE_BATCH_LIMIT)
      if (!(await this.#settleBatch(signed.slice(start, start + NODE_BATCH_LIMIT)))) return;
    for (let start = 0; start < expired.length; start += NODE_BATCH_LIMIT)
      await this.#settleExpired(expired.slice(start, start + NODE_BATCH_LIMIT));
  }

  /** False where no node answered: the rest of the batches would only wait for the same time-outs. */
  async #settleBatch(digests: readonly string[]): Promise<boolean> {
    const core = this.#core;
    const looked = await core.node.lookUp(digests, "settlement");
    core.commit(() => {
      for (const [index, digest] of digests.entries()) {
        if (!looked.ok) core.due.set("settle", digest, core.nowMs() + RETRY_MS);
        else this.#book(digest, looked.value.findings[index] ?? null, looked.value.checkpointTimeMs);
      }
    });
    return looked.ok;
  }

  #book(digest: string, found: Found, checkpointTimeMs: number): void {
    const core = this.#core;
    const nowMs = core.nowMs();
    if (found === null) recordMiss(core.store, digest, checkpointTimeMs, nowMs, "by_schedule");
    else if (found === "no_answer") core.due.set("settle", digest, nowMs + RETRY_MS);
    else if (!settle(core.store, found, nowMs)) {
      core.deps.log("fund.effects_refused", { fund: core.record.fundId, digest });
      core.due.set("settle", digest, nowMs + RETRY_MS);
    }
  }

  /** Versions are read before the look-up: only then does its miss say that somebody else moved them. */
  async #settleExpired(digests: readonly string[]): Promise<void> {
    const core = this.#core;
    const coinIds = digests.flatMap((digest) => core.store.coinsOf(digest).map(({ objectId }) => objectId));
    const facts = await core.factsForSigning();
    const coins = await observeAll(core, coinIds);
    const looked = await core.node.lookUp(digests, "settlement");
    core.commit(() => {
      for (const [index, digest] of digests.entries()) {
        if (!facts.ok || coins === null || !looked.ok) {
          core.due.set("settle", digest, core.nowMs() + RETRY_MS);
          continue;
        }
        const found = looked.value.findings[index] ?? null;
        const { epoch, epochStartMs } = facts.value;
        const { checkpointTimeMs } = looked.value;
        const evidence = { coins, epoch, epochStartMs, checkpointTimeMs };
        if (found === null && releaseDead(core.store, digest, evidence, core.nowMs())) continue;
        this.#book(digest, found, checkpointTimeMs);
      }
    });
  }

  async #resendOwn(): Promise<void> {
    for (const { reference } of this.#core.due.take("own", this.#core.nowMs(), SETTLE_LIMIT))
      await this.#pool.submit(reference);
  }

  async #scanDue(): Promise<void> {
    const { due } = this.#core;
    if (due.take("scan", this.#core.nowMs(), 1).length === 0) return;
    due.set("scan", "", this.#core.nowMs() + SCAN_INTERVAL_MS);
    await this.scan("when_changed");
  }

  /** Looks for deposits and stocks the pool. */
  async scan(listing: "always" | "when_changed"): Promise<Outcome<null>> {
    const core = this.#core;
    const { address } = core;
    if (address === null) return done(null);
    // Coins of another chain are nobody's deposit.
    const facts = await core.factsForSigning();
    if (!facts.ok) return facts;
    const balance = await core.node.coinBalanceMist(address);
    if (!balance.ok) return balance;
    const unchanged = balance.value === core.store.totals().balanceMist;
    const listedLately = core.nowMs() - this.#listedAtMs < FULL_LISTING_INTERVAL_MS;
    if (listing === "always" || !unchanged || !listedLately) {
      const coins = await core.node.coins(address);
      if (!coins.ok) return coins;
      const depositedMist = core.commit(() => takeListing(core.store, coins.value, core.nowMs()));
      this.#listedAtMs = core.nowMs();
      if (depositedMist > 0n)
        core.deps.log("fund.deposit", { fund: core.record.fundId, amountMist: `${depositedMist}` });
    }
    for (let round = 0; round < REFILLS_PER_SCAN; round++) if (!(await this.#pool.refill())) break;
    return done(null);
  }
}

async function observeAll(core: FundCore, objectIds: readonly string[]) {
  const observed = [];
  for (let start = 0; start < objectIds.length; start += NODE_BATCH_LIMIT) {
    const coins = await core.node.observeCoins(objectIds.slice(start, start + NODE_BATCH_LIMIT));
    if (!coins.ok) return null;
    observed.push(...coins.value);
  }
  return observed;
}
