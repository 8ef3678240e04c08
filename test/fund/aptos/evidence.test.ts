import fc from "fast-check";
import { expect, test } from "vitest";
import type { AptosSequenceReading } from "../../../shared/chain/aptos/node.ts";
import type { AptosSeen } from "../../../shared/chain/aptos/seen.ts";
import { withValue } from "../../../shared/chain/seen.ts";
import { adoptBalance, unsettledIds } from "../../../shared/fund/aptos/adopt.ts";
import { type LedgerBelief, weighLedger } from "../../../shared/fund/aptos/chain-facts.ts";
import { closeByEvidence } from "../../../shared/fund/aptos/settle.ts";
import type { AptosSponsorship } from "../../../shared/fund/aptos/store.ts";
import { givenUpAt, recordUsedSequence } from "../../../shared/fund/aptos/used-sequences.ts";
import { addReserveEntry } from "../../../shared/fund/ledger/entries.ts";
import { addEntry } from "../../../shared/fund/ledger/usage.ts";
import { MemoryAptosFundStore } from "../../support/fund/memory-aptos-store.ts";
import { rounds } from "../../support/rounds.ts";
import { aptosSeen } from "../../support/seen.ts";
import { type AptosChainView, AptosModelChain, type AptosModelTransaction } from "../simulation/aptos-model-chain.ts";
import { addressOf, FUND } from "../simulation/aptos-world.ts";

/**
 * Honest nodes lag, or no longer have what was executed. One node claims a later ledger than there is. A node that
 * forges an execution is not among them.
 */
interface Node {
  readonly name: string;
  readonly lag: number;
  readonly aheadMs: number;
  readonly aheadVersions: bigint;
}

type Step =
  | { readonly do: "execute" | "rival" | "hide" | "deposit" }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "look up" | "balance"; readonly node: number };

const START_MS = 1_800_000_000_000;
const EXPIRES_AT_MS = START_MS + 60_000;
const DEPOSIT_OCTAS = 1_000_000_000n;
const ROW = "row";
const SENDER = addressOf("a");
const UP_TO_DATE: Node = { name: "current", lag: 0, aheadMs: 0, aheadVersions: 0n };
const TRANSACTION: AptosModelTransaction = {
  bytes: Uint8Array.of(1),
  sender: SENDER,
  sequenceNumber: 0n,
  nonce: null,
  maxGasUnits: 2_000n,
  gasUnitPriceOctas: 100n,
  expirationSecs: BigInt(EXPIRES_AT_MS / 1_000),
  secondarySigners: [],
  feePayer: FUND,
  signature: 0,
  paidOutOctas: 0n,
};
const SIGNED: AptosSponsorship = {
  id: ROW,
  state: "signed",
  sender: SENDER,
  sequenceNumber: 0n,
  nonce: null,
  sinceVersion: null,
  rawTransaction: Uint8Array.of(1),
  secondaryAddresses: [],
  authenticators: null,
  hash: null,
  keyId: "key",
  gasBudgetAtoms: 200_000n,
  feeAtoms: 0n,
  createdAtMs: START_MS,
  expiresAtMs: EXPIRES_AT_MS,
  chargedAtoms: null,
  rebateAtoms: null,
  committedVersion: null,
  submitCount: 0,
};

const someNodes = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(0, 60_000, 3_600_000), fc.constantFrom(0n, 1n, 1_000_000_000n))
  .map(([lag, aheadMs, aheadVersions]): readonly Node[] => [
    UP_TO_DATE,
    { ...UP_TO_DATE, name: "lagging", lag },
    { ...UP_TO_DATE, name: "liar", aheadMs, aheadVersions: aheadMs === 0 ? 1_000_000_000n : aheadVersions },
  ]);
const change = fc.constantFrom("execute", "rival", "hide", "deposit").map((what): Step => ({ do: what }));
const pause = fc.constantFrom(1_000, 3_500, 30_000, 620_000).map((ms): Step => ({ do: "pass", ms }));
const question = fc
  .tuple(fc.constantFrom("look up", "balance"), fc.nat(2))
  .map(([what, place]): Step => ({ do: what, node: place }));
const someSteps = fc.array(
  fc.oneof({ weight: 2, arbitrary: change }, { weight: 2, arbitrary: pause }, { weight: 6, arbitrary: question }),
  { minLength: 5, maxLength: 40 },
);

/** A fund that believes its nodes by the rules, and has one live sponsorship. */
class World {
  readonly chain = new AptosModelChain(FUND, START_MS);
  readonly store = new MemoryAptosFundStore();
  proved = 0;
  #belief: LedgerBelief = { look: null, claims: [] };
  #unused: AptosSequenceReading | null = null;

  constructor() {
    this.chain.deposit(DEPOSIT_OCTAS);
    addEntry(this.store, { atMs: START_MS, kind: "deposit", reference: "version 1", balanceAtoms: DEPOSIT_OCTAS });
    this.store.setReconciledVersion(1n);
    this.store.putSponsorship(SIGNED);
    addReserveEntry(this.store, ROW, SIGNED, START_MS);
    this.ask(UP_TO_DATE, () => null);
  }

  /** Reads at a node, and at the one that is up to date if the first one's ledger is not believed. */
  ask<T>(asked: Node, read: (view: AptosChainView) => T): AptosSeen<T> | null {
    for (const one of [asked, UP_TO_DATE]) {
      const view = this.chain.view(one.lag);
      const { version, timestampMs } = view.ledger;
      const seen = aptosSeen(read(view), {
        endpoint: one.name,
        version: version + one.aheadVersions,
        timestampMs: timestampMs + one.aheadMs,
      });
      const { isUsable, agreed: _, ...belief } = weighLedger(seen, this.#belief, this.chain.nowMs);
      this.#belief = belief;
      if (isUsable) return seen;
    }
    return null;
  }

  get #canExecute(): boolean {
    return this.chain.canEverAccept(TRANSACTION);
  }

  get #state() {
    return this.store.sponsorship(ROW)?.state;
  }

  lookUp(asked: Node): void {
    const { chain, store } = this;
    const answer = this.ask(asked, (view) => view.transactionAt(SIGNED));
    if (answer === null || this.#state !== "signed") return;
    const seen = withValue(answer, ({ value }) => value);
    const state = closeByEvidence(store, ROW, seen, FUND, chain.nowMs);
    if (state === "signed") recordUsedSequence(store, ROW, seen, EXPIRES_AT_MS, chain.nowMs);
    if (seen.value.kind === "unused" && seen.version > (this.#unused?.version ?? -1n)) this.#unused = seen;
    if (state !== "dead") return;
    this.proved += 1;
    expect(chain.at(SIGNED)?.execution.feePayer ?? null, "the chain has executed it").toBe(null);
    expect(this.#canExecute, "it can still execute").toBe(false);
  }

  balance(asked: Node): void {
    const { chain, store } = this;
    const balance = this.ask(asked, (view) => view.fundOctas);
    if (balance === null) return;
    const unusedAt = new Map(this.#unused === null ? [] : [[ROW, this.#unused] as const]);
    const reading = { balance, open: unsettledIds(store) };
    adoptBalance(store, reading, { unusedAt, usedAt: givenUpAt(store) }, chain.nowMs);
    if (this.#state === "unresolvable") expect(this.#canExecute, "it can still execute").toBe(false);
    const booked = store.ledger.filter(({ kind }) => kind === "deposit");
    const bookedOctas = booked.reduce((sum, { balanceAtoms }) => sum + balanceAtoms, 0n);
    const depositedOctas = chain.depositedOctas(chain.view(0).ledger.version);
    expect(bookedOctas <= depositedOctas, "the chain has no such deposit").toBe(true);
  }

  run(step: Step, nodes: readonly Node[]): void {
    const { chain } = this;
    const asked = "node" in step ? (nodes[step.node] ?? UP_TO_DATE) : UP_TO_DATE;
    const acts: Readonly<Record<Step["do"], () => unknown>> = {
      execute: () => chain.submit(TRANSACTION, "refund"),
      rival: () => chain.submit({ ...TRANSACTION, feePayer: null, signature: 1 }, "success"),
      hide: () => chain.hide(SIGNED),
      deposit: () => chain.deposit(7_000n),
      pass: () => chain.pass("ms" in step ? step.ms : 0),
      "look up": () => this.lookUp(asked),
      balance: () => this.balance(asked),
    };
    acts[step.do]();
  }
}

test("no replies of nodes that lag, hide or lie prove a death or book a deposit that the chain contradicts", () => {
  let proved = 0;
  fc.assert(
    fc.property(someNodes, someSteps, (nodes, steps) => {
      const world = new World();
      for (const step of steps) world.run(step, nodes);
      proved += world.proved;
    }),
    { numRuns: rounds(50_000, 1_000) },
  );
  expect(proved, "deaths are proved at all").toBeGreaterThan(100);
});
