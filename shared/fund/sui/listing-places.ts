// Sui only: the coins of an address are listed page by page.

import type { PageTokens } from "../../chain/sui/listing.ts";

/**
 * Pages of one listing, of a thousand coins each. The storage of a coin costs its sender a thousandth of a SUI. A
 * longer listing counts as endless.
 */
export const MAX_LISTING_PAGES = 2_000;
/** Pages of the next listings of an endpoint whose last listing was endless. Nodes list the largest coins first. */
export const CUT_LISTING_PAGES = 20;
/** Pages in a row that show no new coin. */
const MAX_BARREN_PAGES = 10;
/** Failures in a row after which an endpoint may have forgotten the token. */
const MAX_FAILURES = 40;
/** The rest of an endpoint whose listing was endless. */
export const ENDLESS_REST_MS = 600_000;
const FILTER_BITS = 2 ** 20;
/** Ids of party coins that are kept for one listing. */
const MAX_PARTY_IDS = 100_000;

/** The state of a listing after a page. `endless`: the listing counts as one without an end. */
export type ListingEnd = "more" | "complete" | "endless";

interface ListedPage {
  readonly objectIds: readonly string[];
  /** Token of the next page. Null on the last page. */
  readonly next: Uint8Array | null;
}

/** Remembers any number of ids in 128 KiB. It may report an unknown id as known, and never the reverse. */
class IdFilter {
  readonly #bits = new Uint8Array(FILTER_BITS / 8);
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /**
   * Adds an id.
   *
   * @returns true if the id was unknown.
   */
  add(id: string): boolean {
    let hash = this.#seed;
    for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
    const bit = (hash ^ (hash >>> 15)) & (FILTER_BITS - 1);
    const byte = this.#bits[bit >> 3] ?? 0;
    this.#bits[bit >> 3] = byte | (1 << (bit & 7));
    return (byte & (1 << (bit & 7))) === 0;
  }
}

/** The progress of one endpoint's listing. */
export class ListingPlace {
  readonly #maxPages: number;
  readonly #seed: number;
  #filter: IdFilter | null = null;
  #after: Uint8Array | null = null;
  #pages = 0;
  #barrenPages = 0;
  #failures = 0;
  readonly #partyIds = new Set<string>();
  /** The sum so far of party coins that are too small to be noted. */
  partyDustMist = 0n;

  constructor(maxPages: number, seed: number) {
    this.#maxPages = maxPages;
    this.#seed = seed;
  }

  get after(): Uint8Array | null {
    return this.#after;
  }

  get pages(): number {
    return this.#pages;
  }

  /** Records a party coin that the listing has shown. */
  showsParty(objectId: string): void {
    if (this.#partyIds.size < MAX_PARTY_IDS) this.#partyIds.add(objectId);
  }

  /**
   * Returns the ids that the listing has not shown. Returns none if the listing has shown more than `MAX_PARTY_IDS`.
   */
  unshownParty(objectIds: readonly string[]): readonly string[] {
    return this.#partyIds.size < MAX_PARTY_IDS ? objectIds.filter((id) => !this.#partyIds.has(id)) : [];
  }

  /** Takes the next page, and advances to the place behind it. */
  take({ objectIds, next }: ListedPage): ListingEnd {
    this.#failures = 0;
    this.#pages += 1;
    this.#after = next;
    if (next === null) return "complete";
    this.#filter ??= new IdFilter(this.#seed);
    let unknown = 0;
    for (const id of objectIds) unknown += this.#filter.add(id) ? 1 : 0;
    this.#barrenPages = unknown === 0 ? this.#barrenPages + 1 : 0;
    return this.#barrenPages >= MAX_BARREN_PAGES || this.#pages >= this.#maxPages ? "endless" : "more";
  }

  /**
   * Counts a failure.
   *
   * @returns true if the place is still worth keeping.
   */
  failed(isRefused: boolean): boolean {
    this.#failures += 1;
    return !isRefused && this.#failures < MAX_FAILURES;
  }
}

/**
 * The progress of the listings of all endpoints. A page token is a place at the endpoint that gave it (sui-rpc-api,
 * `list_owned_objects.rs`). A failure therefore costs no other endpoint its progress. Lives in memory: a restart begins
 * every listing anew.
 */
export class ListingPlaces implements PageTokens {
  readonly #nowMs: () => number;
  readonly #newSeed: () => number;
  readonly #places = new Map<string, ListingPlace>();
  /** Endpoints whose last listing was endless, with the end of their rest. */
  readonly #endless = new Map<string, number>();
  readonly #passedOver = new Set<string>();
  #failures = 0;

  /** @param newSeed returns a number that an attacker cannot foresee, so that no made-up ids look known. */
  constructor(nowMs: () => number, newSeed: () => number) {
    this.#nowMs = nowMs;
    this.#newSeed = newSeed;
  }

  /** True from the first page of a listing to its end. */
  get isUnderWay(): boolean {
    return this.#places.size > 0;
  }

  /** Failures so far, of any endpoint. */
  get failures(): number {
    return this.#failures;
  }

  of(url: string): Uint8Array | null | undefined {
    return this.#passedOver.has(url) || this.#rests(url) ? undefined : (this.#places.get(url)?.after ?? null);
  }

  failed(url: string, isRefused: boolean): void {
    this.#failures += 1;
    if (this.#places.get(url)?.failed(isRefused) === false) this.#places.delete(url);
  }

  /** Returns the place of an endpoint. Begins one if it has none. */
  at(url: string): ListingPlace {
    const known = this.#places.get(url);
    if (known !== undefined) return known;
    const maxPages = this.#endless.has(url) ? CUT_LISTING_PAGES : MAX_LISTING_PAGES;
    const place = new ListingPlace(maxPages, this.#newSeed());
    this.#places.set(url, place);
    return place;
  }

  /** Passes over endpoints whose listing has had at least `fromPages` pages, so that other endpoints get a turn. */
  passOver(fromPages: number): void {
    for (const [url, place] of this.#places) if (place.pages >= fromPages) this.#passedOver.add(url);
  }

  /**
   * Takes back the passed-over endpoint that has had the fewest pages.
   *
   * @returns false if none is passed over.
   */
  takeBack(): boolean {
    const pagesOf = (url: string) => this.#places.get(url)?.pages ?? 0;
    const [fewest] = [...this.#passedOver].sort((a, b) => pagesOf(a) - pagesOf(b));
    return fewest !== undefined && this.#passedOver.delete(fewest);
  }

  passOverNone(): void {
    this.#passedOver.clear();
  }

  /** Ends a complete listing. The next one begins anew everywhere. */
  complete(url: string): void {
    this.#endless.delete(url);
    this.#places.clear();
  }

  /**
   * Ends an endless listing, and lets its endpoint rest.
   *
   * @returns false if the endpoint's last listing was endless, too.
   */
  endless(url: string): boolean {
    const isNews = !this.#endless.has(url);
    this.#places.delete(url);
    this.#endless.set(url, this.#nowMs() + ENDLESS_REST_MS);
    return isNews;
  }

  #rests(url: string): boolean {
    const leftMs = (this.#endless.get(url) ?? 0) - this.#nowMs();
    // A clock that was ahead must not extend the rest.
    return leftMs > 0 && leftMs <= ENDLESS_REST_MS;
  }
}
