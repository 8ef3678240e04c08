import type { CoinVersion, ObjectRef } from "../../chain/sui/coins.ts";
import type { ChangedObject, SuiExecution } from "../../chain/sui/execution.ts";
import { createdObjectId } from "../../chain/sui/transaction.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { availableMist, sponsorableMist } from "../ledger/available.ts";
import type { IdempotencyRecord, LedgerKind } from "../ledger/books.ts";
import { addEntry } from "../ledger/usage.ts";
import type { FundMode } from "../views.ts";
import { conversionSucceeded } from "./conversion.ts";
import { netGasMist } from "./gas.ts";
import { bookTakenIn, returnPartyCoins } from "./party-coins.ts";
import { adoptObservedPayment, applyPayment, type InputEvidence, proveOutcome, releasePayment } from "./payment.ts";
import { closeRecycled } from "./sponsorships.ts";
import type { FundCoin, PartyCoin, SuiFundStore, SuiTreasuryTransaction, TreasuryState } from "./store.ts";

/**
 * The state machine of the transactions that a fund makes by itself: it splits and merges its coins, recycles those of
 * expired sponsorships, takes in party coins, converts deposits into the form that pays, and withdraws. It upholds the guarantees that are
 * listed in `sponsorships.ts`.
 *
 * `pending` → `complete` | `failed` | `dead`. Bytes and digest are written before anything is signed, and only the same bytes are
 * ever sent again. Each is valid in one epoch only, so that a price that rises with the next one cannot leave it, and
 * its coins, in suspense for long.
 */

/** Final within seconds; sending the same bytes again is safe. */
const RESEND_MS = 5_000;
const MAX_RESEND_MS = 300_000;

/** A treasury transaction before anything is written or signed. */
export interface SuiTreasuryDraft
  extends Pick<
    SuiTreasuryTransaction,
    | "purpose"
    | "digest"
    | "transactionBytes"
    | "gasBudgetAtoms"
    | "expirationEpoch"
    | "sinceCheckpoint"
    | "createdMist"
    | "fromAddressBalanceMist"
    | "paysToAddressBalance"
    | "paidOutMist"
    | "collectedFeesMist"
  > {
  /** Empty: the address balance pays. */
  readonly payment: readonly ObjectRef[];
  /** Quarantined coins, to be recycled. */
  readonly bumpedCoins: readonly ObjectRef[];
  readonly takesIn: readonly PartyCoin[];
}

/**
 * Journals a treasury transaction, before it is signed or submitted.
 *
 * @param idempotency written in the same commit, for a withdrawal.
 * @returns `no_gas_object`, having written nothing, when a coin has moved since it was planned; `balance_too_low`,
 * when it would pay out more than is available.
 */
export function beginTreasury(
  store: SuiFundStore,
  draft: SuiTreasuryDraft,
  { mode, nowMs }: { readonly mode: FundMode; readonly nowMs: number },
  idempotency: IdempotencyRecord | null = null,
): Outcome<SuiTreasuryTransaction> {
  const { payment, bumpedCoins, takesIn, ...rest } = draft;
  const paying = unmoved(store, payment, "free");
  const recycled = unmoved(store, bumpedCoins, "quarantined");
  if (paying === null || recycled === null || !takesIn.every((coin) => isWaiting(store, coin)))
    return refuse("no_gas_object", "a coin has moved meanwhile: try again");
  if (draft.paidOutMist > 0n && draft.paidOutMist > withdrawableMist(store, draft, mode))
    return withdrawalRefusal(store, draft, mode);
  const transaction: SuiTreasuryTransaction = {
    ...rest,
    state: "pending",
    gasObjectId: payment[0]?.objectId ?? null,
    bumpedCoins: bumpedCoins.map(({ objectId, version }) => ({ objectId, version })),
    createdAtMs: nowMs,
    unansweredSends: 0,
  };
  for (const coin of paying) store.putCoin({ ...coin, state: "spending", heldByDigest: draft.digest });
  for (const coin of recycled) store.putCoin({ ...coin, state: "recycling" });
  for (const coin of takesIn) store.putPartyCoin({ ...coin, heldByDigest: draft.digest });
  store.putTreasuryTransaction(transaction);
  if (idempotency !== null) store.putIdempotency(idempotency);
  store.setDue("own", draft.digest, nowMs + RESEND_MS);
  return done(transaction);
}

/** Fees out of what has been earned; anything else out of what is available, in the form that pays. */
export function withdrawableMist(
  store: SuiFundStore,
  { collectedFeesMist }: Pick<SuiTreasuryDraft, "collectedFeesMist">,
  mode: FundMode,
): bigint {
  if (collectedFeesMist > 0n) return store.totals().accruedFeesAtoms - collectingMist(store);
  const mostMist = availableMist(store, mode);
  const payable = mode === "coin" ? mostMist : sponsorableMist(store, mode);
  return payable < 0n ? 0n : payable < mostMist ? payable : mostMist;
}

/** Says how much is left to withdraw, or to collect. */
export function withdrawalRefusal(
  store: SuiFundStore,
  draft: Pick<SuiTreasuryDraft, "collectedFeesMist">,
  mode: FundMode,
) {
  const mostMist = withdrawableMist(store, draft, mode);
  const details =
    draft.collectedFeesMist === 0n
      ? `at most ${mostMist} MIST can be withdrawn right now`
      : `at most ${mostMist} MIST of fees can be collected right now`;
  return refuse("balance_too_low", details);
}

function collectingMist(store: SuiFundStore): bigint {
  return store.pendingTreasury().reduce((sum, { collectedFeesMist }) => sum + collectedFeesMist, 0n);
}

function unmoved(
  store: SuiFundStore,
  refs: readonly ObjectRef[],
  state: FundCoin["state"],
): readonly FundCoin[] | null {
  const coins: FundCoin[] = [];
  for (const { objectId, version } of refs) {
    const coin = store.coin(objectId);
    if (coin === null || coin.state !== state || coin.version !== version) return null;
    coins.push(coin);
  }
  return coins;
}

function isWaiting(store: SuiFundStore, { objectId, startVersion, balanceMist }: PartyCoin): boolean {
  const known = store.partyCoin(objectId);
  return known?.heldByDigest === null && known.startVersion === startVersion && known.balanceMist === balanceMist;
}

/** It has no answer yet: when to send the same bytes again. */
export function recordTreasuryUnanswered(store: SuiFundStore, digest: string, nowMs: number): void {
  const transaction = store.treasuryTransaction(digest);
  if (transaction === null || transaction.state !== "pending") return;
  const unansweredSends = transaction.unansweredSends + 1;
  store.putTreasuryTransaction({ ...transaction, unansweredSends });
  store.setDue("own", digest, nowMs + Math.min(RESEND_MS * 2 ** Math.min(unansweredSends, 6), MAX_RESEND_MS));
}

type EndedState = Exclude<TreasuryState, "pending">;

/** Nobody sends its bytes any more. */
function putEnded(store: SuiFundStore, transaction: SuiTreasuryTransaction, state: EndedState): void {
  if (transaction.purpose === "convert" && state === "complete") conversionSucceeded(store);
  store.putTreasuryTransaction({ ...transaction, state, transactionBytes: new Uint8Array() });
}

/**
 * Books an executed treasury transaction. One that failed on chain has cost its gas all the same. Its inputs have a
 * higher version.
 *
 * @returns false, having written nothing, when the effects cannot be those of the bytes that the fund signed.
 */
export function settleTreasury(store: SuiFundStore, execution: SuiExecution, address: string, nowMs: number): boolean {
  const transaction = store.treasuryTransaction(execution.digest);
  if (transaction === null) return false;
  if (transaction.state !== "pending") return transaction.state !== "dead";
  const created = execution.success ? createdCoins(transaction, execution.changedObjects, address) : [];
  const bumped = bumpedInputs(store, transaction, execution.changedObjects);
  const party = store.partyCoinsHeldBy(transaction.digest);
  if (created === null || bumped === null) return false;
  if (execution.success && !areGone(party, execution.changedObjects)) return false;
  const gasMist = netGasMist(execution.gasUsed);
  // A row from before budgets were journaled has none.
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
    closeInputs(store, bumped, gasMist, nowMs);
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
    default:
      return purpose;
  }
}

function sumMist(coins: readonly Pick<PartyCoin, "balanceMist">[]): bigint {
  return coins.reduce((sum, { balanceMist }) => sum + balanceMist, 0n);
}

function areGone(coins: readonly PartyCoin[], changed: readonly ChangedObject[]): boolean {
  const gone = new Set(changed.flatMap(({ objectId, operation }) => (operation === "deleted" ? [objectId] : [])));
  return coins.every(({ objectId }) => gone.has(objectId));
}

/**
 * Takes what was paid out of the payment coins, or tells what it changes in the address balance.
 *
 * @returns the change of the address balance; null, having written nothing, when the effects do not fit.
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

/** All of the payment, the gas coin too, has gone into the address balance, and the gas was taken from there. */
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
 * The n-th coin that it creates has the n-th id derived from the digest. Where the address balance pays, the first one
 * is taken by the gas coin that the chain makes up for it (sui-adapter, `context.rs`).
 */
export function createdId({ digest, gasObjectId }: SuiTreasuryTransaction, index: number): string {
  return createdObjectId(digest, BigInt(index) + (gasObjectId === null ? 1n : 0n));
}

/** The effects must show them as the fund's. */
function createdCoins(
  transaction: SuiTreasuryTransaction,
  changed: readonly ChangedObject[],
  address: string,
): readonly CoinVersion[] | null {
  const created: CoinVersion[] = [];
  for (const [index, balanceMist] of transaction.createdMist.entries()) {
    const id = createdId(transaction, index);
    const output = changed.find(({ objectId }) => objectId === id)?.output;
    if (output == null || output.owner?.kind !== "address" || output.owner.address !== address) return null;
    created.push({ objectId: id, version: output.version, digest: output.digest, balanceMist });
  }
  return created;
}

/** Its inputs at the versions in the effects; null when the effects leave one of them where it was. */
function bumpedInputs(
  store: SuiFundStore,
  { bumpedCoins }: SuiTreasuryTransaction,
  changed: readonly ChangedObject[],
): readonly FundCoin[] | null {
  const outputs = new Map(changed.map(({ objectId, output }) => [objectId, output]));
  const bumped: FundCoin[] = [];
  for (const { objectId, version } of bumpedCoins) {
    const output = outputs.get(objectId);
    const coin = store.coin(objectId);
    if (output == null || coin === null || coin.version !== version || output.version <= version) return null;
    bumped.push({ ...coin, version: output.version, digest: output.digest });
  }
  return bumped;
}

/** Nothing signed over the old versions can execute any more: their sponsorships are dead, and share the gas. */
function closeInputs(store: SuiFundStore, bumped: readonly FundCoin[], gasMist: bigint, nowMs: number): void {
  for (const coin of bumped) store.putCoin(coin);
  const digests = [...new Set(bumped.map(({ heldByDigest }) => heldByDigest))].filter((digest) => digest !== null);
  const shareMist = gasMist / BigInt(digests.length);
  for (const [index, digest] of digests.entries())
    closeRecycled(store, digest, index === 0 ? gasMist - shareMist * BigInt(digests.length - 1) : shareMist, nowMs);
}

/**
 * Closes a treasury transaction once the chain proves what became of it, although no look-up shows it. Coins that it was
 * to recycle are quarantined again, and looked at anew. Coins that it has created are found like deposits.
 *
 * @returns whether it is over.
 */
export function closeTreasuryByEvidence(
  store: SuiFundStore,
  digest: string,
  evidence: InputEvidence,
  nowMs: number,
): boolean {
  const transaction = store.treasuryTransaction(digest);
  if (transaction === null || transaction.state !== "pending") return false;
  // What the books show at a later version, or merged away, no endpoint has to prove, and may not be able to show.
  const standing = transaction.bumpedCoins.filter(({ objectId, version }) => isThere(store.coin(objectId), version));
  const overtaken = standing.length < transaction.bumpedCoins.length;
  const fate = proveOutcome(transaction, [...store.coinsHeldBy(digest), ...standing], evidence, overtaken);
  if (fate === null) return false;
  const state = freeOwnPayment(store, transaction, evidence, fate, nowMs);
  for (const { objectId, version } of transaction.bumpedCoins) {
    const coin = store.coin(objectId);
    // It may have moved on, and be in another one's hands by now.
    if (coin === null || coin.version !== version || coin.state !== "recycling" || coin.heldByDigest === null) continue;
    store.putCoin({ ...coin, state: "quarantined" });
    store.setDue("settle", coin.heldByDigest, nowMs);
  }
  const party = store.partyCoinsHeldBy(digest);
  if (state === "complete") for (const { objectId } of party) store.dropPartyCoin(objectId);
  else returnPartyCoins(store, party);
  putEnded(store, transaction, state);
  store.setDue("own", digest, null);
  if (transaction.purpose === "recycle") store.setDue("recycle", "", nowMs);
  return true;
}

/** How it has ended: what it took out of its payment tells whether it moved anything, or aborted and only cost gas. */
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

export function raiseDeposit(store: SuiFundStore, amountAtoms: bigint): void {
  const { balanceAtoms } = store.totals();
  if (amountAtoms > 0n) store.raise({ type: "fund.deposit", amountAtoms, balanceAtoms });
}
