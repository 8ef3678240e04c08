import { beforeEach, describe, expect, test } from "vitest";
import {
  CUT_LISTING_PAGES,
  ENDLESS_REST_MS,
  type ListingEnd,
  ListingPlace,
  ListingPlaces,
  MAX_LISTING_PAGES,
} from "../../../shared/fund/sui/listing-places.ts";

const [FIRST, SECOND] = ["https://first.example/key", "https://second.example"];
const SEED = 0x5eed;
const token = (page: number) => Uint8Array.of(page >> 8, page & 255);
const idOf = (serial: number) => `0x${serial.toString(16).padStart(64, "0")}`;
const idsOf = (page: number, count: number) => Array.from({ length: count }, (_, index) => idOf(page * 1_000 + index));

/** Reads pages until one ends the listing. */
function readAll(place: ListingPlace, pageAt: (page: number) => readonly string[], pages: number) {
  for (let page = 0; page < pages; page++) {
    const end: ListingEnd = place.take({ objectIds: pageAt(page), next: page === pages - 1 ? null : token(page) });
    if (end !== "more") return { end, pages: page + 1 };
  }
  return { end: "more", pages };
}

describe("a listing of one endpoint", () => {
  test.each([
    ["200 pages of a thousand", 1_000, 200],
    ["1,900 pages of fifty", 50, 1_900],
  ])("comes to its end after %s", (_, count, pages) => {
    const all = readAll(new ListingPlace(MAX_LISTING_PAGES, SEED), (page) => idsOf(page, count), pages);
    expect(all).toEqual({ end: "complete", pages });
  });

  test.each([
    ["empty pages", () => []],
    ["one page for ever", () => idsOf(0, 1_000)],
    ["the same pages in turn", (page: number) => idsOf(page % 7, 1_000)],
  ])("has no end that gives %s", (_, pageAt) => {
    const { end, pages } = readAll(new ListingPlace(MAX_LISTING_PAGES, SEED), pageAt, 100);
    expect(end).toBe("endless");
    expect(pages).toBeLessThan(20);
  });

  test("has no end that lists more new coins than anybody sends", () => {
    const all = readAll(new ListingPlace(MAX_LISTING_PAGES, SEED), (page) => [idOf(page)], 10_000);
    expect(all).toEqual({ end: "endless", pages: MAX_LISTING_PAGES });
  });

  test("is not ended by a few empty pages, nor by coins that are listed twice", () => {
    const gap = (page: number) => (page > 5 && page < 14 ? [] : [...idsOf(page, 3), ...idsOf(page - 1, 3)]);
    expect(readAll(new ListingPlace(MAX_LISTING_PAGES, SEED), gap, 40)).toEqual({ end: "complete", pages: 40 });
  });
});

describe("the listings of several endpoints", () => {
  let nowMs: number;
  let places: ListingPlaces;
  beforeEach(() => {
    nowMs = 1_800_000_000_000;
    places = new ListingPlaces(
      () => nowMs,
      () => SEED,
    );
  });
  const read = (url: string, page: number) => places.at(url).take({ objectIds: idsOf(page, 2), next: token(page + 1) });

  test("go on each at its own place, and a failure costs none of them its place", () => {
    read(FIRST, 0);
    read(FIRST, 1);
    read(SECOND, 0);
    places.failed(FIRST, false);
    expect([places.of(FIRST), places.of(SECOND)]).toEqual([token(2), token(1)]);
    expect(places.isUnderWay).toBe(true);
  });

  test("begin anew where a token is refused, or fails for ten minutes", () => {
    read(FIRST, 0);
    read(SECOND, 0);
    places.failed(FIRST, true);
    expect([places.of(FIRST), places.of(SECOND)]).toEqual([null, token(1)]);
    for (let failure = 1; failure < 40; failure++) places.failed(SECOND, false);
    expect(places.of(SECOND)).toEqual(token(1));
    read(SECOND, 1);
    for (let failure = 1; failure < 40; failure++) places.failed(SECOND, false);
    expect(places.of(SECOND), "an answer in between").toEqual(token(2));
    places.failed(SECOND, false);
    expect(places.of(SECOND)).toBeNull();
    expect(places.isUnderWay).toBe(false);
  });

  test("all end with the first that is complete", () => {
    read(FIRST, 0);
    read(SECOND, 0);
    places.complete(SECOND);
    expect([places.of(FIRST), places.of(SECOND), places.isUnderWay]).toEqual([null, null, false]);
  });

  test("without an end rest for ten minutes, and are cut short from then on until one is complete", () => {
    read(FIRST, 0);
    expect([places.endless(FIRST), places.of(FIRST), places.of(SECOND)]).toEqual([true, undefined, null]);
    nowMs += ENDLESS_REST_MS - 1;
    expect(places.of(FIRST)).toBeUndefined();
    nowMs += 1;
    expect(places.of(FIRST)).toBeNull();
    expect(readAll(places.at(FIRST), (page) => idsOf(page, 1), 100)).toEqual({
      end: "endless",
      pages: CUT_LISTING_PAGES,
    });
    expect(places.endless(FIRST), "no news").toBe(false);
    nowMs += ENDLESS_REST_MS;
    places.complete(FIRST);
    expect(readAll(places.at(FIRST), (page) => idsOf(page, 1), 100).end).toBe("complete");
  });

  test("rest no longer for a clock that was ahead", () => {
    places.endless(FIRST);
    nowMs -= 1;
    expect(places.of(FIRST)).toBeNull();
  });

  test("that are long make room for others, for one scan", () => {
    for (let page = 0; page < 5; page++) read(FIRST, page);
    read(SECOND, 0);
    places.passOver(5);
    expect([places.of(FIRST), places.of(SECOND)]).toEqual([undefined, token(1)]);
    places.passOver(1);
    expect([places.of(FIRST), places.of(SECOND)]).toEqual([undefined, undefined]);
    expect([places.takeBack(), places.of(FIRST), places.of(SECOND)]).toEqual([true, undefined, token(1)]);
    expect([places.takeBack(), places.of(FIRST), places.takeBack()]).toEqual([true, token(5), false]);
    places.passOver(1);
    places.passOverNone();
    expect(places.of(FIRST)).toEqual(token(5));
  });
});

test("a listing forgets no party coin once it has shown more of them than it remembers", () => {
  const place = new ListingPlace(MAX_LISTING_PAGES, SEED);
  place.showsParty(idOf(1));
  expect(place.unshownParty([idOf(1), idOf(2)])).toEqual([idOf(2)]);
  for (let serial = 3; serial < 100_003; serial++) place.showsParty(idOf(serial));
  expect(place.unshownParty([idOf(1), idOf(2)])).toEqual([]);
});
