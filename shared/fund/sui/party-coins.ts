// Sui only: consensus owns objects on Sui alone.

import { MAX_U64 } from "../../amounts.ts";
import type { SuiCoin } from "../../chain/sui/coins.ts";
import { addEntry } from "../ledger/usage.ts";
import type { FundCoin, PartyCoin, SuiFundStore } from "./store.ts";

/**
 * Coins that the fund owns through consensus (`ConsensusAddressOwner`). Anybody can send one, with
 * `0x2::transfer::public_party_transfer`. Nodes list them beside other coins and count them in the coin balance
 * (sui-core, `rpc_index.rs`), but they pay for no gas. They are no money of the fund until a transaction of its own has
 * merged them into what pays.
 */

/** Below this a party coin is left where it is: it does not cover the computation of a transaction that takes it in. */
export const PARTY_DUST_MIST = 1_000_000n;
/** Taken in by one transaction. */
const MAX_TAKEN_IN = 64;

/**
 * Notes a party coin of a listing, to be taken in later.
 *
 * @returns what it holds, MIST, if it is dust, which nobody notes; otherwise 0.
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

/** Forgets a party coin that the chain shows no longer as one, unless a transaction of the fund's own holds it. */
export function forgetPartyCoin(store: SuiFundStore, objectId: string): void {
  if (store.partyCoin(objectId)?.heldByDigest === null) store.dropPartyCoin(objectId);
}

/**
 * A coin that was booked as the fund's own is a party coin: it pays for nothing, so it is no money of the fund. Its row is
 * dropped, because an endpoint may be wrong: an honest listing then finds the coin again.
 */
export function loseToConsensus(store: SuiFundStore, coin: FundCoin, nowMs: number): void {
  store.dropCoin(coin.objectId);
  addEntry(store, { atMs: nowMs, kind: "adjustment", reference: coin.objectId, balanceAtoms: -coin.balanceMist });
}

/**
 * Chooses which party coins to take in next: the largest first, many at once. One that was in a transaction which did
 * not succeed is tried alone, so that it spoils no others.
 */
export function planTakeIn(store: SuiFundStore): readonly PartyCoin[] {
  const waiting = store.waitingPartyCoins(MAX_TAKEN_IN);
  const fresh = waiting.filter(({ tries }) => tries === 0);
  return fresh.length > 0 ? fresh : waiting.slice(0, 1);
}

/** They were not taken in: they wait again, behind those that were not tried as often. */
export function returnPartyCoins(store: SuiFundStore, coins: readonly PartyCoin[]): void {
  for (const coin of coins) store.putPartyCoin({ ...coin, tries: coin.tries + 1, heldByDigest: null });
}

/** They have become money of the fund's. Each is remembered as gone, because a listing that lags still shows it. */
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
