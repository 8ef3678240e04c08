// Sui only: coins are recycled, and sequence numbers expire by themselves.

import { MAX_COINS_PER_COMMAND } from "../../chain/sui/treasury-kinds.ts";
import type { StuckRows } from "../stuck-rows.ts";
import { RECYCLE_GRACE_MS } from "./limits.ts";
import { isGivenUp } from "./sponsorships.ts";
import type { FundCoin, SuiFundStore, SuiSponsorship } from "./store.ts";

/** A batch of this size spreads the gas of its transaction thin enough. */
const BATCH_WORTH_IT = 32;
/** The longest wait of a single sponsorship for a batch. */
const LONGEST_WAIT_MS = 30_000;
/** Coins of one recycle transaction. The chain takes fewer than 512 arguments a command. */
export const MAX_RECYCLED_COINS = MAX_COINS_PER_COMMAND;
/** Sponsorships of one run. The next run follows immediately. */
const MOST_AT_ONCE = 2 * MAX_RECYCLED_COINS;

/** One recycling: the sponsorships of a batch and the coins to move. */
export interface RecyclePlan {
  /** Expired sponsorships whose coins are taken to a higher version. */
  readonly digests: readonly string[];
  readonly coins: readonly FundCoin[];
}

/**
 * The sponsorships that are due for recycling, and the time of the next look. If some are due, that is now. Null if no
 * sponsorship waits.
 */
export interface DueForRecycling {
  readonly digests: readonly string[];
  readonly nextAtMs: number | null;
}

type Waiting = Pick<SuiSponsorship, "digest" | "expiresAtMs">;

/**
 * Lists the sponsorships that are due for recycling. A failed one is tried again after its rest, if only failed ones
 * are due. So it delays no other, and spoils no other's batch.
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
  // Given-up sponsorships have already waited when the fund looks.
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
 * Plans a batch of the sponsorships that still are to be recycled. Moves one coin of each: if any input has moved, its
 * transaction can never execute. That coin is the gas coin. A late user's execution leaves it at a higher version and
 * merges the others away. An object that no endpoint shows any more proves nothing, and the batch could never be given
 * up.
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
