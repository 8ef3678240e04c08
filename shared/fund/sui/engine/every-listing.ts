/* Sui only: An Aptos fund has no coins to list. */

import type { SuiCoin } from "../../../chain/sui/coins.ts";
import type { PageTokens } from "../../../chain/sui/listing.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { sleep } from "../../../timing.ts";
import { type MergedListing, mergeListings } from "../sweep.ts";
import type { SuiFundCore } from "./chain.ts";

/** The waits before endpoints that disagree are read again. A node shows an execution 0.2 to 1 s later. */
const READ_AGAIN_MS = [300, 1_000, 2_000] as const;
/** The time of a checkpoint may have whole seconds. */
const CLOCK_MARGIN_MS = 1_000;
/** The most pages of one listing. */
const MAX_PAGES = 200;

/**
 * Lists the coins of an address at every endpoint that answers, and merges the listings. Reads again while they
 * disagree. If they still do, a coin that only one of them shows is in the result all the same.
 *
 * @returns `node_unavailable` if no endpoint answers.
 */
export async function everyListing(core: SuiFundCore, address: string): Promise<Outcome<MergedListing>> {
  for (const waitMs of READ_AGAIN_MS) {
    const merged = await readAll(core, address);
    if (!merged.ok || merged.value.disputed.length === 0) return merged;
    await sleep(waitMs);
  }
  return readAll(core, address);
}

async function readAll(core: SuiFundCore, address: string): Promise<Outcome<MergedListing>> {
  const listings: (readonly SuiCoin[])[] = [];
  let fault: Outcome<never> = refuse(
    "node_unavailable",
    "no endpoint has listed the fund's coins to the end: repeat later",
  );
  for (const url of core.urls) {
    const listed = await listAt(core, address, url);
    if (!listed.ok) fault = listed;
    else if (listed.value !== null) listings.push(listed.value);
  }
  return listings.length === 0 ? fault : done(mergeListings(listings));
}

/** Lists all coins at one endpoint. Null if the listing does not end. */
async function listAt(core: SuiFundCore, address: string, url: string): Promise<Outcome<readonly SuiCoin[] | null>> {
  const coins: SuiCoin[] = [];
  let next: Uint8Array | null = null;
  const tokens: PageTokens = { of: (asked) => (asked === url ? next : undefined), failed: () => {} };
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await core.node.coins(address, tokens);
    if (!listed.ok) return listed;
    coins.push(...listed.value.coins.value);
    next = listed.value.next;
    if (next === null) return done(coins);
  }
  return done(null);
}

/**
 * Checks whether a listing shows every coin that the fund has had at a time. An endpoint that has seen that time must
 * show a balance that one of the merged listings adds up to.
 */
export async function isComplete(
  core: SuiFundCore,
  address: string,
  { sumsMist }: MergedListing,
  atMs: number,
): Promise<boolean> {
  const reading = await core.node.balances(address, []);
  if (!reading.ok) return false;
  const { timestampMs, value } = reading.value;
  return timestampMs >= atMs - CLOCK_MARGIN_MS && sumsMist.includes(value.coinBalanceMist);
}
