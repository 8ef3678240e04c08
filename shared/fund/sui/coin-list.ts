// Sui only: an Aptos fund owns one balance, and no coins.

import type { Page, PageRequest } from "../../paging.ts";
import { type CoinTier, tierOf } from "./refill-plan.ts";
import type { CoinState, FundCoin } from "./store.ts";

/** The coins that a page examines. */
const EXAMINED = 5_000;

/** Selects coins. They must match all fields. Null matches any tier, and any state of a coin that is not gone. */
export interface CoinFilter {
  readonly state: CoinState | null;
  readonly tier: CoinTier | null;
}

/** A page of those coins that a filter selects. The cursor is the id of the last coin that was examined. */
export interface CoinRequest extends PageRequest {
  readonly filter: CoinFilter;
}

/** A coin as operators see it. */
export interface CoinView {
  readonly objectId: string;
  readonly version: bigint;
  readonly balanceMist: bigint;
  readonly state: CoinState;
  readonly tier: CoinTier;
  /** The digest of the transaction that holds it. Null if none does. */
  readonly heldBy: string | null;
}

/** Reads coins in the order of their ids, after an id. */
export type CoinsAfter = (objectId: string, limit: number) => readonly FundCoin[];

/** Lists coins in the order of their ids. A page may be short, or empty, and have a next one. */
export function listCoins(coinsAfter: CoinsAfter, { filter, limit, cursor }: CoinRequest): Page<CoinView> {
  const examined = coinsAfter(cursor ?? "", EXAMINED);
  const fitting = examined.map(coinViewOf).filter((coin) => fits(coin, filter));
  const items = fitting.slice(0, limit);
  if (fitting.length > limit) return { items, nextCursor: items.at(-1)?.objectId ?? null };
  return { items, nextCursor: examined.length < EXAMINED ? null : (examined.at(-1)?.objectId ?? null) };
}

function fits(coin: CoinView, { state, tier }: CoinFilter): boolean {
  const hasState = state === null ? coin.state !== "gone" : coin.state === state;
  return hasState && (tier === null || coin.tier === tier);
}

function coinViewOf(coin: FundCoin): CoinView {
  const { objectId, version, balanceMist, state, heldByDigest } = coin;
  return { objectId, version, balanceMist, state, tier: tierOf(coin), heldBy: heldByDigest };
}
