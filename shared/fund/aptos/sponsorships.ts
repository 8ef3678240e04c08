import { formatAddress } from "../../chain/aptos/address.ts";
import { ACCOUNT_CREATION_GAS_UNITS, ACCOUNT_CREATION_STORAGE_OCTAS } from "../../chain/aptos/limits.ts";
import type { AptosExecution, AptosSequenceReading } from "../../chain/aptos/node.ts";
import type { RawTransaction } from "../../chain/aptos/raw-transaction.ts";
import { sponsorshipId } from "../../chain/aptos/sponsorship-id.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import type { IdempotencyClaim } from "../../idempotency.ts";
import { findIdempotency, recordIdempotency, reusedKeyRefusal, spentKeyRefusal } from "../idempotency.ts";
import { addChargeEntry, addReleaseEntry, addReserveEntry, addUnresolvableEntry } from "../ledger/entries.ts";
import { nextLookUpAtMs } from "../look-up-schedule.ts";
import { checkPolicy } from "../policy-check.ts";
import { policyRefusal, revokedKeyRefusal } from "../refusals.ts";
import { UNRESOLVABLE } from "../views.ts";
import {
  type AptosFundContext,
  type AptosRequestBase,
  type AptosSponsorRequest,
  expiredRefusal,
  gasBudgetOf,
  policyTermsOf,
  precheck,
  type Refused,
} from "./checks.ts";
import { chargeOf } from "./gas.ts";
import type {
  AptosAuthenticators,
  AptosFundStore,
  AptosShown,
  AptosSponsorship,
  AptosSponsorshipState,
} from "./store.ts";

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

/**
 * The same request again, whoever asked first: its row as it is, without judging it anew. Where the signature was only
 * to be handed out, and the caller now brings all others, they are kept, and we submit; what was kept first stays,
 * unless the nodes have refused it.
 *
 * @returns null where nothing was promised yet; `bad_key`; `expired` or `sequence_conflict` where it was, and can never
 * execute any more; `outcome_unknown` where nobody can tell whether it has.
 */
export function findSameRequest(
  store: AptosFundStore,
  repeat: AptosRequestBase,
  { address, nowMs }: Pick<AptosFundContext, "address" | "nowMs">,
): Outcome<AptosSponsorship> | null {
  if (store.isRevoked(repeat.keyId)) return revokedKeyRefusal();
  const row = store.sponsorship(sponsorshipId(repeat.rawTransactionBytes, repeat.secondaryAddresses, address));
  if (row === null) return null;
  if (row.state === "dead")
    return nowMs >= row.expiresAtMs
      ? expiredRefusal()
      : refuse("sequence_conflict", "another transaction of the sender has used its sequence number");
  const { authenticators, idempotency } = repeat;
  if (row.state === UNRESOLVABLE) return unresolvableRefusal(row, authenticators !== null);
  if (idempotency !== null && findIdempotency(store, idempotency, nowMs) === null)
    recordIdempotency(store, idempotency, row.id, nowMs);
  // The row's own bytes are gone once it is complete. These are the same, by the row's id.
  if (row.state !== "signed") return done({ ...row, rawTransaction: repeat.rawTransactionBytes });
  const changed = withSignatures(row, authenticators);
  if (changed !== row) store.putSponsorship(changed);
  return done(changed);
}

/** Those that come first are kept, and so is that our signature is out. Others take the place of refused ones. */
function withSignatures(row: AptosSponsorship, authenticators: AptosAuthenticators | null): AptosSponsorship {
  if (authenticators === null) return row;
  if (row.authenticators === null) return { ...row, authenticators, submitCount: row.submitCount + 1 };
  return isRefused(row) ? { ...row, authenticators, hash: null } : row;
}

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

/** Whether a request brings signatures that `findSameRequest` would keep for what was promised before. */
export function takesSignatures(store: AptosFundStore, repeat: AptosRequestBase, address: string): boolean {
  if (repeat.authenticators === null) return false;
  const row = store.sponsorship(sponsorshipId(repeat.rawTransactionBytes, repeat.secondaryAddresses, address));
  return row !== null && row.state === "signed" && (row.authenticators === null || isRefused(row));
}

function unresolvableRefusal({ hash }: AptosSponsorship, isExecution: boolean): Refused {
  const details = "the sender's sequence number is used, and no node shows any more by what";
  return isExecution
    ? refuse("outcome_unknown", details, hash === null ? {} : { hash })
    : refuse("sequence_conflict", details);
}

/**
 * Promises gas to a transaction, and writes its bytes, what it withholds, and its due row (guarantees 1 and 2).
 *
 * @returns the sponsorship, a new one or the one that this request has had before; refusals of `findSameRequest` and `precheck`,
 * `account_not_found`, `sequence_conflict` (`expiresAtMs` where another promise is live), `gas_budget_out_of_range`,
 * `policy_refused`.
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
  const refused = checkAccount(request) ?? checkSequence(store, request);
  if (refused !== null) return refused;
  const { feeAtoms, nowMs, address } = context;
  const { rawTransaction, rawTransactionBytes, secondaryAddresses, keyId, keyPolicy, authenticators } = request;
  const judged = policyTermsOf(request, request.account);
  const asked = { ...judged, keyId, keyPolicy, feeAtoms, storageCostAtoms: null };
  const refusal = checkPolicy(store, asked, context.policy, nowMs);
  if (refusal !== null) return policyRefusal(refusal);

  const sponsorship: AptosSponsorship = {
    id: sponsorshipId(rawTransactionBytes, secondaryAddresses, address),
    state: "signed",
    sender: rawTransaction.sender,
    sequenceNumber: rawTransaction.sequenceNumber,
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
  giveWay(store, request, nowMs);
  store.putSponsorship(sponsorship);
  addReserveEntry(store, sponsorship.id, sponsorship, nowMs);
  recordIdempotency(store, request.idempotency, sponsorship.id, nowMs);
  lookUpLater(store, sponsorship, nowMs);
  return done(sponsorship);
}

/** An address without an account gets one by its first transaction, which has to be able to pay for that. */
function checkAccount({ account, rawTransaction }: AptosSponsorRequest): Refused | null {
  if (account.exists) return null;
  const { sender, sequenceNumber, maxGasAmount, gasUnitPriceOctas } = rawTransaction;
  if (sequenceNumber > 0n)
    return refuse(
      "account_not_found",
      `${formatAddress(sender)} has no account on chain: its first transaction has sequence number 0`,
    );
  const storageUnits = (ACCOUNT_CREATION_STORAGE_OCTAS + gasUnitPriceOctas - 1n) / gasUnitPriceOctas;
  const leastUnits = ACCOUNT_CREATION_GAS_UNITS + storageUnits;
  return maxGasAmount < leastUnits
    ? refuse(
        "gas_budget_out_of_range",
        `the transaction creates its sender's account: at this price max_gas_amount must be at least ${leastUnits} units`,
        { minMaxGasAmount: leastUnits.toString() },
      )
    : null;
}

/**
 * What was refused for certain, and handed to nobody, gives way to whatever is asked for next, if the chain will tell
 * them apart: whoever asked for it may never have had the sender's signature, and the sender must not wait for its expiration.
 * What is unresolvable gives way, too. It has been released already.
 */
function giveWay(store: AptosFundStore, { rawTransaction }: AptosSponsorRequest, nowMs: number): void {
  const other = store.sponsorshipAtSequence(rawTransaction.sender, rawTransaction.sequenceNumber);
  if (other?.state === UNRESOLVABLE) store.putSponsorship({ ...other, state: "dead" });
  else if (other !== null) closeDead(store, other, nowMs);
}

/**
 * Whether a request may take its sequence number, which the sender's account shows as unused. A ledger that is past the
 * expiration and has the number unused proves that an unresolvable one was never executed.
 */
function givesWay(row: AptosSponsorship, { account }: AptosSponsorRequest): boolean {
  return row.state === UNRESOLVABLE ? account.ledgerTimeMs >= row.expiresAtMs : isRefused(row);
}

function expiresAtMsOf({ expirationTimestampSeconds }: RawTransaction): number {
  return Number(expirationTimestampSeconds) * 1_000;
}

function showsAlike(one: AptosShown, other: AptosShown): boolean {
  return one.expiresAtMs === other.expiresAtMs && one.gasBudgetAtoms === other.gasBudgetAtoms;
}

/** A gap would wait in the mempool for what may never come, and its promise with it. */
function checkSequence(store: AptosFundStore, request: AptosSponsorRequest): Refused | null {
  const { account, rawTransaction } = request;
  const { sender, sequenceNumber } = rawTransaction;
  const next = account.sequenceNumber;
  const other = store.sponsorshipAtSequence(sender, sequenceNumber);
  // What has been executed may be news to the endpoint that was asked for the sender.
  if (sequenceNumber < next || (other !== null && other.state !== "signed" && !givesWay(other, request)))
    return refuse(
      "sequence_conflict",
      `sequence number ${sequenceNumber} is used: the sender has to take a later one`,
      {
        nextSequenceNumber: next.toString(),
      },
    );
  if (other !== null && !givesWay(other, request))
    return refuse(
      "sequence_conflict",
      `another transaction with sequence number ${sequenceNumber} has been sponsored: until it has expired, only that one is`,
      { expiresAtMs: other.expiresAtMs },
    );
  // A node may execute what it has refused: what the chain shows of the two tells them apart.
  const shown = { expiresAtMs: expiresAtMsOf(rawTransaction), gasBudgetAtoms: gasBudgetOf(rawTransaction) };
  if ((other !== null && showsAlike(other, shown)) || store.hasDeadAtSequence(sender, sequenceNumber, shown))
    return refuse(
      "sequence_conflict",
      `another transaction with sequence number ${sequenceNumber}, the same expiration and the same gas has been sponsored: take another expiration_timestamp_secs`,
    );
  const highest = next + BigInt(store.countLiveAtOrAfter(sender, next));
  return sequenceNumber > highest
    ? refuse("sequence_conflict", `sequence number ${sequenceNumber} leaves a gap: expected ${highest} at most`)
    : null;
}

function lookUpLater(store: AptosFundStore, { id, createdAtMs, expiresAtMs }: AptosSponsorship, nowMs: number): void {
  store.setDue("settle", id, nextLookUpAtMs(createdAtMs, expiresAtMs, nowMs));
}

/**
 * What a call with this Idempotency-Key has caused before: null where it caused nothing yet.
 *
 * @returns the sponsorship as it is now; `idempotency_conflict` for another request under the same key, and where the
 * sponsorship can never be executed any more.
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

/** The chain was asked, and what it showed decides nothing: when to ask again. */
export function recordNotFound(store: AptosFundStore, id: string, nowMs: number): void {
  const row = store.sponsorship(id);
  if (row !== null && row.state === "signed") lookUpLater(store, row, nowMs);
}

/**
 * The chain shows it committed, under whatever hash: books the charge and the fee (guarantee 5).
 *
 * @param address the fund's.
 * @returns whether it is booked; false, having written nothing, when this cannot be what the fund has signed.
 */
export function settle(
  store: AptosFundStore,
  id: string,
  execution: AptosExecution,
  address: string,
  nowMs: number,
): boolean {
  const row = store.sponsorship(id);
  if (row === null || row.state === "dead" || row.state === UNRESOLVABLE) return false;
  if (!isExecutionOf(row, execution, address)) return false;
  if (row.state === "complete") return true;
  const chargedAtoms = chargeOf(execution, row);
  if (chargedAtoms === null) return false;
  const { hash, version: committedVersion, storageRefundOctas: rebateAtoms } = execution;
  const complete = { ...row, state: "complete", hash, chargedAtoms, rebateAtoms, committedVersion } as const;
  store.putSponsorship({ ...complete, rawTransaction: new Uint8Array(), authenticators: null });
  addChargeEntry(store, id, complete, 0n, nowMs);
  const { keyId, sender, feeAtoms } = complete;
  store.raise({ type: "sponsorship.completed", digest: hash, keyId, sender, chargedAtoms, feeAtoms });
  store.setDue("settle", id, null);
  return true;
}

/**
 * Only one promise at a sequence number is not dead, and those that are dead have another expiration, or other gas
 * (`checkSequence`, and `chargeOf`): these fields tell which of ours it is.
 */
function isExecutionOf(row: AptosSponsorship, execution: AptosExecution, address: string): boolean {
  const { secondarySigners } = execution;
  return (
    isAtSequenceOf(row, execution) &&
    execution.feePayer === address &&
    execution.expirationSecs * 1_000n === BigInt(row.expiresAtMs) &&
    secondarySigners.length === row.secondaryAddresses.length &&
    secondarySigners.every((signer, index) => signer === row.secondaryAddresses[index])
  );
}

function isAtSequenceOf({ sender, sequenceNumber }: AptosSponsorship, execution: AptosExecution): boolean {
  return execution.sender === sender && execution.sequenceNumber === sequenceNumber;
}

/**
 * What an endpoint shows at the sender's sequence number closes a sponsorship, or leaves it as it is (guarantee 4):
 * our transaction completes it; one that the fund does not pay for makes it dead; none makes it dead once that ledger
 * is past the expiration, from which on no block takes it. That the number is used, by whatever, waits for the balance
 * that shows what it has cost (`closeUnresolvable`).
 *
 * @param address the fund's.
 * @returns its state after that; null: no such sponsorship.
 */
export function closeByEvidence(
  store: AptosFundStore,
  id: string,
  seen: AptosSequenceReading,
  address: string,
  nowMs: number,
): AptosSponsorshipState | null {
  const row = store.sponsorship(id);
  if (row === null || row.state !== "signed") return row?.state ?? null;
  if (seen.kind === "used") return "signed";
  if (seen.kind === "unused") return seen.ledger.timeMs < row.expiresAtMs ? "signed" : closeExpired(store, row, nowMs);
  const { execution } = seen;
  if (!isAtSequenceOf(row, execution)) return "signed";
  if (execution.feePayer === address) return settle(store, id, execution, address, nowMs) ? "complete" : "signed";
  return closeDead(store, row, nowMs);
}

/**
 * Its sequence number is used, and nobody shows by what. In the commit that books a balance which it has changed: before
 * that it withholds what it can have cost.
 */
export function closeUnresolvable(store: AptosFundStore, id: string, nowMs: number): void {
  const row = store.sponsorship(id);
  if (row === null || row.state !== "signed") return;
  store.putSponsorship({ ...row, state: UNRESOLVABLE, rawTransaction: new Uint8Array(), authenticators: null });
  addUnresolvableEntry(store, id, row, nowMs);
  store.setDue("settle", id, null);
}

/** From here on no block takes it. */
function closeExpired(store: AptosFundStore, row: AptosSponsorship, nowMs: number): "dead" {
  const { id, hash, keyId, sender, expiresAtMs } = row;
  store.raise({ type: "sponsorship.expired", digest: hash ?? id, keyId, sender, expiresAtMs });
  return closeDead(store, row, nowMs);
}

/** Its bytes are good for nothing any more, and whoever abandons large transactions must not fill the storage. */
function closeDead(store: AptosFundStore, row: AptosSponsorship, nowMs: number): "dead" {
  store.putSponsorship({ ...row, state: "dead", rawTransaction: new Uint8Array(), authenticators: null });
  addReleaseEntry(store, row.id, row, nowMs);
  store.setDue("settle", row.id, null);
  return "dead";
}

/** A signature that is out cannot be taken back, and from its row on one may be out: only what is closed is over. */
export function revoke(store: AptosFundStore, id: string): "ended" | "irrevocable" {
  return store.sponsorship(id)?.state === "signed" ? "irrevocable" : "ended";
}
