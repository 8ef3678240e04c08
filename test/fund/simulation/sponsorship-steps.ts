import { expect } from "vitest";
import { equalBytes } from "../../../shared/bytes.ts";
import { done, type Refusal } from "../../../shared/errors.ts";
import type { SponsoringState } from "../../../shared/fund/refusals.ts";
import type { SuiSponsorRequest } from "../../../shared/fund/sui/checks.ts";
import type { InputEvidence } from "../../../shared/fund/sui/payment.ts";
import { findByIdempotencyKey, findUnexpiredByIdempotencyKey, reserve } from "../../../shared/fund/sui/reserve.ts";
import { closeByEvidence, recordNotFound, settle, showsEnd } from "../../../shared/fund/sui/settle.ts";
import { expirePrepared, markSigned, revoke } from "../../../shared/fund/sui/sponsorships.ts";
import type { SuiSponsorship, SuiSponsorshipState } from "../../../shared/fund/sui/store.ts";
import { closeByCoins } from "../../../shared/fund/sui/unresolved.ts";
import type { IdempotencyClaim } from "../../../shared/idempotency.ts";
import { IDEMPOTENCY_TTL_MS } from "../../../shared/idempotency.ts";
import { type CompiledPolicy, compilePolicy } from "../../../shared/policy/compile-fund-policy.ts";
import { type Asked, brokenRule, countPayable, countSender, countUsage, isFree, isLive } from "./recount.ts";
import { same } from "./same.ts";
import { EMPTY_STORAGE, FULL_STORAGE } from "./storage.ts";
import type { Fate } from "./sui-model-chain.ts";
import { ADDRESS, type FundWorld, KEYS, type Lags, pickOf, SENDERS, seen, userKind } from "./sui-world.ts";

/** So long holds a coin whose sender's signature only the chain can judge. */
const UNJUDGED_MS = 15_000;

/**
 * `answered`; `lost`: executed, and nobody heard of it; `not_sent`: signed, and it never reached a node; `crash`: the
 * process ended before it was signed.
 */
export const deliveries = ["answered", "lost", "not_sent", "crash"] as const;
export type Delivery = (typeof deliveries)[number];

export interface ReserveStep {
  readonly key: number;
  readonly sender: number;
  readonly label: number;
  readonly gasBudgetMist: bigint;
  /** The network charges no gas for it. */
  readonly isGasless: boolean;
  readonly release: "at_once" | "after_sender";
  /** Null: no Idempotency-Key. */
  readonly idempotency: number | null;
  /** The operator has paused the fund. */
  readonly paused: boolean;
  /** The storage has no room for anything new. */
  readonly full: boolean;
}

export interface ApproveStep extends Pick<ReserveStep, "idempotency" | "paused" | "full"> {
  readonly pick: number;
  readonly delivery: Delivery;
  readonly fate: Fate;
  /** Only the chain can judge the sender's signature. */
  readonly isUnjudged: boolean;
}

interface Claimed {
  readonly fingerprint: string;
  readonly digest: string;
  readonly untilMs: number;
}

/** What callers, users and the alarm do with sponsorships, in the order in which the object does it. */
export class SponsorshipSteps {
  readonly #world: FundWorld;
  readonly #policies: readonly [CompiledPolicy, CompiledPolicy];
  readonly #claims = new Map<string, Claimed>();

  constructor(world: FundWorld) {
    this.#world = world;
    this.#policies = [compilePolicy(world.terms.fundPolicy, "sui"), compilePolicy(world.terms.keyPolicy, "sui")];
  }

  reserve(step: ReserveStep): void {
    const world = this.#world;
    const keyId = pickOf(KEYS, step.key) ?? KEYS[0];
    const claim = claimOf(
      `${keyId} sponsor`,
      step.idempotency,
      JSON.stringify([step.label, step.sender, step.release, step.isGasless]),
    );
    if (claim !== null && this.#replay(claim, findUnexpiredByIdempotencyKey) !== "new") return;
    const request: SuiSponsorRequest = {
      keyId,
      kind: userKind(step.label),
      sender: pickOf(SENDERS, step.sender) ?? SENDERS[0],
      keyPolicy: this.#policies[1],
      isGasless: step.isGasless,
      gasPriceMist: step.isGasless ? 0n : world.facts.referenceGasPriceMist,
      gasBudgetAtoms: step.isGasless ? 0n : step.gasBudgetMist,
      lastEpoch: null,
      storageCostAtoms: null,
      idempotency: claim,
    };
    const expected = closedBy(step) ?? this.#expectedRefusal(request);
    const { feeMist, facts, nowMs, terms } = world;
    const context = {
      address: ADDRESS,
      mode: terms.mode,
      policy: this.#policies[0],
      feeAtoms: feeMist,
      facts,
      ...stateOf(step),
      nowMs,
    };
    const reserved = world.decide(() => reserve(world.store, request, context, step.release));
    same(
      reserved.ok ? null : nameOf(reserved.error),
      expected,
      "a fund lends exactly what it has and its policies allow",
    );
    if (!reserved.ok) {
      world.tally.add(`refused: ${expected}`);
      return;
    }
    const { digest, transactionBytes } = reserved.value;
    const stored = world.view.store.sponsorship(digest)?.transactionBytes ?? new Uint8Array();
    same(equalBytes(stored, transactionBytes), true, "guarantee 2: the bytes are stored before anything is signed");
    if (claim !== null) this.#claims.set(claim.scope, { ...claim, digest, untilMs: nowMs + IDEMPOTENCY_TTL_MS });
    if (step.release === "at_once") world.release(digest);
    const coins = world.view.store.coinsHeldBy(digest).length;
    if (step.isGasless) world.tally.add("nothing lent: without gas");
    else if (coins === 0) world.tally.add("lent from the address balance");
    else world.tally.add(coins === 1 ? "lent a coin" : "lent several coins");
  }

  /** Why it has to be refused, by all that is stored; null: it must not be. */
  #expectedRefusal({ keyId, sender, isGasless, gasBudgetAtoms: gasBudgetMist }: SuiSponsorRequest): string | null {
    const { view, terms, feeMist, nowMs } = this.#world;
    const { maxGasBudgetAtoms: maxGasBudgetMist } = terms.fundPolicy;
    if (maxGasBudgetMist !== null && gasBudgetMist > maxGasBudgetMist) return "policy_refused maxGasBudget";
    const { maxGasBudgetAtoms: ofKeyMist } = terms.keyPolicy;
    if (ofKeyMist !== null && gasBudgetMist > ofKeyMist) return "policy_refused maxGasBudget";
    const rows = view.rows();
    const { addressBalanceAtoms: addressBalanceMist } = view.store.totals();
    const neededMist = gasBudgetMist + feeMist;
    const payableMist = countPayable(rows, addressBalanceMist, terms.mode);
    if (neededMist > 0n && payableMist < neededMist) return "balance_too_low";
    const ledger = view.ledgerFrom(0);
    for (const [policy, ofKey] of [
      [terms.fundPolicy, null],
      [terms.keyPolicy, keyId],
    ] as const) {
      const asked: Asked = { bySenderMist: countSender(rows, sender, ofKey, nowMs), gasBudgetMist, feeMist };
      const rule = brokenRule(policy, countUsage(rows, ledger, ofKey, nowMs), asked);
      if (rule !== null) return `policy_refused ${rule}`;
    }
    if (terms.mode === "address_balance" || isGasless) return null;
    const lendable = rows.coins
      .filter(({ state, maintenance }) => state === "free" && !maintenance)
      .map(({ balanceMist }) => balanceMist)
      .filter((balanceMist) => balanceMist <= 2_000_000_000n || gasBudgetMist > 2_000_000_000n)
      .sort((a, b) => (a < b ? 1 : -1))
      .slice(0, 256);
    return lendable.reduce((sum, balanceMist) => sum + balanceMist, 0n) < gasBudgetMist ? "no_gas_object" : null;
  }

  /** What a call with this key is, by all that was claimed before; the machine must say the same. */
  #replay(
    claim: IdempotencyClaim,
    replayOf: typeof findByIdempotencyKey | typeof findUnexpiredByIdempotencyKey,
  ): "new" | "repeat" | "conflict" {
    const world = this.#world;
    const before = this.#claims.get(claim.scope);
    const valid = before !== undefined && world.nowMs < before.untilMs;
    const replayed = world.decide<SuiSponsorship | null>(() => replayOf(world.store, claim, world.nowMs) ?? done(null));
    const seen = replayed.ok ? (replayed.value?.digest ?? null) : replayed.error.reason;
    same(seen !== null, valid, "an Idempotency-Key is remembered for a day");
    if (!valid) return "new";
    const row = world.view.store.sponsorship(before.digest);
    const overAtMs = replayOf === findByIdempotencyKey ? Number.POSITIVE_INFINITY : (row?.expiresAtMs ?? 0);
    const over = row === null || row.state === "dead" || (row.state !== "complete" && world.nowMs >= overAtMs);
    const usable = !over && before.fingerprint === claim.fingerprint;
    same(seen, usable ? before.digest : "idempotency_conflict", "one Idempotency-Key, one sponsorship");
    world.tally.add(usable ? "replayed" : "replay refused");
    return usable ? "repeat" : "conflict";
  }

  /** The sender has signed: commit to signing, sign, submit. */
  approve({ pick, delivery, fate, isUnjudged: isAlias, ...step }: ApproveStep): void {
    const world = this.#world;
    const { store, nowMs } = world;
    const row = world.view.store.sponsorship(this.one(["prepared", "signed"], pick));
    if (row === null) return;
    const claim = claimOf(`${row.keyId} execute`, step.idempotency, row.digest);
    const replayed = claim === null ? "new" : this.#replay(claim, findByIdempotencyKey);
    if (replayed === "conflict") return;
    // Nobody takes such a signature where the address balance pays.
    const isUnjudged = isAlias && (row.gasObjectId !== null || isFree(row));
    const approved = world.decide(() => markSigned(store, row.digest, { ...stateOf(step), nowMs, isUnjudged }, claim));
    const overdue = row.state === "prepared" && nowMs >= row.expiresAtMs;
    const closed = row.state === "prepared" ? closedBy(step) : null;
    const expected = overdue ? "sponsorship_expired" : (closed ?? "signed");
    const answer = approved.ok ? approved.value.state : approved.error.reason;
    same(answer, expected, "guarantee 2: approved against the rules");
    if (!approved.ok) return;
    if (claim !== null && replayed === "new")
      this.#claims.set(claim.scope, { ...claim, digest: row.digest, untilMs: nowMs + IDEMPOTENCY_TTL_MS });
    world.tally.add(isUnjudged ? "approved, unjudged" : "approved");
    if (row.state === "prepared") {
      const untilMs = isUnjudged && !isFree(row) ? Math.min(row.expiresAtMs, nowMs + UNJUDGED_MS) : row.expiresAtMs;
      const { expiresAtMs } = world.view.store.sponsorship(row.digest) ?? {};
      same(expiresAtMs, untilMs, "an unjudged signature cuts the time of a coin, and of nothing else");
    }
    if (delivery === "crash") {
      world.view.restart();
      return;
    }
    const transaction = world.release(row.digest);
    const execution = delivery === "not_sent" ? null : world.chain.execute(transaction, fate);
    if (execution !== null && delivery === "answered") this.#settle(row.digest);
  }

  /** Whoever has both signatures executes, without telling the fund. */
  userExecutes(digest: string, fate: Fate): void {
    const { chain, released, tally, view } = this.#world;
    const transaction = released.get(digest);
    const row = view.store.sponsorship(digest);
    if (transaction === undefined || row === null || chain.executed.has(digest)) return;
    const execution = chain.execute(transaction, fate);
    if (execution === null) return;
    tally.add(execution.success ? `executed by the user, ${row.state}` : `executed by the user: ${execution.error}`);
    if (fate === "rebate") tally.add("a rebate above the cost");
  }

  /** One that the user could execute, by a random number. */
  released(pick: number): string {
    const { released, chain } = this.#world;
    const open = [...released.values()].filter((transaction) => chain.canEverAccept(transaction));
    return pickOf(open, pick)?.digest ?? "";
  }

  /** The digest of one that is in one of these states, by a random number. */
  one(states: readonly SuiSponsorshipState[], pick: number): string {
    const rows = this.#world.view.rows().sponsorships.filter(({ state }) => states.includes(state));
    return pickOf(rows, pick)?.digest ?? "";
  }

  /** A status call, or the alarm's look-up of a signed row. */
  lookUp(digest: string, lag: number, asked: "by_schedule" | "by_caller"): void {
    const world = this.#world;
    const before = world.view.store.sponsorship(digest);
    if (before === null || before.state === "prepared") return;
    const shown = world.chain.view(lag);
    if (shown.lookUp(digest) !== null) {
      this.#settle(digest);
      return;
    }
    world.commit(() => recordNotFound(world.store, digest, seen(shown, null), world.nowMs, asked));
    const state = world.view.store.sponsorship(digest)?.state;
    if (before.state !== "signed") return;
    const passed = world.nowMs >= before.expiresAtMs && shown.checkpointTimeMs >= before.expiresAtMs;
    same(state, passed ? "expired" : "signed", "it expires when an endpoint has seen its time pass, and not before");
    if (passed) world.expired.add(digest);
    if (passed) world.tally.add("expired");
    else if (world.nowMs >= before.expiresAtMs) world.tally.add("a lagging endpoint proved no expiry");
  }

  #settle(digest: string): void {
    const world = this.#world;
    const execution = world.chain.executed.get(digest)?.execution;
    if (execution === undefined) throw new Error("nothing to settle");
    const was = world.view.store.sponsorship(digest)?.state;
    const recycling = world.view.store.coinsHeldBy(digest).some(({ state }) => state === "recycling");
    const booked = world.commit(() => settle(world.store, execution, world.nowMs));
    same(booked, true, `guarantee 6: an execution cannot be booked while the row is ${was}`);
    if (was !== "complete") world.tally.add(recycling ? "completed, its coin being recycled" : `completed, ${was}`);
  }

  /** Executed late, proved dead, or still to be recycled. The user may act between the two reads. */
  checkExpired(digest: string, lags: Lags, meanwhile: () => void = () => {}): void {
    const world = this.#world;
    const { store } = world;
    const row = world.view.store.sponsorship(digest);
    if (row?.state !== "expired") return;
    const ids = world.view.store.coinsHeldBy(digest).map(({ objectId }) => objectId);
    const { shown, evidence } = world.evidence(ids, lags, meanwhile);
    if (shown.lookUp(digest) !== null) {
      this.#settle(digest);
      return;
    }
    if (shown.hasForgotten(digest)) world.forgotten.add(digest);
    this.#checkTold(row, evidence);
    const dead = world.commit(() => {
      const released = closeByEvidence(store, digest, evidence, world.nowMs);
      if (!released) recordNotFound(store, digest, evidence.miss, world.nowMs, "by_schedule");
      return released;
    });
    const isComplete = world.view.store.sponsorship(digest)?.state === "complete";
    if (dead) world.tally.add(isComplete ? "completed, its effects forgotten" : "dead by proof");
  }

  /** A caller who hears that it has expired pays with another one. */
  #checkTold(row: SuiSponsorship, evidence: InputEvidence): void {
    const { chain, released, tally } = this.#world;
    if (row.gasObjectId !== null || !showsEnd(row, evidence)) return;
    const out = released.get(row.digest);
    const mayExecute = chain.executed.has(row.digest) || (out !== undefined && chain.canEverAccept(out));
    same(mayExecute, false, `guarantee 9: ${row.digest} is told as expired, and may execute`);
    tally.add("told as expired, without a coin");
  }

  /** Its last epoch is over, and look-ups show nothing. Coins decide, or the address balance (`OwnSteps`). */
  closeUnresolved(digest: string, { read, lookUp, kept }: Lags): void {
    const world = this.#world;
    const { store, nowMs } = world;
    const row = world.view.store.sponsorship(digest);
    if (row === null || (row.state !== "signed" && row.state !== "expired")) return;
    if (world.chain.view(lookUp, kept).lookUp(digest) !== null) {
      this.#settle(digest);
      return;
    }
    if (row.gasObjectId === null) return;
    const ids = world.view.store.coinsHeldBy(digest).map(({ objectId }) => objectId);
    const shown = world.chain.view(read);
    const observed = shown.observe(ids);
    const coins = seen(shown, new Map(ids.map((objectId, index) => [objectId, observed[index] ?? null])));
    if (world.chain.executed.has(digest)) world.forgotten.add(digest);
    const closed = world.commit(() => closeByCoins(store, digest, [coins], { address: ADDRESS, nowMs }));
    if (closed) world.tally.add(`unresolved: ${world.view.store.sponsorship(digest)?.state}`);
  }

  releasePrepared(digest: string): void {
    const world = this.#world;
    const before = world.view.store.sponsorship(digest);
    world.commit(() => expirePrepared(world.store, digest, world.nowMs));
    const overdue = before?.state === "prepared" && world.nowMs >= before.expiresAtMs;
    if (overdue) world.tally.add("freed unsigned");
    const state = world.view.store.sponsorship(digest)?.state;
    same(state, overdue ? "dead" : before?.state, "guarantee 7: freed at its time, and not before");
  }

  /** Everything that is out, of one access key or of all (null), is withdrawn. */
  revoke(keyId: string | null): void {
    const world = this.#world;
    const digests = world.view.store.liveIds(keyId);
    const rows = world.view.rows().sponsorships.filter((row) => isLive(row) && (keyId ?? row.keyId) === row.keyId);
    expect([...digests].sort(), "what is live can be revoked").toEqual(rows.map(({ digest }) => digest).sort());
    const ends = world.commit(() => digests.map((digest) => revoke(world.store, digest, world.nowMs)));
    for (const [index, end] of ends.entries()) {
      world.tally.add(`revoked: ${end}`);
      const state = world.view.store.sponsorship(digests[index] ?? "")?.state;
      const expected = { ended: "dead", to_recycle: "expired", irrevocable: state }[end];
      same(state, expected, `revoked: ${end}`);
    }
  }
}

function stateOf({ paused, full }: Pick<ReserveStep, "paused" | "full">): SponsoringState {
  return { pausedCause: paused ? "operator" : null, storage: full ? FULL_STORAGE : EMPTY_STORAGE };
}

/** Why nothing new is sponsored; null: it is. */
function closedBy({ paused, full }: Pick<ReserveStep, "paused" | "full">): string | null {
  if (paused) return "fund_paused";
  return full ? "storage_budget" : null;
}

function claimOf(scope: string, key: number | null, fingerprint: string): IdempotencyClaim | null {
  return key === null ? null : { scope: `${scope} ${key}`, fingerprint };
}

function nameOf({ reason, data }: Refusal): string {
  return reason === "policy_refused" ? `${reason} ${String(data?.rule)}` : reason;
}
