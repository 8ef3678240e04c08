import { DurableObject } from "cloudflare:workers";
import { inspectKind } from "../chain/sui/kind.ts";
import { DRY_RUN_BUDGET_MIST } from "../chain/sui/limits.ts";
import type { SuiExecution } from "../chain/sui/node.ts";
import { signTransaction, wrapKind } from "../chain/sui/transaction.ts";
import { createSealedKey } from "../custody/signer.ts";
import { createDeps, type Deps, serviceSecrets } from "../deps.ts";
import type { Env } from "../env.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { automaticBudgetMist } from "../fund/budget.ts";
import type { Sponsorship } from "../fund/coin-store.ts";
import { COIN_STORE_MIGRATION } from "../fund/sqlite-coin-store.ts";
import { approve, expirationEpoch, recordMiss, releasePrepared, reserve, screen, settle } from "../fund/sui-fund.ts";
import type { FundView, Page, SponsorshipView } from "../fund/views.ts";
import type { SuiNetwork } from "../networks.ts";
import { sleep } from "../timing.ts";
import { DUE_TABLE_MIGRATION, DueTable } from "./due-table.ts";
import { CHAIN_RESET, FUND_KEY_LABEL, type FundCore, loadFundCore } from "./fund-core.ts";
import { FundPool } from "./fund-pool.ts";
import { FUND_RECORD_MIGRATION, writeFundRecord } from "./fund-record.ts";
import { FundUpkeep } from "./fund-upkeep.ts";
import { type Finding, lookUpBatch } from "./look-up-batch.ts";
import { migrate } from "./migrations.ts";
import type { PageRequest } from "./paging.ts";

/** Append-only: objects out there have run these. */
export const MIGRATIONS = [FUND_RECORD_MIGRATION + COIN_STORE_MIGRATION + DUE_TABLE_MIGRATION];

const COIN_WAIT_MS = 5_000;
const COIN_POLL_MS = 250;
/** The pool is checked after this many reservations, so that it is refilled ahead of need. */
const RESERVATIONS_PER_POOL_CHECK = 8;
/** How long an execution without an answer is looked up before the caller is told that its outcome is unknown. */
const OUTCOME_LOOK_UPS_MS = [250, 500, 1_000, 2_000] as const;

export interface CreateFund {
  readonly fundId: string;
  readonly projectId: string;
  readonly network: SuiNetwork;
  readonly name: string;
  readonly createDepositAddress: boolean;
}

export interface SponsorInput {
  readonly keyId: string;
  readonly kindBytes: Uint8Array;
  readonly sender: string;
  /** Null: from a dry run. */
  readonly gasBudgetMist: bigint | null;
  /** What a dry run's budget may come to; null: whatever the chain allows. */
  readonly maxGasBudgetMist: bigint | null;
  /** Null: the reference gas price. */
  readonly gasPriceMist: bigint | null;
}

export interface Prepared {
  readonly txBytes: Uint8Array;
  readonly digest: string;
  readonly expiresAtMs: number;
}

export interface Sponsored extends Prepared {
  /** The fund's, Base64 of `flag ‖ signature ‖ public key`. */
  readonly signature: string;
}

export interface ExecuteInput {
  readonly digest: string;
  readonly senderSignature: string;
  /** Answer only once a read of the digest shows it too. */
  readonly waitForLocalExecution: boolean;
}

export interface Executed {
  readonly execution: SuiExecution;
  readonly sender: string;
  /** Null where it was not asked for. */
  readonly confirmedLocalExecution: boolean | null;
}

export type SponsorshipStatus = "IN_FLIGHT" | "COMPLETE" | "INVALID";

interface Parts {
  readonly core: FundCore;
  readonly pool: FundPool;
  readonly upkeep: FundUpkeep;
  readonly lookUp: (digest: string) => Promise<Outcome<Finding>>;
}

/**
 * The Durable Object of one fund: loads, calls a transition of `shared/fund/sui-fund.ts`, commits, and arms the alarm.
 * Methods return null, and refusals, as values; they throw only on faults.
 */
export class Fund extends DurableObject<Env> {
  readonly #deps: Deps;
  readonly #due: DueTable;
  #loaded: Parts | null = null;
  #reservations = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, MIGRATIONS);
    this.#due = new DueTable(ctx.storage, (atMs) => this.#deps.clock.alarmAtMs(atMs));
    this.#due.rearm();
  }

  /** Creates the fund; repeated with the same id, answers what exists. */
  async create(input: CreateFund): Promise<FundView> {
    if (this.#parts() === null) {
      const { fundId, projectId, network, name } = input;
      const createdAtMs = this.#deps.clock.nowMs();
      this.ctx.storage.transactionSync(() => {
        const base = { fundId, projectId, network, name, createdAtMs };
        writeFundRecord(this.ctx.storage.sql, { ...base, pausedCause: null, key: null, seen: null });
      });
    }
    const view = input.createDepositAddress ? await this.createDepositAddress() : this.view();
    if (view === null) throw new Error("the fund was written and is not there");
    return view;
  }

  /** Null: no fund was ever created under this id. */
  view(): FundView | null {
    const parts = this.#parts();
    return parts === null ? null : viewOf(parts.core);
  }

  /** Renames, pauses or resumes the fund; null where it does not exist. A pause holds from the next call. */
  update(change: { readonly name?: string; readonly paused?: boolean }): FundView | null {
    const parts = this.#parts();
    if (parts === null) return null;
    const { core } = parts;
    const { name = core.record.name, paused } = change;
    // A chain that is gone does not come back: its coins and signatures mean nothing on the new one.
    const resettable = core.record.pausedCause !== CHAIN_RESET;
    const pausedCause = paused === undefined || !resettable ? core.record.pausedCause : paused ? "operator" : null;
    core.commit(() => core.changeRecord({ name, pausedCause }));
    return viewOf(core);
  }

  /** Makes the fund's key, once. Its address is the deposit address. */
  async createDepositAddress(): Promise<FundView | null> {
    const parts = this.#parts();
    if (parts === null) return null;
    const { core } = parts;
    if (core.record.key === null) {
      const { masterKeys } = serviceSecrets(this.#deps);
      const { randomBytes } = this.#deps;
      const key = await createSealedKey(FUND_KEY_LABEL, core.record.fundId, masterKeys, randomBytes);
      // Another call may have made one meanwhile, and its address may already have been shown.
      if (core.record.key === null)
        core.commit(() => {
          core.setKey(key);
          core.due.set("scan", "", core.nowMs());
        });
    }
    return viewOf(core);
  }

  /** Reads the fund's coins from the chain now. */
  async refresh(): Promise<Outcome<FundView> | null> {
    const parts = this.#parts();
    if (parts === null) return null;
    const scanned = await parts.upkeep.scan("always");
    return scanned.ok ? done(viewOf(parts.core)) : scanned;
  }

  /** Newest first; null where the fund does not exist. */
  sponsorships(page: PageRequest): Page<SponsorshipView> | null {
    return this.#parts()?.core.store.listSponsorships(page) ?? null;
  }

  /** Lends coins, signs, and hands the signature out: for transactions that the caller submits. */
  async sponsor(input: SponsorInput): Promise<Outcome<Sponsored>> {
    const parts = this.#required();
    const reserved = await this.#reserve(parts, input, "at_once");
    if (!reserved.ok) return reserved;
    const { core } = parts;
    const { transactionBytes, digest, expiresAtMs } = reserved.value;
    await core.durable();
    const signature = await signTransaction(await core.signer(), transactionBytes);
    return done({ txBytes: transactionBytes, digest, expiresAtMs, signature });
  }

  /** Lends coins for ten minutes; no signature of the fund exists before `execute`. */
  async prepare(input: SponsorInput): Promise<Outcome<Prepared>> {
    const reserved = await this.#reserve(this.#required(), input, "after_sender");
    if (!reserved.ok) return reserved;
    const { transactionBytes, digest, expiresAtMs } = reserved.value;
    return done({ txBytes: transactionBytes, digest, expiresAtMs });
  }

  /**
   * Submits a sponsorship that its sender has signed. Repeated, it resends the same bytes or answers what the chain
   * shows; there is never a signature over other bytes.
   */
  async execute(input: ExecuteInput): Promise<Outcome<Executed>> {
    const parts = this.#required();
    const { core } = parts;
    const row = core.store.sponsorship(input.digest);
    if (row === null) return refuse("unknown_sponsorship", "this fund has no sponsorship with that digest");
    if (row.state === "dead") return refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
    const valid = await core.node.verifySignature(row.transactionBytes, input.senderSignature, row.sender);
    if (!valid.ok) return valid;
    if (!valid.value)
      return refuse("bad_signature", "senderSignature is not the sender's signature over the sponsored bytes");
    if (row.state === "complete" || row.state === "expired") return this.#executedBefore(parts, row, input);

    // A fund that cannot sign must not hold coins for signatures that never come to be.
    const signer = await core.signer();
    const approved = core.commit(() =>
      approve(core.store, input.digest, { pausedCause: core.record.pausedCause, nowMs: core.nowMs() }),
    );
    if (!approved.ok) return approved;
    await core.durable();
    const sponsorSignature = await signTransaction(signer, row.transactionBytes);
    const signatures = [input.senderSignature, sponsorSignature];
    const outcome = await core.node.submit(row.transactionBytes, signatures, input.digest);
    if (outcome.kind === "executed") return this.#executed(parts, row, outcome.execution, input);
    return this.#unsettled(parts, row, input, outcome);
  }

  /** What the caller may believe about a digest. A live one waits for one look-up, shared by concurrent calls. */
  async status(digest: string): Promise<Outcome<SponsorshipStatus>> {
    const { core, lookUp } = this.#required();
    const row = core.store.sponsorship(digest);
    if (row === null || row.state === "dead") return done("INVALID");
    if (row.state === "complete") return done("COMPLETE");
    if (row.state === "prepared") {
      core.commit(() => releasePrepared(core.store, digest, core.nowMs()));
      return done(core.store.sponsorship(digest)?.state === "prepared" ? "IN_FLIGHT" : "INVALID");
    }
    const looked = await lookUp(digest);
    const pending = core.nowMs() < row.expiresAtMs;
    if (!looked.ok) return pending ? done("IN_FLIGHT") : looked;
    const { execution, checkpointTimeMs } = looked.value;
    if (execution !== null)
      return this.#book(core, execution)
        ? done("COMPLETE")
        : refuse("node_unavailable", "the node's answer does not fit the sponsored bytes");
    core.commit(() => recordMiss(core.store, digest, checkpointTimeMs, core.nowMs(), "by_caller"));
    switch (core.store.sponsorship(digest)?.state) {
      case "complete":
        return done("COMPLETE");
      case "signed":
        return pending ? done("IN_FLIGHT") : refuse("node_unavailable", "the node has not seen the expiry pass yet");
      default:
        return done("INVALID");
    }
  }

  /** For the cron: arms what an alarm may have lost, and tells how the fund stands. */
  check(): FundView | null {
    return this.view();
  }

  override async alarm(): Promise<void> {
    try {
      await this.#parts()?.upkeep.run();
    } catch (error) {
      this.#deps.log("fund.alarm_failed", { fund: this.ctx.id.name ?? null, error: String(error) });
    } finally {
      this.#due.rearm();
    }
  }

  #parts(): Parts | null {
    this.#due.rearmIfOverdue(this.#deps.clock.nowMs());
    if (this.#loaded !== null) return this.#loaded;
    const core = loadFundCore(this.#deps, this.ctx.storage, this.#due);
    if (core === null) return null;
    const pool = new FundPool(core);
    const lookUp = lookUpBatch((digests) => core.node.lookUp(digests, "full"));
    this.#loaded = { core, pool, upkeep: new FundUpkeep(core, pool), lookUp };
    return this.#loaded;
  }

  /** An access key names its fund, and a fund is never deleted: without one, something is broken. */
  #required(): Parts {
    const parts = this.#parts();
    if (parts === null) throw new Error("no such fund");
    return parts;
  }

  async #reserve(
    parts: Parts,
    input: SponsorInput,
    release: "at_once" | "after_sender",
  ): Promise<Outcome<Sponsorship>> {
    const { core, pool } = parts;
    const inspected = inspectKind(input.kindBytes);
    if (!inspected.ok) return inspected;
    const { address } = core;
    if (address === null) return refuse("balance_too_low", "the fund has no deposit address yet, so it holds nothing");
    await core.signer();
    const facts = await core.factsForSigning();
    if (!facts.ok) return facts;
    const screened = screen(core.store, input, core.context(address, facts.value));
    if (!screened.ok) return screened;
    const gasPriceMist = screened.value;
    const kind = inspected.value;
    let { gasBudgetMist } = input;
    if (gasBudgetMist === null) {
      const gas = { owner: address, payment: [], priceMist: gasPriceMist, budgetMist: DRY_RUN_BUDGET_MIST };
      const dryRun = await core.node.dryRun(wrapKind(kind.bytes, input.sender, gas, expirationEpoch(facts.value)));
      if (!dryRun.ok) return dryRun;
      const { success, error, gasUsed } = dryRun.value;
      if (!success)
        return refuse("dry_run_failed", error ?? "the dry run failed", { node: { status: "failure", text: error } });
      gasBudgetMist = automaticBudgetMist(gasUsed, gasPriceMist, kind.usesSharedObjects);
      if (input.maxGasBudgetMist !== null && gasBudgetMist > input.maxGasBudgetMist)
        return refuse(
          "gas_budget_out_of_range",
          `by a dry run the gas budget is ${gasBudgetMist} MIST, above the maxGasBudget of ${input.maxGasBudgetMist}`,
        );
    }
    const request = { keyId: input.keyId, kind, sender: input.sender, gasPriceMist, gasBudgetMist };
    const attempt = () => core.commit(() => reserve(core.store, request, core.context(address, facts.value), release));

    const reserved = await this.#withCoin(pool, gasBudgetMist, attempt);
    if (++this.#reservations % RESERVATIONS_PER_POOL_CHECK === 0) this.ctx.waitUntil(pool.refill());
    return reserved;
  }

  /** Tries, and while the fund has money but no fitting coin, waits for the pool. */
  async #withCoin(
    pool: FundPool,
    budgetMist: bigint,
    attempt: () => Outcome<Sponsorship>,
  ): Promise<Outcome<Sponsorship>> {
    let reserved = attempt();
    if (reserved.ok || reserved.refusal.reason !== "no_gas_object") return reserved;
    const deadlineMs = this.#deps.clock.nowMs() + COIN_WAIT_MS;
    const waiter = { budgetMist };
    pool.waiting.add(waiter);
    try {
      while (!reserved.ok && reserved.refusal.reason === "no_gas_object" && this.#deps.clock.nowMs() < deadlineMs) {
        const leftMs = Math.max(deadlineMs - this.#deps.clock.nowMs(), 0);
        const refilled = await Promise.race([pool.refill(), sleep(leftMs)]);
        if (refilled !== true) await sleep(Math.min(COIN_POLL_MS, leftMs));
        reserved = attempt();
      }
      return reserved;
    } finally {
      pool.waiting.delete(waiter);
    }
  }

  /** False, and a log line, where the effects cannot be those of what the fund signed: such a node is not believed. */
  #book(core: FundCore, execution: SuiExecution): boolean {
    const booked = core.commit(() => settle(core.store, execution, core.nowMs()));
    if (!booked) this.#deps.log("fund.effects_refused", { fund: core.record.fundId, digest: execution.digest });
    return booked;
  }

  async #executedBefore(parts: Parts, row: Sponsorship, input: ExecuteInput): Promise<Outcome<Executed>> {
    const looked = await parts.lookUp(input.digest);
    if (!looked.ok) return looked;
    const { execution } = looked.value;
    if (execution === null)
      return parts.core.store.sponsorship(input.digest)?.state === "complete"
        ? refuse("node_unavailable", "the transaction was executed; the node does not show it right now")
        : refuse("sponsorship_expired", "the sponsorship has expired: ask for a new one");
    return this.#executed(parts, row, execution, input);
  }

  async #executed(
    parts: Parts,
    row: Sponsorship,
    execution: SuiExecution,
    input: ExecuteInput,
  ): Promise<Outcome<Executed>> {
    const { sender, digest } = row;
    if (!this.#book(parts.core, execution))
      return refuse("outcome_unknown", "the node's answer does not fit the sponsored bytes", { digest });
    if (!input.waitForLocalExecution) return done({ execution, sender, confirmedLocalExecution: null });
    const seen = await this.#lookUpPatiently(parts, digest);
    return done({ execution: seen ?? execution, sender, confirmedLocalExecution: seen !== null });
  }

  /** A refusal, or no answer: the digest decides which of them the caller hears of. */
  async #unsettled(
    parts: Parts,
    row: Sponsorship,
    input: ExecuteInput,
    outcome:
      | { readonly kind: "refused"; readonly status: string; readonly text: string }
      | { readonly kind: "unknown"; readonly text: string },
  ): Promise<Outcome<Executed>> {
    const { digest } = input;
    const found =
      outcome.kind === "refused" ? await this.#lookUpOnce(parts, digest) : await this.#lookUpPatiently(parts, digest);
    if (found !== null) return this.#executed(parts, row, found, input);
    if (outcome.kind === "refused")
      return refuse("node_refused", outcome.text, { node: { status: outcome.status, text: outcome.text }, digest });
    return refuse("outcome_unknown", "the node did not answer: look the digest up before anything else", { digest });
  }

  async #lookUpOnce({ lookUp }: Parts, digest: string): Promise<SuiExecution | null> {
    const looked = await lookUp(digest);
    return looked.ok ? looked.value.execution : null;
  }

  async #lookUpPatiently(parts: Parts, digest: string): Promise<SuiExecution | null> {
    for (const waitMs of OUTCOME_LOOK_UPS_MS) {
      const execution = await this.#lookUpOnce(parts, digest);
      if (execution !== null) return execution;
      await sleep(waitMs);
    }
    return null;
  }
}

function viewOf(core: FundCore): FundView {
  const { fundId, projectId, name, network, pausedCause, createdAtMs } = core.record;
  const { balanceMist, inFlightMist } = core.store.totals();
  const depositAddress = core.address;
  return { fundId, projectId, name, network, balanceMist, inFlightMist, depositAddress, pausedCause, createdAtMs };
}
