// Sui only: On Aptos a used sequence number ends such a row (`settle.ts`).

import { isSameCoin, type Observed } from "../../chain/sui/coins.ts";
import { type SuiSeen, withoutHistory } from "../../chain/sui/seen.ts";
import type { Doubt } from "../ledger/missing-money.ts";
import { addEntry } from "../ledger/usage.ts";
import { type InputEvidence, isGasless, observedIn, shownIn, takeOverPayment } from "./payment.ts";
import { closeByEvidence, closeUnresolvable } from "./settle.ts";
import { expire } from "./sponsorships.ts";
import type { FundCoin, SuiFundStore, SuiSponsorship, SuiTreasuryTransaction } from "./store.ts";
import { closeTreasuryUnresolvable } from "./treasury-settle.ts";

/**
 * The transitions that close a row whose last epoch is over and whose end no look-up shows. Perhaps no endpoint has
 * that part of the history any more. Without these transitions, such a row would withhold its amount for ever. The fund
 * closes sponsorships by itself, and its own transactions by an operator's order. Each change of the balance is a
 * ledger row of kind `correction`.
 */

/** The gap between two attempts to close such a row. It exceeds the time for which money has to be missing. */
export const UNRESOLVED_RETRY_MS = 360_000;

/** Coins as one host shows them, by their ids. */
export type ShownCoins = SuiSeen<ReadonlyMap<string, Observed>>;

/**
 * Closes a sponsorship that pays with coins, by the coins alone. Every host that answers must have seen its last epoch
 * end, and must show the same coins.
 *
 * - A coin that it has written itself completes it.
 * - Coins at the versions that it names prove that it was not executed.
 * - In all other cases it is unresolvable, as it is if the coins show a cost above its budget. The fund takes its coins
 * over at the versions that the chain shows.
 *
 * @param readings one for each host, with an epoch that the fund believes. No host has shown the digest.
 * @returns false, having written nothing, if the readings do not suffice.
 */
export function closeByCoins(
  store: SuiFundStore,
  digest: string,
  readings: readonly ShownCoins[],
  { address, nowMs }: { readonly address: string; readonly nowMs: number },
): boolean {
  const row = store.sponsorship(digest);
  if (row === null || (row.state !== "signed" && row.state !== "expired")) return true;
  const held = store.coinsHeldBy(digest);
  const [first] = readings;
  if (first === undefined || held.length === 0 || held.some(({ state }) => state === "recycling")) return false;
  if (readings.some((coins) => !isUsable(coins, row, held) || !isSame(coins, first, held))) return false;
  const evidence = { coins: first, miss: withoutHistory(first) };
  if (isProof(row, held, evidence)) {
    if (row.state === "signed") expire(store, row, nowMs);
    if (closeByEvidence(store, digest, evidence, nowMs)) return true;
  }
  const correctedMist = takeOverPayment(store, held, evidence, address);
  closeUnresolvable(store, digest, nowMs);
  const { keyId } = row;
  if (correctedMist !== 0n)
    addEntry(store, { atMs: nowMs, kind: "correction", reference: digest, keyId, balanceAtoms: correctedMist });
  return true;
}

function isUsable(coins: ShownCoins, { expirationEpoch }: SuiSponsorship, held: readonly FundCoin[]): boolean {
  return (
    coins.epoch > expirationEpoch &&
    held.every(({ objectId, version }) => {
      const observed = observedIn({ coins }, objectId);
      return observed !== "no_answer" && (observed === null || observed.version >= version);
    })
  );
}

function isSame(one: ShownCoins, other: ShownCoins, held: readonly FundCoin[]): boolean {
  return held.every(({ objectId }) =>
    isSameCoin(shownIn({ coins: one }, objectId), shownIn({ coins: other }, objectId)),
  );
}

function isProof({ digest }: SuiSponsorship, held: readonly FundCoin[], evidence: InputEvidence): boolean {
  const shown = held.map(({ objectId }) => shownIn(evidence, objectId));
  const isUnmoved = held.every(({ version }, index) => shown[index]?.version === version);
  return isUnmoved || shown.some((coin) => coin?.previousTransaction === digest);
}

/** A reading of the address balance from after the last epoch of some sponsorships. */
export interface ShownBalance {
  readonly checkpoint: bigint;
  /** The amount that the books have beyond the reading, MIST. 0 or less if nothing is missing. */
  readonly missingMist: bigint;
}

/** A transaction of the fund that changes the address balance, and that no host shows after its last epoch. */
export interface UnresolvedOwn {
  readonly transaction: SuiTreasuryTransaction;
  /** The transaction's coins, as the hosts that answered show them. */
  readonly evidence: Pick<InputEvidence, "coins">;
}

/** Rows to close by one reading of the address balance. */
export interface Unresolved {
  readonly sponsorships: readonly SuiSponsorship[];
  readonly own: readonly UnresolvedOwn[];
}

/** Returns the most that rows can have taken out of the address balance, MIST. */
export function mostCostMist({ sponsorships, own }: Unresolved): bigint {
  const ofSponsorships = sponsorships.reduce((sum, { gasBudgetAtoms }) => sum + gasBudgetAtoms, 0n);
  return own.reduce((sum, { transaction: { gasObjectId, gasBudgetAtoms, fromAddressBalanceMist } }) => {
    const gasMist = gasObjectId === null ? gasBudgetAtoms : 0n;
    return sum + gasMist + (fromAddressBalanceMist > 0n ? fromAddressBalanceMist : 0n);
  }, ofSponsorships);
}

/** Returns the most that the fund's own transactions can have paid into the address balance, MIST. */
function mostPaidInMist(store: SuiFundStore, { own }: Unresolved): bigint {
  return own.reduce((sum, { transaction: { digest, fromAddressBalanceMist, paysToAddressBalance } }) => {
    const held = paysToAddressBalance ? store.coinsHeldBy(digest) : [];
    const movedMist = held.reduce((heldMist, { balanceMist }) => heldMist + balanceMist, 0n);
    return sum + movedMist + (fromAddressBalanceMist < 0n ? -fromAddressBalanceMist : 0n);
  }, 0n);
}

/** Lists the live sponsorships among these digests that the address balance pays for. */
export function liveFromBalance(store: SuiFundStore, digests: readonly string[]): readonly SuiSponsorship[] {
  return digests.flatMap((digest) => {
    const row = store.sponsorship(digest);
    const isLive = row?.state === "signed" || row?.state === "expired";
    return isLive && row.gasObjectId === null ? row : [];
  });
}

/** Returns true if a transaction of the fund pays from the address balance, or into it. */
export function changesAddressBalance(row: SuiTreasuryTransaction): boolean {
  return row.gasObjectId === null || row.fromAddressBalanceMist !== 0n || row.paysToAddressBalance;
}

/**
 * Checks whether a live sponsorship outside `rows` can explain missing money. Counts only rows past their last epoch,
 * because their cost would be booked again when a host shows them. Ignores gasless ones.
 */
export function canHaveTaken(store: SuiFundStore, rows: readonly SuiSponsorship[], epoch: bigint): boolean {
  const closing = new Set(rows.map(({ digest }) => digest));
  const live = liveFromBalance(store, store.liveIds(null));
  return live.some((row) => !isGasless(row) && row.expirationEpoch < epoch && !closing.has(row.digest));
}

/**
 * Returns the amount that the doubt about missing money is about, MIST. The same rows also explain a smaller amount, so
 * the doubt then continues. Otherwise a deposit of 1 MIST would begin it anew.
 */
export function doubtedMist(known: Doubt | null, rows: Unresolved, missingMist: bigint): bigint {
  const knownMist = BigInt(known?.booked ?? "");
  return knownMist >= missingMist && knownMist <= mostCostMist(rows) ? knownMist : missingMist;
}

/**
 * Closes rows that change the address balance. Books missing money as their cost. Books money beyond the books as their
 * payments, up to the most that they can have paid in. The rest is a deposit.
 *
 * @param rows live ones, which the reading does not show. They can have cost the missing money (`mostCostMist`).
 */
export function closeByBalance(
  store: SuiFundStore,
  rows: Unresolved,
  { checkpoint, missingMist }: ShownBalance,
  { address, nowMs }: { readonly address: string; readonly nowMs: number },
): void {
  const mostMist = mostPaidInMist(store, rows);
  const correct = (reference: string, balanceAtoms: bigint, addressBalanceAtoms: bigint) => {
    if (balanceAtoms === 0n) return;
    addEntry(store, { atMs: nowMs, kind: "correction", reference, balanceAtoms, addressBalanceAtoms });
  };
  for (const { digest } of rows.sponsorships) closeUnresolvable(store, digest, nowMs);
  for (const { transaction, evidence } of rows.own) {
    const { digest } = transaction;
    correct(digest, takeOverPayment(store, store.coinsHeldBy(digest), evidence, address), 0n);
    closeTreasuryUnresolvable(store, digest, nowMs);
  }
  const changeMist = -missingMist < mostMist ? -missingMist : mostMist;
  correct(`checkpoint ${checkpoint}`, changeMist, changeMist);
}
