// Sui only (markSigned, cancelForCaller, expirePrepared): a sponsorship may wait unsigned for its sender.
// Sui only (isOver, outlivesRefusal, giveUp, isGivenUp, expire, quarantineCheckAtMs): coins can be taken back before the chain proves an end.

import { readTraits } from "../../chain/sui/transaction-traits.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import type { IdempotencyClaim } from "../../idempotency.ts";
import type { Ending } from "../endings.ts";
import { firstTargets, traced } from "../explain/trace.ts";
import { findIdempotency, recordIdempotency, releaseIdempotency } from "../idempotency.ts";
import { addExpiryReleaseEntry, addReleaseEntry } from "../ledger/entries.ts";
import { nextLookUpAtMs, onGridMs } from "../look-up-schedule.ts";
import { type SponsoringState, sponsoringRefusal } from "../refusals.ts";
import { UNRESOLVABLE } from "../views.ts";
import type { SuiFundContext } from "./checks.ts";
import {
  GIVEN_UP_WAIT_MS,
  LONGEST_QUARANTINE_CHECK_MS,
  PREPARED_TTL_MS,
  QUARANTINE_CHECK_MS,
  RECYCLE_GRACE_MS,
} from "./limits.ts";
import { isGasless, isIrrevocable } from "./payment.ts";
import type { SuiFundStore, SuiLife, SuiSponsorship } from "./store.ts";

/**
 * The state machine of a Sui fund's sponsorships. Every function is one synchronous step over a `SuiFundStore`. The
 * caller gathers everything that needs I/O before, and passes it in. This machine and that of the treasury transactions
 * (`treasury.ts`) guarantee, by number:
 *
 * 1. A coin is held by at most one live sponsorship.
 * 2. No signature exists before its bytes, digest and coins are durable. `reserve` and `markSigned` write, the caller
 *    commits, and only then signs.
 * 3. The coins that are not `gone` are the fund's coins at the last reconciled effects. Every known difference from the
 *    chain is one open row. Every MIST of change has a ledger row.
 * 4. A coin is never reserved again at a version for which a signature can still execute. `dead` frees it, and
 *    `complete` frees it only at the version in the effects.
 * 5. A row is `complete` only if the chain shows the digest, success or failure. A missing answer proves nothing.
 * 6. A crash at any point loses nothing. Every open row has a due time, and the next alarm finishes or undoes it.
 * 7. A step that refuses writes nothing. After `reserve` the row stays until `complete`, `dead` or `unresolvable`.
 * 8. Only a coin that the address owns alone is ever reserved or spent. A party coin is no money of the fund until a
 *    treasury transaction has taken it in (`party-coins.ts`).
 * 9. Nobody hears that a sponsorship has expired while its signature may still execute and no coin can be taken back
 *    (`showsEnd`). A caller would pay a second time.
 *
 * The states of a sponsorship:
 *
 * - `prepared` → `signed` | `dead`
 * - `signed` → `complete` | `expired` | `unresolvable`
 * - `expired` → `complete` | `dead` | `unresolvable`
 * - `unresolvable` → `complete`
 *
 * The signature of an expired sponsorship may still execute, so its coin is quarantined. The quarantine ends when a
 * treasury transaction takes the coin to a higher version (`treasury.ts`, recycling). It also ends when the chain shows
 * an epoch past the signature's last one.
 *
 * A fund in `address_balance` mode holds no coins for sponsorships. The chain itself keeps a withheld budget from being
 * spent twice. A signature lives until its last epoch is over.
 *
 * A sponsorship that the network executes without gas costs nothing, so it withholds only its fee. When it expires, the
 * fee and its place in flight are given back (`isReleased`). If it still executes, the fee is charged then.
 */

/**
 * The validity of a sponsorship whose sender's signature only the chain can check. Its coin is taken back within a
 * minute, even if the call fails. That minute includes the grace and the longest wait for a batch. A sponsorship
 * without gas has no coin, so it keeps its full time. A stranger may have made the signature, and the sender's may
 * still come.
 */
const UNJUDGED_TTL_MS = 15_000;

/**
 * Marks a prepared sponsorship as signed by its sender. From this commit on, a signature of the fund may exist.
 *
 * @param isUnjudged only the chain can judge whether the sender's signature is valid.
 * @returns the row, `signed` or in the later state that it already had. Refuses with `unknown_sponsorship` and
 * `idempotency_conflict`, and with `sponsorship_expired` if it can no longer be approved. Refuses with `fund_paused`
 * or `storage_budget` if no signature exists yet and none may be made.
 */
export function markSigned(
  store: SuiFundStore,
  digest: string,
  {
    nowMs,
    isUnjudged = false,
    ...fund
  }: SponsoringState & Pick<SuiFundContext, "nowMs"> & { readonly isUnjudged?: boolean },
  idempotency: IdempotencyClaim | null,
): Outcome<SuiSponsorship> {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null)
    return refuse(
      "unknown_sponsorship",
      "this fund has no sponsorship with that digest: use the digest that prepare or sponsor answered",
    );
  const { state } = sponsorship;
  if (state === "dead" || state === "expired" || state === UNRESOLVABLE || isOverdue(sponsorship, nowMs))
    return refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
  const closed = state === "prepared" ? sponsoringRefusal(fund) : null;
  if (closed !== null) return closed;
  if (idempotency !== null && findIdempotency(store, idempotency, nowMs) === null)
    recordIdempotency(store, idempotency, digest, nowMs);
  if (state !== "prepared") return done(sponsorship);
  const isCutShort = isUnjudged && !isGasless(sponsorship);
  const latestMs = isCutShort ? nowMs + UNJUDGED_TTL_MS : sponsorship.expiresAtMs;
  const expiresAtMs = Math.min(sponsorship.expiresAtMs, latestMs);
  const signed: SuiSponsorship = { ...sponsorship, state: "signed", signedAtMs: nowMs, expiresAtMs };
  store.putSponsorship(signed);
  store.setDue("settle", digest, nextLookUpAtMs(nowMs, expiresAtMs, nowMs));
  return done(signed);
}

function isOverdue({ state, expiresAtMs }: SuiSponsorship, nowMs: number): boolean {
  return state === "prepared" && nowMs >= expiresAtMs;
}

/**
 * Gives up a sponsorship that was prepared for a call which was then refused. No signature exists, so nothing can
 * execute, and the call's Idempotency-Key had no effect. A signed row stays.
 */
export function cancelForCaller(
  store: SuiFundStore,
  digest: string,
  idempotency: IdempotencyClaim | null,
  nowMs: number,
): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || sponsorship.state !== "prepared") return;
  cancelPrepared(store, sponsorship, "refused", nowMs);
  releaseIdempotency(store, idempotency, digest, nowMs);
}

/** Frees the coins of a prepared sponsorship once its time is over. No signature exists, so nothing can execute. */
export function expirePrepared(store: SuiFundStore, digest: string, nowMs: number): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship !== null && isOverdue(sponsorship, nowMs))
    cancelPrepared(store, sponsorship, "expired_unsigned", nowMs);
}

function cancelPrepared(store: SuiFundStore, sponsorship: SuiSponsorship, ending: Ending, nowMs: number): void {
  for (const coin of store.coinsHeldBy(sponsorship.digest))
    store.putCoin({ ...coin, state: "free", heldByDigest: null });
  closeDead(store, { ...sponsorship, trace: traced(sponsorship, { ending }) }, nowMs);
}

/**
 * Closes a sponsorship that can never execute. Its withheld amount is available again, and no longer counts as spent.
 * Drops its bytes, because abandoned large transactions must not fill the storage.
 */
export function closeDead(store: SuiFundStore, sponsorship: SuiSponsorship, nowMs: number): void {
  const { digest } = sponsorship;
  const { targets, commands } = readTraits(sponsorship.transactionBytes);
  const endEntry = addReleaseEntry(store, digest, sponsorship, { targets }, nowMs);
  const ending = sponsorship.trace?.ending ?? "expired";
  const trace = traced(sponsorship, { ending, endEntry, commands, targets: firstTargets(targets) });
  store.putSponsorship({ ...sponsorship, state: "dead", transactionBytes: new Uint8Array(), trace });
  store.setDue("settle", digest, null);
}

/** Checks whether a sponsorship has reached any of its ends. */
export function isOver({ state }: Pick<SuiSponsorship, "state">): boolean {
  return state === "complete" || state === "dead" || state === UNRESOLVABLE;
}

/**
 * Withdraws a sponsorship before its time. A prepared one ends at once. A signed one that pays with coins becomes
 * expired, so that its coins are recycled now. One that pays from the address balance is irrevocable.
 */
export function revoke(store: SuiFundStore, digest: string, nowMs: number): "ended" | "to_recycle" | "irrevocable" {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || isOver(sponsorship)) return "ended";
  if (sponsorship.state === "prepared") {
    cancelPrepared(store, sponsorship, "revoked", nowMs);
    return "ended";
  }
  if (isIrrevocable(sponsorship)) return "irrevocable";
  if (sponsorship.state === "signed")
    expire(store, { ...sponsorship, expiresAtMs: nowMs, trace: traced(sponsorship, { ending: "revoked" }) }, nowMs);
  return "to_recycle";
}

/**
 * Tells whether a signature stays valid after a node has refused it. An irrevocable one does, and one that was handed
 * out: its user may submit it until its hour is over. Any other one is given up.
 */
export function outlivesRefusal(row: Pick<SuiSponsorship, "gasObjectId" | "createdAtMs" | "expiresAtMs">): boolean {
  return isIrrevocable(row) || row.expiresAtMs > row.createdAtMs + PREPARED_TTL_MS;
}

/**
 * Gives up a prepared sponsorship that was signed and submitted, and that no node would execute. It expires before its
 * time, so that its coins are recycled now. The access key that reserved it pays the cost. A signature that
 * outlives the refusal stays.
 */
export function giveUp(store: SuiFundStore, digest: string, nowMs: number): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || sponsorship.state !== "signed" || outlivesRefusal(sponsorship)) return;
  if (nowMs < sponsorship.expiresAtMs)
    expire(store, { ...sponsorship, trace: traced(sponsorship, { ending: "rejected" }) }, nowMs);
}

/** Checks whether an expired sponsorship was given up before its time. Only `giveUp` expires a row early. */
export function isGivenUp(expiresAtMs: number, nowMs: number): boolean {
  return nowMs < expiresAtMs;
}

/**
 * Expires a signed sponsorship: quarantines its coins, raises `sponsorship.expired`, and sets when to settle and
 * recycle it. Releases one without gas, which would otherwise fill the limits until its last epoch is over.
 */
export function expire(store: SuiFundStore, sponsorship: SuiSponsorship, nowMs: number): void {
  const { digest, gasObjectId, expiresAtMs, keyId, sender } = sponsorship;
  for (const coin of store.coinsHeldBy(digest)) store.putCoin({ ...coin, state: "quarantined" });
  store.putSponsorship({ ...sponsorship, state: "expired", ...releasedAtExpiry(store, sponsorship, nowMs) });
  store.raise({ type: "sponsorship.expired", digest, keyId, sender, expiresAtMs });
  store.setDue("settle", digest, quarantineCheckAtMs(sponsorship, nowMs));
  const recycleAtMs = isGivenUp(expiresAtMs, nowMs)
    ? nowMs + GIVEN_UP_WAIT_MS
    : Math.max(nowMs, expiresAtMs + RECYCLE_GRACE_MS);
  // A later expiry must not postpone an earlier recycling.
  if (gasObjectId !== null) store.setDue("recycle", "", recycleAtMs, "by_then");
}

/** Books the release of a sponsorship without gas. Returns the change of its row. */
function releasedAtExpiry(store: SuiFundStore, row: SuiSponsorship, nowMs: number): Partial<SuiSponsorship> {
  if (!isGasless(row)) return {};
  const endEntry = addExpiryReleaseEntry(store, row.digest, row, nowMs);
  return { isReleased: true, trace: traced(row, { endEntry }) };
}

/**
 * Returns the next time to look at an expired sponsorship. One without gas withholds nothing, and no limit bounds their
 * count until their last epoch is over. So it is looked up less often each time.
 */
export function quarantineCheckAtMs(row: SuiLife, nowMs: number): number {
  const waitMs = isGasless(row) ? nowMs - row.expiresAtMs : 0;
  return onGridMs(nowMs + Math.min(Math.max(waitMs, QUARANTINE_CHECK_MS), LONGEST_QUARANTINE_CHECK_MS));
}
