// Aptos only (recordHandedOut, isRefused, recordHash, recordSubmitted, undoSubmitted): the sender chooses who submits.
// Aptos only (lookUpLater): reservation and settlement share one schedule from the creation on.

import { addReleaseEntry } from "../ledger/entries.ts";
import { nextLookUpAtMs } from "../look-up-schedule.ts";
import type { AptosFundStore, AptosSponsorship } from "./store.ts";

/**
 * The state machine of an Aptos fund's sponsorships: the fund signs as fee payer, over a raw transaction and its
 * secondary signers, and nothing on chain is locked by that. Every function is one synchronous step over an
 * `AptosFundStore`; everything that needs I/O is gathered before and passed in. What the machine guarantees, together
 * with `treasury.ts`, by number:
 *
 * 1. One live promise for each sender and sequence number; another one is refused until the first is dead. The same
 *    request again is the same row: the same bytes, and where we submit, the signatures that came first.
 * 2. No signature leaves before its row is durable: bytes, and all that they can cost. `reserve` writes, the caller
 *    commits, and only then signs.
 * 3. The ledger adds up: the balance is what the chain showed at the last reading, changed by what was committed since;
 *    every octa of change has a row. After quiescence there is no difference.
 * 4. What a promise can cost, and its fee, is withheld until the chain shows it committed, or shows that it can never
 *    be: our clock proves nothing, neither does a missing answer, nor one of a ledger that is behind the expiration.
 * 5. `complete` only when the chain shows it committed, executed or aborted; charged is what it shows, and never more
 *    than was withheld.
 * 6. A crash at any point loses nothing: what is live has a due row. A row without a hash is signed again, to the same
 *    hash: Ed25519 signatures are deterministic.
 * 7. A step that refuses writes nothing.
 *
 * Sponsorships: `signed` → `complete` | `dead` | `unresolvable`, and `unresolvable` → `dead`. What has been signed cannot be taken back.
 *
 * That the chain does not know our hash proves no death, not even after the expiration: the hash covers the sender's
 * signature, of which a sender can make another one, and send it with ours, which everybody sees who sees the mempool.
 * What proves it is the sequence number: used with another payer, or not used by a ledger for which the transaction has
 * expired.
 */

/** Our signature is handed out beside what we submit: from here on others may have submitted it too. */
export function recordHandedOut(store: AptosFundStore, id: string): void {
  const row = store.sponsorship(id);
  if (row === null || row.state !== "signed" || row.authenticators === null) return;
  store.putSponsorship({ ...row, submitCount: row.submitCount + 1 });
}

/** Every node that was sent it has refused it for certain, and nobody else has our signature. */
export function isRefused({ state, hash, authenticators, submitCount }: AptosSponsorship): boolean {
  return state === "signed" && hash !== null && authenticators !== null && submitCount === 0;
}

export function lookUpLater(
  store: AptosFundStore,
  { id, createdAtMs, expiresAtMs }: AptosSponsorship,
  nowMs: number,
): void {
  store.setDue("settle", id, nextLookUpAtMs(createdAtMs, expiresAtMs, nowMs));
}

/**
 * We have signed what we are to submit, so that its hash is known.
 *
 * @throws where it was signed before, to another hash: signatures are deterministic.
 */
export function recordHash(store: AptosFundStore, id: string, hash: string): void {
  const row = store.sponsorship(id);
  // What is closed keeps no signatures, and what the chain has committed may have another one of the sender's.
  if (row !== null && row.state !== "signed") return;
  if (row === null || row.authenticators === null) throw new Error(`${id} is not for us to submit`);
  if (row.hash === hash) return;
  if (row.hash !== null) throw new Error(`${id} is signed twice, to ${row.hash} and to ${hash}`);
  store.putSponsorship({ ...row, hash });
}

/** It is on its way to a node, for the first time or again: when to ask what became of it. */
export function recordSubmitted(store: AptosFundStore, id: string, nowMs: number): void {
  const row = store.sponsorship(id);
  if (row === null || row.state !== "signed") return;
  store.putSponsorship({ ...row, submitCount: row.submitCount + 1 });
  store.setDue("settle", id, nextLookUpAtMs(nowMs, row.expiresAtMs, nowMs));
}

/**
 * No node has taken it in a call that was recorded as submitted.
 *
 * @returns how many other calls may have brought it to a node.
 */
export function undoSubmitted(store: AptosFundStore, id: string): number {
  const row = store.sponsorship(id);
  if (row === null || row.state !== "signed") return 0;
  const submitCount = row.submitCount - 1;
  store.putSponsorship({ ...row, submitCount });
  return submitCount;
}

/** Its bytes are good for nothing any more, and whoever abandons large transactions must not fill the storage. */
export function closeDead(store: AptosFundStore, row: AptosSponsorship, nowMs: number): "dead" {
  store.putSponsorship({ ...row, state: "dead", rawTransaction: new Uint8Array(), authenticators: null });
  addReleaseEntry(store, row.id, row, nowMs);
  store.setDue("settle", row.id, null);
  return "dead";
}

/** A signature that is out cannot be taken back, and from its row on one may be out: only what is closed is over. */
export function revoke(store: AptosFundStore, id: string): "ended" | "irrevocable" {
  return store.sponsorship(id)?.state === "signed" ? "irrevocable" : "ended";
}
