// Sui only (awaitedCoins, changesBooks, isShownAlike, adoptCoinListing, dropMissing): a Sui fund owns coin objects, and listings show them.
// Sui only (mayBeInvented, adoptAddressBalance): a reading of an address balance has no version; Aptos compares at one.

import type { CoinVersion, Observed, SuiCoin } from "../../chain/sui/coins.ts";
import type { BalanceReading } from "../../chain/sui/node.ts";
import type { SuiSeen } from "../../chain/sui/seen.ts";
import { raiseDeposit } from "../deposit.ts";
import { addEntry } from "../ledger/usage.ts";
import { forgetPartyCoin, loseToConsensus, notePartyCoin } from "./party-coins.ts";
import { adoptVersion } from "./payment.ts";
import { revoke } from "./sponsorships.ts";
import type { FundCoin, SuiFundStore } from "./store.ts";
import { createdId } from "./treasury-effects.ts";

/** Lists the coins that pending transactions will create, or have created already, with the digest of each. */
export function awaitedCoins(store: SuiFundStore): ReadonlyMap<string, string> {
  const awaited = new Map<string, string>();
  for (const transaction of store.pendingTreasury())
    for (const index of transaction.createdMist.keys()) awaited.set(createdId(transaction, index), transaction.digest);
  return awaited;
}

/**
 * Checks whether a listed coin would change the books. An unknown or dropped coin does, and a free coin that is not as
 * it is booked. The books never take a version back, so a false one would lock the coin.
 *
 * @param booked the listed coins that the books have.
 * @param awaited the result of `awaitedCoins`. Those coins are booked by effects.
 */
export function changesBooks(
  booked: ReadonlyMap<string, FundCoin>,
  awaited: ReadonlyMap<string, string>,
  listed: SuiCoin,
): boolean {
  if (listed.owner.kind === "consensus") return false;
  const known = booked.get(listed.objectId);
  if (known === undefined) return !awaited.has(listed.objectId);
  return !isBooked(known, listed);
}

/** Checks whether another endpoint shows a coin just as it was listed. */
export function isShownAlike(listed: SuiCoin, shown: Exclude<Observed, "no_answer">): boolean {
  if (shown === null || shown.owner.kind !== "address" || listed.owner.address !== shown.owner.address) return false;
  const { version, digest, balanceMist } = shown;
  return version === listed.version && digest === listed.digest && balanceMist === listed.balanceMist;
}

/**
 * Books a listing of the fund's coins. Adds unknown ids as deposits, and moves free coins to higher versions. Never
 * revives a coin that effects have ended. Never touches a coin that a transaction of the fund holds. A listing may be
 * older or newer than the effects that will settle that coin. Party coins cannot pay for gas, and are noted to be taken
 * in.
 *
 * @returns the deposits found, and the sum of party coins that are not noted, MIST.
 */
export function adoptCoinListing(
  store: SuiFundStore,
  listing: SuiSeen<readonly SuiCoin[]>,
  nowMs: number,
): { readonly depositedMist: bigint; readonly partyDustMist: bigint } {
  const awaited = awaitedCoins(store);
  const hasParty = store.partyMist() > 0n;
  const booked = store.coinsOf(listing.value.map(({ objectId }) => objectId));
  let depositedMist = 0n;
  let partyDustMist = 0n;
  for (const coin of listing.value) {
    if (coin.owner.kind === "consensus") {
      if (isDisowned(store, coin, nowMs)) partyDustMist += notePartyCoin(store, coin);
      continue;
    }
    const { owner: _, ...listed } = coin;
    if (hasParty) forgetPartyCoin(store, listed.objectId);
    if (isBooked(booked.get(listed.objectId), listed)) continue;
    // An endpoint may list a coin twice. So the books are read again.
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

/** Returns true if a listed coin is in the books, and the listing changes nothing about it. */
function isBooked(known: FundCoin | undefined, listed: CoinVersion): boolean {
  if (known === undefined || isDropped(known)) return false;
  return known.state !== "free" || !differsFromBooks(known, listed);
}

/**
 * Ends the booking of a party coin as the fund's own, because it pays for nothing. Withdraws a sponsorship that holds
 * it, which can never execute. The coin stays until that death is proved, because the coin is the proof.
 *
 * @returns true if the books no longer have it as the fund's own.
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
 * Drops a coin that is booked as free and that the chain does not have. A listing has invented it.
 *
 * @returns the amount that was booked for it, MIST.
 */
export function dropMissing(store: SuiFundStore, objectId: string, nowMs: number): bigint {
  const coin = store.coin(objectId);
  if (coin === null || coin.state !== "free") return 0n;
  if (coin.balanceMist > 0n) store.putCoin({ ...coin, state: "gone", maintenance: false });
  else store.dropCoin(objectId);
  addEntry(store, { atMs: nowMs, kind: "adjustment", reference: objectId, balanceAtoms: -coin.balanceMist });
  return coin.balanceMist;
}

/**
 * Checks whether a coin was dropped. A coin that effects have ended has no balance. A coin that no endpoint has shown
 * keeps its booked balance.
 */
function isDropped({ state, balanceMist }: FundCoin): boolean {
  return state === "gone" && balanceMist > 0n;
}

/**
 * Books a dropped coin that is shown again. It was not paid in a second time, so it is an adjustment and never a
 * deposit.
 */
function takeBack(store: SuiFundStore, coin: CoinVersion, nowMs: number): void {
  store.putCoin({ ...coin, state: "free", heldByDigest: null, maintenance: false });
  const { objectId, balanceMist } = coin;
  addEntry(store, { atMs: nowMs, kind: "adjustment", reference: objectId, balanceAtoms: balanceMist });
}

/**
 * Checks for a later version, or for other contents of the same version. The second happens if the booked effects were
 * wrong.
 */
function differsFromBooks(known: FundCoin, listed: CoinVersion): boolean {
  if (listed.version !== known.version) return listed.version > known.version;
  return listed.digest !== known.digest || listed.balanceMist !== known.balanceMist;
}

/**
 * Checks whether missing money may never have existed: a lying endpoint may have invented a deposit, or the last few.
 * Otherwise the fund has spent it, and the books have forgotten that.
 *
 * @param lastDepositsMist newest first.
 */
export function mayBeInvented(missingMist: bigint, lastDepositsMist: readonly bigint[]): boolean {
  let lastMist = 0n;
  return lastDepositsMist.some((depositMist) => {
    lastMist += depositMist;
    return missingMist === depositMist || missingMist === lastMist;
  });
}

/**
 * Books a reading of the fund's address balance. Anybody may pay into it, and only the fund's transactions take out of
 * it. The caller first books the transactions that were executed before the reading. The rest of the difference is a
 * deposit.
 *
 * @param uncertainMist the amount that the reading may still show, although a transaction of the fund takes it.
 * @returns the deposit found, MIST. 0 with nothing written if the endpoint knows no address balance.
 */
export function adoptAddressBalance(
  store: SuiFundStore,
  { value: { addressBalanceMist }, checkpoint }: BalanceReading,
  uncertainMist: bigint,
  nowMs: number,
): bigint {
  if (addressBalanceMist === null) return 0n;
  const differenceMist = addressBalanceMist - uncertainMist - store.totals().addressBalanceAtoms;
  if (differenceMist === 0n) return 0n;
  const reference = `checkpoint ${checkpoint}`;
  const kind = differenceMist > 0n ? "deposit" : "adjustment";
  const change = { balanceAtoms: differenceMist, addressBalanceAtoms: differenceMist };
  addEntry(store, { atMs: nowMs, kind, reference, ...change });
  raiseDeposit(store, differenceMist);
  return differenceMist > 0n ? differenceMist : 0n;
}
