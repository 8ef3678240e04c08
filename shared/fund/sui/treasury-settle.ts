// Sui only (quarantineAgain): only coins are recycled.

import type { SuiExecution } from "../../chain/sui/execution.ts";
import { raiseDeposit } from "../deposit.ts";
import type { LedgerKind } from "../ledger/books.ts";
import { addEntry } from "../ledger/usage.ts";
import { type TreasuryState, UNRESOLVABLE } from "../views.ts";
import { conversionSucceeded } from "./conversion.ts";
import { netGasMist } from "./gas.ts";
import { bookTakenIn, returnPartyCoins } from "./party-coins.ts";
import type { InputEvidence } from "./payment.ts";
import { adoptObservedPayment, applyPayment, proveOutcome, releasePayment } from "./payment.ts";
import { closeRecycled } from "./settle.ts";
import type { FundCoin, PartyCoin, SuiFundStore, SuiTreasuryTransaction } from "./store.ts";
import { closeSweep, endSweep } from "./sweep.ts";
import { areGone, bumpedInputs, createdCoins } from "./treasury-effects.ts";

type EndedState = Exclude<TreasuryState, "pending">;

/** Writes the end of a treasury transaction, and drops its bytes, which are never sent again. */
function putEnded(store: SuiFundStore, transaction: SuiTreasuryTransaction, state: EndedState): void {
  if (transaction.purpose === "convert" && state === "complete") conversionSucceeded(store);
  store.putTreasuryTransaction({ ...transaction, state, transactionBytes: new Uint8Array() });
}

/**
 * Books an executed treasury transaction. One that failed on chain has still cost its gas. Its inputs have a higher
 * version.
 *
 * @returns false, having written nothing, if the effects do not fit the bytes that the fund signed.
 */
export function settleTreasury(store: SuiFundStore, execution: SuiExecution, address: string, nowMs: number): boolean {
  const transaction = store.treasuryTransaction(execution.digest);
  if (transaction === null) return false;
  if (transaction.state === "dead" || transaction.state === UNRESOLVABLE) return false;
  if (transaction.state !== "pending") return true;
  if (transaction.purpose === "recover") return endSweep(store, transaction, execution);
  const created = execution.success ? createdCoins(transaction, execution.changedObjects, address) : [];
  const bumped = bumpedInputs(store, transaction, execution.changedObjects);
  const party = store.partyCoinsHeldBy(transaction.digest);
  if (created === null || bumped === null) return false;
  if (execution.success && !areGone(party, execution.changedObjects)) return false;
  const gasMist = netGasMist(execution.gasUsed);
  // A row of a build without journaled budgets has no budget.
  if (transaction.gasBudgetAtoms > 0n && gasMist > transaction.gasBudgetAtoms) return false;
  const addressBalanceMist = pay(store, transaction, execution, gasMist, sumMist(party));
  if (addressBalanceMist === null) return false;

  const maintenance = transaction.purpose === "maintenance";
  for (const coin of created) store.putCoin({ ...coin, state: "free", heldByDigest: null, maintenance });
  putEnded(store, transaction, execution.success ? "complete" : "failed");
  store.setDue("own", transaction.digest, null);
  if (execution.success) bookTakenIn(store, party, nowMs);
  else returnPartyCoins(store, party);
  if (transaction.purpose === "recycle") {
    closeInputs(store, transaction, bumped, gasMist, nowMs);
    store.setDue("recycle", "", nowMs, "by_then");
  } else
    addEntry(store, {
      atMs: nowMs,
      kind: ledgerKindOf(transaction),
      reference: transaction.digest,
      balanceAtoms: -gasMist - (execution.success ? transaction.paidOutMist : 0n),
      addressBalanceAtoms: addressBalanceMist,
      accruedFeesAtoms: execution.success ? -transaction.collectedFeesMist : 0n,
    });
  if (execution.success) raiseDeposit(store, sumMist(party));
  return true;
}

function ledgerKindOf({ purpose }: SuiTreasuryTransaction): LedgerKind {
  switch (purpose) {
    case "take_in":
      return "convert";
    case "maintenance":
      return "split";
    case "recover":
      return "correction";
    default:
      return purpose;
  }
}

function sumMist(coins: readonly Pick<PartyCoin, "balanceMist">[]): bigint {
  return coins.reduce((sum, { balanceMist }) => sum + balanceMist, 0n);
}

/**
 * Takes the paid amount out of the payment coins, or computes the change of the address balance.
 *
 * @returns the change of the address balance, MIST. Null, having written nothing, if the effects do not fit.
 */
function pay(
  store: SuiFundStore,
  transaction: SuiTreasuryTransaction,
  execution: SuiExecution,
  gasMist: bigint,
  takenInMist: bigint,
): bigint | null {
  const { digest, gasObjectId, createdMist, fromAddressBalanceMist, paidOutMist, paysToAddressBalance } = transaction;
  const createdSumMist = createdMist.reduce((sum, amountMist) => sum + amountMist, 0n);
  const movedMist = execution.success ? createdSumMist + paidOutMist - fromAddressBalanceMist - takenInMist : 0n;
  const redeemed = execution.success ? fromAddressBalanceMist : 0n;
  if (gasObjectId === null) return execution.gasObjectId === null ? -gasMist - movedMist - redeemed : null;
  if (paysToAddressBalance && execution.success) return sweep(store, transaction, execution, gasMist);
  return applyPayment(store, digest, gasObjectId, execution, gasMist + movedMist) ? -redeemed : null;
}

/**
 * Books a payment that has gone into the address balance, with the gas coin. The address balance paid the gas. Null if
 * the effects do not show every coin as deleted.
 */
function sweep(
  store: SuiFundStore,
  { digest }: SuiTreasuryTransaction,
  execution: SuiExecution,
  gasMist: bigint,
): bigint | null {
  const gone = execution.changedObjects.filter(({ operation }) => operation === "deleted");
  const goneIds = new Set(gone.map(({ objectId }) => objectId));
  const coins = store.coinsHeldBy(digest);
  if (!coins.every(({ objectId }) => goneIds.has(objectId))) return null;
  for (const coin of coins) store.putCoin({ ...coin, state: "gone", heldByDigest: null, balanceMist: 0n });
  return coins.reduce((sum, { balanceMist }) => sum + balanceMist, 0n) - gasMist;
}

/**
 * Closes the sponsorships of the bumped coins. No signature over the old versions can execute any more, so they are
 * dead and share the gas.
 */
function closeInputs(
  store: SuiFundStore,
  { digest: reference }: SuiTreasuryTransaction,
  bumped: readonly FundCoin[],
  gasMist: bigint,
  nowMs: number,
): void {
  for (const coin of bumped) store.putCoin(coin);
  const digests = [...new Set(bumped.map(({ heldByDigest }) => heldByDigest))].filter((digest) => digest !== null);
  if (digests.length === 0) {
    // Other evidence has closed all of them. The gas was still paid.
    addEntry(store, { atMs: nowMs, kind: "recycle", reference, balanceAtoms: -gasMist });
    return;
  }
  const shareMist = gasMist / BigInt(digests.length);
  for (const [index, digest] of digests.entries())
    closeRecycled(store, digest, index === 0 ? gasMist - shareMist * BigInt(digests.length - 1) : shareMist, nowMs);
}

/**
 * Closes a treasury transaction once the chain proves its outcome without a look-up. Coins that it was to recycle are
 * quarantined again, and looked at anew. Coins that it has created are found like deposits.
 *
 * @returns true if the transaction is over.
 */
export function closeTreasuryByEvidence(
  store: SuiFundStore,
  digest: string,
  evidence: InputEvidence,
  nowMs: number,
): boolean {
  const transaction = store.treasuryTransaction(digest);
  if (transaction === null || transaction.state !== "pending") return false;
  if (transaction.purpose === "recover") return closeSweep(store, transaction, evidence);
  // The books may show an input at a later version, or merged into another coin. No endpoint has to prove that, and
  // perhaps none can.
  const standing = transaction.bumpedCoins.filter(({ objectId, version }) => isThere(store.coin(objectId), version));
  const overtaken = standing.length < transaction.bumpedCoins.length;
  const fate = proveOutcome(transaction, [...store.coinsHeldBy(digest), ...standing], evidence, overtaken);
  if (fate === null) return false;
  const state = freeOwnPayment(store, transaction, evidence, fate, nowMs);
  quarantineAgain(store, transaction, nowMs);
  const party = store.partyCoinsHeldBy(digest);
  if (state === "complete") for (const { objectId } of party) store.dropPartyCoin(objectId);
  else returnPartyCoins(store, party);
  putEnded(store, transaction, state);
  store.setDue("own", digest, null);
  if (transaction.purpose === "recycle") store.setDue("recycle", "", nowMs);
  return true;
}

/**
 * Closes a treasury transaction that can never execute any more, and whose execution no endpoint shows or disproves. It
 * is never paid again: its Idempotency-Key stays spent, and fees that it was to collect are accrued no more. In the
 * same commit, the caller takes its coins and its cost from the chain into the books.
 */
export function closeTreasuryUnresolvable(store: SuiFundStore, digest: string, nowMs: number): void {
  const transaction = store.treasuryTransaction(digest);
  if (transaction === null || transaction.state !== "pending") return;
  const { collectedFeesMist } = transaction;
  quarantineAgain(store, transaction, nowMs);
  returnPartyCoins(store, store.partyCoinsHeldBy(digest));
  putEnded(store, transaction, UNRESOLVABLE);
  if (collectedFeesMist > 0n)
    addEntry(store, { atMs: nowMs, kind: "correction", reference: digest, accruedFeesAtoms: -collectedFeesMist });
  store.raise({ type: "fund.unresolvable", digest });
  store.setDue("own", digest, null);
}

/** Returns coins that a transaction was to recycle to quarantine. Schedules a new check of their sponsorships. */
export function quarantineAgain(store: SuiFundStore, { bumpedCoins }: SuiTreasuryTransaction, nowMs: number): void {
  for (const { objectId, version } of bumpedCoins) {
    const coin = store.coin(objectId);
    // The coin may have moved, and another transaction may hold it now.
    if (coin === null || coin.version !== version || coin.state !== "recycling" || coin.heldByDigest === null) continue;
    store.putCoin({ ...coin, state: "quarantined" });
    store.setDue("settle", coin.heldByDigest, nowMs);
  }
}

/**
 * Frees the payment and returns how the transaction has ended. The amount that it took shows whether it moved money, or
 * aborted and only cost gas.
 */
function freeOwnPayment(
  store: SuiFundStore,
  { digest, purpose, paidOutMist, collectedFeesMist }: SuiTreasuryTransaction,
  evidence: InputEvidence,
  fate: "dead" | "executed",
  nowMs: number,
): EndedState {
  if (fate === "dead") {
    releasePayment(store, digest, evidence, nowMs);
    return "dead";
  }
  const takenMist = adoptObservedPayment(store, digest, evidence);
  const moved = purpose === "take_in" ? takenMist < 0n : takenMist >= paidOutMist;
  const kind = purpose === "withdraw" ? "withdraw" : "adjustment";
  const accruedFeesMist = moved ? -collectedFeesMist : 0n;
  addEntry(store, {
    atMs: nowMs,
    kind,
    reference: digest,
    balanceAtoms: -takenMist,
    accruedFeesAtoms: accruedFeesMist,
  });
  return moved ? "complete" : "failed";
}

function isThere(coin: FundCoin | null, version: bigint): boolean {
  return coin !== null && coin.state !== "gone" && coin.version === version;
}
