import { expect } from "vitest";
import { equalBytes } from "../../../shared/bytes.ts";
import { type Expiration, transactionDigest, wrapKind } from "../../../shared/chain/sui/transaction.ts";
import {
  recycleKind,
  redeemKind,
  splitKind,
  sweepKind,
  takeInFundsKind,
  takeInKind,
} from "../../../shared/chain/sui/treasury-kinds.ts";
import { availableMist } from "../../../shared/fund/ledger/available.ts";
import type { IdempotencyRecord } from "../../../shared/fund/ledger/books.ts";
import { StuckRows } from "../../../shared/fund/stuck-rows.ts";
import { adoptAddressBalance, adoptCoinListing } from "../../../shared/fund/sui/adopt.ts";
import { planTakeIn } from "../../../shared/fund/sui/party-coins.ts";
import { dueForRecycling, planRecycling } from "../../../shared/fund/sui/recycle-plan.ts";
import { HELD_COUNT_LIMIT, maintenancePayment, planSplit } from "../../../shared/fund/sui/refill-plan.ts";
import { settle } from "../../../shared/fund/sui/settle.ts";
import type { FundCoin, SuiTreasuryTransaction } from "../../../shared/fund/sui/store.ts";
import { beginTreasury, recordTreasuryUnanswered, type SuiTreasuryDraft } from "../../../shared/fund/sui/treasury.ts";
import { closeTreasuryByEvidence, settleTreasury } from "../../../shared/fund/sui/treasury-settle.ts";
import { canHaveTaken, closeByBalance, mostCostMist } from "../../../shared/fund/sui/unresolved.ts";
import { IDEMPOTENCY_TTL_MS } from "../../../shared/idempotency.ts";
import { countAvailable, countCollectable, isLive, sumOf } from "./recount.ts";
import { same } from "./same.ts";
import type { Delivery } from "./sponsorship-steps.ts";
import { CHAIN_IDENTIFIER, type Fate } from "./sui-model-chain.ts";
import { ADDRESS, type FundWorld, type Lags, OPERATOR, pickOf, seen } from "./sui-world.ts";

const RETRY_MS = 15_000;
const CONVERT_FROM_MIST = 20_000_000n;
const MAX_U64 = 2n ** 64n - 1n;

/** How a transaction of the fund's own fares. */
export interface Attempt {
  readonly delivery: Delivery;
  readonly fate: Fate;
  /** Of the endpoints that are asked whether it is dead, where the chain refuses it. */
  readonly lags: Lags;
}

/** Who executes at the last moment. */
export interface LateUsers {
  beforeJournal(digests: readonly string[]): void;
  beforeSubmit(digests: readonly string[]): void;
}

export const NOBODY: LateUsers = { beforeJournal: () => {}, beforeSubmit: () => {} };

export interface WithdrawStep {
  /** The Idempotency-Key. */
  readonly key: number;
  readonly from: "available" | "fees";
  /** Of what there is. */
  readonly permille: number;
  readonly attempt: Attempt;
}

/** A withdrawal as the operator remembers it. */
interface Payout {
  readonly fingerprint: string;
  /** All that were begun under the same key within its time, the last one last. */
  readonly digests: string[];
  untilMs: number;
}

type OwnEnd = "executed" | "dead" | "open";
type Plan = Omit<
  SuiTreasuryDraft,
  "transactionBytes" | "digest" | "expirationEpoch" | "sinceCheckpoint" | "payment" | "bumpedCoins"
> & {
  readonly kind: Uint8Array;
  readonly payment: readonly FundCoin[];
  readonly bumpedCoins: readonly FundCoin[];
};

const NOTHING_ELSE = {
  bumpedCoins: [],
  takesIn: [],
  createdMist: [],
  fromAddressBalanceMist: 0n,
  paysToAddressBalance: false,
  paidOutMist: 0n,
  collectedFeesMist: 0n,
} as const;

/** What a fund does for itself, in the order in which the object does it. */
export class OwnSteps {
  readonly #world: FundWorld;
  readonly #payouts = new Map<number, Payout[]>();
  #readHeight = 0;

  constructor(world: FundWorld) {
    this.#world = world;
  }

  /** All withdrawals under one key, each within its time. */
  get payouts(): readonly (readonly string[])[] {
    return [...this.#payouts.values()].flatMap((payouts) => payouts.map(({ digests }) => digests));
  }

  /** @param meanwhile what happens between the plan and its journal, while the gas is estimated. */
  refill(waitingBudgetsMist: readonly bigint[], meanwhile: () => void, attempt: Attempt): void {
    const ofCoins = () => this.#splitPlan(waitingBudgetsMist) ?? this.#redeemPlan();
    const plan = this.#world.terms.mode === "coin" ? ofCoins() : this.#sweepPlan();
    if (plan === null) return;
    meanwhile();
    const digest = this.#begin(plan);
    if (digest !== null) this.send(digest, attempt);
  }

  #splitPlan(waitingBudgetsMist: readonly bigint[]): Plan | null {
    const { store } = this.#world.view;
    const heldCount = store.countTaken("held", HELD_COUNT_LIMIT);
    const split = planSplit(store, { waitingBudgetsMist, heldCount, gasPerCoinMist: 2_000_000n });
    if (split === null) return null;
    const { purpose, sources, createdMist } = split;
    const gasBudgetMist = budgetOf(createdMist.length);
    const neededMist = sumOf(createdMist, (mist) => mist) + gasBudgetMist;
    if (sumOf(sources, ({ balanceMist }) => balanceMist) < neededMist) return null;
    if (sources.length > 1) this.#world.tally.add(purpose === "split" ? "merged dust" : "merged maintenance coins");
    const kind = splitKind(createdMist, ADDRESS);
    return { ...NOTHING_ELSE, purpose, kind, payment: sources, createdMist, gasBudgetAtoms: gasBudgetMist };
  }

  /** A deposit into the address balance becomes a coin. */
  #redeemPlan(): Plan | null {
    const { store } = this.#world.view;
    const { addressBalanceAtoms: addressBalanceMist } = store.totals();
    const gasBudgetMist = budgetOf(1);
    const amountMist = addressBalanceMist - gasBudgetMist;
    const underWay = store.pendingTreasury().some(({ fromAddressBalanceMist }) => fromAddressBalanceMist > 0n);
    if (addressBalanceMist < CONVERT_FROM_MIST || underWay) return null;
    const moves = { createdMist: [amountMist], fromAddressBalanceMist: amountMist };
    const kind = redeemKind(amountMist, ADDRESS);
    return { ...NOTHING_ELSE, ...moves, purpose: "convert", kind, payment: [], gasBudgetAtoms: gasBudgetMist };
  }

  /** Coins that were sent to a fund that pays from its address balance. */
  #sweepPlan(): Plan | null {
    const payment = this.#world.view.store.largestFree(MAX_U64, 256);
    if (sumOf(payment, ({ balanceMist }) => balanceMist) < CONVERT_FROM_MIST) return null;
    const kind = sweepKind(ADDRESS);
    return {
      ...NOTHING_ELSE,
      purpose: "convert",
      kind,
      payment,
      paysToAddressBalance: true,
      gasBudgetAtoms: budgetOf(0),
    };
  }

  /** Party coins become what the fund pays with. */
  takeIn(attempt: Attempt): OwnEnd | null {
    const world = this.#world;
    const { store } = world.view;
    const takesIn = planTakeIn(store);
    if (takesIn.length === 0) return null;
    const gasBudgetAtoms = budgetOf(0);
    const plan = { ...NOTHING_ELSE, purpose: "take_in", takesIn, gasBudgetAtoms } as const;
    const gasCoin = maintenancePayment(store, gasBudgetAtoms);
    if (world.terms.mode === "coin" && gasCoin === null) return null;
    const takenMist = sumOf(takesIn, ({ balanceMist }) => balanceMist);
    const digest = this.#begin(
      world.terms.mode === "coin"
        ? { ...plan, kind: takeInKind(takesIn), payment: gasCoin === null ? [] : [gasCoin] }
        : { ...plan, kind: takeInFundsKind(takesIn, ADDRESS), payment: [], fromAddressBalanceMist: -takenMist },
    );
    return digest === null ? null : this.send(digest, attempt);
  }

  /** Journals it, if it can be paid for. */
  #begin(plan: Plan, recordOf: (digest: string) => IdempotencyRecord | null = () => null): string | null {
    const world = this.#world;
    const { mode } = world.terms;
    const { facts, nowMs } = world;
    const begun = world.decide(() => {
      const draft = this.#draft(plan);
      return beginTreasury(world.store, draft, { mode, nowMs }, recordOf(draft.digest));
    });
    if (!begun.ok) {
      world.tally.add(`own: ${plan.purpose} refused: ${begun.error.reason}`);
      return null;
    }
    const { digest, transactionBytes, expirationEpoch } = begun.value;
    const stored = world.view.store.treasuryTransaction(digest)?.transactionBytes ?? new Uint8Array();
    same(equalBytes(stored, transactionBytes), true, "guarantee 2: the bytes are stored before anything is signed");
    same(expirationEpoch, facts.epoch, "an own transaction lives no longer than the price that it was made for");
    return digest;
  }

  #draft({ kind, payment, bumpedCoins, ...rest }: Plan): SuiTreasuryDraft {
    const { facts, view } = this.#world;
    const { epoch, referenceGasPriceMist: priceMist } = facts;
    // A nonce is taken whether or not the draft is journaled: that is no write of the step that refuses it.
    const expiration: Expiration =
      payment.length > 0
        ? { kind: "epoch", epoch }
        : { kind: "window", from: epoch, to: epoch, chainIdentifier: CHAIN_IDENTIFIER, nonce: view.store.takeNonce() };
    const gas = { owner: ADDRESS, payment, priceMist, budgetMist: rest.gasBudgetAtoms };
    const transactionBytes = wrapKind(kind, ADDRESS, gas, expiration);
    const digest = transactionDigest(transactionBytes);
    return {
      ...rest,
      payment,
      bumpedCoins,
      transactionBytes,
      digest,
      expirationEpoch: epoch,
      sinceCheckpoint: facts.checkpoint,
    };
  }

  /** Signs and sends a journaled transaction, for the first time or again. */
  send(digest: string, { delivery, fate, lags }: Attempt): OwnEnd {
    const world = this.#world;
    const row = world.view.store.treasuryTransaction(digest);
    if (row === null || row.state !== "pending") return row?.state === "dead" ? "dead" : "executed";
    if (delivery === "crash") {
      world.view.restart();
      world.tally.add("a crash before an own transaction was signed");
      return "open";
    }
    const transaction = world.release(digest);
    const execution = delivery === "not_sent" ? null : world.chain.execute(transaction, fate);
    if (delivery === "answered" && execution !== null) return this.#settle(row);
    if (delivery === "answered" && this.#provedDead(row, lags)) return "dead";
    world.commit(() => recordTreasuryUnanswered(world.store, digest, world.nowMs));
    if (execution !== null) world.tally.add("an own transaction without an answer");
    return "open";
  }

  #settle({ digest, purpose }: SuiTreasuryTransaction): OwnEnd {
    const world = this.#world;
    const execution = world.chain.executed.get(digest)?.execution;
    if (execution === undefined) throw new Error("nothing to settle");
    const booked = world.commit(() => settleTreasury(world.store, execution, ADDRESS, world.nowMs));
    same(booked, true, `guarantee 6: an executed ${purpose} cannot be booked`);
    world.tally.add(`own: ${purpose}${execution.success ? "" : ` ${execution.error}`}`);
    return "executed";
  }

  #provedDead({ digest, bumpedCoins, purpose }: SuiTreasuryTransaction, lags: Lags): boolean {
    const world = this.#world;
    world.refreshFacts(lags.read);
    const ids = [...world.view.store.coinsHeldBy(digest), ...bumpedCoins].map(({ objectId }) => objectId);
    const { shown, evidence } = world.evidence(ids, lags);
    if (shown.lookUp(digest) !== null) return false;
    const dead = world.commit(() => closeTreasuryByEvidence(world.store, digest, evidence, world.nowMs));
    if (dead) world.tally.add(`own: ${purpose} dead`);
    return dead;
  }

  /**
   * Takes the coins of abandoned sponsorships to a higher version.
   *
   * @param users what they do with the digests in the plan: before it is journaled, and before it is sent.
   */
  recycle(limit: number, users: LateUsers, attempt: Attempt): void {
    const world = this.#world;
    const { nowMs } = world;
    const { digests, nextAtMs } = dueForRecycling(world.view.store, nowMs, new StuckRows());
    world.commit(() => world.store.setDue("recycle", "", digests.length > 0 ? nowMs + RETRY_MS : nextAtMs));
    if (digests.length === 0) return;
    const { coins, digests: planned } = planRecycling(world.view.store, digests.slice(0, limit));
    const gasBudgetMist = budgetOf(0) + 20_000n * BigInt(coins.length);
    const gasCoin = maintenancePayment(world.view.store, gasBudgetMist);
    if (gasCoin === null) return;
    const kind = recycleKind(coins, ADDRESS);
    const plan: Plan = {
      ...NOTHING_ELSE,
      purpose: "recycle",
      kind,
      payment: [gasCoin],
      bumpedCoins: coins,
      gasBudgetAtoms: gasBudgetMist,
    };
    users.beforeJournal(planned);
    const begun = this.#begin(plan);
    if (begun === null) return;
    users.beforeSubmit(planned);
    if (this.send(begun, attempt) !== "executed") return;
    if (planned.length > 1) world.tally.add("recycled several");
    world.commit(() =>
      world.store.setDue("recycle", "", dueForRecycling(world.view.store, world.nowMs, new StuckRows()).nextAtMs),
    );
  }

  /** Pays the operator, or answers what was paid under the same key. */
  withdraw({ key, from, permille, attempt }: WithdrawStep): void {
    const world = this.#world;
    const { store } = world.view;
    const fingerprint = `${from} ${permille}`;
    const payouts = this.#payouts.get(key) ?? [];
    const last = payouts.at(-1);
    const open = last !== undefined && world.nowMs < last.untilMs ? last : undefined;
    const record = store.idempotency(`withdraw ${key}`);
    const remembered = record !== null && world.nowMs < record.expiresAtMs;
    same(remembered, open !== undefined, "the key of a withdrawal is remembered for a day");
    if (open !== undefined) {
      expect(record).toMatchObject({ fingerprint: open.fingerprint, reference: open.digests.at(-1) });
      if (open.fingerprint !== fingerprint) return;
      const digest = open.digests.at(-1) ?? "";
      if (store.treasuryTransaction(digest)?.state === "pending") this.send(digest, attempt);
      const state = store.treasuryTransaction(digest)?.state;
      world.tally.add(`withdrawal repeated: ${state}`);
      return;
    }
    const untilMs = world.nowMs + IDEMPOTENCY_TTL_MS;
    const scope = `withdraw ${key}`;
    const digest = this.#beginWithdrawal(from, permille, (digest) => ({
      scope,
      fingerprint,
      reference: digest,
      expiresAtMs: untilMs,
    }));
    if (digest === null) return;
    this.#payouts.set(key, [...payouts, { fingerprint, digests: [digest], untilMs }]);
    this.send(digest, attempt);
  }

  #beginWithdrawal(
    from: WithdrawStep["from"],
    permille: number,
    recordOf: (digest: string) => IdempotencyRecord,
  ): string | null {
    const { terms, view } = this.#world;
    const { mode } = terms;
    const rows = view.rows();
    const { addressBalanceAtoms: addressBalanceMist } = view.store.totals();
    const countedMist = countAvailable(rows, addressBalanceMist, mode);
    same(availableMist(view.store, mode), countedMist, "guarantee 3: what is available is what the rows say");
    const limitMist = from === "fees" ? countCollectable(rows, addressBalanceMist, mode) : countedMist;
    const amountMist = (limitMist * BigInt(permille)) / 1_000n;
    if (amountMist <= 0n) return null;
    const plan = mode === "coin" ? this.#fromCoins(amountMist) : this.#fromAddressBalance(amountMist);
    if (plan === null) return null;
    const collectedFeesMist = from === "fees" ? amountMist : 0n;
    const digest = this.#begin({ ...plan, collectedFeesMist }, recordOf);
    if (digest !== null) same(amountMist <= limitMist, true, "available never lets a withdrawal exceed it");
    return digest;
  }

  #fromCoins(amountMist: bigint): Plan | null {
    const { store } = this.#world.view;
    const gasBudgetMist = budgetOf(1);
    const payment: FundCoin[] = [];
    const sumMist = () => sumOf(payment, ({ balanceMist }) => balanceMist);
    for (const coin of store.largestFree(MAX_U64, 255)) {
      if (sumMist() >= amountMist + gasBudgetMist) break;
      payment.push(coin);
    }
    if (sumMist() < amountMist) return null;
    if (sumMist() < amountMist + gasBudgetMist) {
      const aside = store.maintenanceCoins().find((coin) => coin.state === "free" && coin.balanceMist >= gasBudgetMist);
      if (aside === undefined) return null;
      payment.push(aside);
    }
    const kind = splitKind([amountMist], OPERATOR);
    return {
      ...NOTHING_ELSE,
      purpose: "withdraw",
      kind,
      payment,
      paidOutMist: amountMist,
      gasBudgetAtoms: gasBudgetMist,
    };
  }

  #fromAddressBalance(amountMist: bigint): Plan {
    const moves = { fromAddressBalanceMist: amountMist, paidOutMist: amountMist };
    const kind = redeemKind(amountMist, OPERATOR);
    return { ...NOTHING_ELSE, ...moves, purpose: "withdraw", kind, payment: [], gasBudgetAtoms: budgetOf(1) };
  }

  /** The digest of one that is pending, by a random number. */
  pending(pick: number): string {
    return pickOf(this.#world.view.store.pendingTreasury(), pick)?.digest ?? "";
  }

  /** Reads the fund's coins from the chain. */
  list(lag: number): void {
    const world = this.#world;
    const view = world.chain.view(lag);
    world.commit(() => adoptCoinListing(world.store, seen(view, view.listing()), world.nowMs));
  }

  /**
   * Reads the address balance. It has no version: what the books know and the reading does not is added, and what the
   * reading knows and the books do not is booked first. One that cannot be placed among them, or that is older than
   * another, is dropped.
   *
   * @param unresolved sponsorships that are closed if the reading shows what they have cost.
   */
  readAddressBalance({ read, lookUp, kept }: Lags, unresolved: readonly string[] = []): void {
    const world = this.#world;
    const reading = world.chain.view(Math.max(read, lookUp));
    // What pays from the balance is looked up where it was read. An endpoint may have pruned what it has closed.
    const shown = world.chain.view(Math.min(read, lookUp));
    const pruned = world.chain.view(Math.min(read, lookUp), kept);
    if (reading.height < this.#readHeight) return;
    const before = world.view.ledgerFrom(0);
    const rows = before.filter(({ addressBalanceAtoms: addressBalanceMist }) => addressBalanceMist !== 0n);
    const booked = rows.filter(({ kind }) => kind !== "deposit" && kind !== "adjustment" && kind !== "correction");
    const foundBeforeMist = sumOf(rows, (row) => (booked.includes(row) ? 0n : row.addressBalanceAtoms));
    const placed = booked.every(({ reference }) => shown.lookUp(reference) !== null);
    const isLater = (digest: string) => Number(shown.lookUp(digest)?.checkpoint ?? 0n) > reading.height;
    const hiddenBeforeMist = world.hiddenMist();
    const unfoundMist = world.chain.paidInMist(reading.height) - foundBeforeMist + hiddenBeforeMist;
    let closed = false;
    const found = world.commit(() => {
      const { store } = world;
      let isHidden = false;
      let laterMist = sumOf(booked, (row) => (isLater(row.reference) ? row.addressBalanceAtoms : 0n));
      const open = [...store.liveIds(null), ...store.pendingTreasury().map(({ digest }) => digest)];
      for (const digest of open) {
        const isPast = (store.sponsorship(digest)?.expirationEpoch ?? reading.epoch) < reading.epoch;
        const execution = (isPast && unresolved.length > 0 ? pruned : shown).lookUp(digest);
        if (execution === null) {
          isHidden ||= !unresolved.includes(digest) && shown.lookUp(digest) !== null;
          continue;
        }
        const beforeMist = store.totals().addressBalanceAtoms;
        const booked = settle(store, execution, world.nowMs) || settleTreasury(store, execution, ADDRESS, world.nowMs);
        same(booked, true, `guarantee 6: ${digest} is executed, and cannot be booked`);
        if (isLater(digest)) laterMist += store.totals().addressBalanceAtoms - beforeMist;
      }
      if (!placed) return null;
      const { addressBalanceMist } = reading;
      const missingMist = store.totals().addressBalanceAtoms - laterMist - addressBalanceMist;
      const closing = unresolved.flatMap((digest) => {
        const row = store.sponsorship(digest);
        return row?.gasObjectId === null && isLive(row) && row.expirationEpoch < reading.epoch ? row : [];
      });
      const rows = { sponsorships: closing, own: [] };
      if (missingMist > mostCostMist(rows)) return null;
      if (missingMist > 0n ? canHaveTaken(store, closing, reading.epoch) : isHidden) return null;
      if (closing.length > 0)
        world.tally.add(missingMist > 0n ? "unresolvable, and executed" : "unresolvable, and nothing is missing");
      const shownBalance = { checkpoint: BigInt(reading.height), missingMist };
      closeByBalance(store, rows, shownBalance, { address: ADDRESS, nowMs: world.nowMs });
      closed = closing.length > 0;
      if (closing.length > 1) world.tally.add("unresolvable, several at once");
      const balance = seen(reading, { coinBalanceMist: 0n, addressBalanceMist, findings: [] });
      return adoptAddressBalance(store, balance, -laterMist, world.nowMs);
    });
    if (found === null) return;
    this.#readHeight = reading.height;
    const costMist = hiddenBeforeMist - world.hiddenMist();
    const written = world.view.ledgerFrom(before.length);
    const correctedMist = -sumOf(written, (row) => (row.kind === "correction" ? row.addressBalanceAtoms : 0n));
    const uncoveredMist = costMist - unfoundMist;
    const rightMist = uncoveredMist > 0n ? uncoveredMist : 0n;
    same(correctedMist, rightMist, "guarantee 3: a correction is the cost of the rows that it closes");
    const adjusted = written.filter(
      ({ kind, addressBalanceAtoms }) => kind === "adjustment" && addressBalanceAtoms < 0n,
    );
    if (closed) expect(adjusted, "guarantee 3: money is gone that no row has spent").toEqual([]);
    const expected = unfoundMist + correctedMist - costMist;
    same(found, expected, "guarantee 3: a reading finds exactly what others have paid in");
    if (found > 0n) world.tally.add(reading.height < shown.height ? "paid in, read by halves" : "paid in");
  }
}

/** More than the model chain charges for so many new coins. */
function budgetOf(created: number): bigint {
  return 3_000_000n + 1_000_000n * BigInt(created);
}
