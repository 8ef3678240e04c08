import fc from "fast-check";
import { expect, test } from "vitest";
import { withValue } from "../../../shared/chain/seen.ts";
import type { Observed, SuiCoin } from "../../../shared/chain/sui/coins.ts";
import type { EpochFacts } from "../../../shared/chain/sui/node.ts";
import { type SuiSeen, upToEpoch } from "../../../shared/chain/sui/seen.ts";
import { adoptCoinListing, awaitedCoins, changesBooks, isShownAlike } from "../../../shared/fund/sui/adopt.ts";
import { type EpochBelief, isPlausible, weighEpoch } from "../../../shared/fund/sui/chain-facts.ts";
import { proveOutcome } from "../../../shared/fund/sui/payment.ts";
import { rounds } from "../../support/rounds.ts";
import type { ModelTransaction } from "../simulation/model-transaction.ts";
import { digestOf, seen, storeOf } from "../simulation/rows.ts";
import { CHAIN_IDENTIFIER, type ChainView, EPOCH_MS, ModelChain } from "../simulation/sui-model-chain.ts";
import { ADDRESS } from "../simulation/sui-world.ts";

/**
 * Honest nodes lag and prune. One node claims later epochs, invents coins, and puts money into coins. One is of another
 * chain. A node that forges a whole history of the transaction is not among them.
 */
interface Node {
  readonly name: string;
  readonly lag: number;
  /** The node still has the transactions of so many of its latest changes. */
  readonly kept: number;
  readonly epochsAhead: number;
}

type Step =
  | { readonly do: "execute" | "overtake" | "epoch" | "believed epoch" | "deposit" }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "facts" | "coins" | "look up" | "list"; readonly node: number };

const START_MS = 1_800_000_000_000;
const INVENTED_MIST = 1_000_000_000_000n;
const EVERYTHING = Number.POSITIVE_INFINITY;
const UP_TO_DATE: Node = { name: "current", lag: 0, kept: EVERYTHING, epochsAhead: 0 };

const someNodes = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.nat(2), fc.integer({ min: 1, max: 3 }))
  .map(([lag, kept, epochsAhead]): readonly Node[] => [
    UP_TO_DATE,
    { ...UP_TO_DATE, name: "lagging", lag },
    { ...UP_TO_DATE, name: "pruned", kept },
    { ...UP_TO_DATE, name: "liar", epochsAhead },
    { ...UP_TO_DATE, name: "stranger" },
  ]);
const change = fc
  .constantFrom("execute", "overtake", "epoch", "believed epoch", "deposit")
  .map((what): Step => ({ do: what }));
const pause = fc.constantFrom(1_000, 5_000, 3_600_000).map((ms): Step => ({ do: "pass", ms }));
const question = fc
  .tuple(fc.constantFrom("facts", "coins", "look up", "look up", "list"), fc.nat(4))
  .map(([what, place]): Step => ({ do: what, node: place }));
const someSteps = fc.array(
  fc.oneof({ weight: 4, arbitrary: change }, { weight: 1, arbitrary: pause }, { weight: 4, arbitrary: question }),
  { minLength: 5, maxLength: 40 },
);

/** A fund that believes its nodes by the rules, and knows of one transaction. */
class World {
  readonly chain = new ModelChain(ADDRESS, START_MS);
  readonly store = storeOf();
  readonly transaction: ModelTransaction;
  readonly sinceCheckpoint: bigint;
  readonly createdAtMs: number;
  proved = 0;
  #belief: EpochBelief = { seen: { chainIdentifier: CHAIN_IDENTIFIER, epoch: 5n, seenAtMs: START_MS }, claim: null };
  #coins: SuiSeen<ReadonlyMap<string, Observed>> | null = null;

  constructor(hasCoin: boolean) {
    this.chain.deposit(50_000_000n);
    if (!hasCoin) this.chain.payIn(50_000_000n);
    this.transaction = this.#spending(digestOf("s"), hasCoin);
    this.sinceCheckpoint = BigInt(this.chain.view(0).height);
    this.createdAtMs = this.chain.nowMs;
  }

  #spending(digest: string, hasCoin: boolean): ModelTransaction {
    const coins = { payment: this.chain.view(0).listing().slice(0, 1), chainIdentifier: null, nonce: null };
    const none = { payment: [], chainIdentifier: CHAIN_IDENTIFIER, nonce: 1 };
    const terms = { budgetMist: 5_000_000n, priceMist: 1_000n, firstEpoch: 5n, lastEpoch: 5n };
    return { digest, inputs: [], ordered: [], commands: [], ...terms, ...(hasCoin ? coins : none) };
  }

  /** What a node says, with the figures of that reply. */
  #reply<T>({ name, epochsAhead }: Node, view: ChainView, value: T): SuiSeen<T> {
    return seen(value, {
      endpoint: name,
      chain: name === "stranger" ? digestOf("other") : CHAIN_IDENTIFIER,
      checkpoint: BigInt(view.height),
      newestCheckpoint: BigInt(view.height),
      timestampMs: view.checkpointTimeMs,
      epoch: view.epoch + BigInt(epochsAhead),
      lowestAvailable: BigInt(view.lowestHeight),
    });
  }

  #upToBelief<T>(reply: SuiSeen<T>): SuiSeen<T> {
    return upToEpoch(reply, this.#belief.seen?.epoch ?? 0n);
  }

  /** Weighs the facts of a node, and those of another one if they do not count yet. */
  facts(asked: Node): void {
    for (const one of [asked, UP_TO_DATE]) {
      const view = this.chain.view(one.lag);
      const { epochStartMs, priceMist: referenceGasPriceMist } = view;
      const fetchedAtMs = this.chain.nowMs;
      const facts = { epochStartMs, epochDurationMs: EPOCH_MS, referenceGasPriceMist, fetchedAtMs };
      const reading = this.#reply<EpochFacts>(one, view, facts);
      if (reading.epoch < (this.#belief.seen?.epoch ?? 0n)) continue;
      if (!isPlausible(reading, this.#belief.seen, this.chain.nowMs)) continue;
      const context = { nowMs: this.chain.nowMs, epochEndMs: null, bindsToEpoch: false };
      const { isUsable, ...belief } = weighEpoch(reading, this.#belief, context);
      this.#belief = belief;
      if (isUsable) return;
    }
  }

  coins(asked: Node): void {
    const view = this.chain.view(asked.lag);
    const ids = this.transaction.payment.map(({ objectId }) => objectId);
    const moved = asked.name === "stranger" ? 9n : 0n;
    const shown = new Map(
      view.observe(ids).map((coin, index) => [ids[index] ?? "", coin && { ...coin, version: coin.version + moved }]),
    );
    this.#coins = this.#upToBelief(this.#reply<ReadonlyMap<string, Observed>>(asked, view, shown));
  }

  /** Looks the transaction up. A miss is weighed with the coins that were read before it. */
  lookUp(asked: Node): void {
    const { chain, transaction, sinceCheckpoint, createdAtMs } = this;
    const view = chain.view(asked.lag, asked.kept);
    const { digest, payment, lastEpoch: expirationEpoch } = transaction;
    if (view.lookUp(digest) !== null) return;
    const coins = payment.length === 0 ? null : this.#coins;
    const evidence = { coins, miss: this.#upToBelief(this.#reply(asked, view, null)) };
    const row = { digest, expirationEpoch, sinceCheckpoint, createdAtMs };
    const fate = proveOutcome(row, payment, evidence);
    if (fate === null) return;
    this.proved += 1;
    const isExecuted = chain.executed.has(digest);
    expect(fate === "executed", "the chain contradicts the outcome").toBe(isExecuted);
    if (fate === "dead") expect(chain.canEverAccept(transaction), "it can still execute").toBe(false);
  }

  /** Books the listing of a node as far as a node of another host shows it. */
  list(asked: Node): void {
    const { chain, store } = this;
    const view = chain.view(asked.lag);
    const listing = this.#reply(asked, view, asked.name === "liar" ? liesAbout(view.listing()) : view.listing());
    const awaited = awaitedCoins(store);
    const booked = store.coinsOf(listing.value.map(({ objectId }) => objectId));
    const other = chain.view(asked.name === UP_TO_DATE.name ? 2 : 0);
    const isBelieved = (coin: SuiCoin) =>
      !changesBooks(booked, awaited, coin) || isShownAlike(coin, other.observe([coin.objectId])[0] ?? null);
    adoptCoinListing(
      store,
      withValue(listing, (coins) => coins.filter(isBelieved)),
      chain.nowMs,
    );
    const there = new Map(
      chain
        .view(0)
        .listing()
        .map((coin) => [coin.objectId, coin]),
    );
    for (const { objectId, version, balanceMist } of store.coins.values())
      if (there.get(objectId)?.version === version) expect(balanceMist).toBe(there.get(objectId)?.balanceMist);
    for (const { kind, reference, balanceAtoms } of store.ledger) {
      if (kind === "deposit") expect(there.has(reference), "the chain has no such deposit").toBe(true);
      expect(balanceAtoms <= 50_000_000n, "the chain has no such amount").toBe(true);
    }
  }

  /** An epoch begins, and the fund looks twice. */
  epoch(): void {
    this.chain.nextEpoch(1_000n);
    for (let looks = 0; looks < 2; looks++) {
      this.chain.pass(5_000);
      this.facts(UP_TO_DATE);
    }
  }

  /** Another transaction consumes the coin. */
  overtake(): void {
    const other = { ...this.transaction, digest: digestOf("r") };
    if (other.payment.length > 0) this.chain.execute(other, "success");
  }

  run(step: Step, nodes: readonly Node[]): void {
    const { chain, transaction } = this;
    const named = "node" in step ? (nodes[step.node] ?? UP_TO_DATE) : UP_TO_DATE;
    // A port refuses a node of another chain. Here it has answered about coins before the refusal.
    const asked = named.name === "stranger" && step.do !== "coins" ? UP_TO_DATE : named;
    const acts: Readonly<Record<Step["do"], () => unknown>> = {
      execute: () => chain.execute(transaction, "success"),
      overtake: () => this.overtake(),
      epoch: () => chain.nextEpoch(1_000n),
      "believed epoch": () => this.epoch(),
      deposit: () => chain.deposit(7_000_000n),
      pass: () => chain.pass("ms" in step ? step.ms : 0),
      facts: () => this.facts(asked),
      coins: () => this.coins(asked),
      "look up": () => this.lookUp(asked),
      list: () => this.list(asked),
    };
    acts[step.do]();
  }
}

/** More in each coin at a later version, and a coin that does not exist. */
function liesAbout(coins: readonly SuiCoin[]): readonly SuiCoin[] {
  const owner = { kind: "address", address: ADDRESS } as const;
  const raised = coins.map((coin) => ({
    ...coin,
    version: coin.version + 9n,
    balanceMist: coin.balanceMist + INVENTED_MIST,
  }));
  const objectId = `0x${"ab".repeat(32)}`;
  return [...raised, { objectId, version: 1n, digest: digestOf("i"), balanceMist: INVENTED_MIST, owner }];
}

test("no replies of nodes that lag, prune or lie prove an outcome or book a coin that the chain contradicts", () => {
  let proved = 0;
  fc.assert(
    fc.property(fc.boolean(), someNodes, someSteps, (hasCoin, nodes, steps) => {
      const world = new World(hasCoin);
      for (const step of steps) world.run(step, nodes);
      proved += world.proved;
    }),
    { numRuns: rounds(100_000, 1_500) },
  );
  expect(proved, "outcomes are proved at all").toBeGreaterThan(100);
});
