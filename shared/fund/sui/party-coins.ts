// Sui only: consensus owns objects on Sui alone.

import { MAX_U64 } from "../../amounts.ts";
import type { SuiCoin } from "../../chain/sui/coins.ts";
import { addEntry } from "../ledger/usage.ts";
import type { FundCoin, PartyCoin, SuiFundStore } from "./store.ts";

/**
 * A party coin is a coin that the fund owns through consensus (`ConsensusAddressOwner`). Anybody can send one with
 * `0x2::transfer::public_party_transfer`. Nodes list party coins beside other coins and count them in the coin balance
 * (sui-core, `rpc_index.rs`). They pay for no gas. They become money of the fund when a treasury transaction merges
 * them into its coin or balance.
 */

/** A party coin below this stays. It does not cover the computation of the transaction that would take it in. */
export const PARTY_DUST_MIST = 1_000_000n;
/** Party coins that one transaction takes in. */
const MAX_TAKEN_IN = 64;

/**
 * Records a party coin of a listing, to be taken in later.
 *
 * @returns its balance, MIST, if it is dust, which is not noted. Otherwise 0.
 */
export function notePartyCoin(store: SuiFundStore, listed: SuiCoin): bigint {
  const { objectId, balanceMist, owner } = listed;
  if (owner.kind !== "consensus") return 0n;
  if (balanceMist < PARTY_DUST_MIST) return balanceMist;
  const known = store.partyCoin(objectId);
  const { startVersion } = owner;
  if (known === null) store.putPartyCoin({ objectId, startVersion, balanceMist, tries: 0, heldByDigest: null });
  else if (known.heldByDigest === null && (known.startVersion !== startVersion || known.balanceMist !== balanceMist))
    store.putPartyCoin({ ...known, startVersion, balanceMist });
  return 0n;
}

/** Forgets a party coin that the chain no longer shows as one. A coin that a treasury transaction holds stays. */
export function forgetPartyCoin(store: SuiFundStore, objectId: string): void {
  if (store.partyCoin(objectId)?.heldByDigest === null) store.dropPartyCoin(objectId);
}

/**
 * Drops a booked coin that turns out to be a party coin. It pays for nothing, so it is no money of the fund. An
 * endpoint may be wrong, so the row goes: an honest listing then finds the coin again.
 */
export function loseToConsensus(store: SuiFundStore, coin: FundCoin, nowMs: number): void {
  store.dropCoin(coin.objectId);
  addEntry(store, { atMs: nowMs, kind: "adjustment", reference: coin.objectId, balanceAtoms: -coin.balanceMist });
}

/**
 * Chooses the party coins to take in next: the largest first, many at once. A coin of a transaction that did not
 * succeed is tried alone, so that it spoils no others.
 */
export function planTakeIn(store: SuiFundStore): readonly PartyCoin[] {
  const waiting = store.waitingPartyCoins(MAX_TAKEN_IN);
  const fresh = waiting.filter(({ tries }) => tries === 0);
  return fresh.length > 0 ? fresh : waiting.slice(0, 1);
}

/** Returns party coins that were not taken in. They wait again, behind those with fewer tries. */
export function returnPartyCoins(store: SuiFundStore, coins: readonly PartyCoin[]): void {
  for (const coin of coins) store.putPartyCoin({ ...coin, tries: coin.tries + 1, heldByDigest: null });
}

/**
 * Books party coins that have become money of the fund. Each stays in the table as gone, because a lagging listing
 * still shows it.
 */
export function bookTakenIn(store: SuiFundStore, coins: readonly PartyCoin[], nowMs: number): void {
  const gone = {
    version: MAX_U64,
    digest: "",
    balanceMist: 0n,
    state: "gone",
    heldByDigest: null,
    maintenance: false,
  } as const;
  for (const { objectId, balanceMist } of coins) {
    store.dropPartyCoin(objectId);
    store.putCoin({ objectId, ...gone });
    addEntry(store, { atMs: nowMs, kind: "deposit", reference: objectId, balanceAtoms: balanceMist });
  }
}
