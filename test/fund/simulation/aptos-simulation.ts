import type { AptosExecution, AptosSequenceReading } from "../../../shared/chain/aptos/node.ts";
import { sponsorshipId } from "../../../shared/chain/aptos/sponsorship-id.ts";
import { adoptBalance, givenUpBy, unsettledIds } from "../../../shared/fund/aptos/adopt.ts";
import type { AptosSponsorRequest } from "../../../shared/fund/aptos/checks.ts";
import { findByIdempotencyKey, reserve } from "../../../shared/fund/aptos/reserve.ts";
import { closeByEvidence, recordNotFound, settle } from "../../../shared/fund/aptos/settle.ts";
import { recordHash, recordSubmitted, revoke } from "../../../shared/fund/aptos/sponsorships.ts";
import { type AptosSponsorship, NO_SEQUENCE_NUMBER } from "../../../shared/fund/aptos/store.ts";
import { beginTreasury, recordTreasurySubmitAttempt, withdrawableOctas } from "../../../shared/fund/aptos/treasury.ts";
import { closeTreasuryByEvidence, settleTreasury } from "../../../shared/fund/aptos/treasury-settle.ts";
import { UNRESOLVABLE } from "../../../shared/fund/views.ts";
import { type CompiledPolicy, compilePolicy } from "../../../shared/policy/compile-fund-policy.ts";
import { aptosSeen } from "../../support/seen.ts";
import { AptosGuarantees, countAvailableOctas } from "./aptos-guarantees.ts";
import { type AptosFate, type AptosModelTransaction, hashOf, ownPlace, placed } from "./aptos-model-chain.ts";
import type { VisibleAptosStore } from "./aptos-store-views.ts";
import {
  type AptosSimulationTerms,
  AptosWorld,
  addressOf,
  FUND,
  KEYS,
  PRICE_OCTAS,
  rawOf,
  SECONDARY,
  SENDERS,
} from "./aptos-world.ts";
import type { Fault, Tally } from "./faulty-world.ts";
import { brokenRule, countSender, countUsage } from "./recount.ts";
import { same } from "./same.ts";
import { EMPTY_STORAGE, FULL_STORAGE } from "./storage.ts";

const HOUR_MS = 3_600_000;
/** An orderless transaction lives no longer. */
const ORDERLESS_MS = 60_000;
const WITHDRAWAL_GAS_UNITS = 2_000n;
/** No transaction of a user's has ever so much gas: the chain creates an account with the first one. */
const CREATION_UNITS = 5_210n;

/** `answered`; `lost`: sent, and nobody heard of it; `not_sent`; `crash`: the process ended before it was signed. */
export const deliveries = ["answered", "lost", "not_sent", "crash"] as const;
export type Delivery = (typeof deliveries)[number];

export interface ReserveStep {
  readonly key: number;
  readonly sender: number;
  readonly offset: bigint;
  /** Null: the sequence number protects it. */
  readonly nonce: bigint | null;
  readonly label: number;
  readonly maxGasUnits: bigint;
  readonly ttlSeconds: number;
  readonly secondary: boolean;
  /** Which of the sender's signatures came along; null: the fund's is handed out. */
  readonly signature: number | null;
  readonly idempotency: number | null;
  /** Why the fund sponsors nothing new. Null if it does. */
  readonly closed: "fund_paused" | "storage_budget" | null;
  readonly lag: number;
  readonly delivery: Delivery;
  readonly fate: AptosFate;
}

export interface WithdrawStep {
  readonly from: "available" | "fees";
  readonly permille: bigint;
  readonly delivery: Delivery;
  readonly fate: AptosFate;
}

interface Asked {
  readonly request: AptosSponsorRequest;
  readonly transaction: AptosModelTransaction;
}

/** A fund and its chain, and everything that happens to them, in any order. */
export class AptosSimulation {
  readonly world: AptosWorld;
  readonly #guarantees: AptosGuarantees;
  readonly #policies: readonly [CompiledPolicy, CompiledPolicy];
  /** All that was ever asked for, by id: what a crash has left unsigned is signed by the alarm. */
  readonly #transactions = new Map<string, AptosModelTransaction>();
  readonly #asked: { readonly asked: Asked; readonly step: ReserveStep }[] = [];

  constructor(view: VisibleAptosStore, terms: AptosSimulationTerms, tally: Tally) {
    this.world = new AptosWorld(view, terms, tally);
    this.#guarantees = new AptosGuarantees(this.world);
    this.#policies = [compilePolicy(terms.fundPolicy, "aptos"), compilePolicy(terms.keyPolicy, "aptos")];
  }

  begin(depositsOctas: readonly bigint[]): void {
    for (const octas of depositsOctas) this.world.chain.deposit(octas);
    this.readBalance(0, 0, () => {});
    this.#guarantees.check();
  }

  /** One step: every guarantee holds after it, whatever broke in it. */
  perform(act: (simulation: AptosSimulation) => void, fault: Fault): void {
    this.world.during(fault, () => act(this));
    this.#guarantees.check();
  }

  reserve(step: ReserveStep): void {
    const { chain, nowMs } = this.world;
    const sender = SENDERS[step.sender] ?? SENDERS[0];
    const keyId = KEYS[step.key] ?? KEYS[0];
    const { nonce } = step;
    const ordered = chain.view(step.lag).sequenceNumber(sender) + step.offset;
    const sequenceNumber = nonce === null ? ordered : NO_SEQUENCE_NUMBER;
    const expirationSecs = BigInt(Math.floor(nowMs / 1_000) + step.ttlSeconds);
    if (sequenceNumber < 0n) return;
    const wanted = { sender, sequenceNumber, nonce, label: step.label, maxGasUnits: step.maxGasUnits, expirationSecs };
    const { raw, bytes } = rawOf(wanted);
    const secondarySigners = step.secondary ? [SECONDARY] : [];
    const request = {
      keyId,
      keyPolicy: this.#policies[1],
      rawTransaction: raw,
      rawTransactionBytes: bytes,
      secondaryAddresses: secondarySigners,
      authenticators: authenticatorsOf(step.signature, step.secondary),
      idempotency:
        step.idempotency === null
          ? null
          : { scope: `${keyId} ${step.idempotency}`, fingerprint: sponsorshipId(bytes, secondarySigners, FUND) },
      account: { sequenceNumber: 0n, exists: false, ledgerTimeMs: 0, isRemembered: false },
    };
    const transaction = {
      bytes,
      sender,
      sequenceNumber,
      nonce,
      maxGasUnits: step.maxGasUnits,
      gasUnitPriceOctas: PRICE_OCTAS,
      expirationSecs,
      secondarySigners,
      feePayer: FUND,
      signature: step.signature ?? 0,
      paidOutOctas: 0n,
    };
    this.#asked.push({ asked: { request, transaction }, step });
    this.#ask({ request, transaction }, step);
  }

  /**
   * The same request again, in the same way, or with signatures of the sender's.
   *
   * @param back how many others were asked for after it.
   */
  reserveAgain(back: number, signature: number | null): void {
    const earlier = this.#asked.at(-1 - back);
    if (earlier === undefined) return;
    const { asked, step } = earlier;
    const authenticators = authenticatorsOf(signature, step.secondary);
    this.#ask({ ...asked, request: { ...asked.request, authenticators } }, { ...step, signature });
  }

  #ask({ request, transaction }: Asked, step: ReserveStep): void {
    const { world } = this;
    const { store, nowMs, chain, tally } = world;
    const view = chain.view(step.lag);
    const next = view.sequenceNumber(transaction.sender);
    const account = {
      sequenceNumber: next,
      exists: next > 0n,
      ledgerTimeMs: view.ledger.timestampMs,
      isRemembered: false,
    };
    const asked = { ...request, account };
    if (request.idempotency !== null) {
      const replayed = findByIdempotencyKey(world.view.store, request.idempotency, nowMs);
      if (replayed !== null) {
        tally.add(replayed.ok ? "replayed" : "replay refused");
        if (!replayed.ok) return;
        const isSame = replayed.value.id === idOf(transaction);
        same(isSame, true, "one Idempotency-Key, one sponsorship");
      }
    }
    const id = idOf(transaction);
    const before = world.view.store.sponsorship(id);
    const expected = before === null ? this.#expectedRefusal(asked, step) : refusalOfRepeat(before, step, nowMs);
    const [policy] = this.#policies;
    const facts = { ledger: chain.view(step.lag).ledger, gasPriceOctas: 100n };
    const pausedCause = step.closed === "fund_paused" ? "operator" : null;
    const storage = step.closed === "storage_budget" ? FULL_STORAGE : EMPTY_STORAGE;
    const context = { address: FUND, policy, feeAtoms: world.feeOctas, facts, pausedCause, storage, nowMs };
    const reserved = world.decide(() => reserve(store, asked, context));
    const seen = reserved.ok ? null : reserved.error.reason;
    if (before !== null) tally.add(`repeated: ${before.state}`);
    if (reserved.ok || seen !== "policy_refused") same(seen, expected, "promised exactly what may be");
    else same(`policy_refused ${reserved.error.data?.rule}`, expected, "promised exactly what may be");
    if (!reserved.ok) {
      tally.add(`refused: ${expected}`);
      return;
    }
    const row = reserved.value;
    same(row.id, id, "guarantee 1: the same request is the same row");
    if (row.state !== "signed") return;
    if (before === null) tally.add("promised");
    if (before === null && row.nonce !== null) tally.add("promised: orderless");
    this.#transactions.set(id, transaction);
    if (row.authenticators !== null && !world.kept.has(id)) {
      world.kept.set(id, step.signature ?? 0);
      if (before !== null) tally.add("repeated with signatures");
    }
    if (step.delivery === "crash") {
      tally.add("a crash before it was signed");
      world.view.restart();
      return;
    }
    world.release(id, transaction);
    const kept = world.kept.get(id);
    if (kept !== undefined && step.signature !== null) this.#submit(id, kept, step.delivery, step.fate);
  }

  /** Why it has to be refused, by all that is stored; null: it must not be. */
  #expectedRefusal({ account, rawTransaction, keyId }: AptosSponsorRequest, step: ReserveStep): string | null {
    const { view, terms, feeOctas, nowMs, chain } = this.world;
    const { sender, sequenceNumber, maxGasAmount, gasUnitPriceOctas, expirationTimestampSeconds } = rawTransaction;
    const expiresAtMs = Number(expirationTimestampSeconds) * 1_000;
    const rows = view.rows();
    const budget = maxGasAmount * gasUnitPriceOctas;
    if (step.closed !== null) return step.closed;
    const { nonce } = step;
    if (nonce !== null && !(terms.fundPolicy.orderless && terms.keyPolicy.orderless)) return "unsupported_transaction";
    const mostMs = nonce === null ? HOUR_MS : ORDERLESS_MS;
    if (expiresAtMs - Math.floor(nowMs / 1_000) * 1_000 > mostMs) return "expiration_too_far";
    if (expiresAtMs <= Math.max(nowMs, chain.view(step.lag).ledger.timestampMs)) return "expired";
    for (const { maxGasBudgetAtoms } of [terms.fundPolicy, terms.keyPolicy])
      if (maxGasBudgetAtoms !== null && budget > maxGasBudgetAtoms) return "policy_refused maxGasBudget";
    if (countAvailableOctas(rows, view.store.totals().balanceAtoms) < budget + feeOctas) return "balance_too_low";
    const needsAccount = nonce === null && !account.exists;
    if (needsAccount && sequenceNumber > 0n) return "account_not_found";
    if (needsAccount && maxGasAmount < CREATION_UNITS) return "gas_budget_out_of_range";
    const ofSender = rows.sponsorships.filter((row) => row.sender === sender);
    const live = ofSender.filter((row) => row.nonce === null && row.state === "signed");
    const ahead = live.filter((row) => row.sequenceNumber >= account.sequenceNumber);
    // A ledger past its expiration shows the number as unused: it was never executed.
    const neverExecuted = (row: AptosSponsorship) =>
      row.state === UNRESOLVABLE && row.nonce === null && account.ledgerTimeMs >= row.expiresAtMs;
    const standing = ofSender.filter((row) => row.state !== "dead" && !neverExecuted(row));
    const taken = standing.some((row) =>
      nonce === null ? row.nonce === null && row.sequenceNumber === sequenceNumber : row.nonce === nonce,
    );
    const beyond = sequenceNumber > account.sequenceNumber + BigInt(ahead.length);
    // A dead transaction with the same expiration and the same gas would look the same on chain.
    const isAlike = ofSender.some(
      (row) =>
        (row.state === "dead" || neverExecuted(row)) &&
        row.sequenceNumber === sequenceNumber &&
        row.expiresAtMs === expiresAtMs &&
        row.gasBudgetAtoms === budget,
    );
    const misplaced = isAlike || sequenceNumber < account.sequenceNumber || beyond;
    if (taken || (nonce === null && misplaced)) return "sequence_conflict";
    const ledger = view.ledgerFrom(0);
    for (const [policy, ofKey] of [
      [terms.fundPolicy, null],
      [terms.keyPolicy, keyId],
    ] as const) {
      const asked = {
        bySenderMist: countSender(rows, sender, ofKey, nowMs),
        gasBudgetMist: budget,
        feeMist: feeOctas,
      };
      const rule = brokenRule(policy, countUsage(rows, ledger, ofKey, nowMs), asked);
      if (rule !== null) return `policy_refused ${rule}`;
    }
    return null;
  }

  /** We sign, which gives the hash, and send it. */
  #submit(id: string, signature: number, delivery: Delivery, fate: AptosFate): void {
    const { world } = this;
    const transaction = world.released.get(id);
    if (transaction === undefined) throw new Error(`${id} was not released`);
    const signed = { ...transaction, signature };
    world.commit(() => {
      recordHash(world.store, id, hashOf(signed));
      recordSubmitted(world.store, id, world.nowMs);
    });
    if (delivery === "not_sent") return;
    world.chain.submit(signed, fate);
    if (delivery === "answered") this.#look(id, 0);
  }

  /**
   * One that is out, by a random number.
   *
   * @param isEarly whether it has to be one whose turn has not come.
   */
  released(pick: number, isEarly = false): string {
    const { chain, released } = this.world;
    const ahead = ({ nonce, sender, sequenceNumber }: AptosModelTransaction) =>
      nonce === null && sequenceNumber > chain.nextSequence(sender);
    const open = [...released].filter(([, row]) => chain.canEverAccept(row) && (!isEarly || ahead(row)));
    return open[pick % Math.max(open.length, 1)]?.[0] ?? "";
  }

  /** Whoever has all signatures submits, without telling the fund: also with another signature of the sender's. */
  userSubmits(id: string, signature: number, fate: AptosFate): void {
    const { chain, released, tally } = this.world;
    const transaction = released.get(id);
    if (transaction === undefined || transaction.sender === FUND) return;
    chain.submit({ ...transaction, signature }, fate);
    const committed = chain.at(placed(transaction))?.execution;
    tally.add(committed === undefined ? "parked" : `submitted by the user: ${committed.success ? "success" : "abort"}`);
  }

  /** The sender uses a sequence number for something else, or pays for the same transaction itself. */
  senderActs(pick: number, same: string): void {
    const { chain, released, nowMs, tally } = this.world;
    const sender = SENDERS[pick % SENDERS.length] ?? SENDERS[0];
    const promised = released.get(same);
    const expirationSecs = BigInt(Math.floor(nowMs / 1_000) + 60);
    const sequenceNumber = chain.nextSequence(sender);
    const { bytes } = rawOf({ sender, sequenceNumber, label: 200, maxGasUnits: 9_000n, expirationSecs });
    const gas = { maxGasUnits: 9_000n, gasUnitPriceOctas: PRICE_OCTAS, paidOutOctas: 0n, signature: 9 };
    const place = { sender, sequenceNumber, nonce: null };
    const other = { ...gas, ...place, bytes, expirationSecs, secondarySigners: [], feePayer: null };
    const paysItself = promised !== undefined && promised.sender !== FUND;
    chain.submit(paysItself ? { ...promised, feePayer: null } : other, "success");
    tally.add(paysItself ? "the sender paid for the same" : "the sender did something else");
  }

  /** The look-up of the alarm, or of a caller. */
  look(id: string, lag: number): void {
    this.#look(id, lag);
  }

  #look(id: string, lag: number): void {
    const { world } = this;
    const row = world.view.store.sponsorship(id);
    if (row === null) return;
    const shown = world.chain.view(lag).transactionAt(row);
    const state = world.commit(() => {
      const after = closeByEvidence(world.store, id, shown, FUND, world.nowMs);
      if (after === "signed") recordNotFound(world.store, id, world.nowMs);
      return after;
    });
    if (row.state !== "signed") return;
    const late =
      row.hash !== null &&
      state === "complete" &&
      shown.value.kind === "shown" &&
      shown.value.execution.hash !== row.hash;
    if (late) world.tally.add("completed under another hash");
    const proof = shown.value.kind === "unused" ? "expired" : "sequence passed";
    world.tally.add(state === "dead" ? `dead: ${proof}` : `looked up: ${state}`);
    if (row.nonce !== null) world.tally.add(`orderless: ${state}`);
    if (late && row.nonce !== null) world.tally.add("orderless: completed under another hash");
    if (state === "signed" && world.nowMs >= row.expiresAtMs) world.tally.add("a lagging endpoint proved no death");
  }

  /** One of the live ones, by a random number. */
  one(pick: number): string {
    const live = this.world.view.store.liveIds(null);
    return live[pick % Math.max(live.length, 1)] ?? "";
  }

  /** Reads the balance, looks up what is open after that, and compares. */
  readBalance(readLag: number, lookLag: number, meanwhile: () => void): void {
    const { world } = this;
    const { chain } = world;
    const { fundOctas, ledger } = chain.view(readLag);
    meanwhile();
    const open = unsettledIds(world.view.store);
    const unusedAt = new Map<string, AptosSequenceReading>();
    const usedAt = new Map<string, bigint>();
    for (const reference of open) {
      const row = world.view.store.sponsorship(reference);
      const own = world.view.store.treasuryTransaction(reference);
      const shown = chain.view(lookLag);
      const at = shown.transactionAt(row ?? ownPlace(FUND, own?.sequenceNumber ?? 0n));
      if (at.value.kind === "unused") unusedAt.set(reference, at);
      else if (at.value.kind === "used") usedAt.set(reference, at.version);
      else if (row === null) world.commit(() => closeTreasuryByEvidence(world.store, reference, at, FUND, world.nowMs));
      else world.commit(() => closeByEvidence(world.store, reference, at, FUND, world.nowMs));
    }
    const reading = { balance: aptosSeen(fundOctas, ledger), open };
    const evidence = { unusedAt, usedAt };
    const givenUp = givenUpBy(world.view.store, reading, evidence).length;
    const found = world.commit(() => adoptBalance(world.store, reading, evidence, world.nowMs));
    world.tally.add(found === null ? "compared: not yet" : found === 0n ? "compared: equal" : "compared: a deposit");
    if (found !== null && givenUp > 0) world.tally.add("given up");
    if (readLag > 0 && found !== null) world.tally.add("compared with an older version");
  }

  /** Something of the fund's that is committed and not settled: from here on nobody shows it. */
  hide(pick: number): void {
    const { chain, view, tally } = this.world;
    const open = unsettledIds(view.store);
    const reference = open[pick % Math.max(open.length, 1)] ?? "";
    const row = view.store.sponsorship(reference);
    const own = view.store.treasuryTransaction(reference);
    const place = row ?? (own === null ? null : ownPlace(FUND, own.sequenceNumber));
    if (place !== null && chain.hide(place)) tally.add("hidden");
  }

  withdraw({ from, permille, delivery, fate }: WithdrawStep): void {
    const { world } = this;
    const { store, chain, nowMs, tally } = world;
    const most = withdrawableOctas(world.view.store, { collectedFeesAtoms: from === "fees" ? 1n : 0n });
    const amountAtoms = (most * permille) / 1_000n + (permille > 1_000n ? 1n : 0n);
    if (amountAtoms === 0n) return;
    const sequenceNumber = chain.nextSequence(FUND);
    const expirationSecs = BigInt(Math.floor(nowMs / 1_000) + 60);
    const wanted = { sender: FUND, sequenceNumber, label: nowMs % 250, maxGasUnits: WITHDRAWAL_GAS_UNITS };
    const { bytes } = rawOf({ ...wanted, expirationSecs });
    const transaction: AptosModelTransaction = {
      bytes,
      sender: FUND,
      sequenceNumber,
      nonce: null,
      maxGasUnits: WITHDRAWAL_GAS_UNITS,
      gasUnitPriceOctas: PRICE_OCTAS,
      expirationSecs,
      secondarySigners: [],
      feePayer: null,
      signature: 0,
      paidOutOctas: amountAtoms,
    };
    const hash = hashOf(transaction);
    const draft = {
      hash,
      signedTransaction: bytes,
      sequenceNumber,
      gasBudgetAtoms: WITHDRAWAL_GAS_UNITS * PRICE_OCTAS,
      expiresAtMs: Number(expirationSecs) * 1_000,
      amountAtoms,
      collectedFeesAtoms: from === "fees" ? amountAtoms : 0n,
    };
    const pending = world.view.store.pendingTreasury() !== null;
    const short = world.view.store.totals().balanceAtoms < draft.gasBudgetAtoms;
    const expected = pending ? "sequence_conflict" : permille > 1_000n || short ? "balance_too_low" : null;
    const begun = world.decide(() => beginTreasury(store, draft, nowMs));
    same(begun.ok ? null : begun.error.reason, expected, "a withdrawal takes what may be withdrawn");
    tally.add(`withdrawal: ${expected ?? "begun"}`);
    if (!begun.ok) return;
    if (delivery === "crash") {
      world.view.restart();
      this.world.released.set(hash, transaction);
      return;
    }
    world.release(hash, transaction);
    this.sendOwn(hash, delivery, fate, 0);
  }

  /** The same bytes, as often as it takes, and a look at what became of them. */
  sendOwn(hash: string, delivery: Delivery, fate: AptosFate, lag: number): void {
    const { world } = this;
    const row = world.view.store.treasuryTransaction(hash);
    const transaction = world.released.get(hash);
    if (row === null || transaction === undefined) return;
    if (delivery === "answered" || delivery === "lost") world.chain.submit(transaction, fate);
    if (delivery === "lost") return;
    const shown = world.chain.view(lag).transactionAt(ownPlace(FUND, row.sequenceNumber));
    const state = world.commit(() => {
      const after = closeTreasuryByEvidence(world.store, hash, shown, FUND, world.nowMs);
      if (after === "pending") recordTreasurySubmitAttempt(world.store, hash, world.nowMs);
      return after;
    });
    world.tally.add(`withdrawal: ${state}`);
  }

  revoke(keyId: string | null): void {
    const { world } = this;
    for (const id of world.view.store.liveIds(keyId))
      same(
        world.commit(() => revoke(world.store, id)),
        "irrevocable",
        "a signature that is out cannot be taken back",
      );
  }

  /** Executions that cannot be those of what the fund has signed. */
  showByzantineReplies(): void {
    const { world } = this;
    const { view, chain } = world;
    for (const row of view.rows().sponsorships) {
      const { id, state } = row;
      const execution = chain.at(row)?.execution;
      if (state !== "signed" || execution?.feePayer !== FUND) continue;
      for (const [what, changed] of Object.entries(byzantineRepliesTo(execution)))
        world.disbelieves(what, () => settle(view.store, id, { ...execution, ...changed }, FUND, world.nowMs));
    }
    const own = view.store.pendingTreasury();
    const execution = own === null ? undefined : chain.at(ownPlace(FUND, own.sequenceNumber))?.execution;
    if (execution === undefined || execution.hash !== own?.hash) return;
    const { sender, sequence, gas, budget } = byzantineRepliesTo(execution);
    for (const [what, changed] of Object.entries({ sender, sequence, gas, budget, hash: { hash: addressOf("1") } }))
      world.disbelieves(`own ${what}`, () =>
        settleTreasury(view.store, { ...execution, ...changed }, FUND, world.nowMs),
      );
  }

  /** Each row that is due by now, once. */
  ring(lag: number, delivery: Delivery, fate: AptosFate): void {
    const { world } = this;
    const due = world.view.rows().due.filter(({ atMs }) => atMs <= world.nowMs);
    for (const { kind, reference } of due)
      if (kind === "own") this.sendOwn(reference, delivery, fate, lag);
      else this.#alarm(reference, lag, delivery, fate);
  }

  /** What we submit is signed again, and sent again, until it shows. */
  #alarm(id: string, lag: number, delivery: Delivery, fate: AptosFate): void {
    const { world } = this;
    const row = world.view.store.sponsorship(id);
    const kept = world.kept.get(id);
    if (row?.state === "signed" && row.authenticators !== null && kept !== undefined && delivery !== "crash") {
      if (!world.released.has(id)) {
        const transaction = this.#transactions.get(id);
        if (transaction !== undefined) world.release(id, transaction);
      }
      if (world.released.has(id)) this.#submit(id, kept, delivery === "answered" ? "lost" : delivery, fate);
    }
    this.#look(id, lag);
  }

  /** The process ends, and a new instance finds a chain that answers: by its alarms alone everything comes to its end. */
  quiesce(): void {
    const { chain, view } = this.world;
    view.restart();
    const endMs = chain.nowMs + 3 * HOUR_MS;
    for (let rounds = 0; view.rows().due.length > 0 && rounds < 2_000; rounds++) {
      const atMs = Math.min(...view.rows().due.map((row) => row.atMs));
      same(atMs < endMs, true, "guarantee 6: it stays open for longer than anything may");
      chain.pass(Math.max(atMs - chain.nowMs, 0));
      this.ring(0, "answered", "success");
      this.readBalance(0, 0, () => {});
    }
    this.readBalance(0, 0, () => {});
    this.#guarantees.check();
    this.#guarantees.checkQuiescent();
  }
}

function idOf({ bytes, secondarySigners }: AptosModelTransaction): string {
  return sponsorshipId(bytes, secondarySigners, FUND);
}

/**
 * Why what was promised before is refused, by its row; null: it is not. The number of an `unresolvable` one is used, by
 * itself or by another: nothing can be signed for it any more, and whether it was executed is unknown.
 */
function refusalOfRepeat(
  { state, expiresAtMs }: AptosSponsorship,
  { signature }: ReserveStep,
  nowMs: number,
): string | null {
  if (state === "dead") return nowMs >= expiresAtMs ? "expired" : "sequence_conflict";
  if (state === UNRESOLVABLE) return signature === null ? "sequence_conflict" : "outcome_unknown";
  return null;
}

function authenticatorsOf(signature: number | null, secondary: boolean) {
  return signature === null
    ? null
    : { sender: Uint8Array.of(signature), secondary: secondary ? [Uint8Array.of(99)] : [] };
}

function byzantineRepliesTo(execution: AptosExecution) {
  return {
    sender: { sender: addressOf("e") },
    sequence:
      execution.nonce === null ? { sequenceNumber: execution.sequenceNumber + 1n } : { nonce: execution.nonce + 1n },
    kind: { nonce: execution.nonce === null ? 1n : null },
    payer: { feePayer: addressOf("e") },
    "no payer": { feePayer: null },
    gas: { gasUsedUnits: execution.maxGasUnits + 1n },
    budget: { maxGasUnits: execution.maxGasUnits + 1n },
    price: { gasUnitPriceOctas: execution.gasUnitPriceOctas + 1n },
    expiration: { expirationSecs: execution.expirationSecs + 1n },
    "secondary signers": { secondarySigners: [...execution.secondarySigners, addressOf("e")] },
  } as const;
}
