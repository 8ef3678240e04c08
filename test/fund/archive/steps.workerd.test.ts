import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { archiveName } from "../../../shared/fund/archive/months.ts";
import { finishMove, planMove } from "../../../shared/fund/archive/move.ts";
import { addReserveEntry } from "../../../shared/fund/ledger/entries.ts";
import { closeDead } from "../../../shared/fund/sui/sponsorships.ts";
import { SqliteSuiFundStore } from "../../../shared/fund/sui/sqlite-store.ts";
import { DAY_MS } from "../../support/archive.ts";
import { sponsorship } from "../simulation/rows.ts";

/** Each has two ledger rows, so that one step takes them all. */
const ENDED = 100;
const NOW_MS = Date.UTC(2026, 0, 25);
/** Two reads: when the step is planned, and when its rows are deleted. */
const STATEMENTS_EACH = 2;
/** Statements of a step, however many rows it has. */
const STATEMENTS_OF_STEP = 30;

test("a step runs two statements for each sponsorship at most", async () => {
  await runInDurableObject(env.FUND.getByName("fund_of_a_step"), (_, { storage }) => {
    const store = new SqliteSuiFundStore(storage, () => {});
    store.transact(() => {
      for (let index = 0; index <= ENDED; index++) {
        const row = sponsorship(`ended${index}x`, { createdAtMs: NOW_MS - DAY_MS, state: "prepared" });
        store.putSponsorship(row);
        addReserveEntry(store, row.digest, row, NOW_MS - DAY_MS);
        closeDead(store, row, NOW_MS - DAY_MS);
      }
    });
    const spy = vi.spyOn(storage.sql, "exec");
    const move = store.transact(() => planMove(store, NOW_MS, NOW_MS));
    if (move === null) throw new Error("nothing to move");
    store.transact(() => finishMove(store, move, { cutoffMs: NOW_MS, nowMs: NOW_MS }));
    const statements = spy.mock.calls.length;
    spy.mockRestore();
    expect(store.months.list().map(({ sums }) => sums.sponsorships)).toEqual([ENDED]);
    expect(statements).toBeGreaterThan(0);
    expect(statements).toBeLessThanOrEqual(STATEMENTS_EACH * ENDED + STATEMENTS_OF_STEP);
  });
});

test("an archive stores every text as it is, replaces a row of the same number, and forgets a claimed one", async () => {
  const archive = env.FUND_ARCHIVE.getByName(archiveName("fund_of_any_text", "2026-01"));
  const texts = [`["quoted \\" and ' and é 🜁"]`, "1.50", "null", "", "\u0001\n\u2028"];
  const sponsorships = texts.map((record, index) => ({
    number: 2 ** 40 + index,
    name: `name ${record}`,
    hash: index === 0 ? null : `hash ${record}`,
    record,
  }));
  const ledger = texts.map((record, index) => ({ number: index + 1, record }));
  const treasury = texts.map((record) => ({ name: `treasury ${record}`, record }));
  const claimed = sponsorships.map(({ number }) => number);
  await archive.put({ claimed, sponsorships, ledger, treasury });
  for (const row of sponsorships) {
    expect(await archive.sponsorship(row.name)).toEqual(row);
    if (row.hash !== null) expect(await archive.sponsorship(row.hash)).toEqual(row);
  }
  expect(await archive.list("ledger", 10, 10)).toEqual(ledger.toReversed());
  for (const row of treasury) expect(await archive.treasury(row.name)).toEqual(row);

  const changed = sponsorships.slice(1).map((row) => ({ ...row, record: `${row.record} changed` }));
  await archive.put({ claimed, sponsorships: changed, ledger: [], treasury: [] });
  const left = changed.map(({ number, record }) => ({ number, record })).toReversed();
  expect(await archive.list("sponsorships", Number.MAX_SAFE_INTEGER, 10)).toEqual(left);
});
