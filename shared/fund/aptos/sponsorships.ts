// Aptos only (recordHandedOut, isRefused, isSignedAs, recordHash, recordSubmitted, undoSubmitted): the sender chooses who submits.
// Aptos only (lookUpLater): reservation and settlement share one schedule from the creation on.
// Aptos only (closeDisproved): an unused sequence number can prove later that an unresolvable row was never executed.
// Aptos only (NOTHING_KEPT): three ends of a row drop the same.
// Aptos only (releaseIfDead): a used sequence number ends a row whose call is refused.

import { equalBytes } from "../../bytes.ts";
import { readTraits } from "../../chain/aptos/transaction-traits.ts";
import type { IdempotencyClaim } from "../../idempotency.ts";
import type { Ending } from "../endings.ts";
import { firstTargets, traced } from "../explain/trace.ts";
import { releaseIdempotency } from "../idempotency.ts";
import { addReleaseEntry, uncountSpent } from "../ledger/entries.ts";
import { nextLookUpAtMs } from "../look-up-schedule.ts";
import type { AptosAuthenticators, AptosFundStore, AptosSponsorship } from "./store.ts";

/**
 * The state machine of an Aptos fund's sponsorships. The fund signs as fee payer over a raw transaction and its
 * secondary signers. That locks nothing on chain. Every function is one synchronous step over an `AptosFundStore`. The
 * caller gathers facts by I/O and passes them in. The machine gives these guarantees, together with `treasury.ts`:
 *
 * 1. Each sender and sequence number, or nonce, has one live sponsorship. Another one is refused until the first is
 * dead. The same request again is the same row, with the same bytes. If we submit, it keeps the first signatures.
 * 2. No signature leaves before its row is durable, with the bytes and their greatest possible cost. `reserve` writes,
 * the caller commits, and only then signs.
 * 3. The ledger adds up. The balance is the chain's at the last reading, changed by later commits. Every octa of change
 * has a row. If nothing is open, there is no difference.
 * 4. The greatest possible cost and the fee stay withheld until the chain shows the commit, or rules it out. Our clock
 * proves nothing. A missing answer proves nothing. A ledger that is behind the expiration proves nothing.
 * 5. A row is `complete` only when the chain shows it committed, executed or aborted. The charge is the one that the
 * chain shows, and never exceeds the withheld amount.
 * 6. A crash at any point loses nothing, because each live row has a due time. A row without a hash is signed again, to
 * the same hash: Ed25519 signatures are deterministic.
 * 7. A step that refuses writes nothing.
 *
 * Sponsorships: `signed` → `complete` | `dead` | `unresolvable`, and `unresolvable` → `dead`. A signature cannot be
 * taken back.
 *
 * An unknown hash proves no death, even after the expiration. The hash covers the sender's signature. A sender can make
 * another signature and send it with ours, which is visible in the mempool. Only the sequence number proves a death:
 * used with another payer, or unused in a ledger past the expiration. The nonce of an orderless transaction proves the
 * same, by a complete list of the sender's transactions.
 */

const NO_BYTES = new Uint8Array();

/** The fields of an ended row, which keeps neither bytes nor signatures. */
export const NOTHING_KEPT = { rawTransaction: new Uint8Array(), authenticators: null, sinceVersion: null } as const;

/** Records that our signature was handed out beside our own submission. Others may have submitted it since. */
export function recordHandedOut(store: AptosFundStore, id: string): void {
  const row = store.sponsorship(id);
  if (row === null || row.state !== "signed" || row.authenticators === null) return;
  store.putSponsorship({ ...row, submitCount: row.submitCount + 1 });
}

/**
 * Releases the Idempotency-Key of a refused call whose row is dead. The call is refused as if it had reserved nothing, so
 * its repeat may bring the next sequence number.
 */
export function releaseIfDead(store: AptosFundStore, claim: IdempotencyClaim | null, id: string, nowMs: number): void {
  if (store.sponsorship(id)?.state === "dead") releaseIdempotency(store, claim, id, nowMs);
}

/** Returns true if every node that received it has certainly refused it, and nobody else has our signature. */
export function isRefused({ state, hash, authenticators, submitCount }: AptosSponsorship): boolean {
  return state === "signed" && hash !== null && authenticators !== null && submitCount === 0;
}

/**
 * Returns true if a live row still has these signatures, of the sender and of every secondary signer. The hash covers
 * all of them. Once nodes have refused a row, another call may replace each of them.
 */
export function isSignedAs({ state, authenticators }: AptosSponsorship, signed: AptosAuthenticators): boolean {
  if (state !== "signed" || authenticators === null) return false;
  const theirs = [authenticators.sender, ...authenticators.secondary];
  const ours = [signed.sender, ...signed.secondary];
  return theirs.length === ours.length && theirs.every((one, index) => equalBytes(one, ours[index] ?? NO_BYTES));
}

/** Schedules the next look-up of a sponsorship. */
export function lookUpLater(
  store: AptosFundStore,
  { id, createdAtMs, expiresAtMs }: AptosSponsorship,
  nowMs: number,
): void {
  store.setDue("settle", id, nextLookUpAtMs(createdAtMs, expiresAtMs, nowMs));
}

/**
 * Records the hash of the transaction that we sign and submit.
 *
 * @throws if it was signed to another hash before, because signatures are deterministic.
 */
export function recordHash(store: AptosFundStore, id: string, hash: string): void {
  const row = store.sponsorship(id);
  // A closed row keeps no signatures. A committed transaction may have another signature of the sender.
  if (row !== null && row.state !== "signed") return;
  if (row === null || row.authenticators === null) throw new Error(`${id} is not for us to submit`);
  if (row.hash === hash) return;
  if (row.hash !== null) throw new Error(`${id} is signed twice, to ${row.hash} and to ${hash}`);
  store.putSponsorship({ ...row, hash });
}

/** Counts a submission to a node, the first or a repeat, and schedules the look-up of its outcome. */
export function recordSubmitted(store: AptosFundStore, id: string, nowMs: number): void {
  const row = store.sponsorship(id);
  if (row === null || row.state !== "signed") return;
  store.putSponsorship({ ...row, submitCount: row.submitCount + 1 });
  store.setDue("settle", id, nextLookUpAtMs(nowMs, row.expiresAtMs, nowMs));
}

/**
 * Takes back a recorded submission that no node has accepted.
 *
 * @returns the number of other calls that may have sent it to a node.
 */
export function undoSubmitted(store: AptosFundStore, id: string): number {
  const row = store.sponsorship(id);
  if (row === null || row.state !== "signed") return 0;
  const submitCount = row.submitCount - 1;
  store.putSponsorship({ ...row, submitCount });
  return submitCount;
}

/** Closes a dead row and drops its bytes, so that abandoned large transactions cannot fill the storage. */
export function closeDead(store: AptosFundStore, row: AptosSponsorship, ending: Ending, nowMs: number): "dead" {
  const { targets, commands } = readTraits(row.rawTransaction);
  const endEntry = addReleaseEntry(store, row.id, row, { targets }, nowMs);
  const trace = traced(row, { ending, endEntry, commands, targets: firstTargets(targets) });
  store.putSponsorship({ ...row, ...NOTHING_KEPT, state: "dead", trace });
  store.setDue("settle", row.id, null);
  return "dead";
}

/** Closes an unresolvable row that the chain proves was never executed. It kept no bytes, and its amount is released. */
export function closeDisproved(store: AptosFundStore, row: AptosSponsorship, nowMs: number): void {
  uncountSpent(store, row, nowMs);
  store.putSponsorship({ ...row, state: "dead", trace: traced(row, { ending: "expired" }) });
}

/**
 * Returns the end of a row by a revocation. From its commit on, a signature may have left, and cannot be taken back.
 */
export function revoke(store: AptosFundStore, id: string): "ended" | "irrevocable" {
  return store.sponsorship(id)?.state === "signed" ? "irrevocable" : "ended";
}
