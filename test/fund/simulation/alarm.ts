import { isGasless } from "../../../shared/fund/sui/payment.ts";
import { UNRESOLVED_RETRY_MS } from "../../../shared/fund/sui/unresolved.ts";
import { isLive } from "./recount.ts";
import type { SponsorshipSteps } from "./sponsorship-steps.ts";
import type { FundWorld } from "./sui-world.ts";
import { type Attempt, NOBODY, type OwnSteps } from "./treasury-steps.ts";
import type { DueRow } from "./visible-store.ts";

const ORDER = ["settle", "unresolved", "own", "recycle"] as const;
const HOUR_MS = 3_600_000;
/** Longer than any row stays open where the chain answers and its epochs do not matter: an hour, recycling and all. */
const LONGEST_MS = 2 * HOUR_MS;
const NOW = { read: 0, lookUp: 0, kept: Number.POSITIVE_INFINITY } as const;
const HONEST: Attempt = { delivery: "answered", fate: "success", lags: NOW };

/** A fund's alarm: it acts on what the due rows name, and on nothing else. */
export class Alarm {
  readonly #world: FundWorld;
  readonly #sponsorships: SponsorshipSteps;
  readonly #own: OwnSteps;

  constructor(world: FundWorld, sponsorships: SponsorshipSteps, own: OwnSteps) {
    this.#world = world;
    this.#sponsorships = sponsorships;
    this.#own = own;
  }

  /** Each row that is due by now, once, one kind after the other. */
  ring(attempt: Attempt): void {
    const { view, nowMs } = this.#world;
    const due = view.rows().due.filter(({ atMs }) => atMs <= nowMs);
    for (const kind of ORDER) for (const row of due) if (row.kind === kind) this.#act(row, attempt);
  }

  #act({ kind, reference }: DueRow, attempt: Attempt): void {
    if (kind === "own") this.#own.send(reference, attempt);
    else if (kind === "recycle") this.#own.recycle(256, NOBODY, attempt);
    else if (kind === "unresolved") this.#closeUnresolved(reference, attempt);
    else {
      const state = this.#world.view.store.sponsorship(reference)?.state;
      if (state === "prepared") this.#sponsorships.releasePrepared(reference);
      else if (state === "signed") this.#sponsorships.lookUp(reference, attempt.lags.lookUp, "by_schedule");
      else this.#sponsorships.checkExpired(reference, attempt.lags);
    }
  }

  #closeUnresolved(digest: string, { lags }: Attempt): void {
    const { store, view, nowMs } = this.#world;
    this.#sponsorships.closeUnresolved(digest, lags);
    const isSoon = ({ kind, atMs }: DueRow) => kind === "unresolved" && atMs <= nowMs + UNRESOLVED_RETRY_MS;
    const soon = view.rows().due.filter(isSoon);
    const isFromBalance = view.store.sponsorship(digest)?.gasObjectId === null;
    const references = soon.map(({ reference }) => reference);
    if (isFromBalance) this.#own.readAddressBalance(lags, references);
    const state = view.store.sponsorship(digest)?.state;
    const isOpen = state === "signed" || state === "expired";
    this.#world.commit(() => store.setDue("unresolved", digest, isOpen ? nowMs + UNRESOLVED_RETRY_MS : null));
  }

  /**
   * The process ends, an hour passes, and a new instance finds a chain that answers: by its alarms alone everything has
   * to come to its end. A coin that pays for gas must be there, or nothing can be recycled.
   */
  quiesce(): void {
    const { chain, view } = this.#world;
    view.restart();
    chain.deposit(1_000_000_000n);
    this.#own.list(0);
    this.#own.readAddressBalance(NOW);
    chain.pass(HOUR_MS);
    this.#ringUntil(chain.nowMs + LONGEST_MS);
    this.#takeInAll();
    // Only an epoch proves the death of what no coin pays for; with coins, recycling has to do.
    if (this.#isEndedByEpochs()) {
      for (let epochs = 0; epochs < 3; epochs++) chain.nextEpoch(chain.view(0).priceMist);
      this.#world.refreshFacts(0);
      this.#ringUntil(chain.nowMs + LONGEST_MS);
      this.#takeInAll();
    }
    this.#own.list(0);
    this.#own.readAddressBalance(NOW);
  }

  #isEndedByEpochs(): boolean {
    const { view, terms } = this.#world;
    const live = view.rows().sponsorships.filter(isLive);
    return terms.mode === "address_balance" || (live.length > 0 && live.every(isGasless));
  }

  #takeInAll(): void {
    if (this.#world.terms.mode === "address_balance") this.#world.chain.payIn(100_000_000n);
    this.#world.refreshFacts(0);
    this.#own.list(0);
    this.#own.readAddressBalance(NOW);
    while (this.#own.takeIn(HONEST) === "executed");
  }

  #ringUntil(endMs: number): void {
    const { chain, view } = this.#world;
    const earliestMs = () => Math.min(...view.rows().due.map(({ atMs }) => atMs));
    for (let atMs = earliestMs(); atMs <= endMs; atMs = earliestMs()) {
      chain.pass(Math.max(atMs - chain.nowMs, 0));
      this.ring(HONEST);
    }
  }
}
