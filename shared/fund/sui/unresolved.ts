// Sui only: On Aptos a used sequence number ends such a row (`settle.ts`).

import { isSameCoin, type Observed } from "../../chain/sui/coins.ts";
import { type SuiSeen, withoutHistory } from "../../chain/sui/seen.ts";
import type { Doubt } from "../ledger/missing-money.ts";
import { addEntry } from "../ledger/usage.ts";
import { type InputEvidence, observedIn, shownIn, takeOverPayment } from "./payment.ts";
import { closeByEvidence, closeUnresolvable } from "./settle.ts";
import { expire } from "./sponsorships.ts";
import type { FundCoin, SuiFundStore, SuiSponsorship, SuiTreasuryTransaction } from "./store.ts";

/**
 * The transitions that close a sponsorship whose last epoch is over, while no look-up shows how it ended. No endpoint may
 * have that part of the history any more. Without these transitions it would withhold its amount for ever. Each change
 * of the balance is a ledger row of kind `correction`.
 */

/** The gap between two attempts to close such a row. It is longer than the time for which money has to be missing. */
export const UNRESOLVED_RETRY_MS = 360_000;

/** Coins as one host shows them, by their ids. */
export type ShownCoins = SuiSeen<ReadonlyMap<string, Observed>>;

/**
 * Closes a sponsorship that pays with coins, by the coins alone. Every host that answers must have seen its last epoch
 * end, and must show the same coins.
 *
 * - A coin that it has written itself completes it.
 * - Coins that stand where it names them prove that it was not executed.
 * - Otherwise, and if the coins show a cost above its budget, it is unresolvable, and its coins are taken over at the versions that the chain shows.
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

/** A reading of the address balance that has seen the last epoch of some sponsorships end. */
export interface ShownBalance {
  readonly checkpoint: bigint;
  /** The amount that the books have beyond the reading, MIST. At most 0 if nothing is missing. */
  readonly missingMist: bigint;
}

/** Returns the most that sponsorships can have cost, MIST. */
export function mostCostMist(rows: readonly SuiSponsorship[]): bigint {
  return rows.reduce((sum, { gasBudgetAtoms }) => sum + gasBudgetAtoms, 0n);
}

/** Lists those of these sponsorships that are live, and that the address balance pays for. */
export function liveFromBalance(store: SuiFundStore, digests: readonly string[]): readonly SuiSponsorship[] {
  return digests.flatMap((digest) => {
    const row = store.sponsorship(digest);
    const isLive = row?.state === "signed" || row?.state === "expired";
    return isLive && row.gasObjectId === null ? row : [];
  });
}

/** Tells whether a transaction of the fund pays from the address balance, or into it. */
export function changesAddressBalance(row: SuiTreasuryTransaction): boolean {
  return row.gasObjectId === null || row.fromAddressBalanceMist !== 0n || row.paysToAddressBalance;
}

/**
 * Checks whether another live sponsorship, whose last epoch is over too, can have taken missing money. Its cost would
 * be booked again once a host shows it.
 */
export function canHaveTaken(store: SuiFundStore, rows: readonly SuiSponsorship[], epoch: bigint): boolean {
  const closing = new Set(rows.map(({ digest }) => digest));
  const live = liveFromBalance(store, store.liveIds(null));
  return live.some(({ digest, expirationEpoch }) => expirationEpoch < epoch && !closing.has(digest));
}

/**
 * Returns the amount under which missing money is doubted, MIST. The same sponsorships explain a smaller amount, so the
 * doubt goes on. Else a deposit of 1 MIST would begin it anew.
 */
export function doubtedMist(known: Doubt | null, rows: readonly SuiSponsorship[], missingMist: bigint): bigint {
  const knownMist = BigInt(known?.booked ?? "");
  return knownMist >= missingMist && knownMist <= mostCostMist(rows) ? knownMist : missingMist;
}

/**
 * Closes sponsorships that the address balance pays for. The missing money is what they have cost.
 *
 * @param rows live ones, which the reading does not show. They can have cost the missing money (`mostCostMist`).
 */
export function closeByBalance(
  store: SuiFundStore,
  rows: readonly SuiSponsorship[],
  { checkpoint, missingMist }: ShownBalance,
  nowMs: number,
): void {
  for (const { digest } of rows) closeUnresolvable(store, digest, nowMs);
  if (missingMist <= 0n) return;
  const change = { balanceAtoms: -missingMist, addressBalanceAtoms: -missingMist };
  addEntry(store, { atMs: nowMs, kind: "correction", reference: `checkpoint ${checkpoint}`, ...change });
}
