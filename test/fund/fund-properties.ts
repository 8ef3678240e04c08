import { bcs } from "@mysten/sui/bcs";
import fc from "fast-check";
import { expect } from "vitest";
import { inspectKind } from "../../shared/chain/sui/kind.ts";
import type { ChainFacts, ObservedCoin, SuiCoin } from "../../shared/chain/sui/node.ts";
import { createdObjectId, suiAddress, transactionDigest, wrapKind } from "../../shared/chain/sui/transaction.ts";
import type { CoinStore, FundCoin, LedgerRow, OwnTransaction, Sponsorship } from "../../shared/fund/coin-store.ts";
import { planSplit } from "../../shared/fund/refill-plan.ts";
import {
  approve,
  beginSplit,
  type DeathEvidence,
  expirationEpoch,
  recordMiss,
  recordOwnMiss,
  releaseDead,
  releasePrepared,
  reserve,
  settle,
  settleSplit,
  takeListing,
} from "../../shared/fund/sui-fund.ts";
import { ModelChain } from "./model-chain.ts";

/** A store whose rows the checks can see, whatever holds them. */
export interface VisibleStore {
  readonly store: CoinStore;
  /** Runs a transition as the object does: all of it or none. */
  commit<T>(transition: () => T): T;
  coins(): readonly FundCoin[];
  sponsorships(): readonly Sponsorship[];
  ownTransactions(): readonly OwnTransaction[];
  ledger(): readonly LedgerRow[];
}

const ADDRESS = suiAddress(new Uint8Array(32).fill(7));
const SENDER = suiAddress(new Uint8Array(32).fill(8));
const EPOCH_MS = 86_400_000;

function kindOf(label: number) {
  const bytes = bcs.TransactionKind.serialize({
    ProgrammableTransaction: {
      inputs: [{ Pure: { bytes: bcs.u64().serialize(label).toBytes() } }],
      commands: [{ MakeMoveVec: { type: "u64", elements: [{ Input: 0 }] } }],
    },
  }).toBytes();
  const inspected = inspectKind(bytes);
  if (!inspected.ok) throw new Error(inspected.refusal.details);
  return inspected.value;
}

const operation = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("deposit" as const), milliSui: fc.integer({ min: 1, max: 20_000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("list" as const), age: fc.integer({ min: 0, max: 3 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("reserve" as const),
      label: fc.integer({ min: 0, max: 1 }),
      milliSui: fc.constantFrom(3, 3, 40, 2_500),
      release: fc.constantFrom("at_once" as const, "after_sender" as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("approve" as const), pick: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("user_executes" as const), pick: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("look_up" as const),
      pick: fc.nat(),
      answer: fc.constantFrom("true" as const, "lagging" as const),
      asked: fc.constantFrom("by_schedule" as const, "by_caller" as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("check_expired" as const), pick: fc.nat(), indexLags: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release_prepared" as const), pick: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("split" as const), answered: fc.boolean(), executed: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("resend_split" as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), minutes: fc.integer({ min: 1, max: 90 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("next_epoch" as const) }) },
);
export type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** A fund and its chain, driven by operations that can come in any order. */
class World {
  readonly chain = new ModelChain(ADDRESS);
  readonly view: VisibleStore;
  /** Digests for which a signature of the fund may exist outside. */
  readonly released = new Set<string>();
  readonly #listings: (readonly SuiCoin[])[] = [];
  nowMs = 1_000_000;

  constructor(view: VisibleStore) {
    this.view = view;
  }

  get facts(): ChainFacts {
    return {
      chainIdentifier: "chain",
      epoch: this.chain.epoch,
      epochStartMs: this.nowMs,
      epochDurationMs: EPOCH_MS,
      referenceGasPriceMist: 1_000n,
      fetchedAtMs: this.nowMs,
    };
  }

  #pick<T>(rows: readonly T[], pick: number): T | undefined {
    return rows[pick % Math.max(rows.length, 1)];
  }

  apply(step: Operation): void {
    const { store } = this.view;
    switch (step.do) {
      case "deposit":
        this.chain.deposit(BigInt(step.milliSui) * 1_000_000n);
        return;
      case "list": {
        this.#listings.unshift(this.chain.listing());
        const listing = this.#listings[Math.min(step.age, this.#listings.length - 1)] ?? [];
        this.view.commit(() => takeListing(store, listing, this.nowMs));
        return;
      }
      case "reserve":
        this.#reserve(step.label, BigInt(step.milliSui) * 1_000_000n, step.release);
        return;
      case "approve": {
        const row = this.#pick(this.view.sponsorships(), step.pick);
        if (row === undefined) return;
        const context = { pausedCause: null, nowMs: this.nowMs };
        const approved = this.#refusalWritesNothing(() => approve(store, row.digest, context));
        if (approved.ok) this.released.add(row.digest);
        return;
      }
      case "user_executes": {
        const digest = this.#pick([...this.released], step.pick);
        const row = digest === undefined ? null : store.sponsorship(digest);
        if (row !== null) this.chain.execute(row.digest, row.transactionBytes);
        return;
      }
      case "look_up": {
        const row = this.#pick(this.view.sponsorships(), step.pick);
        if (row === undefined) return;
        const execution = step.answer === "true" ? this.chain.executed.get(row.digest) : undefined;
        // A lagging endpoint says so: its checkpoint time is behind what it does not show.
        const checkpointTimeMs = step.answer === "true" ? this.nowMs : row.expiresAtMs - 1;
        this.view.commit(() => {
          if (execution !== undefined) settle(store, execution, this.nowMs);
          else recordMiss(store, row.digest, checkpointTimeMs, this.nowMs, step.asked);
        });
        if (step.answer === "lagging" && row.state === "signed")
          expect(store.sponsorship(row.digest)?.state, "a lagging endpoint proves no expiry").toBe("signed");
        return;
      }
      case "check_expired": {
        const row = this.#pick(this.view.sponsorships(), step.pick);
        if (row !== undefined) this.#checkExpired(row.digest, step.indexLags);
        return;
      }
      case "release_prepared": {
        const row = this.#pick(this.view.sponsorships(), step.pick);
        if (row !== undefined) this.view.commit(() => releasePrepared(store, row.digest, this.nowMs));
        return;
      }
      case "split":
        this.#split(step.answered, step.executed);
        return;
      case "resend_split": {
        const row = this.#pick(store.pendingOwnTransactions(), step.pick);
        if (row !== undefined) this.#sendSplit(row, true, true);
        return;
      }
      case "wait":
        this.nowMs += step.minutes * 60_000;
        return;
      case "next_epoch":
        this.chain.epoch += 1n;
        return;
    }
  }

  #refusalWritesNothing<T extends { readonly ok: boolean }>(transition: () => T): T {
    const before = this.#snapshot();
    const outcome = this.view.commit(transition);
    if (!outcome.ok) expect(this.#snapshot(), "guarantee 7: a refusal wrote something").toEqual(before);
    return outcome;
  }

  #snapshot(): unknown {
    return [this.view.coins(), this.view.sponsorships(), this.view.ledger().length];
  }

  #reserve(label: number, gasBudgetMist: bigint, release: "at_once" | "after_sender"): void {
    const { facts, nowMs } = this;
    const request = { keyId: "key", kind: kindOf(label), sender: SENDER, gasPriceMist: 1_000n, gasBudgetMist };
    const context = { address: ADDRESS, facts, pausedCause: null, nowMs };
    const reserved = this.#refusalWritesNothing(() => reserve(this.view.store, request, context, release));
    if (!reserved.ok) return;
    const stored = this.view.store.sponsorship(reserved.value.digest);
    expect(stored?.transactionBytes, "guarantee 2: the bytes are stored before anything is signed").toEqual(
      reserved.value.transactionBytes,
    );
    if (release === "at_once") this.released.add(reserved.value.digest);
  }

  /** An endpoint whose index lags has not seen the current epoch begin. */
  #evidence(coins: readonly (ObservedCoin | null)[], indexLags: boolean): DeathEvidence {
    const { epoch } = this.chain;
    return { coins, epoch, epochStartMs: this.nowMs, checkpointTimeMs: indexLags ? this.nowMs - 1 : this.nowMs };
  }

  #checkExpired(digest: string, indexLags: boolean): void {
    const { store } = this.view;
    const observed = this.chain.observe(store.coinsOf(digest).map(({ objectId }) => objectId));
    const execution = indexLags ? undefined : this.chain.executed.get(digest);
    this.view.commit(() => {
      if (execution !== undefined) settle(store, execution, this.nowMs);
      else releaseDead(store, digest, this.#evidence(observed, indexLags), this.nowMs);
    });
  }

  #split(answered: boolean, executed: boolean): void {
    const { store } = this.view;
    const plan = planSplit(store, { waitingBudgetsMist: [], lentCount: 0, gasPerCoinMist: 2_000_000n });
    if (plan === null) return;
    const gas = { owner: ADDRESS, payment: [plan.source], priceMist: 1_000n, budgetMist: 4_000_000n };
    const validUntilEpoch = expirationEpoch(this.facts);
    const transactionBytes = wrapKind(kindOf(9).bytes, ADDRESS, gas, validUntilEpoch);
    const digest = transactionDigest(transactionBytes);
    const draft = { transactionBytes, digest, expirationEpoch: validUntilEpoch };
    if (!this.view.commit(() => beginSplit(store, plan, draft, this.nowMs))) return;
    const row = store.ownTransaction(digest);
    if (row !== null) this.#sendSplit(row, answered, executed);
  }

  #sendSplit({ digest, transactionBytes, splitMist }: OwnTransaction, answered: boolean, executed: boolean): void {
    const { store } = this.view;
    const created = splitMist.map((balanceMist, index) => ({
      objectId: createdObjectId(digest, BigInt(index)),
      version: 0n,
      digest: "",
      balanceMist,
    }));
    const ran = executed && this.chain.execute(digest, transactionBytes, created);
    const execution = this.chain.executed.get(digest);
    this.view.commit(() => {
      if (ran && answered && execution !== undefined) settleSplit(store, execution, ADDRESS, this.nowMs);
      else recordOwnMiss(store, digest, this.nowMs);
    });
  }

  /** Everything that a fund does by itself once the chain answers, until nothing is open. */
  quiesce(): void {
    const { store } = this.view;
    this.nowMs += 7_200_000;
    this.chain.epoch += 5n;
    for (const row of store.pendingOwnTransactions()) {
      this.#sendSplit(row, true, true);
      const observed = this.chain.observe([row.gasObjectId]);
      const evidence = this.#evidence(observed, false);
      if (!this.chain.executed.has(row.digest))
        this.view.commit(() => releaseDead(store, row.digest, evidence, this.nowMs));
    }
    for (const { digest } of this.view.sponsorships()) {
      this.view.commit(() => releasePrepared(store, digest, this.nowMs));
      if (!this.chain.executed.has(digest))
        this.view.commit(() => recordMiss(store, digest, this.nowMs, this.nowMs, "by_schedule"));
      this.#checkExpired(digest, false);
    }
    this.view.commit(() => takeListing(store, this.chain.listing(), this.nowMs));
  }

  check(): void {
    const coins = this.view.coins();
    const live = this.view.sponsorships().filter(({ state }) => state !== "complete" && state !== "dead");
    const paidBy = new Map<string, string>();
    for (const { digest, transactionBytes } of live) {
      const paying = paymentOf(transactionBytes);
      for (const { objectId, version } of paying) {
        expect(paidBy.get(objectId), "guarantee 1: two live sponsorships hold one coin").toBeUndefined();
        paidBy.set(objectId, digest);
        const coin = coins.find((known) => known.objectId === objectId);
        expect(coin, "guarantee 1: a live sponsorship holds its coins").toMatchObject({ holder: digest, version });
      }
    }
    for (const coin of coins)
      expect(coin.holder === null, "only free and gone coins have no holder").toBe(
        coin.state === "free" || coin.state === "gone",
      );

    const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
    const totals = this.view.store.totals();
    const owned = coins.filter(({ state }) => state !== "gone");
    expect(totals.balanceMist, "guarantee 3: coins and totals").toBe(sum(owned.map(({ balanceMist }) => balanceMist)));
    expect(totals.inFlightMist, "inFlight is the exact sum").toBe(sum(live.map(({ gasBudgetMist }) => gasBudgetMist)));
    const ledger = this.view.ledger();
    expect(totals.balanceMist, "guarantee 3: ledger and totals").toBe(sum(ledger.map((row) => row.balanceMist)));
    expect(totals.inFlightMist, "guarantee 3: ledger in flight").toBe(sum(ledger.map((row) => row.inFlightMist)));

    for (const { digest, state, transactionBytes, expirationEpoch: last } of this.view.sponsorships()) {
      if (state === "dead") expect(this.chain.executed.has(digest), "what is called dead has executed").toBe(false);
      if (state === "complete")
        expect(this.chain.executed.has(digest), "guarantee 5: complete without the chain's word").toBe(true);
      if (!this.released.has(digest) || this.chain.executed.has(digest) || last < this.chain.epoch) continue;
      for (const { objectId, version } of paymentOf(transactionBytes)) {
        const onChain = this.chain.coins.get(objectId);
        if (onChain?.version !== version) break;
        const coin = coins.find((known) => known.objectId === objectId);
        expect(coin?.holder, "guarantee 4: lent at a version for which a signature can execute").toBe(digest);
      }
    }
  }

  checkQuiescent(): void {
    const owned = this.view.coins().filter(({ state }) => state !== "gone");
    const expected = this.chain.listing();
    const byId = (a: SuiCoin, b: SuiCoin) => (a.objectId < b.objectId ? -1 : 1);
    const plain = ({ objectId, version, digest, balanceMist }: SuiCoin): SuiCoin => ({
      objectId,
      version,
      digest,
      balanceMist,
    });
    expect(owned.map(plain).sort(byId), "guarantee 3: after quiescence the rows are the chain's coins").toEqual(
      expected.sort(byId),
    );
    expect(
      owned.every(({ state }) => state === "free"),
      "nothing stays held",
    ).toBe(true);
    expect(this.view.store.totals().inFlightMist, "nothing stays withheld").toBe(0n);
  }
}

function paymentOf(transactionBytes: Uint8Array) {
  return bcs.TransactionData.parse(transactionBytes).V1.gasData.payment.map(({ objectId, version }) => ({
    objectId,
    version: BigInt(version),
  }));
}

/** Random lives of a fund: every guarantee after every step, and an exact match with the chain at the end. */
export function assertFundGuarantees(open: () => VisibleStore, runs: number, steps: number): void {
  fc.assert(
    fc.property(fc.array(operation, { minLength: Math.floor(steps / 2), maxLength: steps }), (life) => {
      const world = new World(open());
      world.chain.deposit(3_000_000_000n);
      world.apply({ do: "list", age: 0 });
      for (const step of life) {
        world.apply(step);
        world.check();
      }
      world.quiesce();
      world.check();
      world.checkQuiescent();
    }),
    { numRuns: runs, seed: 20_261_120 },
  );
}
