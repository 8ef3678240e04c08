// Aptos only (rowOf, findSameRequest, answerArchived, takesSignatures): the sender builds the bytes, so the same request names the same row.

import { payloadTraits } from "../../chain/aptos/payload.ts";
import { sponsorshipId } from "../../chain/aptos/sponsorship-id.ts";
import type { Outcome } from "../../errors.ts";
import { done, refuse } from "../../errors.ts";
import type { IdempotencyClaim } from "../../idempotency.ts";
import { traced } from "../explain/trace.ts";
import { findIdempotency, recordIdempotency, reusedKeyRefusal, spentKeyRefusal } from "../idempotency.ts";
import { addReserveEntry } from "../ledger/entries.ts";
import { checkPolicy } from "../policy-check.ts";
import { policyRefusal, revokedKeyRefusal } from "../refusals.ts";
import { UNRESOLVABLE } from "../views.ts";
import { SPARE_VERSIONS } from "./chain-facts.ts";
import type { AptosFundContext, AptosRequestBase, AptosSponsorRequest, Refused } from "./checks.ts";
import { expiredRefusal, policyTermsOf, precheck } from "./checks.ts";
import { checkAccount, checkSequence, expiresAtMsOf } from "./sequence.ts";
import { closeDead, closeDisproved, isRefused, lookUpLater } from "./sponsorships.ts";
import { type AptosAuthenticators, type AptosFundStore, type AptosSponsorship, NO_SEQUENCE_NUMBER } from "./store.ts";

/** Reads the row of the same request, unchanged. Null if no row exists. */
export function rowOf(store: AptosFundStore, request: AptosRequestBase, address: string): AptosSponsorship | null {
  return store.sponsorship(sponsorshipId(request.rawTransactionBytes, request.secondaryAddresses, address));
}

/**
 * Finds the row of the same request, made by any caller, and does not judge it anew. If our signature was only handed
 * out, and the caller now sends all others, they are kept and we submit. The first kept signatures stay, unless the
 * nodes have refused them.
 *
 * @param row as `rowOf` returns it in the same turn.
 * @returns null if no row exists yet. `bad_key` for a revoked key. `expired` or `sequence_conflict` if the row can
 * never execute any more. `outcome_unknown` or `sequence_conflict` if its outcome can no longer be known.
 */
export function findSameRequest(
  store: AptosFundStore,
  repeat: AptosRequestBase,
  { address, nowMs }: Pick<AptosFundContext, "address" | "nowMs">,
  row = rowOf(store, repeat, address),
): Outcome<AptosSponsorship> | null {
  if (store.isRevoked(repeat.keyId)) return revokedKeyRefusal();
  if (row === null) return null;
  if (row.state === "dead") return deadRefusal(row, nowMs);
  const { authenticators, idempotency } = repeat;
  if (row.state === UNRESOLVABLE) return unresolvableRefusal(row, authenticators !== null);
  if (idempotency !== null && findIdempotency(store, idempotency, nowMs) === null)
    recordIdempotency(store, idempotency, row.id, nowMs);
  if (row.state !== "signed") return completeAgain(row, repeat);
  const changed = withSignatures(row, authenticators);
  if (changed !== row) store.putSponsorship(changed);
  return done(changed);
}

/** Answers a request whose row has left for the archive. Such a row has ended: see `findSameRequest`. */
export function answerArchived(
  row: AptosSponsorship,
  repeat: AptosRequestBase,
  nowMs: number,
): Outcome<AptosSponsorship> {
  return row.state === "complete" ? completeAgain(row, repeat) : deadRefusal(row, nowMs);
}

function deadRefusal({ expiresAtMs }: AptosSponsorship, nowMs: number): Refused {
  return nowMs >= expiresAtMs
    ? expiredRefusal()
    : refuse("sequence_conflict", "another transaction of the sender has used its sequence number: build a new one");
}

/** A complete row no longer has its bytes. The row's id proves that the request's bytes are the same. */
function completeAgain(row: AptosSponsorship, { rawTransactionBytes }: AptosRequestBase): Outcome<AptosSponsorship> {
  return done({ ...row, rawTransaction: rawTransactionBytes });
}

/** Keeps the first signatures, and the count of handed-out signatures. Other signatures replace refused ones. */
function withSignatures(row: AptosSponsorship, authenticators: AptosAuthenticators | null): AptosSponsorship {
  if (authenticators === null) return row;
  if (row.authenticators === null) return { ...row, authenticators, submitCount: row.submitCount + 1 };
  return isRefused(row) ? { ...row, authenticators, hash: null } : row;
}

/** Returns true if a request has signatures that `findSameRequest` would keep for an earlier row. */
export function takesSignatures(row: AptosSponsorship, { authenticators: brought }: AptosRequestBase): boolean {
  return brought !== null && row.state === "signed" && (row.authenticators === null || isRefused(row));
}

function unresolvableRefusal({ hash }: AptosSponsorship, isExecution: boolean): Refused {
  const details = "the sender's sequence number is used, and no node shows by what: look up the sender's transactions";
  return isExecution
    ? refuse("outcome_unknown", details, hash === null ? {} : { hash })
    : refuse("sequence_conflict", details);
}

/**
 * Reserves gas for a transaction. Writes its bytes, its withheld amount and its due time (guarantees 1 and 2).
 *
 * @returns the sponsorship, which is new or this request's earlier one. Refusals: those of `findSameRequest` and
 * `precheck`, `account_not_found`, `sequence_conflict`, `gas_budget_out_of_range`, `policy_refused`.
 * `sequence_conflict` has `expiresAtMs` if another sponsorship is live.
 */
export function reserve(
  store: AptosFundStore,
  request: AptosSponsorRequest,
  context: AptosFundContext,
): Outcome<AptosSponsorship> {
  const resumed = findSameRequest(store, request, context);
  if (resumed !== null) return resumed;
  const screened = precheck(store, request, context);
  if (!screened.ok) return screened;
  const { feeAtoms, nowMs, address } = context;
  const { rawTransaction, rawTransactionBytes, secondaryAddresses, keyId, keyPolicy, authenticators } = request;
  const { nonce } = payloadTraits(rawTransaction.payload);
  const { sender, sequenceNumber } = rawTransaction;
  const other = nonce === null ? store.sponsorshipAtSequence(sender, sequenceNumber) : null;
  const refused = checkAccount(request) ?? checkSequence(store, request, other);
  if (refused !== null) return refused;
  const judged = policyTermsOf(request, request.account);
  const asked = { ...judged, keyId, keyPolicy, feeAtoms, storageCostAtoms: null };
  const refusal = checkPolicy(store, asked, context.policy, nowMs);
  if (refusal !== null) return policyRefusal(refusal);

  const reserved: AptosSponsorship = {
    id: sponsorshipId(rawTransactionBytes, secondaryAddresses, address),
    state: "signed",
    sender,
    sequenceNumber: nonce === null ? sequenceNumber : NO_SEQUENCE_NUMBER,
    nonce,
    sinceVersion: nonce === null ? null : versionBefore(context.facts.ledger.version),
    rawTransaction: rawTransactionBytes,
    secondaryAddresses,
    authenticators,
    hash: null,
    keyId,
    gasBudgetAtoms: judged.gasBudgetAtoms,
    feeAtoms,
    createdAtMs: nowMs,
    expiresAtMs: expiresAtMsOf(rawTransaction),
    chargedAtoms: null,
    rebateAtoms: null,
    committedVersion: null,
    submitCount: 0,
  };
  if (other !== null) giveWay(store, other, nowMs);
  const reserveEntry = addReserveEntry(store, reserved.id, reserved, nowMs);
  const sponsorship = { ...reserved, trace: traced({}, { requestId: request.requestId ?? null, reserveEntry }) };
  store.putSponsorship(sponsorship);
  recordIdempotency(store, request.idempotency, sponsorship.id, nowMs);
  lookUpLater(store, sponsorship, nowMs);
  return done(sponsorship);
}

/** Returns a version that the chain has certainly passed, even if the reply claims too high a one. */
function versionBefore(claimed: bigint): bigint {
  return claimed > SPARE_VERSIONS ? claimed - SPARE_VERSIONS : 0n;
}

/**
 * Closes the row that a new request replaces, if the chain can distinguish the two. Replaces a refused row that nobody
 * else has. Its caller may never have had the sender's signature, and the sender must not wait for its expiration.
 * Replaces an unresolvable row, too, which was released before.
 */
function giveWay(store: AptosFundStore, other: AptosSponsorship, nowMs: number): void {
  if (other.state === UNRESOLVABLE) closeDisproved(store, other, nowMs);
  else closeDead(store, other, "replaced", nowMs);
}

/**
 * Finds the sponsorship of an earlier call with this Idempotency-Key. Null if no call has reserved one yet.
 *
 * @returns the sponsorship as it is now. `idempotency_conflict` for another request under the same key, or for a
 * sponsorship that can never be executed any more.
 */
export function findByIdempotencyKey(
  store: AptosFundStore,
  claim: IdempotencyClaim,
  nowMs: number,
): Outcome<AptosSponsorship> | null {
  const record = findIdempotency(store, claim, nowMs);
  if (record === null) return null;
  if (record.fingerprint !== claim.fingerprint) return reusedKeyRefusal();
  const row = store.sponsorship(record.reference);
  if (row === null) throw new Error(`an idempotency record names ${record.reference}, which has no row`);
  return row.state === "dead" ? spentKeyRefusal(row.hash === null ? {} : { hash: row.hash }) : done(row);
}
