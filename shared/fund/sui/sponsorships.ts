// Sui only (markSigned, cancelForCaller, expirePrepared): a sponsorship may wait unsigned for its sender.
// Sui only (giveUp, isGivenUp, expire): coins can be taken back before the chain proves an end.

import { done, type Outcome, refuse } from "../../errors.ts";
import type { IdempotencyClaim } from "../../idempotency.ts";
import { findIdempotency, recordIdempotency, releaseIdempotency } from "../idempotency.ts";
import { addReleaseEntry } from "../ledger/entries.ts";
import { nextLookUpAtMs } from "../look-up-schedule.ts";
import { pausedRefusal } from "../refusals.ts";
import type { SuiFundContext } from "./checks.ts";
import { GIVEN_UP_WAIT_MS, PREPARED_TTL_MS, QUARANTINE_CHECK_MS, RECYCLE_GRACE_MS } from "./limits.ts";
import type { SuiFundStore, SuiSponsorship } from "./store.ts";

/**
 * The state machine of a Sui fund's sponsorships. Every function is one synchronous step over a `SuiFundStore`;
 * everything that needs I/O is gathered before and passed in. What the machine guarantees, together with that of the
 * fund's treasury transactions (`treasury.ts`), by number:
 *
 * 1. A coin is held by at most one live sponsorship.
 * 2. No signature exists before its bytes, digest and coins are durable: `reserve` and `markSigned` write, the caller
 *    commits, and only then signs.
 * 3. The coins that are not `gone` are the fund's coins at the last reconciled effects; every known difference from
 *    the chain is one open row; every MIST of change has a ledger row.
 * 4. A coin is never lent again at a version for which a signature can still execute: `dead` frees it, and `complete`
 *    only at the version in the effects.
 * 5. `complete` only when the chain shows the digest, success or failure. A missing answer proves nothing.
 * 6. A crash at any point loses nothing: what is open has a due row, and the next alarm finishes or undoes it.
 * 7. A step that refuses writes nothing. After `reserve` the row stays until `complete` or `dead`.
 * 8. Only a coin that the address owns alone is ever lent or spent. A party coin is no money of the fund until a
 *    transaction of its own has taken it in (`party-coins.ts`).
 *
 * Sponsorships: `prepared` → `signed` | `dead`; `signed` → `complete` | `expired`; `expired` → `complete` | `dead`.
 * An expired sponsorship's signature may still execute: its coin is quarantined until a transaction of the fund's own
 * takes it to a higher version (`treasury.ts`, recycling), or until the chain shows an epoch past its last one.
 *
 * A fund in `address_balance` mode lends no coins: the chain itself keeps a promised budget from being spent twice,
 * and a signature lives until its last epoch is over.
 */

/**
 * How long one is lent whose sender's signature only the chain can judge. With the grace and the longest wait for
 * company, its coin is taken back within a minute, whatever becomes of the call.
 */
const UNJUDGED_TTL_MS = 15_000;

/**
 * The sender has signed a prepared sponsorship: from this commit on, a signature of ours may exist.
 *
 * @param isUnjudged only the chain can tell whether the sender's signature is valid.
 * @returns the row, `signed` or what it already was; `sponsorship_expired` when it can no longer be approved,
 * `fund_paused` where no signature exists yet and none may be made; `idempotency_conflict`.
 */
export function markSigned(
  store: SuiFundStore,
  digest: string,
  {
    pausedCause,
    nowMs,
    isUnjudged = false,
  }: Pick<SuiFundContext, "pausedCause" | "nowMs"> & { readonly isUnjudged?: boolean },
  idempotency: IdempotencyClaim | null,
): Outcome<SuiSponsorship> {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null) return refuse("unknown_sponsorship", "this fund has no sponsorship with that digest");
  if (sponsorship.state === "dead" || sponsorship.state === "expired" || isOverdue(sponsorship, nowMs))
    return refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
  if (sponsorship.state === "prepared" && pausedCause !== null) return pausedRefusal(pausedCause);
  if (idempotency !== null && findIdempotency(store, idempotency, nowMs) === null)
    recordIdempotency(store, idempotency, digest, nowMs);
  if (sponsorship.state !== "prepared") return done(sponsorship);
  const latestMs = isUnjudged ? nowMs + UNJUDGED_TTL_MS : sponsorship.expiresAtMs;
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
 * Gives up a sponsorship that was prepared for a call which was refused after all: no signature exists, so nothing can
 * execute, and the call's Idempotency-Key has caused nothing. Whatever is signed stays.
 */
export function cancelForCaller(
  store: SuiFundStore,
  digest: string,
  idempotency: IdempotencyClaim | null,
  nowMs: number,
): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || sponsorship.state !== "prepared") return;
  cancelPrepared(store, sponsorship, nowMs);
  releaseIdempotency(store, idempotency, digest, nowMs);
}

/** Frees what a prepared sponsorship holds once its time is over. No signature exists, so nothing can execute. */
export function expirePrepared(store: SuiFundStore, digest: string, nowMs: number): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship !== null && isOverdue(sponsorship, nowMs)) cancelPrepared(store, sponsorship, nowMs);
}

function cancelPrepared(store: SuiFundStore, sponsorship: SuiSponsorship, nowMs: number): void {
  for (const coin of store.coinsHeldBy(sponsorship.digest))
    store.putCoin({ ...coin, state: "free", heldByDigest: null });
  closeDead(store, sponsorship, nowMs);
}

/**
 * Can never execute: what it withheld is available again, and counts as spent no more. Its bytes are good for nothing
 * any more, and whoever abandons large transactions all day must not fill the storage with them.
 */
export function closeDead(store: SuiFundStore, sponsorship: SuiSponsorship, nowMs: number): void {
  const { digest } = sponsorship;
  store.putSponsorship({ ...sponsorship, state: "dead", transactionBytes: new Uint8Array() });
  addReleaseEntry(store, digest, sponsorship, nowMs);
  store.setDue("settle", digest, null);
}

/**
 * Withdraws a sponsorship before its time. A prepared one is over at once; a signed one that pays with coins is called
 * expired, so that its coins are recycled now. One that pays from the address balance cannot be taken back.
 */
export function revoke(store: SuiFundStore, digest: string, nowMs: number): "ended" | "to_recycle" | "irrevocable" {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || sponsorship.state === "dead" || sponsorship.state === "complete") return "ended";
  if (sponsorship.state === "prepared") {
    cancelPrepared(store, sponsorship, nowMs);
    return "ended";
  }
  if (sponsorship.gasObjectId === null) return "irrevocable";
  if (sponsorship.state === "signed") expire(store, { ...sponsorship, expiresAtMs: nowMs }, nowMs);
  return "to_recycle";
}

/**
 * A prepared sponsorship was signed and submitted, and no node would execute it. It is called expired before its time,
 * so that its coins are recycled now, at the cost of the key that asked for it. What was handed out is its user's to
 * submit until its hour is over; what pays from the address balance cannot be taken back.
 */
export function giveUp(store: SuiFundStore, digest: string, nowMs: number): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || sponsorship.state !== "signed" || sponsorship.gasObjectId === null) return;
  const { createdAtMs, expiresAtMs } = sponsorship;
  const isHandedOut = expiresAtMs > createdAtMs + PREPARED_TTL_MS;
  if (!isHandedOut && nowMs < expiresAtMs) expire(store, sponsorship, nowMs);
}

/** Whether it is called expired before its time: no call but `giveUp` does that. */
export function isGivenUp(expiresAtMs: number, nowMs: number): boolean {
  return nowMs < expiresAtMs;
}

export function expire(store: SuiFundStore, sponsorship: SuiSponsorship, nowMs: number): void {
  const { digest, gasObjectId, expiresAtMs, keyId, sender } = sponsorship;
  for (const coin of store.coinsHeldBy(digest)) store.putCoin({ ...coin, state: "quarantined" });
  store.putSponsorship({ ...sponsorship, state: "expired" });
  store.raise({ type: "sponsorship.expired", digest, keyId, sender, expiresAtMs });
  store.setDue("settle", digest, nowMs + QUARANTINE_CHECK_MS);
  const recycleAtMs = isGivenUp(expiresAtMs, nowMs)
    ? nowMs + GIVEN_UP_WAIT_MS
    : Math.max(nowMs, expiresAtMs + RECYCLE_GRACE_MS);
  // What expires after it must not put it off.
  if (gasObjectId !== null) store.setDue("recycle", "", recycleAtMs, "by_then");
}
