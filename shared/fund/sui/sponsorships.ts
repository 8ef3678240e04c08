import { MAX_U64 } from "../../amounts.ts";
import type { InspectedKind } from "../../chain/sui/kind.ts";
import {
  MAX_GAS_BUDGET_MIST,
  MAX_GAS_PAYMENT_OBJECTS,
  MAX_TRANSACTION_BYTES,
  MIN_BUDGET_UNITS,
} from "../../chain/sui/limits.ts";
import type { ChainFacts, Seen, SuiExecution } from "../../chain/sui/node.ts";
import { type Expiration, transactionDigest, unpaidLength, wrapKind } from "../../chain/sui/transaction.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import type { IdempotencyClaim } from "../../idempotency.ts";
import type { CompiledPolicy } from "../../policy/fund-policy.ts";
import { forget, refuseReusedKey, refuseSpentKey, remember, remembered } from "../idempotency.ts";
import { payableMist, unconvertedMist } from "../ledger/available.ts";
import { bookCharge, bookRelease, bookReserve } from "../ledger/entries.ts";
import { book, count, utcDay } from "../ledger/usage.ts";
import { nextLookUpAtMs } from "../look-up-schedule.ts";
import { checkPolicy } from "../policy-check.ts";
import { refusePaused, refusePolicy, refuseRevokedKey } from "../refusals.ts";
import type { FundMode } from "../views.ts";
import { netGasMist } from "./gas.ts";
import { adoptPayment, coversLife, type DeathEvidence, freePayment, payFromCoins, proveOutcome } from "./payment.ts";
import { LENDABLE_MIST } from "./refill-plan.ts";
import type { FundCoin, Sponsorship, SuiFundStore } from "./store.ts";

/**
 * The state machine of a Sui fund's sponsorships. Every function is one synchronous step over a `FundStore`;
 * everything that needs I/O is gathered before and passed in. What the machine guarantees, together with that of the
 * fund's own transactions (`own-transactions.ts`), by number:
 *
 * 1. A coin is held by at most one live sponsorship.
 * 2. No signature exists before its bytes, digest and coins are durable: `reserve` and `approve` write, the caller
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
 * takes it to a higher version (`own-transactions.ts`, recycling), or until the chain shows an epoch past its last one.
 *
 * A fund in `address_balance` mode lends no coins: the chain itself keeps a promised budget from being spent twice,
 * and a signature lives until its last epoch is over.
 */

/** A sponsorship whose signature is handed out at once. */
export const SPONSORSHIP_TTL_MS = 3_600_000;
/** A sponsorship that waits for its sender's signature while no signature of ours exists. */
export const PREPARED_TTL_MS = 600_000;
/** A caller could inflate the charge at will; the chain only sets a lower bound. */
const MAX_PRICE_FACTOR = 5n;
/** How often a quarantined coin is compared with the chain. */
const QUARANTINE_CHECK_MS = 300_000;
/** A late user's transaction may still be on its way when the hour ends. */
export const RECYCLE_GRACE_MS = 10_000;
/**
 * How long one is lent whose sender's signature only the chain can judge. With the grace and the longest wait for
 * company, its coin is taken back within a minute, whatever becomes of the call.
 */
const UNJUDGED_TTL_MS = 15_000;
/** One that was given up waits so long for the company of others. */
const GIVEN_UP_WAIT_MS = 10_000;

export interface FundContext {
  /** The fund's address: gas owner, and the one sender that it never sponsors. */
  readonly address: string;
  readonly mode: FundMode;
  readonly policy: CompiledPolicy;
  /** The operator's fee for each sponsorship that completes. */
  readonly feeAtoms: bigint;
  readonly facts: ChainFacts;
  /** Why the fund is paused; null while it is not. */
  readonly pausedCause: string | null;
  readonly nowMs: number;
}

export interface SponsorTerms {
  readonly sender: string;
  readonly kind: Pick<InspectedKind, "moveTargets" | "publishesCode">;
  /** The access key's own policy: both that and the fund's must pass. */
  readonly keyPolicy: CompiledPolicy;
  readonly gasPriceMist: bigint;
  /** Null: not known yet, it comes from a dry run. */
  readonly gasBudgetAtoms: bigint | null;
  /** The last epoch that the sender has asked for; null: whatever the fund sets. */
  readonly lastEpoch: bigint | null;
}

export interface SponsorRequest extends SponsorTerms {
  readonly keyId: string;
  readonly kind: InspectedKind;
  readonly gasBudgetAtoms: bigint;
  /** What a dry run would store, MIST; null where none was made. */
  readonly storageCostAtoms: bigint | null;
  /** Null: the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
}

/** The last epoch of a sponsorship's validity: it covers the hour, whenever in the epoch it is handed out. */
export function expirationEpoch(facts: ChainFacts): bigint {
  return facts.epoch + 1n + BigInt(Math.floor(SPONSORSHIP_TTL_MS / facts.epochDurationMs));
}

/** The chain lets a transaction without coins live for two epochs at most, so it lives as short as the hour allows. */
function windowEnd({ epoch, epochStartMs, epochDurationMs }: ChainFacts, nowMs: number): bigint {
  return epochStartMs + epochDurationMs < nowMs + SPONSORSHIP_TTL_MS ? epoch + 1n : epoch;
}

/**
 * Everything about a request that can be refused before the chain is asked. Writes nothing.
 *
 * @returns `fund_paused`, `sender_is_fund`, `unsupported_transaction`, `gas_price_out_of_range`,
 * `gas_budget_out_of_range`, `policy_refused`, `balance_too_low`.
 */
export function screen(store: SuiFundStore, terms: SponsorTerms, context: FundContext): Outcome<null> {
  if (context.pausedCause !== null) return refusePaused(context.pausedCause);
  if (terms.sender === context.address)
    return refuse("sender_is_fund", "the sender is the fund itself: one signature would then count for both roles");
  const otherEpoch = refuseOtherEpoch(terms.lastEpoch, context);
  if (otherEpoch !== null) return otherEpoch;
  const referenceMist = context.facts.referenceGasPriceMist;
  const { kind, sender, gasPriceMist, gasBudgetAtoms: gasBudgetMist } = terms;
  if (gasPriceMist < referenceMist || gasPriceMist > referenceMist * MAX_PRICE_FACTOR)
    return refuse(
      "gas_price_out_of_range",
      `gasPrice must be between the reference gas price ${referenceMist} and ${MAX_PRICE_FACTOR} times it`,
      { referenceGasPrice: referenceMist.toString() },
    );
  const minMist = MIN_BUDGET_UNITS * gasPriceMist;
  if (gasBudgetMist !== null && (gasBudgetMist < minMist || gasBudgetMist > MAX_GAS_BUDGET_MIST))
    return refuse("gas_budget_out_of_range", `gasBudget must be between ${minMist} and ${MAX_GAS_BUDGET_MIST} MIST`);
  for (const policy of [context.policy, terms.keyPolicy]) {
    const refusal = policy.judgeTerms({ ...kind, sender, gasBudgetAtoms: gasBudgetMist });
    if (refusal !== null) return refusePolicy(refusal);
  }
  if (gasBudgetMist === null) return done(null);
  const payable = payableMist(store, context.mode);
  if (payable < gasBudgetMist + context.feeAtoms) {
    const waitingMist = unconvertedMist(store, context.mode);
    const fee = context.feeAtoms > 0n ? ` and the fee ${context.feeAtoms} MIST` : "";
    const waiting =
      waitingMist > 0n ? `; ${waitingMist} MIST more wait to be converted, see the fund's unconverted` : "";
    return refuse(
      "balance_too_low",
      `the fund has ${payable > 0n ? payable : 0n} MIST available, the gas budget is ${gasBudgetMist} MIST${fee}${waiting}`,
    );
  }
  return done(null);
}

/** How long a signature of the fund's lives is the fund's to say: whoever has fixed an epoch must have fixed that one. */
function refuseOtherEpoch(lastEpoch: bigint | null, { mode, facts }: FundContext) {
  const own = expirationEpoch(facts);
  if (lastEpoch === null || (mode === "coin" && lastEpoch === own)) return null;
  const details = `the transaction expires with epoch ${lastEpoch}: leave its expiration out, the fund sets it`;
  return refuse("unsupported_transaction", mode === "coin" ? `${details}, now to epoch ${own}` : details);
}

/** The smallest coin that covers the budget; several only where no single one does. */
function choosePayment(store: SuiFundStore, budgetMist: bigint): readonly [FundCoin, ...FundCoin[]] | null {
  const ceilingMist = budgetMist > LENDABLE_MIST ? MAX_U64 : LENDABLE_MIST;
  const single = store.smallestFree(budgetMist, ceilingMist);
  if (single !== null) return [single];
  const [first, ...others] = store.largestFree(ceilingMist, MAX_GAS_PAYMENT_OBJECTS);
  if (first === undefined) return null;
  const chosen: [FundCoin, ...FundCoin[]] = [first];
  let sumMist = first.balanceMist;
  for (const coin of others) {
    if (sumMist >= budgetMist) break;
    chosen.push(coin);
    sumMist += coin.balanceMist;
  }
  return sumMist >= budgetMist ? chosen : null;
}

/** What a caller hears who has waited for a coin in vain. */
export function refuseNoCoin() {
  return refuse("no_gas_object", "no gas object became available in time: retry shortly");
}

/** How a sponsorship is paid for, and until which epoch the chain accepts it. */
interface Payment {
  readonly coins: readonly FundCoin[];
  readonly expiration: Expiration;
  readonly lastEpoch: bigint;
}

function planPayment(store: SuiFundStore, budgetMist: bigint, context: FundContext): Payment | null {
  const { facts, mode, nowMs } = context;
  if (mode === "address_balance") {
    const lastEpoch = windowEnd(facts, nowMs);
    const { epoch, chainIdentifier } = facts;
    const nonce = store.takeNonce();
    return { coins: [], lastEpoch, expiration: { kind: "window", from: epoch, to: lastEpoch, chainIdentifier, nonce } };
  }
  const coins = choosePayment(store, budgetMist);
  if (coins === null) return null;
  const lastEpoch = expirationEpoch(facts);
  return { coins, lastEpoch, expiration: { kind: "epoch", epoch: lastEpoch } };
}

/**
 * Promises gas to a new sponsorship and writes its bytes, digest, coins and ledger row (guarantees 1 and 2).
 *
 * @param release `at_once`: `signed`, because the caller hands the signature out after the commit; `after_sender`:
 * `prepared`, no signature exists until `approve`.
 * @returns the sponsorship; `bad_key` for a key that has been revoked, refusals of `screen`, `policy_refused`, `no_gas_object`, `unsupported_transaction`.
 */
export function reserve(
  store: SuiFundStore,
  request: SponsorRequest,
  context: FundContext,
  release: "at_once" | "after_sender",
): Outcome<Sponsorship> {
  if (store.isRevoked(request.keyId)) return refuseRevokedKey();
  const screened = screen(store, request, context);
  if (!screened.ok) return screened;
  const { moveTargets, publishesCode } = request.kind;
  const refusal = checkPolicy(
    store,
    { ...request, moveTargets, publishesCode, feeAtoms: context.feeAtoms },
    context.policy,
    context.nowMs,
  );
  if (refusal !== null) return refusePolicy(refusal);
  // Said before a coin is chosen, or a nonce is taken.
  if (unpaidLength(request.kind.bytes, context.mode === "coin" ? "epoch" : "window") > MAX_TRANSACTION_BYTES)
    return refuseLength();
  const { gasBudgetAtoms: gasBudgetMist, gasPriceMist, sender, keyId } = request;
  const payment = planPayment(store, gasBudgetMist, context);
  if (payment === null) return refuseNoCoin();
  const gas = { owner: context.address, payment: payment.coins, priceMist: gasPriceMist, budgetMist: gasBudgetMist };
  const transactionBytes = wrapKind(request.kind.bytes, sender, gas, payment.expiration);
  if (transactionBytes.length > MAX_TRANSACTION_BYTES) return refuseLength();
  const digest = transactionDigest(transactionBytes);
  const previous = store.sponsorship(digest);
  // A prepared row that was freed unsigned leaves its coin at the same version: the same request is the same digest.
  if (previous !== null && previous.state !== "dead")
    throw new Error(`a live sponsorship already has digest ${digest}`);

  const { nowMs, feeAtoms: feeMist } = context;
  const ttlMs = release === "at_once" ? SPONSORSHIP_TTL_MS : PREPARED_TTL_MS;
  const sponsorship: Sponsorship = {
    digest,
    state: release === "at_once" ? "signed" : "prepared",
    transactionBytes,
    sender,
    keyId,
    gasObjectId: payment.coins[0]?.objectId ?? null,
    gasBudgetAtoms: gasBudgetMist,
    feeAtoms: feeMist,
    expirationEpoch: payment.lastEpoch,
    sinceCheckpoint: context.facts.checkpoint,
    createdAtMs: nowMs,
    signedAtMs: release === "at_once" ? nowMs : null,
    // Whole seconds, as the wire tells them: otherwise the two would disagree for a moment.
    expiresAtMs: Math.floor(nowMs / 1_000) * 1_000 + ttlMs,
    chargedAtoms: null,
    rebateAtoms: null,
    maintenanceAtoms: null,
    maxStorageMist: lesser(context.policy.maxStorageCostAtoms, request.keyPolicy.maxStorageCostAtoms),
  };
  for (const coin of payment.coins) store.putCoin({ ...coin, state: "held", holder: digest });
  store.putSponsorship(sponsorship);
  bookReserve(store, digest, sponsorship, nowMs);
  remember(store, request.idempotency, digest, nowMs);
  store.setDue("settle", digest, firstDueAtMs(sponsorship));
  return done(sponsorship);
}

/** Of two limits, either of which may be none. */
function lesser(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || (b !== null && b < a) ? b : a;
}

function refuseLength() {
  return refuse("unsupported_transaction", `with gas data the transaction exceeds ${MAX_TRANSACTION_BYTES} bytes`);
}

/** A prepared row only has to be freed in time; a signed one is looked up on the chain. */
function firstDueAtMs({ signedAtMs, expiresAtMs }: Sponsorship): number {
  return signedAtMs === null ? expiresAtMs : nextLookUpAtMs(signedAtMs, expiresAtMs, signedAtMs);
}

/**
 * What a call with this Idempotency-Key has caused before: null where it caused nothing yet. One that is past its hour
 * may have been executed all the same: until that is known, the digest is what a repeated execution has to go by.
 *
 * @returns the sponsorship as it is now; `idempotency_conflict` for another request under the same key, and where the
 * sponsorship can never be executed any more.
 */
export function replay(store: SuiFundStore, claim: IdempotencyClaim, nowMs: number): Outcome<Sponsorship> | null {
  const record = remembered(store, claim, nowMs);
  if (record === null) return null;
  if (record.fingerprint !== claim.fingerprint) return refuseReusedKey();
  const sponsorship = store.sponsorship(record.reference);
  if (sponsorship === null) throw new Error(`an idempotency record names ${record.reference}, which has no row`);
  return sponsorship.state === "dead" ? refuseSpentKey({ digest: record.reference }) : done(sponsorship);
}

/** `replay` for those who are handed the bytes: nobody is given what will be recycled before it can be used. */
export function replayReservation(
  store: SuiFundStore,
  claim: IdempotencyClaim,
  nowMs: number,
): Outcome<Sponsorship> | null {
  const replayed = replay(store, claim, nowMs);
  if (replayed === null || !replayed.ok) return replayed;
  const { state, expiresAtMs, digest } = replayed.value;
  return state !== "complete" && nowMs >= expiresAtMs ? refuseSpentKey({ digest }) : replayed;
}

/**
 * The sender has signed a prepared sponsorship: from this commit on, a signature of ours may exist.
 *
 * @param isUnjudged only the chain can tell whether the sender's signature is valid.
 * @returns the row, `signed` or what it already was; `sponsorship_expired` when it can no longer be approved,
 * `fund_paused` where no signature exists yet and none may be made; `idempotency_conflict`.
 */
export function approve(
  store: SuiFundStore,
  digest: string,
  {
    pausedCause,
    nowMs,
    isUnjudged = false,
  }: Pick<FundContext, "pausedCause" | "nowMs"> & { readonly isUnjudged?: boolean },
  idempotency: IdempotencyClaim | null,
): Outcome<Sponsorship> {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null) return refuse("unknown_sponsorship", "this fund has no sponsorship with that digest");
  if (sponsorship.state === "dead" || sponsorship.state === "expired" || isOverdue(sponsorship, nowMs))
    return refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
  if (sponsorship.state === "prepared" && pausedCause !== null) return refusePaused(pausedCause);
  if (idempotency !== null && remembered(store, idempotency, nowMs) === null)
    remember(store, idempotency, digest, nowMs);
  if (sponsorship.state !== "prepared") return done(sponsorship);
  const latestMs = isUnjudged ? nowMs + UNJUDGED_TTL_MS : sponsorship.expiresAtMs;
  const expiresAtMs = Math.min(sponsorship.expiresAtMs, latestMs);
  const signed: Sponsorship = { ...sponsorship, state: "signed", signedAtMs: nowMs, expiresAtMs };
  store.putSponsorship(signed);
  store.setDue("settle", digest, nextLookUpAtMs(nowMs, expiresAtMs, nowMs));
  return done(signed);
}

function isOverdue({ state, expiresAtMs }: Sponsorship, nowMs: number): boolean {
  return state === "prepared" && nowMs >= expiresAtMs;
}

/**
 * Gives up a sponsorship that was prepared for a call which was refused after all: no signature exists, so nothing can
 * execute, and the call's Idempotency-Key has caused nothing. Whatever is signed stays.
 */
export function abandon(
  store: SuiFundStore,
  digest: string,
  idempotency: IdempotencyClaim | null,
  nowMs: number,
): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || sponsorship.state !== "prepared") return;
  freeUnsigned(store, sponsorship, nowMs);
  forget(store, idempotency, digest, nowMs);
}

/** Frees what a prepared sponsorship holds once its time is over. No signature exists, so nothing can execute. */
export function releasePrepared(store: SuiFundStore, digest: string, nowMs: number): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship !== null && isOverdue(sponsorship, nowMs)) freeUnsigned(store, sponsorship, nowMs);
}

function freeUnsigned(store: SuiFundStore, sponsorship: Sponsorship, nowMs: number): void {
  for (const coin of store.coinsOf(sponsorship.digest)) store.putCoin({ ...coin, state: "free", holder: null });
  closeDead(store, sponsorship, nowMs);
}

/**
 * Can never execute: what it withheld is available again, and counts as spent no more. Its bytes are good for nothing
 * any more, and whoever abandons large transactions all day must not fill the storage with them.
 */
function closeDead(store: SuiFundStore, sponsorship: Sponsorship, nowMs: number): void {
  const { digest } = sponsorship;
  store.putSponsorship({ ...sponsorship, state: "dead", transactionBytes: new Uint8Array() });
  bookRelease(store, digest, sponsorship, nowMs);
  store.setDue("settle", digest, null);
}

/**
 * Withdraws a sponsorship before its time. A prepared one is over at once; a signed one that pays with coins is called
 * expired, so that its coins are recycled now. One that pays from the address balance cannot be taken back.
 */
export function revoke(store: SuiFundStore, digest: string, nowMs: number): "over" | "to_recycle" | "irrevocable" {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || sponsorship.state === "dead" || sponsorship.state === "complete") return "over";
  if (sponsorship.state === "prepared") {
    freeUnsigned(store, sponsorship, nowMs);
    return "over";
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

function expire(store: SuiFundStore, sponsorship: Sponsorship, nowMs: number): void {
  const { digest, gasObjectId, expiresAtMs, keyId, sender } = sponsorship;
  for (const coin of store.coinsOf(digest)) store.putCoin({ ...coin, state: "quarantined" });
  store.putSponsorship({ ...sponsorship, state: "expired" });
  store.raise({ type: "sponsorship.expired", digest, keyId, sender, expiresAtMs });
  store.setDue("settle", digest, nowMs + QUARANTINE_CHECK_MS);
  const recycleAtMs = isGivenUp(expiresAtMs, nowMs)
    ? nowMs + GIVEN_UP_WAIT_MS
    : Math.max(nowMs, expiresAtMs + RECYCLE_GRACE_MS);
  // What expires after it must not put it off.
  if (gasObjectId !== null) store.setDue("recycle", "", recycleAtMs, "by_then");
}

/**
 * The chain was asked and has not shown the digest: whether it has expired by now, and when to ask again.
 *
 * @param asked `by_schedule` moves to the next look-up of the schedule; `by_caller` leaves the schedule alone.
 */
export function recordMiss(
  store: SuiFundStore,
  digest: string,
  miss: Seen<null>,
  nowMs: number,
  asked: "by_schedule" | "by_caller",
): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null) return;
  const { state, expiresAtMs, signedAtMs, gasObjectId } = sponsorship;
  // A coin stays in quarantine until it has moved, so an endpoint that has pruned the hour may end it. Without a coin, the
  // end of the hour is all that there is to go by.
  const isPast = gasObjectId === null ? showsExpiry(sponsorship, miss) : miss.timestampMs >= expiresAtMs;
  const expires = state === "signed" && nowMs >= expiresAtMs && isPast;
  if (expires) expire(store, sponsorship, nowMs);
  else if (asked === "by_schedule" && state === "signed")
    store.setDue("settle", digest, nextLookUpAtMs(signedAtMs ?? sponsorship.createdAtMs, expiresAtMs, nowMs));
  else if (asked === "by_schedule" && state === "expired") store.setDue("settle", digest, nowMs + QUARANTINE_CHECK_MS);
}

/**
 * Whether an endpoint that missed a digest can say that it was not executed in its hour: it has seen the hour pass, and
 * still has all of it.
 */
export function showsExpiry(
  sponsorship: Pick<Sponsorship, "expiresAtMs" | "sinceCheckpoint" | "createdAtMs">,
  miss: Seen<null>,
): boolean {
  return miss.timestampMs >= sponsorship.expiresAtMs && coversLife(sponsorship, miss);
}

/**
 * The chain shows the digest: books the charge and the fee, and frees the coins at the versions in the effects
 * (guarantee 5).
 *
 * @returns false, having written nothing, when the effects cannot be those of the bytes that the fund signed.
 */
export function settle(store: SuiFundStore, execution: SuiExecution, nowMs: number): boolean {
  const sponsorship = store.sponsorship(execution.digest);
  if (sponsorship === null) return false;
  if (sponsorship.state === "complete") return true;
  if (sponsorship.state !== "signed" && sponsorship.state !== "expired") return false;
  const { digest, gasObjectId, gasBudgetAtoms: gasBudgetMist } = sponsorship;
  const chargedMist = netGasMist(execution.gasUsed);
  if (chargedMist > gasBudgetMist) return false;
  const paid =
    gasObjectId === null
      ? execution.gasObjectId === null
      : payFromCoins(store, digest, gasObjectId, execution, chargedMist);
  if (!paid) return false;
  const { storageCostMist, storageRebateMist: rebateAtoms } = execution.gasUsed;
  complete(store, { ...sponsorship, state: "complete", chargedAtoms: chargedMist, rebateAtoms }, nowMs);
  const { sender, keyId, maxStorageMist } = sponsorship;
  if (maxStorageMist !== null && storageCostMist > maxStorageMist) store.stopSender(sender, keyId, utcDay(nowMs));
  return true;
}

/** The chain has executed it: what it was charged is gone, the fee is earned, the rest is withheld no more. */
function complete(
  store: SuiFundStore,
  sponsorship: Sponsorship & { readonly state: "complete"; readonly chargedAtoms: bigint },
  nowMs: number,
): void {
  const { digest, gasObjectId, chargedAtoms: chargedMist } = sponsorship;
  // The bytes are needed for nothing but a repeat of the call that was handed them.
  const transactionBytes = store.isReferredTo(digest) ? sponsorship.transactionBytes : new Uint8Array();
  store.putSponsorship({ ...sponsorship, transactionBytes });
  bookCharge(store, digest, sponsorship, gasObjectId === null ? chargedMist : 0n, nowMs);
  const { keyId, sender, feeAtoms } = sponsorship;
  store.raise({ type: "sponsorship.completed", digest, keyId, sender, chargedAtoms: chargedMist, feeAtoms });
  store.setDue("settle", digest, null);
}

/**
 * Closes an expired sponsorship once the chain proves what became of it, although no look-up shows it. Anything less
 * leaves it as it is. While a recycling of its coins is under way, that decides.
 *
 * @returns whether it is over.
 */
export function closeByEvidence(store: SuiFundStore, digest: string, evidence: DeathEvidence, nowMs: number): boolean {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || sponsorship.state !== "expired") return false;
  const held = store.coinsOf(digest);
  const fate = held.some(({ state }) => state === "recycling") ? null : proveOutcome(sponsorship, held, evidence);
  if (fate === null) return false;
  if (fate === "executed") {
    const chargedMist = adoptPayment(store, digest, evidence);
    complete(store, { ...sponsorship, state: "complete", chargedAtoms: chargedMist, rebateAtoms: null }, nowMs);
  } else {
    freePayment(store, digest, evidence, nowMs);
    closeDead(store, sponsorship, nowMs);
  }
  return true;
}

/**
 * An own transaction has consumed this sponsorship's coin, so that its signature is worthless. Its other coins, if
 * any, are free as they are.
 *
 * @param shareMist its share of that transaction's gas, booked to the access key that abandoned it.
 */
export function closeRecycled(store: SuiFundStore, digest: string, shareMist: bigint, nowMs: number): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || sponsorship.state !== "expired")
    throw new Error(`a recycled coin belongs to ${digest}, which is not expired`);
  for (const coin of store.coinsOf(digest)) store.putCoin({ ...coin, state: "free", holder: null });
  const { keyId } = sponsorship;
  book(store, { atMs: nowMs, kind: "recycle", reference: digest, keyId, balanceAtoms: -shareMist });
  count(store, keyId, nowMs, { spentTodayAtoms: shareMist, abandonCostTodayAtoms: shareMist });
  closeDead(store, { ...sponsorship, maintenanceAtoms: shareMist }, nowMs);
}
