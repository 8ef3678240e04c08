// Sui only (noteUnresolved, showsExpiry, showsEnd, closeRecycled): a signature on Sui lives until its coin moves.

import type { SuiExecution } from "../../chain/sui/execution.ts";
import type { SuiSeen } from "../../chain/sui/seen.ts";
import { readTraits } from "../../chain/sui/transaction-traits.ts";
import { firstTargets, traced, tracedExecution } from "../explain/trace.ts";
import { addChargeEntry, addLateChargeEntry, addUnresolvableEntry } from "../ledger/entries.ts";
import { addEntry, addUsage, utcDay } from "../ledger/usage.ts";
import { nextLookUpAtMs, onGridMs, UNRESOLVED_AFTER_MS } from "../look-up-schedule.ts";
import { UNRESOLVABLE } from "../views.ts";
import { netGasMist } from "./gas.ts";
import type { InputEvidence } from "./payment.ts";
import {
  adoptObservedPayment,
  applyPayment,
  coversLife,
  isIrrevocable,
  isPastEpoch,
  observedCostMist,
  proveOutcome,
  releasePayment,
} from "./payment.ts";
import { closeDead, expire, quarantineCheckAtMs } from "./sponsorships.ts";
import type { SuiFundStore, SuiSponsorship } from "./store.ts";

/**
 * Records that the chain does not show the digest. Expires the sponsorship if its time is over, or sets the next
 * look-up.
 *
 * @param asked the cause of the look-up. `by_schedule` moves to the next one of the schedule. `by_caller` leaves the
 * schedule alone.
 */
export function recordNotFound(
  store: SuiFundStore,
  digest: string,
  miss: SuiSeen<null>,
  nowMs: number,
  asked: "by_schedule" | "by_caller",
): void {
  const life = store.life(digest);
  if (life === null) return;
  const { state, expiresAtMs, signedAtMs } = life;
  // A coin stays in quarantine until it has moved, so an endpoint that has pruned the hour may end it. Without a coin,
  // only the end of the hour decides.
  const isPast = isIrrevocable(life) ? showsExpiry(life, miss) : miss.timestampMs >= expiresAtMs;
  const expires = state === "signed" && nowMs >= expiresAtMs && isPast;
  // Many look-ups in a row decide nothing after the last epoch.
  const isSeldom = state === "expired" || (state === "signed" && miss.epoch > life.expirationEpoch);
  const sponsorship = expires ? store.sponsorship(digest) : null;
  if (sponsorship !== null) expire(store, sponsorship, nowMs);
  else if (asked === "by_schedule" && isSeldom) store.setDue("settle", digest, quarantineCheckAtMs(life, nowMs));
  else if (asked === "by_schedule" && state === "signed")
    store.setDue("settle", digest, nextLookUpAtMs(signedAtMs ?? life.createdAtMs, expiresAtMs, nowMs));
  noteUnresolved(store, digest, miss.epoch, nowMs);
}

/**
 * Records that a look-up has proved nothing about a live sponsorship. After its last epoch, no node may ever show it.
 * `unresolved.ts` closes it an hour later.
 *
 * @param epoch the chain's epoch, as the endpoint or the fund knows it.
 */
export function noteUnresolved(store: SuiFundStore, digest: string, epoch: bigint, nowMs: number): void {
  const life = store.life(digest);
  if (life === null || life.expirationEpoch >= epoch) return;
  if (life.state === "signed" || life.state === "expired")
    store.setDue("unresolved", digest, onGridMs(nowMs + UNRESOLVED_AFTER_MS), "by_then");
}

/**
 * Checks whether an endpoint's miss proves that a sponsorship was not executed in its hour. The endpoint must have seen
 * the hour end, and must still have all of it.
 */
export function showsExpiry(
  sponsorship: Pick<SuiSponsorship, "expiresAtMs" | "sinceCheckpoint" | "createdAtMs">,
  miss: SuiSeen<null>,
): boolean {
  return miss.timestampMs >= sponsorship.expiresAtMs && coversLife(sponsorship, miss);
}

/**
 * Checks whether a miss lets the caller ask for a new sponsorship. With a coin, the end of the hour is enough: the fund
 * takes the coin back at once. Without one, the last epoch has to be over, or both could execute.
 */
export function showsEnd(sponsorship: SuiSponsorship, evidence: InputEvidence): boolean {
  const { miss } = evidence;
  return isIrrevocable(sponsorship)
    ? isPastEpoch(sponsorship.expirationEpoch, evidence) && coversLife(sponsorship, miss)
    : showsExpiry(sponsorship, miss);
}

/**
 * Settles a sponsorship that the chain shows. Books the charge and the fee, and frees the coins at the versions in the
 * effects (guarantee 5).
 *
 * @returns false, having written nothing, if the effects do not fit the bytes that the fund signed.
 */
export function settle(store: SuiFundStore, execution: SuiExecution, nowMs: number): boolean {
  const sponsorship = store.sponsorship(execution.digest);
  if (sponsorship === null) return false;
  if (sponsorship.state === "complete") return true;
  const isLate = sponsorship.state === UNRESOLVABLE;
  if (sponsorship.state !== "signed" && sponsorship.state !== "expired" && !isLate) return false;
  const { digest, gasObjectId, gasBudgetAtoms: gasBudgetMist } = sponsorship;
  const chargedMist = netGasMist(execution.gasUsed);
  if (chargedMist > gasBudgetMist) return false;
  const paid =
    gasObjectId === null || isLate
      ? execution.gasObjectId === gasObjectId
      : applyPayment(store, digest, gasObjectId, execution, chargedMist);
  if (!paid) return false;
  const { storageCostMist, storageRebateMist: rebateAtoms } = execution.gasUsed;
  const trace = traced(sponsorship, shownBy(execution));
  const completed = { ...sponsorship, state: "complete", chargedAtoms: chargedMist, rebateAtoms, trace } as const;
  if (isLate) completeLate(store, completed, nowMs);
  else complete(store, completed, { isAborted: !execution.success }, nowMs);
  const { sender, keyId, maxStorageMist } = sponsorship;
  if (maxStorageMist !== null && storageCostMist > maxStorageMist) store.stopSender(sender, keyId, utcDay(nowMs));
  return true;
}

/** Returns what an execution adds to a trace. */
function shownBy({ error, abort, checkpoint, timestampMs, endpoint }: SuiExecution) {
  const place = abort && {
    package: abort.package,
    module: abort.module,
    function: abort.function,
    code: abort.abortCode.toString(),
    constant: abort.constant ?? null,
    command: abort.command,
  };
  const shown = { failure: error, abort: place, checkpoint, executedAtMs: timestampMs };
  return tracedExecution({ endpoint: endpoint ?? null, ...shown });
}

/**
 * Completes an executed sponsorship. Books the charge as spent and the fee as earned, and withholds the rest no more.
 */
function complete(
  store: SuiFundStore,
  sponsorship: Completed,
  { isAborted }: { readonly isAborted: boolean },
  nowMs: number,
): void {
  const { digest, gasObjectId, chargedAtoms: chargedMist } = sponsorship;
  // Only a repeat of the call that received the bytes still needs them.
  const transactionBytes = store.isReferredTo(digest) ? sponsorship.transactionBytes : new Uint8Array();
  const { targets, commands } = readTraits(sponsorship.transactionBytes);
  const fromBalanceMist = gasObjectId === null ? chargedMist : 0n;
  const endEntry = addChargeEntry(store, digest, sponsorship, fromBalanceMist, { targets, isAborted }, nowMs);
  const trace = traced(sponsorship, { endEntry, commands, targets: firstTargets(targets) });
  store.putSponsorship({ ...sponsorship, transactionBytes, trace });
  raiseCompleted(store, sponsorship);
  store.setDue("settle", digest, null);
}

type Completed = SuiSponsorship & { readonly state: "complete"; readonly chargedAtoms: bigint };

/** Completes a sponsorship that was closed as unresolvable. The closing took its coins over at the chain's versions. */
function completeLate(store: SuiFundStore, sponsorship: Completed, nowMs: number): void {
  const { digest, gasObjectId, chargedAtoms } = sponsorship;
  const endEntry = addLateChargeEntry(store, digest, sponsorship, gasObjectId === null ? chargedAtoms : 0n, nowMs);
  store.putSponsorship({ ...sponsorship, trace: traced(sponsorship, { endEntry }) });
  raiseCompleted(store, sponsorship);
}

function raiseCompleted(store: SuiFundStore, { digest, keyId, sender, chargedAtoms, feeAtoms }: Completed): void {
  store.raise({ type: "sponsorship.completed", digest, keyId, sender, chargedAtoms, feeAtoms });
}

/**
 * Closes an expired sponsorship once the chain proves its outcome without a look-up. Weaker evidence leaves the row
 * unchanged. If a recycling of its coins is under way, that decides instead.
 *
 * @returns true if the sponsorship is over.
 */
export function closeByEvidence(store: SuiFundStore, digest: string, evidence: InputEvidence, nowMs: number): boolean {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || sponsorship.state !== "expired") return false;
  const held = store.coinsHeldBy(digest);
  const fate = held.some(({ state }) => state === "recycling") ? null : proveOutcome(sponsorship, held, evidence);
  if (fate === null) return false;
  if (fate === "executed") {
    // No charge exceeds the budget. So the endpoint lies.
    if (observedCostMist(held, evidence) > sponsorship.gasBudgetAtoms) return false;
    const chargedMist = adoptObservedPayment(store, digest, evidence);
    // No look-up shows whether it aborted.
    const trace = traced(sponsorship, { ending: null });
    const completed = {
      ...sponsorship,
      state: "complete",
      chargedAtoms: chargedMist,
      rebateAtoms: null,
      trace,
    } as const;
    complete(store, completed, { isAborted: false }, nowMs);
  } else {
    releasePayment(store, digest, evidence, nowMs);
    closeDead(store, sponsorship, nowMs);
  }
  return true;
}

/**
 * Closes a sponsorship that can never execute any more, and whose execution no endpoint shows or disproves. Its
 * withheld amount is available again, and still counts as spent. In the same commit, the caller takes its cost from the
 * chain into the books.
 */
export function closeUnresolvable(store: SuiFundStore, digest: string, nowMs: number): void {
  const row = store.sponsorship(digest);
  if (row === null || (row.state !== "signed" && row.state !== "expired")) return;
  const { targets, commands } = readTraits(row.transactionBytes);
  const endEntry = addUnresolvableEntry(store, digest, row, { targets }, nowMs);
  const trace = traced(row, { ending: UNRESOLVABLE, endEntry, commands, targets: firstTargets(targets) });
  store.putSponsorship({ ...row, state: UNRESOLVABLE, transactionBytes: new Uint8Array(), trace });
  store.raise({ type: "fund.unresolvable", digest });
  store.setDue("settle", digest, null);
  store.setDue("unresolved", digest, null);
}

/**
 * Closes a sponsorship whose coin a treasury transaction has consumed, so that its signature is worthless. Its other
 * coins are free at their versions.
 *
 * @param shareMist its share of that transaction's gas, booked to the access key that abandoned it.
 */
export function closeRecycled(store: SuiFundStore, digest: string, shareMist: bigint, nowMs: number): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || sponsorship.state !== "expired")
    throw new Error(`a recycled coin belongs to ${digest}, which is not expired`);
  for (const coin of store.coinsHeldBy(digest)) store.putCoin({ ...coin, state: "free", heldByDigest: null });
  const { keyId } = sponsorship;
  addEntry(store, { atMs: nowMs, kind: "recycle", reference: digest, keyId, balanceAtoms: -shareMist });
  addUsage(store, keyId, nowMs, { spentTodayAtoms: shareMist, abandonCostTodayAtoms: shareMist });
  closeDead(store, { ...sponsorship, maintenanceAtoms: shareMist }, nowMs);
}
