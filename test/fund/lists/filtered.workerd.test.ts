import { expect, test } from "vitest";
import { archiveName, monthOf, withLedgerRow, withSponsorship } from "../../../shared/fund/archive/months.ts";
import { NO_TRACE } from "../../../shared/fund/explain/trace.ts";
import { encodeLedgerRow } from "../../../shared/fund/ledger/archived.ts";
import type { LedgerRow } from "../../../shared/fund/ledger/books.ts";
import type { LedgerFilter, ListedState, SponsorshipFilter } from "../../../shared/fund/lists/filter.ts";
import { addSums, type GroupSum, sumOfLedgerRow, sumOfSponsorship } from "../../../shared/fund/lists/sums.ts";
import { encodeSponsorship } from "../../../shared/fund/sui/archived.ts";
import { sponsorshipViewOf } from "../../../shared/fund/sui/sponsorship-rows.ts";
import type { SuiSponsorship } from "../../../shared/fund/sui/store.ts";
import type { FilteredPage, PageRequest } from "../../../shared/paging.ts";
import { onDisk } from "../../support/fund-books.ts";
import { listedSponsorship } from "../../support/listed-rows.ts";
import { bindings, newFund, stub, type TestFund, useStoppedClock } from "../../support/sui-fund.ts";

useStoppedClock();

const DAY_MS = 86_400_000;
const BEGIN_MS = Date.UTC(2026, 0, 1);
const ANY = { fromMs: null, toMs: null, keyId: null } as const;
const ANY_SPONSORSHIP: SponsorshipFilter = { ...ANY, sender: null, states: null };
const ANY_ENTRY: LedgerFilter = { ...ANY, kind: null, reference: null };
const STATES: readonly ListedState[] = ["complete", "dead", "complete", "unresolvable", "signed"];

/** The endings of these states. */
const ENDINGS = ["succeeded", "revoked", "aborted", null, null] as const;
const PACKAGE = `0x${"ab".repeat(32)}`;
const TARGETS: readonly (readonly string[])[] = [
  [`${PACKAGE}::game::mint`],
  [`${PACKAGE}::gamer::mint`, `0x${"2".padStart(64, "0")}::coin::zero`],
  [],
  [`${PACKAGE}0::game::mint`, `${PACKAGE}::game::burn`],
];

const keyOf = (index: number) => `key_${String(index % 3).padStart(20, "0")}`;
const senderOf = (index: number) => `0x${String(index % 7).padStart(64, "0")}`;

/** One sponsorship for each third of a day, over four months. */
function sponsorshipAt(index: number): SuiSponsorship {
  const row = listedSponsorship(`d${index}`, BEGIN_MS + (index * DAY_MS) / 3);
  const state = STATES[index % STATES.length] ?? "dead";
  const amounts = state === "complete" ? {} : { chargedAtoms: null, rebateAtoms: null };
  const trace = { ...NO_TRACE, ending: ENDINGS[index % STATES.length] ?? null, targets: TARGETS[index % 4] ?? null };
  const isOld = index % 11 === 0;
  return { ...row, state, sender: senderOf(index), keyId: keyOf(index), ...amounts, ...(!isOld && { trace }) };
}

function entryOf({ digest, keyId, createdAtMs }: SuiSponsorship): LedgerRow {
  const amounts = { balanceAtoms: -7n, addressBalanceAtoms: 0n, inFlightAtoms: -1n, accruedFeesAtoms: 1n };
  return { atMs: createdAtMs, kind: digest.endsWith("3") ? "charge" : "release", reference: digest, keyId, ...amounts };
}

const ROWS = Array.from({ length: 360 }, (_, index) => sponsorshipAt(index));
/** The number of the oldest rows of which the ended ones are archived. */
const ARCHIVED = 250;

/** A fund whose rows lie in the fund and in the archives of three months, as the mover leaves them. */
async function fundWithArchives(): Promise<TestFund> {
  const fund = await newFund();
  const leaves = (row: SuiSponsorship, index: number) =>
    index < ARCHIVED && row.state !== "signed" && row.state !== "unresolvable";
  const moved = await onDisk(fund, (store) =>
    store.transact(() => {
      for (const row of ROWS) {
        store.putSponsorship(row);
        store.addLedger(entryOf(row));
      }
      const ledgerFrom = (store.oldestLedger(1)[0]?.number ?? 1) - 1;
      const sponsorships = ROWS.map((row, index) => ({ row, number: index + 1 })).filter(({ row }, i) =>
        leaves(row, i),
      );
      const ledger = ROWS.slice(0, ARCHIVED).map((row, index) => ({
        row: entryOf(row),
        number: ledgerFrom + index + 1,
      }));
      for (const { row, number } of sponsorships) {
        const month = monthOf(row.createdAtMs);
        store.months.put(withSponsorship(store.months.get(month), number, sponsorshipViewOf(row)));
      }
      for (const { row, number } of ledger)
        store.months.put(withLedgerRow(store.months.get(monthOf(row.atMs)), number, row));
      store.ended.removeSponsorships(
        sponsorships.map(({ row, number }) => ({ number, name: row.digest, hash: null, record: "" })),
      );
      store.removeLedgerUpTo(ledgerFrom + ARCHIVED);
      return { sponsorships, ledger };
    }),
  );
  for (const month of new Set(moved.sponsorships.map(({ row }) => monthOf(row.createdAtMs)))) {
    const ofMonth = <Row>(rows: readonly { readonly row: Row; readonly number: number }[], at: (row: Row) => number) =>
      rows.filter(({ row }) => monthOf(at(row)) === month);
    await bindings.FUND_ARCHIVE.getByName(archiveName(fund.id, month)).put({
      claimed: [],
      sponsorships: ofMonth(moved.sponsorships, (row) => row.createdAtMs).map(({ row, number }) => ({
        number,
        name: row.digest,
        hash: null,
        record: encodeSponsorship(row),
      })),
      ledger: ofMonth(moved.ledger, (row) => row.atMs).map(({ row, number }) => ({
        number,
        record: encodeLedgerRow(row),
      })),
      treasury: [],
    });
  }
  return fund;
}

async function all<Item>(read: (page: PageRequest) => Promise<FilteredPage<Item> | null>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const page = await read({ limit: 7, cursor });
    expect(page).toMatchObject({ isFiltered: true });
    items.push(...(page?.items ?? []));
    cursor = page?.nextCursor ?? null;
  }
  return items;
}

function byGroup(sums: readonly GroupSum[] | undefined) {
  return sums?.toSorted((a, b) => (a.group < b.group ? -1 : 1));
}

test("a filtered list has each row that fits, once and newest first, in the fund and in its archives, and its sums are theirs", async () => {
  const fund = await fundWithArchives();
  const at = (day: number) => BEGIN_MS + day * DAY_MS;
  const isIn = (atMs: number, { fromMs, toMs }: SponsorshipFilter | LedgerFilter) =>
    (fromMs === null || atMs >= fromMs) && (toMs === null || atMs < toMs);

  for (const change of [
    { keyId: keyOf(1) },
    { keyId: "key_of_another_fund" },
    { sender: senderOf(3) },
    { states: ["complete"] },
    { states: ["signed", "unresolvable"] },
    { fromMs: at(20), toMs: at(95.5) },
    { toMs: at(1) },
    { fromMs: at(118), keyId: keyOf(2) },
    { ending: "aborted" },
    { ending: "revoked", states: ["dead"] },
    { target: PACKAGE },
    { target: `${PACKAGE}::game` },
    { target: `${PACKAGE}::game::mint`, ending: "succeeded" },
    { target: "0x2" },
    { fromMs: at(3), toMs: at(110), keyId: keyOf(0), sender: senderOf(2), states: ["complete"] },
  ] satisfies readonly Partial<SponsorshipFilter>[]) {
    const filter: SponsorshipFilter = { ...ANY_SPONSORSHIP, ...change };
    const { keyId, sender, states, target } = filter;
    const expected = ROWS.filter(
      (row) =>
        (keyId === null || row.keyId === keyId) &&
        (sender === null || row.sender === sender) &&
        (states === null || states.includes(row.state)) &&
        (filter.ending === undefined || row.trace?.ending === filter.ending) &&
        (target === undefined || row.trace?.targets?.some((name) => `${name}::`.startsWith(`${target}::`)) === true) &&
        isIn(row.createdAtMs, filter),
    );
    const found = await all((page) => stub(fund).sponsorships({ ...page, filter }));
    expect(found, JSON.stringify(change)).toEqual(expected.toReversed().map(sponsorshipViewOf));
    const summed = await stub(fund).sponsorships({ limit: 1, cursor: null, filter, wantsSums: true });
    expect(summed, JSON.stringify(change)).toMatchObject({ items: [], nextCursor: null, isFiltered: true });
    expect(byGroup(summed?.sums)).toEqual(byGroup(addSums(found.map(sumOfSponsorship))));
  }

  for (const change of [
    { kind: "charge" },
    { keyId: keyOf(1), fromMs: at(10) },
    { reference: "d17" },
    { fromMs: at(30), toMs: at(31) },
  ] satisfies readonly Partial<LedgerFilter>[]) {
    const filter: LedgerFilter = { ...ANY_ENTRY, ...change };
    const { keyId, kind, reference } = filter;
    const expected = ROWS.map(entryOf).filter(
      (row) =>
        (keyId === null || row.keyId === keyId) &&
        (kind === null || row.kind === kind) &&
        (reference === null || row.reference === reference) &&
        isIn(row.atMs, filter),
    );
    const found = await all((page) => stub(fund).ledger({ ...page, filter }));
    expect(found, JSON.stringify(change)).toEqual(expected.toReversed());
    const summed = await stub(fund).ledger({ limit: 1, cursor: null, filter, wantsSums: true });
    expect(byGroup(summed?.sums), JSON.stringify(change)).toEqual(byGroup(addSums(found.map(sumOfLedgerRow))));
  }
});
