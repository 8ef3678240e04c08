// Sui only: coins are recycled, and sequence numbers expire by themselves.

import { MAX_COINS_PER_COMMAND } from "../../chain/sui/treasury-kinds.ts";
import type { StuckRows } from "../stuck-rows.ts";
import { RECYCLE_GRACE_MS } from "./limits.ts";
import { isGivenUp } from "./sponsorships.ts";
import type { FundCoin, SuiFundStore, SuiSponsorship } from "./store.ts";

/** With so many of them the gas of one transaction is spread thin enough. */
const BATCH_WORTH_IT = 32;
/** A single one waits so long for company. */
const LONGEST_WAIT_MS = 30_000;
/** Coins of one recycle transaction; the chain takes fewer than 512 arguments a command. */
export const MAX_RECYCLED_COINS = MAX_COINS_PER_COMMAND;
/** Sponsorships of one run; the next one follows at once. */
const MOST_AT_ONCE = 2 * MAX_RECYCLED_COINS;

export interface RecyclePlan {
  /** Expired sponsorships whose coins are taken to a higher version. */
  readonly digests: readonly string[];
  readonly coins: readonly FundCoin[];
}

/** Which sponsorships are due for recycling, and when to look again: at once where some are due, null where none waits. */
export interface DueForRecycling {
  readonly digests: readonly string[];
  readonly nextAtMs: number | null;
}

type Waiting = Pick<SuiSponsorship, "digest" | "expiresAtMs">;

/**
 * What is due for recycling. One that has failed is tried again once its rest is over and nothing is due that has not
 * failed, so that it takes nobody's turn and spoils nobody's batch.
 */
export function dueForRecycling(store: SuiFundStore, nowMs: number, stuck: StuckRows): DueForRecycling {
  const all = store.recyclable(MOST_AT_ONCE + stuck.size);
  const fresh = dueAtFirst(all.filter(({ digest }) => !stuck.has(digest)).slice(0, MOST_AT_ONCE), nowMs);
  if (fresh.digests.length > 0) return fresh;
  const again = all.flatMap(({ digest }) => (stuck.has(digest) ? [digest] : []));
  const rested = again.filter((digest) => stuck.restsUntilMs(digest, nowMs) === null);
  if (rested.length > 0) return { digests: stuck.longestRested(rested).slice(0, MOST_AT_ONCE), nextAtMs: nowMs };
  const timesMs = [fresh.nextAtMs, ...again.map((digest) => stuck.restsUntilMs(digest, nowMs))];
  const knownMs = timesMs.filter((atMs) => atMs !== null);
  return { digests: [], nextAtMs: knownMs.length === 0 ? null : Math.min(...knownMs) };
}

function dueAtFirst(all: readonly Waiting[], nowMs: number): DueForRecycling {
  // These have waited already when the fund looks.
  const givenUp = all.filter(({ expiresAtMs }) => isGivenUp(expiresAtMs, nowMs));
  const waiting = all.filter(({ expiresAtMs }) => !isGivenUp(expiresAtMs, nowMs));
  const [oldest] = waiting;
  if (givenUp.length > 0) {
    const company = waiting.filter(({ expiresAtMs }) => expiresAtMs + RECYCLE_GRACE_MS <= nowMs);
    return { digests: [...company, ...givenUp].map(({ digest }) => digest), nextAtMs: nowMs };
  }
  if (oldest === undefined) return { digests: [], nextAtMs: null };
  const due = waiting.filter(({ expiresAtMs }) => expiresAtMs + RECYCLE_GRACE_MS <= nowMs);
  const waitedEnoughAtMs = oldest.expiresAtMs + RECYCLE_GRACE_MS + LONGEST_WAIT_MS;
  if (due.length >= BATCH_WORTH_IT || waitedEnoughAtMs <= nowMs)
    return { digests: due.map(({ digest }) => digest), nextAtMs: nowMs };
  const last = waiting[BATCH_WORTH_IT - 1];
  const batchAtMs = last === undefined ? waitedEnoughAtMs : last.expiresAtMs + RECYCLE_GRACE_MS;
  return { digests: [], nextAtMs: Math.min(waitedEnoughAtMs, batchAtMs) };
}

/**
 * A batch of these, as far as they still are to be recycled. One coin of each sponsorship is enough: with any of its
 * inputs gone, the rest of its transaction can never execute. It is the gas coin, which a late user's execution leaves
 * at a higher version, while it merges the others away: an object that no endpoint shows any more proves nothing, and
 * the batch could never be given up.
 *
 * @param digests at most `MAX_RECYCLED_COINS`.
 */
export function planRecycling(store: SuiFundStore, digests: readonly string[]): RecyclePlan {
  const coins: FundCoin[] = [];
  const planned: string[] = [];
  for (const digest of digests) {
    const sponsorship = store.sponsorship(digest);
    const coin =
      sponsorship?.state === "expired" && sponsorship.gasObjectId ? store.coin(sponsorship.gasObjectId) : null;
    if (coin === null || coin.state !== "quarantined") continue;
    coins.push(coin);
    planned.push(digest);
  }
  return { digests: planned, coins };
}
