// Sui only (noCoinRefusal): an Aptos fund locks nothing, so no caller waits.
// Sui only (findUnexpiredByIdempotencyKey): the fund hands bytes out on Sui alone.

import { MAX_U64 } from "../../amounts.ts";
import { MAX_GAS_PAYMENT_OBJECTS, MAX_TRANSACTION_BYTES } from "../../chain/sui/limits.ts";
import type { Expiration } from "../../chain/sui/transaction.ts";
import { transactionDigest, unpaidLength, wrapKind } from "../../chain/sui/transaction.ts";
import type { Outcome } from "../../errors.ts";
import { done, refuse } from "../../errors.ts";
import type { IdempotencyClaim } from "../../idempotency.ts";
import { traced } from "../explain/trace.ts";
import { findIdempotency, recordIdempotency, reusedKeyRefusal, spentKeyRefusal } from "../idempotency.ts";
import { addReserveEntry } from "../ledger/entries.ts";
import { nextLookUpAtMs } from "../look-up-schedule.ts";
import { checkPolicy } from "../policy-check.ts";
import { policyRefusal, revokedKeyRefusal } from "../refusals.ts";
import {
  expirationEpoch,
  lengthRefusal,
  precheck,
  type SuiFundContext,
  type SuiSponsorRequest,
  windowEnd,
} from "./checks.ts";
import { PREPARED_TTL_MS, SPONSORSHIP_TTL_MS } from "./limits.ts";
import { isIrrevocable } from "./payment.ts";
import { MAX_POOL_COIN_MIST } from "./refill-plan.ts";
import { isOver } from "./sponsorships.ts";
import type { FundCoin, SuiFundStore, SuiSponsorship } from "./store.ts";

/**
 * Chooses the gas coins of a sponsorship. Takes the smallest free coin that covers the budget, or else the largest ones
 * until they cover it. A coin above 2 SUI pays only for a budget above 2 SUI. The store leaves the maintenance reserve
 * out. Null if at most 256 free coins of that size do not cover the budget.
 */
function choosePayment(store: SuiFundStore, budgetMist: bigint): readonly [FundCoin, ...FundCoin[]] | null {
  const ceilingMist = budgetMist > MAX_POOL_COIN_MIST ? MAX_U64 : MAX_POOL_COIN_MIST;
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

/** Builds the refusal of a call after its wait for a coin. */
export function noCoinRefusal() {
  return refuse("no_gas_object", "no gas object became available in time: retry shortly");
}

/**
 * The payment of a sponsorship, and the last epoch in which the chain accepts it. Without coins, the address balance
 * pays. A transaction without gas needs no payment.
 */
export interface Payment {
  readonly coins: readonly FundCoin[];
  readonly expiration: Expiration;
  readonly lastEpoch: bigint;
}

function planPayment(
  store: SuiFundStore,
  { gasBudgetAtoms: budgetMist, isGasless }: SuiSponsorRequest,
  context: SuiFundContext,
): Payment | null {
  const { facts, mode, nowMs } = context;
  if (mode === "address_balance" || isGasless) {
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
 * Reserves gas for a new sponsorship and writes its bytes, digest, coins and ledger row (guarantees 1 and 2).
 *
 * @param release `at_once`: the row is `signed`, because the caller hands the signature out after the commit.
 * `after_sender`: the row is `prepared`, and no signature exists until `markSigned`.
 * @returns the sponsorship. Refuses with `bad_key` for a revoked key, the refusals of `precheck`, `policy_refused`,
 * `no_gas_object`, `unsupported_transaction`.
 */
export function reserve(
  store: SuiFundStore,
  request: SuiSponsorRequest,
  context: SuiFundContext,
  release: "at_once" | "after_sender",
): Outcome<SuiSponsorship> {
  if (store.isRevoked(request.keyId)) return revokedKeyRefusal();
  const screened = precheck(store, request, context);
  if (!screened.ok) return screened;
  const { moveTargets, publishesCode } = request.kind;
  const refusal = checkPolicy(
    store,
    { ...request, moveTargets, publishesCode, feeAtoms: context.feeAtoms },
    context.policy,
    context.nowMs,
  );
  if (refusal !== null) return policyRefusal(refusal);
  // Refuses before a coin is chosen or a nonce is taken.
  const hasWindow = request.isGasless || context.mode !== "coin";
  if (unpaidLength(request.kind.bytes, hasWindow ? "window" : "epoch") > MAX_TRANSACTION_BYTES) return lengthRefusal();
  const { gasBudgetAtoms: gasBudgetMist, gasPriceMist, sender, keyId } = request;
  const payment = planPayment(store, request, context);
  if (payment === null) return noCoinRefusal();
  const gas = { owner: context.address, payment: payment.coins, priceMist: gasPriceMist, budgetMist: gasBudgetMist };
  const transactionBytes = wrapKind(request.kind.bytes, sender, gas, payment.expiration);
  if (transactionBytes.length > MAX_TRANSACTION_BYTES) return lengthRefusal();
  const digest = transactionDigest(transactionBytes);
  const { nowMs, feeAtoms: feeMist } = context;
  const ttlMs = release === "at_once" ? SPONSORSHIP_TTL_MS : PREPARED_TTL_MS;
  const reserved: SuiSponsorship = {
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
    // The wire shows whole seconds. A finer value here would differ from it for a moment.
    expiresAtMs: Math.floor(nowMs / 1_000) * 1_000 + ttlMs,
    chargedAtoms: null,
    rebateAtoms: null,
    maintenanceAtoms: null,
    isReleased: false,
    maxStorageMist: lesser(context.policy.maxStorageCostAtoms, request.keyPolicy.maxStorageCostAtoms),
  };
  store.lendCoins(payment.coins, digest);
  const reserveEntry = addReserveEntry(store, digest, reserved, nowMs);
  const sponsorship = { ...reserved, trace: traced({}, { requestId: request.requestId ?? null, reserveEntry }) };
  // A prepared row that was freed unsigned leaves its coin at the same version. So the same request has the same digest
  // again.
  store.addSponsorship(sponsorship);
  recordIdempotency(store, request.idempotency, digest, nowMs);
  store.setDue("settle", digest, firstDueAtMs(sponsorship));
  return done(sponsorship);
}

/** Returns the lesser of two limits. Null means no limit. */
function lesser(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || (b !== null && b < a) ? b : a;
}

/** Returns the first due time. A prepared row only has to be freed in time. A signed one is looked up on the chain. */
function firstDueAtMs({ signedAtMs, expiresAtMs }: SuiSponsorship): number {
  return signedAtMs === null ? expiresAtMs : nextLookUpAtMs(signedAtMs, expiresAtMs, signedAtMs);
}

/**
 * Finds the sponsorship of an earlier call with this Idempotency-Key. Null if no call has reserved one yet. A
 * sponsorship past its hour may still have been executed. A repeated execution can only refer to its digest until the
 * outcome is known.
 *
 * @returns the sponsorship as it is now. Refuses with `idempotency_conflict` for another request under the same key, or
 * for a sponsorship that can never execute any more.
 */
export function findByIdempotencyKey(
  store: SuiFundStore,
  claim: IdempotencyClaim,
  nowMs: number,
): Outcome<SuiSponsorship> | null {
  const record = findIdempotency(store, claim, nowMs);
  if (record === null) return null;
  if (record.fingerprint !== claim.fingerprint) return reusedKeyRefusal();
  const sponsorship = store.sponsorship(record.reference);
  if (sponsorship === null) throw new Error(`an idempotency record names ${record.reference}, which has no row`);
  return sponsorship.state === "dead" ? spentKeyRefusal({ digest: record.reference }) : done(sponsorship);
}

/** Refuses a key whose sponsorship has expired. A new key alone could pay twice for one that the fund has signed. */
function expiredKeyRefusal(row: SuiSponsorship) {
  const { state, digest, expirationEpoch } = row;
  if (state === "prepared") return spentKeyRefusal({ digest });
  const isOpen = isIrrevocable(row) && !isOver(row);
  const may = isOpen ? `its transaction may execute until epoch ${expirationEpoch} is over` : "may have been executed";
  const details = `the sponsorship of this Idempotency-Key has expired, and ${may}: look up its digest before you use a new key`;
  return refuse("idempotency_conflict", details, { digest });
}

/**
 * Does what `findByIdempotencyKey` does, for a caller who receives the bytes. Also refuses an expired sponsorship,
 * because it will be recycled before the caller can use it.
 */
export function findUnexpiredByIdempotencyKey(
  store: SuiFundStore,
  claim: IdempotencyClaim,
  nowMs: number,
): Outcome<SuiSponsorship> | null {
  const replayed = findByIdempotencyKey(store, claim, nowMs);
  if (replayed === null || !replayed.ok) return replayed;
  const { state, expiresAtMs } = replayed.value;
  return state !== "complete" && nowMs >= expiresAtMs ? expiredKeyRefusal(replayed.value) : replayed;
}
