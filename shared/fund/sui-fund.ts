import { MAX_U64 } from "../amounts.ts";
import type { InspectedKind } from "../chain/sui/kind.ts";
import {
  MAX_GAS_BUDGET_MIST,
  MAX_GAS_PAYMENT_OBJECTS,
  MAX_TRANSACTION_BYTES,
  MIN_BUDGET_UNITS,
} from "../chain/sui/limits.ts";
import type { ChainFacts, ChangedObject, ObservedCoin, SuiCoin, SuiExecution } from "../chain/sui/node.ts";
import { createdObjectId, transactionDigest, wrapKind } from "../chain/sui/transaction.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { netGasMist } from "./budget.ts";
import type { CoinStore, FundCoin, OwnTransaction, Sponsorship } from "./coin-store.ts";
import { nextLookUpAtMs } from "./look-ups.ts";
import { LENDABLE_MIST, type SplitPlan } from "./refill-plan.ts";

/**
 * The state machine of a Sui fund that pays with coins. Every function is one synchronous step over a `CoinStore`;
 * everything that needs I/O is gathered before and passed in. What the machine guarantees, by number:
 *
 * 1. A coin is held by at most one live sponsorship.
 * 2. No signature exists before its bytes, digest and coins are durable: `reserve` and `approve` write, the caller
 *    commits, and only then signs.
 * 3. The coins that are not `gone` are the fund's coins at the last reconciled effects, and every MIST of change has
 *    a ledger row.
 * 5. `complete` only when the chain shows the digest, success or failure. A missing answer proves nothing.
 * 7. A step that refuses writes nothing. After `reserve` the row stays until `complete` or `dead`.
 *
 * Sponsorships: `prepared` → `signed` | `dead`; `signed` → `complete` | `expired`; `expired` → `complete` | `dead`.
 * An expired sponsorship's signature may still execute: its coin is quarantined, and lent again only when the chain
 * shows a higher version of a coin it pays with, or an epoch past its expiration.
 */

/** A sponsorship whose signature is handed out at once. */
export const SPONSORSHIP_TTL_MS = 3_600_000;
/** A sponsorship that waits for its sender's signature while no signature of ours exists. */
export const PREPARED_TTL_MS = 600_000;
/** A caller could inflate the charge at will; the chain only sets a lower bound. */
export const MAX_PRICE_FACTOR = 5n;
/** How often a quarantined coin is compared with the chain. */
const QUARANTINE_CHECK_MS = 300_000;
/** Own transactions are final within seconds; resending the same bytes is safe. */
const OWN_RESEND_MS = 5_000;

export interface FundContext {
  /** The fund's address: gas owner, and the one sender that it never sponsors. */
  readonly address: string;
  readonly facts: ChainFacts;
  /** Why the fund is paused; null while it is not. */
  readonly pausedCause: string | null;
  readonly nowMs: number;
}

export interface SponsorTerms {
  readonly sender: string;
  /** Null: the reference gas price. */
  readonly gasPriceMist: bigint | null;
  /** Null: not known yet, it comes from a dry run. */
  readonly gasBudgetMist: bigint | null;
}

export interface SponsorRequest {
  readonly keyId: string;
  readonly kind: InspectedKind;
  readonly sender: string;
  readonly gasPriceMist: bigint;
  readonly gasBudgetMist: bigint;
}

/** The last epoch of a sponsorship's validity: it covers the hour, whenever in the epoch it is handed out. */
export function expirationEpoch(facts: ChainFacts): bigint {
  return facts.epoch + 1n + BigInt(Math.floor(SPONSORSHIP_TTL_MS / facts.epochDurationMs));
}

/**
 * Everything about a request that can be refused before the chain is asked. Writes nothing.
 *
 * @returns the gas price to use, MIST per gas unit.
 */
export function screen(store: CoinStore, terms: SponsorTerms, context: FundContext): Outcome<bigint> {
  if (context.pausedCause !== null) return refusePaused(context.pausedCause);
  if (terms.sender === context.address)
    return refuse("sender_is_fund", "the sender is the fund itself: one signature would then count for both roles");
  const referenceMist = context.facts.referenceGasPriceMist;
  const priceMist = terms.gasPriceMist ?? referenceMist;
  if (priceMist < referenceMist || priceMist > referenceMist * MAX_PRICE_FACTOR)
    return refuse(
      "gas_price_out_of_range",
      `gasPrice must be between the reference gas price ${referenceMist} and ${MAX_PRICE_FACTOR} times it`,
      { referenceGasPrice: referenceMist.toString() },
    );
  if (terms.gasBudgetMist === null) return done(priceMist);
  const minMist = MIN_BUDGET_UNITS * priceMist;
  if (terms.gasBudgetMist < minMist || terms.gasBudgetMist > MAX_GAS_BUDGET_MIST)
    return refuse("gas_budget_out_of_range", `gasBudget must be between ${minMist} and ${MAX_GAS_BUDGET_MIST} MIST`);
  const { balanceMist, inFlightMist } = store.totals();
  const availableMist = balanceMist - inFlightMist;
  if (availableMist < terms.gasBudgetMist)
    return refuse(
      "balance_too_low",
      `the fund has ${availableMist} MIST available, the gas budget is ${terms.gasBudgetMist} MIST`,
    );
  return done(priceMist);
}

function refusePaused(cause: string) {
  return refuse("fund_paused", `the fund is paused: ${cause}`, { cause });
}

/** The smallest coin that covers the budget; several only where no single one does. */
function choosePayment(store: CoinStore, budgetMist: bigint): readonly [FundCoin, ...FundCoin[]] | null {
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

/**
 * Lends coins to a new sponsorship and writes its bytes, digest, coins and ledger row (guarantees 1 and 2).
 *
 * @param release `at_once`: `signed`, because the caller hands the signature out after the commit; `after_sender`:
 * `prepared`, no signature exists until `approve`.
 * @returns the sponsorship; refusals of `screen`, `no_gas_object`, `unsupported_transaction`.
 */
export function reserve(
  store: CoinStore,
  request: SponsorRequest,
  context: FundContext,
  release: "at_once" | "after_sender",
): Outcome<Sponsorship> {
  const screened = screen(store, request, context);
  if (!screened.ok) return screened;
  const payment = choosePayment(store, request.gasBudgetMist);
  if (payment === null) return refuse("no_gas_object", "no gas object became available in time: retry shortly");
  const validUntilEpoch = expirationEpoch(context.facts);
  const gas = {
    owner: context.address,
    payment,
    priceMist: request.gasPriceMist,
    budgetMist: request.gasBudgetMist,
  };
  const transactionBytes = wrapKind(request.kind.bytes, request.sender, gas, validUntilEpoch);
  if (transactionBytes.length > MAX_TRANSACTION_BYTES)
    return refuse("unsupported_transaction", `with gas data the transaction exceeds ${MAX_TRANSACTION_BYTES} bytes`);
  const digest = transactionDigest(transactionBytes);
  const previous = store.sponsorship(digest);
  // A prepared row that was freed unsigned leaves its coin at the same version: the same request is the same digest.
  if (previous !== null && previous.state !== "dead")
    throw new Error(`a live sponsorship already has digest ${digest}`);

  const ttlMs = release === "at_once" ? SPONSORSHIP_TTL_MS : PREPARED_TTL_MS;
  const sponsorship: Sponsorship = {
    digest,
    state: release === "at_once" ? "signed" : "prepared",
    transactionBytes,
    sender: request.sender,
    keyId: request.keyId,
    gasObjectId: payment[0].objectId,
    gasBudgetMist: request.gasBudgetMist,
    expirationEpoch: validUntilEpoch,
    createdAtMs: context.nowMs,
    // Whole seconds, as the wire tells them: otherwise the two would disagree for a moment.
    expiresAtMs: Math.floor(context.nowMs / 1_000) * 1_000 + ttlMs,
    lookUps: 0,
    chargedMist: null,
  };
  for (const coin of payment) store.putCoin({ ...coin, state: "held", holder: digest });
  store.putSponsorship(sponsorship);
  store.addLedger({
    atMs: context.nowMs,
    kind: "reserve",
    reference: digest,
    balanceMist: 0n,
    inFlightMist: request.gasBudgetMist,
  });
  store.setDue("settle", digest, firstDueAtMs(sponsorship));
  return done(sponsorship);
}

/** A prepared row only has to be freed in time; a signed one is looked up on the chain. */
function firstDueAtMs({ state, createdAtMs, expiresAtMs }: Sponsorship): number {
  return state === "prepared" ? expiresAtMs : nextLookUpAtMs(0, expiresAtMs, createdAtMs);
}

/**
 * The sender has signed a prepared sponsorship: from this commit on, a signature of ours may exist.
 *
 * @returns the row, `signed` or what it already was; `sponsorship_expired` when it can no longer be approved,
 * `fund_paused` where no signature exists yet and none may be made.
 */
export function approve(
  store: CoinStore,
  digest: string,
  { pausedCause, nowMs }: Pick<FundContext, "pausedCause" | "nowMs">,
): Outcome<Sponsorship> {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null) return refuse("unknown_sponsorship", "this fund has no sponsorship with that digest");
  if (sponsorship.state === "dead" || sponsorship.state === "expired" || isOverdue(sponsorship, nowMs))
    return refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
  if (sponsorship.state !== "prepared") return done(sponsorship);
  if (pausedCause !== null) return refusePaused(pausedCause);
  const signed: Sponsorship = { ...sponsorship, state: "signed" };
  store.putSponsorship(signed);
  store.setDue("settle", digest, nextLookUpAtMs(0, sponsorship.expiresAtMs, nowMs));
  return done(signed);
}

function isOverdue({ state, expiresAtMs }: Sponsorship, nowMs: number): boolean {
  return state === "prepared" && nowMs >= expiresAtMs;
}

/** Frees what a prepared sponsorship holds once its time is over. No signature exists, so nothing can execute. */
export function releasePrepared(store: CoinStore, digest: string, nowMs: number): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null || !isOverdue(sponsorship, nowMs)) return;
  for (const coin of store.coinsOf(digest)) store.putCoin({ ...coin, state: "free", holder: null });
  // Without its bytes: whoever prepares large transactions all day must not fill the storage with them.
  close(store, { ...sponsorship, state: "dead", transactionBytes: new Uint8Array() }, nowMs, "release", 0n);
}

/** The sponsorship is over: its budget is withheld no longer. */
function close(
  store: CoinStore,
  sponsorship: Sponsorship,
  nowMs: number,
  kind: "release" | "charge",
  balanceMist: bigint,
): void {
  store.putSponsorship(sponsorship);
  store.addLedger({
    atMs: nowMs,
    kind,
    reference: sponsorship.digest,
    balanceMist,
    inFlightMist: -sponsorship.gasBudgetMist,
  });
  store.setDue("settle", sponsorship.digest, null);
}

/**
 * The chain was asked and has not shown the digest: whether it has expired by now, and when to ask again.
 *
 * @param checkpointTimeMs what the endpoint had seen before it was asked.
 * @param asked `by_schedule` moves to the next look-up of the schedule; `by_caller` leaves the schedule alone, so that
 * a client that polls does not use it up.
 */
export function recordMiss(
  store: CoinStore,
  digest: string,
  checkpointTimeMs: number,
  nowMs: number,
  asked: "by_schedule" | "by_caller",
): void {
  const sponsorship = store.sponsorship(digest);
  if (sponsorship === null) return;
  const { state, expiresAtMs } = sponsorship;
  if (state !== "signed" && state !== "expired") return;
  // Only an endpoint that has seen the expiry pass can say that nothing happened before it.
  const expires = state === "signed" && nowMs >= expiresAtMs && checkpointTimeMs >= expiresAtMs;
  if (!expires && asked === "by_caller") return;
  const lookUps = sponsorship.lookUps + 1;
  if (expires) for (const coin of store.coinsOf(digest)) store.putCoin({ ...coin, state: "quarantined" });
  store.putSponsorship({ ...sponsorship, lookUps, state: expires ? "expired" : state });
  const nextAtMs =
    expires || state === "expired" ? nowMs + QUARANTINE_CHECK_MS : nextLookUpAtMs(lookUps, expiresAtMs, nowMs);
  store.setDue("settle", digest, nextAtMs);
}

/**
 * The chain shows the digest: books the charge and frees the coins at the versions in the effects (guarantee 5).
 *
 * @returns false, having written nothing, when the effects cannot be those of the bytes that the fund signed.
 */
export function settle(store: CoinStore, execution: SuiExecution, nowMs: number): boolean {
  const sponsorship = store.sponsorship(execution.digest);
  if (sponsorship === null) return false;
  if (sponsorship.state === "complete") return true;
  if (sponsorship.state !== "signed" && sponsorship.state !== "expired") return false;
  const chargedMist = netGasMist(execution.gasUsed);
  if (chargedMist > sponsorship.gasBudgetMist) return false;
  if (!chargeGasCoin(store, sponsorship.digest, sponsorship.gasObjectId, execution, chargedMist)) return false;
  close(store, { ...sponsorship, state: "complete", chargedMist }, nowMs, "charge", -chargedMist);
  return true;
}

/** Merges a transaction's payment coins into its gas coin, less what was charged, as the chain does. */
function chargeGasCoin(
  store: CoinStore,
  digest: string,
  gasObjectId: string,
  execution: SuiExecution,
  chargedMist: bigint,
): boolean {
  const output = execution.changedObjects.find(({ objectId }) => objectId === gasObjectId)?.output;
  const coins = store.coinsOf(digest);
  const gasCoin = coins.find(({ objectId }) => objectId === gasObjectId);
  if (output == null || gasCoin === undefined || output.version <= gasCoin.version) return false;
  const paidMist = coins.reduce((sum, coin) => sum + coin.balanceMist, 0n);
  if (paidMist < chargedMist) return false;
  for (const coin of coins)
    if (coin.objectId !== gasObjectId) store.putCoin({ ...coin, state: "gone", holder: null, balanceMist: 0n });
  store.putCoin({
    ...gasCoin,
    version: output.version,
    digest: output.digest,
    balanceMist: paidMist - chargedMist,
    state: "free",
    holder: null,
  });
  return true;
}

/** What the chain said before, and in, the look-up that missed the digest. */
export interface DeathEvidence {
  /** Read before the look-up. */
  readonly coins: readonly (ObservedCoin | null)[];
  readonly epoch: bigint;
  readonly epochStartMs: number;
  /** How far the endpoint that missed the digest had seen. */
  readonly checkpointTimeMs: number;
}

/**
 * Frees the coins of a transaction that can never execute any more: one of its inputs has been consumed at a higher
 * version by another transaction, or its last epoch is over. Anything less leaves them quarantined.
 *
 * The order of reads matters: a version that moved before a later look-up missed the digest was moved by another
 * transaction. A coin whose last writer is this very digest only shows that the look-up lags.
 */
export function releaseDead(store: CoinStore, digest: string, evidence: DeathEvidence, nowMs: number): boolean {
  const journaled = store.sponsorship(digest) ?? store.ownTransaction(digest);
  if (journaled === null || (journaled.state !== "expired" && journaled.state !== "pending")) return false;
  const held = store.coinsOf(digest);
  const seen: { readonly coin: FundCoin; readonly observed: ObservedCoin }[] = [];
  for (const coin of held) {
    const observed = evidence.coins.find((candidate) => candidate?.objectId === coin.objectId);
    if (observed == null || observed.version < coin.version || observed.previousTransaction === digest) return false;
    seen.push({ coin, observed });
  }
  const consumed = seen.some(({ coin, observed }) => observed.version > coin.version);
  // An endpoint that has not seen the new epoch begin may still be hiding an execution of the last one.
  const outlived = evidence.epoch > journaled.expirationEpoch && evidence.checkpointTimeMs >= evidence.epochStartMs;
  if (!consumed && !outlived) return false;
  for (const { coin, observed } of seen) adoptVersion(store, coin, observed, nowMs);
  if ("splitMist" in journaled) {
    store.putOwnTransaction({ ...journaled, state: "dead" });
    store.setDue("own", digest, null);
  } else close(store, { ...journaled, state: "dead" }, nowMs, "release", 0n);
  return true;
}

/** Frees a coin at the version that the chain shows, and books a balance that moved without us. */
function adoptVersion(store: CoinStore, coin: FundCoin, observed: SuiCoin, nowMs: number): void {
  const { version, digest, balanceMist } = observed;
  store.putCoin({ ...coin, version, digest, balanceMist, state: "free", holder: null });
  if (balanceMist !== coin.balanceMist)
    store.addLedger({
      atMs: nowMs,
      kind: "adjustment",
      reference: coin.objectId,
      balanceMist: balanceMist - coin.balanceMist,
      inFlightMist: 0n,
    });
}

/** An own transaction's bytes and terms, before anything is signed. */
export interface OwnTransactionDraft {
  readonly transactionBytes: Uint8Array;
  readonly digest: string;
  readonly expirationEpoch: bigint;
}

/**
 * Journals a split of one of the fund's coins, before it is signed or submitted.
 *
 * @returns false, having written nothing, when the coin has been lent or has moved since it was planned.
 */
export function beginSplit(store: CoinStore, plan: SplitPlan, draft: OwnTransactionDraft, nowMs: number): boolean {
  const source = store.coin(plan.source.objectId);
  if (source === null || source.state !== "free" || source.version !== plan.source.version) return false;
  store.putCoin({ ...source, state: "spending", holder: draft.digest });
  store.putOwnTransaction({
    ...draft,
    state: "pending",
    gasObjectId: source.objectId,
    createdAtMs: nowMs,
    lookUps: 0,
    splitMist: plan.splitMist,
  });
  store.setDue("own", draft.digest, nowMs + OWN_RESEND_MS);
  return true;
}

/** An own transaction has no answer yet: when to send the same bytes again. */
export function recordOwnMiss(store: CoinStore, digest: string, nowMs: number): void {
  const transaction = store.ownTransaction(digest);
  if (transaction === null || transaction.state !== "pending") return;
  const lookUps = transaction.lookUps + 1;
  store.putOwnTransaction({ ...transaction, lookUps });
  store.setDue("own", digest, nowMs + Math.min(OWN_RESEND_MS * 2 ** Math.min(lookUps, 6), QUARANTINE_CHECK_MS));
}

/**
 * Books an executed split: the new coins join the pool, the source keeps the rest less the gas. An execution that
 * failed on chain has charged the source all the same.
 *
 * @returns false, having written nothing, when the effects cannot be those of the bytes that the fund signed.
 */
export function settleSplit(store: CoinStore, execution: SuiExecution, address: string, nowMs: number): boolean {
  const transaction = store.ownTransaction(execution.digest);
  if (transaction === null) return false;
  if (transaction.state !== "pending") return transaction.state === "complete";
  const created = execution.success ? createdCoins(transaction, execution.changedObjects, address) : [];
  if (created === null) return false;
  const gasMist = netGasMist(execution.gasUsed);
  const splitOffMist = created.reduce((sum, coin) => sum + coin.balanceMist, 0n);
  if (!chargeGasCoin(store, transaction.digest, transaction.gasObjectId, execution, gasMist + splitOffMist))
    return false;
  for (const coin of created) store.putCoin({ ...coin, state: "free", holder: null });
  store.putOwnTransaction({ ...transaction, state: "complete" });
  store.addLedger({
    atMs: nowMs,
    kind: "split",
    reference: transaction.digest,
    balanceMist: -gasMist,
    inFlightMist: 0n,
  });
  store.setDue("own", transaction.digest, null);
  return true;
}

/** The n-th coin of a split has the n-th id derived from the digest; the effects must show it as the fund's. */
function createdCoins(
  transaction: OwnTransaction,
  changed: readonly ChangedObject[],
  address: string,
): readonly SuiCoin[] | null {
  const created: SuiCoin[] = [];
  for (const [index, balanceMist] of transaction.splitMist.entries()) {
    const id = createdObjectId(transaction.digest, BigInt(index));
    const output = changed.find(({ objectId }) => objectId === id)?.output;
    if (output == null || output.owner?.kind !== "address" || output.owner.address !== address) return null;
    created.push({ objectId: id, version: output.version, digest: output.digest, balanceMist });
  }
  return created;
}

/**
 * Takes in a listing of the fund's coins. It adds unknown ids as deposits, and moves free coins to higher versions;
 * it never revives a coin that is gone, and never touches one that a transaction of ours holds, because a listing may
 * be older or newer than the effects that will settle it.
 *
 * @returns the deposits found, MIST.
 */
export function takeListing(store: CoinStore, listing: readonly SuiCoin[], nowMs: number): bigint {
  const awaited = new Set(
    store
      .pendingOwnTransactions()
      .flatMap(({ digest, splitMist }) => splitMist.map((_, index) => createdObjectId(digest, BigInt(index)))),
  );
  let depositedMist = 0n;
  for (const listed of listing) {
    const known = store.coin(listed.objectId);
    if (known !== null) {
      if (known.state === "free" && listed.version > known.version) adoptVersion(store, known, listed, nowMs);
      continue;
    }
    if (awaited.has(listed.objectId)) continue;
    store.putCoin({ ...listed, state: "free", holder: null });
    store.addLedger({
      atMs: nowMs,
      kind: "deposit",
      reference: listed.objectId,
      balanceMist: listed.balanceMist,
      inFlightMist: 0n,
    });
    depositedMist += listed.balanceMist;
  }
  return depositedMist;
}
