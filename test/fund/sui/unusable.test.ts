import { describe, expect, test } from "vitest";
import type { OwnedObject } from "../../../shared/chain/sui/listing.ts";
import { UnusableSums, unusableBalance, unusableObject } from "../../../shared/fund/sui/unusable.ts";
import {
  goOn,
  type Progress,
  placeOf,
  UNUSABLE_CURSOR,
  unusablePage,
} from "../../../shared/fund/sui/unusable-place.ts";
import { FUND_ADDRESS, objectId, storeOf } from "../simulation/rows.ts";

const SUI = `0x${"2".padStart(64, "0")}::sui::SUI`;
const COIN = `0x${"2".padStart(64, "0")}::coin::Coin`;
const ALONE = { kind: "address", address: FUND_ADDRESS } as const;
const PARTY = { kind: "consensus", address: FUND_ADDRESS, startVersion: 3n } as const;

function owned(change: Partial<OwnedObject> = {}): OwnedObject {
  return { objectId: objectId(1), objectType: `${COIN}<${SUI}>`, owner: ALONE, balanceAtoms: 5_000_000n, ...change };
}

function judged(change: Partial<OwnedObject>, hindrance: string | null = null, store = storeOf()) {
  return unusableObject(owned(change), { store, hindrance });
}

describe("of what a node lists", () => {
  test("coins of SUI that the address owns alone are money", () => {
    expect(judged({})).toBe(null);
    expect(judged({ objectType: "0x2::coin::Coin<0x2::sui::SUI>", balanceAtoms: 1n })).toBe(null);
  });

  test.each([
    ["a coin of another type", { objectType: `${COIN}<0xbad::sui::SUI>` }, { kind: "coin", type: "0xbad::sui::SUI" }],
    ["another module's coin", { objectType: `0xbad::coin::Coin<${SUI}>`, balanceAtoms: null }, { kind: "object" }],
    ["what only holds one", { objectType: `0xbad::a::B<${COIN}<${SUI}>>`, balanceAtoms: null }, { kind: "object" }],
    ["a party-owned object", { objectType: "0xbad::a::B", owner: PARTY }, { kind: "object", owner: "consensus" }],
    ["a party-owned coin of another type", { objectType: `${COIN}<0xb::c::D>`, owner: PARTY }, { owner: "consensus" }],
  ])("%s is shown with its type and owner", (_, change, shown) => {
    expect(judged(change)).toMatchObject({ objects: 1, objectId: objectId(1), ...shown });
  });

  test("a party-owned coin of SUI is shown with what becomes of it", () => {
    const noted = (tries: number, heldByDigest: string | null) => {
      const store = storeOf();
      store.putPartyCoin({
        objectId: objectId(1),
        startVersion: 3n,
        balanceMist: 5_000_000n,
        tries,
        heldByDigest,
      });
      return store;
    };
    const cause = (...[hindrance, store]: [string | null, ReturnType<typeof storeOf>]) =>
      judged({ owner: PARTY }, hindrance, store)?.cause;
    expect(judged({ owner: PARTY, balanceAtoms: 999_999n })?.cause).toMatch(/^less than 1000000 MIST/);
    expect(cause(null, storeOf())).toMatch(/^the next listing/);
    expect(cause("no coin", noted(0, "digest"))).toBe("a transaction that takes it in is under way");
    expect(cause(null, noted(0, null))).toBe("it waits to be taken in");
    expect(cause("no coin", noted(0, null))).toBe("it waits to be taken in: no coin");
    expect(cause("a rule", noted(2, null))).toBe("it was not taken in when that was tried, and waits: a rule");
  });

  test("an address balance of another type is shown, and none of SUI", () => {
    const balance = (coinType: string, addressBalanceAtoms: bigint) =>
      unusableBalance({ coinType, addressBalanceAtoms });
    expect(balance(SUI, 7n)).toBe(null);
    expect(balance("0xb::c::D", 0n)).toBe(null);
    expect(balance("0xb::c::D", 7n)).toMatchObject({ kind: "address_balance", objects: 0, amountAtoms: 7n });
  });

  test("what cannot be read is counted, and a long type is cut", () => {
    expect(unusableObject("unreadable", { store: storeOf(), hindrance: null })).toMatchObject({ kind: "unreadable" });
    expect(judged({ objectType: `0xb::c::${"D".repeat(80_000)}`, balanceAtoms: null })?.type).toHaveLength(501);
  });
});

describe("a page", () => {
  const view = (type: string) => judged({ objectType: `${COIN}<0xb::c::${type}>`, balanceAtoms: 2n });

  test("adds up what is alike, whatever its number, and holds no more sums than were asked for", () => {
    const sums = new UnusableSums(2);
    goOn(sums, placeOf(null), { items: Array.from({ length: 50_000 }, () => view("A")), next: null });
    expect(sums.items).toMatchObject([{ objects: 50_000, amountAtoms: 100_000n }]);
    const progress = goOn(sums, placeOf(null), { items: [view("B"), view("C"), view("A")], next: null });
    expect(progress).toEqual({ place: { list: "objects", token: null, skip: 1 }, isFull: true });
    expect(sums.items).toHaveLength(2);
  });

  test("every thing is in one page, whatever the limits, and the balances come after the objects", () => {
    const types = ["A", "A", "B", null, "C", "A", "D", "D", "E", "F", null, "A"];
    const lists = { objects: [types.slice(0, 5), types.slice(5)], balances: [["X", null], ["Y"]] };
    for (let limit = 1; limit <= 8; limit++) {
      let cursor: string | null = null;
      const shown: string[] = [];
      for (let pages = 0; pages === 0 || cursor !== null; pages++) {
        expect(pages).toBeLessThan(20);
        const sums = new UnusableSums(limit);
        let { place, isFull }: Progress = { place: placeOf(cursor), isFull: false };
        for (let reads = 0; reads < 2 && !isFull && place !== null; reads++) {
          const at: number = place.token?.[0] ?? 0;
          const items = (lists[place.list][at] ?? []).map((type) => (type === null ? null : view(type)));
          ({ place, isFull } = goOn(sums, place, { items, next: at === 0 ? Uint8Array.of(1) : null }));
        }
        const page = unusablePage(sums.items, place);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        for (const item of page.items) for (let one = 0; one < item.objects; one++) shown.push(item.type.slice(-1));
        cursor = page.nextCursor;
        if (cursor !== null) expect(cursor).toMatch(UNUSABLE_CURSOR);
      }
      expect(shown.toSorted().join("")).toBe("AAAABCDDEFXY");
      expect(shown.slice(-2)).toEqual(["X", "Y"]);
    }
  });

  test("a node's place that is too long for a cursor ends its list, which says so, and the next list follows", () => {
    const token = new Uint8Array(3_001);
    const page = unusablePage([], { list: "objects", token, skip: 0 });
    expect(page).toMatchObject({ items: [{ cause: expect.stringMatching(/^more lies here/) }], nextCursor: "b0." });
    expect(unusablePage([], { list: "balances", token, skip: 0 })).toMatchObject({ items: [{}], nextCursor: null });
    const longest = unusablePage([], { list: "objects", token: token.subarray(1), skip: 1_000 }).nextCursor ?? "";
    expect(longest).toMatch(UNUSABLE_CURSOR);
    expect(placeOf(longest)).toEqual({ list: "objects", token: token.subarray(1), skip: 1_000 });
  });
});
