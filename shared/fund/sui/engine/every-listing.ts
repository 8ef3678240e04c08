/* Sui only: An Aptos fund has no coins to list. */

import { lags } from "../../../chain/lag.ts";
import type { SuiCoin } from "../../../chain/sui/coins.ts";
import type { PageTokens } from "../../../chain/sui/listing.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { sleep } from "../../../timing.ts";
import { isLateEnough, type LeastState } from "../recover.ts";
import { type MergedListing, mergeListings } from "../sweep.ts";
import type { SuiFundCore } from "./chain.ts";

/** The waits before endpoints that disagree are read again. A node shows an execution 0.2 to 1 s later. */
const READ_AGAIN_MS = [300, 1_000, 2_000] as const;
/** The most pages of one listing. */
const MAX_PAGES = 200;

/** All coins of an address as one endpoint lists them. */
interface Listing {
  readonly coins: readonly SuiCoin[];
  /** The earliest time of a page, by the chain's clock. */
  readonly timestampMs: number;
  /** False if a page is older than the least state. */
  readonly isLateEnough: boolean;
}

/**
 * Lists the coins of an address at every endpoint that answers, and merges the listings. Repeats while they disagree. A
 * coin that only one of them shows still joins the result.
 *
 * @param least the least state of the chain that counts. An endpoint that lags then counts only if all of them lag.
 * Null if every listing counts, because no endpoint may hide a coin.
 * @returns `node_unavailable` if no listing counts.
 */
export async function everyListing(
  core: SuiFundCore,
  address: string,
  least: LeastState | null,
): Promise<Outcome<MergedListing>> {
  for (const waitMs of READ_AGAIN_MS) {
    const merged = await readAll(core, address, least);
    if (!merged.ok || merged.value.disputed.length === 0) return merged;
    await sleep(waitMs);
  }
  return readAll(core, address, least);
}

async function readAll(core: SuiFundCore, address: string, least: LeastState | null): Promise<Outcome<MergedListing>> {
  const listings: Listing[] = [];
  let fault: Outcome<never> = refuse(
    "node_unavailable",
    "no endpoint gave a complete coin list from after the closure: repeat later",
  );
  for (const url of core.urls) {
    const listed = await listAt(core, address, url, least);
    if (!listed.ok) fault = listed;
    else if (listed.value !== null) listings.push(listed.value);
  }
  const counted = least === null ? listings : currentOf(listings, core.nowMs());
  return counted.length === 0 ? fault : done(mergeListings(counted.map(({ coins }) => coins)));
}

/** Selects the listings that are late enough and do not lag. If all of them lag, our clock may be wrong. */
function currentOf(listings: readonly Listing[], nowMs: number): readonly Listing[] {
  const late = listings.filter((listing) => listing.isLateEnough);
  const current = late.filter(({ timestampMs }) => !lags(timestampMs, nowMs));
  return current.length > 0 ? current : late;
}

/** Lists all coins at one endpoint. Null if the listing does not end. */
async function listAt(
  core: SuiFundCore,
  address: string,
  url: string,
  least: LeastState | null,
): Promise<Outcome<Listing | null>> {
  const coins: SuiCoin[] = [];
  let next: Uint8Array | null = null;
  let timestampMs = Number.POSITIVE_INFINITY;
  let isLate = true;
  const tokens: PageTokens = { of: (asked) => (asked === url ? next : undefined), failed: () => {} };
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await core.node.coins(address, tokens);
    if (!listed.ok) return listed;
    const seen = listed.value.coins;
    coins.push(...seen.value);
    timestampMs = Math.min(timestampMs, seen.timestampMs);
    isLate &&= least === null || isLateEnough(seen, least);
    next = listed.value.next;
    if (next === null) return done({ coins, timestampMs, isLateEnough: isLate });
  }
  return done(null);
}

/**
 * Checks whether a listing shows every coin that the fund has had at a time. An endpoint with a late enough state must
 * show a balance that equals the sum of one merged listing.
 */
export async function isComplete(
  core: SuiFundCore,
  address: string,
  { sumsMist }: MergedListing,
  least: LeastState,
): Promise<boolean> {
  const reading = await core.node.balances(address, []);
  return reading.ok && isLateEnough(reading.value, least) && sumsMist.includes(reading.value.value.coinBalanceMist);
}
