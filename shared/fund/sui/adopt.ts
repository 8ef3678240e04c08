// Sui only (awaitedCoins, adoptCoinListing, dropMissing): a Sui fund owns coin objects, and listings show them.
// Sui only (adoptAddressBalance): a reading of an address balance has no version; Aptos compares at one.

import type { CoinVersion, SuiCoin } from "../../chain/sui/coins.ts";
import { raiseDeposit } from "../deposit.ts";
import { addEntry } from "../ledger/usage.ts";
import { forgetPartyCoin, loseToConsensus, notePartyCoin } from "./party-coins.ts";
import { adoptVersion } from "./payment.ts";
import { revoke } from "./sponsorships.ts";
import type { FundCoin, SuiFundStore } from "./store.ts";
import { createdId } from "./treasury-settle.ts";

/** Coins that pending transactions will create, or have created already, by the digest of each. */
export function awaitedCoins(store: SuiFundStore): ReadonlyMap<string, string> {
  const awaited = new Map<string, string>();
  for (const transaction of store.pendingTreasury())
    for (const index of transaction.createdMist.keys()) awaited.set(createdId(transaction, index), transaction.digest);
  return awaited;
}

/**
 * Takes in a listing of the fund's coins. It adds unknown ids as deposits, and moves free coins to higher versions;
 * it never revives a coin that effects have ended, and never touches one that a transaction of ours holds, because a listing may
 * be older or newer than the effects that will settle it. Party coins, which cannot pay for gas, are noted to be taken
 * in.
 *
 * @returns the deposits found, and what is left in party coins that are not noted, MIST.
 */
export function adoptCoinListing(
  store: SuiFundStore,
  listing: readonly SuiCoin[],
  nowMs: number,
): { readonly depositedMist: bigint; readonly partyDustMist: bigint } {
  const awaited = awaitedCoins(store);
  const hasParty = store.partyMist() > 0n;
  let depositedMist = 0n;
  let partyDustMist = 0n;
  for (const coin of listing) {
    if (coin.owner.kind === "consensus") {
      if (isDisowned(store, coin, nowMs)) partyDustMist += notePartyCoin(store, coin);
      continue;
    }
    const { owner: _, ...listed } = coin;
    if (hasParty) forgetPartyCoin(store, listed.objectId);
    const known = store.coin(listed.objectId);
    if (known !== null) {
      if (known.state === "free" && differsFromBooks(known, listed)) adoptVersion(store, known, listed, nowMs);
      if (isDropped(known)) takeBack(store, listed, nowMs);
      continue;
    }
    if (awaited.has(listed.objectId)) continue;
    store.putCoin({ ...listed, state: "free", heldByDigest: null, maintenance: false });
    const { objectId, balanceMist } = listed;
    addEntry(store, { atMs: nowMs, kind: "deposit", reference: objectId, balanceAtoms: balanceMist });
    depositedMist += balanceMist;
  }
  raiseDeposit(store, depositedMist);
  return { depositedMist, partyDustMist };
}

/**
 * A party coin that is booked as the fund's own pays for nothing. A sponsorship that holds it can never execute, so it
 * is withdrawn. Its coin stays until its death is proved: that proof is the coin itself.
 *
 * @returns whether it is not booked as the fund's own, or not any more.
 */
function isDisowned(store: SuiFundStore, listed: SuiCoin, nowMs: number): boolean {
  const known = store.coin(listed.objectId);
  if (known === null) return true;
  if (listed.version < known.version) return false;
  if (known.state === "gone") return true;
  if (known.state === "held" && known.heldByDigest !== null) revoke(store, known.heldByDigest, nowMs);
  const left = store.coin(listed.objectId);
  if (left?.state === "free") loseToConsensus(store, left, nowMs);
  return left?.state === "free";
}

/**
 * The chain knows nothing of a coin that is booked as free: a listing has invented it.
 *
 * @returns what was booked for it, MIST.
 */
export function dropMissing(store: SuiFundStore, objectId: string, nowMs: number): bigint {
  const coin = store.coin(objectId);
  if (coin === null || coin.state !== "free") return 0n;
  if (coin.balanceMist > 0n) store.putCoin({ ...coin, state: "gone", maintenance: false });
  else store.dropCoin(objectId);
  addEntry(store, { atMs: nowMs, kind: "adjustment", reference: objectId, balanceAtoms: -coin.balanceMist });
  return coin.balanceMist;
}

/** What effects have ended has no balance. What no endpoint has shown keeps the one that was booked for it. */
function isDropped({ state, balanceMist }: FundCoin): boolean {
  return state === "gone" && balanceMist > 0n;
}

/** A coin that was dropped is shown again. Nobody has paid it in a second time: an adjustment, and never a deposit. */
function takeBack(store: SuiFundStore, coin: CoinVersion, nowMs: number): void {
  store.putCoin({ ...coin, state: "free", heldByDigest: null, maintenance: false });
  const { objectId, balanceMist } = coin;
  addEntry(store, { atMs: nowMs, kind: "adjustment", reference: objectId, balanceAtoms: balanceMist });
}

/** A later version; or the same one in other words, where effects that we believed were wrong. */
function differsFromBooks(known: FundCoin, listed: CoinVersion): boolean {
  if (listed.version !== known.version) return listed.version > known.version;
  return listed.digest !== known.digest || listed.balanceMist !== known.balanceMist;
}

/**
 * Takes in a reading of the fund's address balance. Anybody may pay into it, and only transactions of the fund's take
 * out of it: once those are booked that had executed by the reading, what differs is a deposit.
 *
 * @returns the deposit found, MIST.
 */
export function adoptAddressBalance(
  store: SuiFundStore,
  addressBalanceMist: bigint,
  reference: string,
  nowMs: number,
): bigint {
  const differenceMist = addressBalanceMist - store.totals().addressBalanceAtoms;
  if (differenceMist === 0n) return 0n;
  const kind = differenceMist > 0n ? "deposit" : "adjustment";
  const change = { balanceAtoms: differenceMist, addressBalanceAtoms: differenceMist };
  addEntry(store, { atMs: nowMs, kind, reference, ...change });
  raiseDeposit(store, differenceMist);
  return differenceMist > 0n ? differenceMist : 0n;
}
