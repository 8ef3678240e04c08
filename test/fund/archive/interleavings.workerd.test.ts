import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";
import { createDeps } from "../../../shared/bindings/deps.ts";
import type { Env } from "../../../shared/bindings/env.ts";
import { archiveName } from "../../../shared/fund/archive/months.ts";
import { finishMove, planMove } from "../../../shared/fund/archive/move.ts";
import { ArchiveReader } from "../../../shared/fund/archive/reader.ts";
import type { LedgerRow } from "../../../shared/fund/ledger/books.ts";
import { addChargeEntry, addReserveEntry } from "../../../shared/fund/ledger/entries.ts";
import { closeDead } from "../../../shared/fund/sui/sponsorships.ts";
import { SqliteSuiFundStore } from "../../../shared/fund/sui/sqlite-store.ts";
import type { SuiSponsorship } from "../../../shared/fund/sui/store.ts";
import type { SponsorshipView } from "../../../shared/fund/views.ts";
import type { Page, PageRequest } from "../../../shared/paging.ts";
import { seededRandom } from "../../support/random.ts";
import { rounds } from "../../support/rounds.ts";

const DAY_MS = 86_400_000;
const STEPS = 120;
const HISTORIES = rounds(6, 2);
/** Half of the days of a history lie in the month before. */
const START_MS = Date.UTC(2026, 0, 25);
const bindings: Env = env;
const seed = inject("seed") ?? Math.floor(Math.random() * 2 ** 31);

function sponsorshipOf(digest: string, createdAtMs: number): SuiSponsorship {
  return {
    digest,
    state: "prepared",
    transactionBytes: new Uint8Array(8),
    sender: `0x${"5".repeat(64)}`,
    keyId: "key_00000000000000000001",
    gasObjectId: null,
    gasBudgetAtoms: 1_000n,
    feeAtoms: 7n,
    expirationEpoch: 1n,
    sinceCheckpoint: null,
    createdAtMs,
    signedAtMs: null,
    expiresAtMs: createdAtMs + 600_000,
    chargedAtoms: null,
    rebateAtoms: null,
    maintenanceAtoms: null,
    maxStorageMist: null,
    isReleased: false,
  };
}

/** A history of one fund: what it did, and its rows wherever they are. */
class History {
  readonly #storage: DurableObjectStorage;
  readonly #fundId: string;
  readonly #random: () => number;
  #store: SqliteSuiFundStore;
  #nowMs = START_MS;
  #made = 0;
  /** Every sponsorship that was ever listed, by its number. */
  readonly expected = new Map<number, { readonly digest: string; readonly state: string }>();
  ledgerRows = 0;

  constructor(storage: DurableObjectStorage, fundId: string, random: () => number) {
    this.#storage = storage;
    this.#fundId = fundId;
    this.#random = random;
    this.#store = new SqliteSuiFundStore(storage, () => {});
  }

  #pick(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #archive(month: string) {
    return bindings.FUND_ARCHIVE.getByName(archiveName(this.#fundId, month));
  }

  /** The rows in the fund, and the model brought up to them. */
  #note(): void {
    for (const { number, row } of this.#store.ended.sponsorshipsBelow(Number.MAX_SAFE_INTEGER, 1_000))
      this.expected.set(number, { digest: row.digest, state: row.state });
  }

  /** A new sponsorship, or a dead one that nobody signed, with the same digest again. */
  #sponsor(): void {
    const dead = [...this.expected.values()].filter(({ state }) => state === "dead");
    const again = this.#pick(2) === 0 ? dead[this.#pick(dead.length)] : undefined;
    const digest = again?.digest ?? `digest ${String(this.#made++).padStart(12, "0")}`;
    const known = this.#store.sponsorship(digest);
    if (known !== null && known.state !== "dead") return;
    const row = sponsorshipOf(digest, this.#nowMs);
    this.#store.transact(() => {
      this.#store.putSponsorship(row);
      addReserveEntry(this.#store, digest, row, this.#nowMs);
    });
    this.ledgerRows += 1;
  }

  #end(): void {
    const live = this.#store.ended
      .sponsorshipsBelow(Number.MAX_SAFE_INTEGER, 1_000)
      .filter(({ row }) => row.state === "prepared");
    const chosen = live[this.#pick(live.length)];
    const row = chosen === undefined ? null : this.#store.sponsorship(chosen.row.digest);
    if (row === null) return;
    this.#store.transact(() => {
      if (this.#pick(2) === 0) return closeDead(this.#store, row, this.#nowMs);
      const complete = { ...row, state: "complete", chargedAtoms: BigInt(this.#pick(900)), rebateAtoms: 3n } as const;
      this.#store.putSponsorship(complete);
      addChargeEntry(this.#store, row.digest, complete, 0n, { targets: [] }, this.#nowMs);
    });
    this.ledgerRows += 1;
  }

  /** A step of the archive, which a crash may cut off at any point. */
  async #move(isAlone = false): Promise<void> {
    const cutoffMs = this.#nowMs - DAY_MS;
    const move = this.#store.transact(() => planMove(this.#store, cutoffMs, this.#nowMs));
    if (move === null || this.#pick(6) === 0) return this.#crash();
    for (const [month, batch] of move.batches) {
      await this.#archive(month).put(batch);
      if (this.#pick(6) === 0) return this.#crash();
      // Others go on while the archive writes.
      if (!isAlone && this.#pick(4) === 0) this.#sponsor();
      if (!isAlone && this.#pick(4) === 0) this.#end();
      this.#note();
    }
    const times = { cutoffMs, nowMs: this.#nowMs };
    this.#store.transact(() => finishMove(this.#store, move, times));
  }

  /** Memory is lost, and the disk stays. */
  #crash(): void {
    this.#store = new SqliteSuiFundStore(this.#storage, () => {});
  }

  #reader(): ArchiveReader {
    const deps = createDeps(env);
    const record = { fundId: this.#fundId };
    return new ArchiveReader({ store: this.#store, archive: (month) => this.#archive(month), deps, record });
  }

  /** Reads a list page by page, with steps of the archive between the pages. */
  async #all<Item>(list: (page: PageRequest) => Promise<Page<Item>>): Promise<readonly Item[]> {
    const items: Item[] = [];
    const limit = 1 + this.#pick(7);
    for (let cursor: string | null = null; ; ) {
      const page: Page<Item> = await list({ limit, cursor });
      items.push(...page.items);
      if (page.nextCursor === null) return items;
      cursor = page.nextCursor;
      if (this.#pick(3) === 0) await this.#move(true);
    }
  }

  async check(): Promise<void> {
    this.#note();
    const before = this.#store.totals();
    const rows = await this.#all<SponsorshipView>((page) => this.#reader().sponsorships(page));
    const newestFirst = [...this.expected].toSorted(([a], [b]) => b - a).map(([, row]) => row);
    expect(rows.map(({ digest, state }) => ({ digest, state }))).toEqual(newestFirst);
    const ledger = await this.#all<LedgerRow>((page) => this.#reader().ledger(page));
    expect(ledger).toHaveLength(this.ledgerRows);
    for (const column of ["balanceAtoms", "inFlightAtoms", "accruedFeesAtoms"] as const)
      expect(ledger.reduce((sum, row) => sum + row[column], 0n)).toBe(before[column]);
    expect(this.#store.totals(), "a move changes no total").toEqual(before);
    const complete = rows.filter(({ state }) => state === "complete");
    for (const { digest } of complete.slice(0, 5)) {
      const archived = await this.#reader().sponsorship(digest);
      expect(this.#store.sponsorship(digest) !== null || (archived.ok && archived.value !== null)).toBe(true);
    }
  }

  async step(): Promise<void> {
    switch (this.#pick(8)) {
      case 0:
      case 1:
        return this.#move();
      case 2:
        this.#nowMs += this.#pick(2 * DAY_MS);
        return;
      case 3:
      case 4:
        this.#sponsor();
        break;
      default:
        this.#end();
    }
    this.#note();
  }
}

test("any interleaving of sponsorships, ends, moves, crashes and pages shows each row once, and the same sums", async () => {
  for (let history = 0; history < HISTORIES; history++) {
    const random = seededRandom(seed + history);
    const fundId = `fund_interleaved_${seed}_${history}`;
    await runInDurableObject(env.FUND.getByName(fundId), async (_, { storage }) => {
      const run = new History(storage, fundId, random);
      for (let step = 0; step < STEPS; step++) {
        await run.step();
        if (step % 30 === 29) await run.check();
      }
    });
  }
});
