// Sui only (recordTreasuryUnanswered): it records a send without an answer.

import type { ObjectRef } from "../../chain/sui/coins.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { availableMist, gasBeyondReserveMist, sponsorableMist } from "../ledger/available.ts";
import type { IdempotencyRecord } from "../ledger/books.ts";
import type { FundMode } from "../views.ts";
import type { FundCoin, PartyCoin, SuiFundStore, SuiTreasuryTransaction } from "./store.ts";

/**
 * The state machine of a fund's treasury transactions. They split and merge coins, and recycle the coins of expired
 * sponsorships. They take in party coins, convert deposits into the form that pays, and withdraw. The machine upholds
 * the guarantees that are listed in `sponsorships.ts`.
 *
 * `pending` → `complete` | `failed` | `dead` | `unresolvable`. Bytes and digest are written before anything is signed,
 * and only the same bytes are ever sent again. Each transaction is valid in one epoch only. So a price that rises with
 * the next epoch cannot keep it and its coins open for long.
 */

/** A transaction is final within seconds. It is safe to send the same bytes again. */
const RESEND_MS = 5_000;
const MAX_RESEND_MS = 300_000;

/** A treasury transaction before it is written or signed. */
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
  /** Empty if the address balance pays. */
  readonly payment: readonly ObjectRef[];
  /** Quarantined coins that it recycles. */
  readonly bumpedCoins: readonly ObjectRef[];
  readonly takesIn: readonly PartyCoin[];
}

/**
 * Journals a treasury transaction before it is signed or submitted.
 *
 * @param idempotency written in the same commit, for a withdrawal.
 * @returns `no_gas_object`, having written nothing, if a coin has moved since the plan. `balance_too_low` if it would
 * pay out more than is available.
 */
export function beginTreasury(
  store: SuiFundStore,
  draft: SuiTreasuryDraft,
  { mode, nowMs }: { readonly mode: FundMode; readonly nowMs: number },
  idempotency: IdempotencyRecord | null = null,
): Outcome<SuiTreasuryTransaction> {
  const { payment, bumpedCoins, takesIn } = draft;
  if (draft.purpose === "recover") return done(journal(store, draft, sweptBy(draft), nowMs));
  const paying = unmoved(store, payment, "free");
  const recycled = unmoved(store, bumpedCoins, "quarantined");
  if (paying === null || recycled === null || !takesIn.every((coin) => isWaiting(store, coin)))
    return refuse("no_gas_object", "a coin has moved since the plan: repeat the call");
  if (draft.paidOutMist > 0n && draft.paidOutMist > withdrawableMist(store, draft, mode))
    return withdrawalRefusal(store, draft, mode);
  for (const coin of paying) store.putCoin({ ...coin, state: "spending", heldByDigest: draft.digest });
  for (const coin of recycled) store.putCoin({ ...coin, state: "recycling" });
  for (const coin of takesIn) store.putPartyCoin({ ...coin, heldByDigest: draft.digest });
  if (idempotency !== null) store.putIdempotency(idempotency);
  return done(journal(store, draft, bumpedCoins, nowMs));
}

/** Lists every coin that a recovery's transaction moves. Its payment gets a higher version, too. */
function sweptBy({ payment, bumpedCoins }: SuiTreasuryDraft): readonly ObjectRef[] {
  return [...new Map([...payment, ...bumpedCoins].map((coin) => [coin.objectId, coin])).values()];
}

function journal(
  store: SuiFundStore,
  { payment, takesIn: _, ...rest }: SuiTreasuryDraft,
  bumpedCoins: readonly ObjectRef[],
  nowMs: number,
): SuiTreasuryTransaction {
  const transaction: SuiTreasuryTransaction = {
    ...rest,
    state: "pending",
    gasObjectId: payment[0]?.objectId ?? null,
    bumpedCoins: bumpedCoins.map(({ objectId, version }) => ({ objectId, version })),
    createdAtMs: nowMs,
    unansweredSends: 0,
  };
  store.putTreasuryTransaction(transaction);
  store.setDue("own", transaction.digest, nowMs + RESEND_MS);
  return transaction;
}

/** The terms of a withdrawal that bound its amount. Its gas is not known before its dry run. */
type WithdrawalTerms = Pick<SuiTreasuryDraft, "collectedFeesMist"> & Partial<Pick<SuiTreasuryDraft, "gasBudgetAtoms">>;

/**
 * Computes the most that can be withdrawn now, MIST. A withdrawal of fees is bounded by the earned fees, and takes no
 * gas out of withheld money. Another one is bounded by what is available in the form that pays.
 */
export function withdrawableMist(
  store: SuiFundStore,
  { collectedFeesMist, gasBudgetAtoms = 0n }: WithdrawalTerms,
  mode: FundMode,
): bigint {
  const gasBeyondMist = mode === "coin" ? 0n : ownGasBeyondMist(store, gasBudgetAtoms);
  const payableMist = sponsorableMist(store, mode) - gasBeyondMist;
  if (collectedFeesMist > 0n) {
    const earnedMist = store.totals().accruedFeesAtoms - collectingMist(store);
    return gasBeyondMist > 0n && payableMist < 0n ? 0n : earnedMist;
  }
  const mostMist = availableMist(store, mode);
  const leastMist = mode === "coin" || mostMist < payableMist ? mostMist : payableMist;
  return leastMist < 0n ? 0n : leastMist;
}

/** Returns the part of one more transaction's gas that the reserve does not cover, MIST. */
function ownGasBeyondMist(store: SuiFundStore, gasBudgetMist: bigint): bigint {
  return gasBeyondReserveMist(store, gasBudgetMist) - gasBeyondReserveMist(store, 0n);
}

/** Builds the refusal that shows the amount that can be withdrawn, or collected, now. */
export function withdrawalRefusal(store: SuiFundStore, draft: WithdrawalTerms, mode: FundMode) {
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

/** Records a send without an answer. Sets the time at which the same bytes are sent again. */
export function recordTreasuryUnanswered(store: SuiFundStore, digest: string, nowMs: number): void {
  const transaction = store.treasuryTransaction(digest);
  if (transaction === null || transaction.state !== "pending") return;
  const unansweredSends = transaction.unansweredSends + 1;
  store.putTreasuryTransaction({ ...transaction, unansweredSends });
  store.setDue("own", digest, nowMs + Math.min(RESEND_MS * 2 ** Math.min(unansweredSends, 6), MAX_RESEND_MS));
}
