import { DurableObject } from "cloudflare:workers";
import { createSealedKey } from "../custody/signer.ts";
import { createDeps, type Deps, serviceSecrets } from "../deps.ts";
import type { Env } from "../env.ts";
import { done, type Outcome } from "../errors.ts";
import { COIN_STORE_MIGRATION } from "../fund/sqlite-coin-store.ts";
import { CHAIN_RESET, type FundView, type SponsorshipView } from "../fund/views.ts";
import type { SuiNetwork } from "../networks.ts";
import type { Page, PageRequest } from "../paging.ts";
import { DUE_TABLE_MIGRATION, DueTable } from "./due-table.ts";
import { FUND_KEY_LABEL, type FundCore, loadFundCore } from "./fund-core.ts";
import { type Executed, type ExecuteInput, FundExecution, type SponsorshipStatus } from "./fund-execution.ts";
import { FundPool } from "./fund-pool.ts";
import { FUND_RECORD_MIGRATION, writeFundRecord } from "./fund-record.ts";
import { FundSponsoring, type Prepared, type Sponsored, type SponsorInput } from "./fund-sponsoring.ts";
import { FundUpkeep } from "./fund-upkeep.ts";
import { migrate } from "./migrations.ts";

/** Append-only: objects out there have run these. */
export const MIGRATIONS = [FUND_RECORD_MIGRATION + COIN_STORE_MIGRATION + DUE_TABLE_MIGRATION];

export interface CreateFund {
  readonly fundId: string;
  readonly projectId: string;
  readonly network: SuiNetwork;
  readonly name: string;
}

interface Parts {
  readonly core: FundCore;
  readonly sponsoring: FundSponsoring;
  readonly execution: FundExecution;
  readonly upkeep: FundUpkeep;
}

/**
 * The Durable Object of one fund: loads, calls a transition of `shared/fund/sui-fund.ts`, commits, and arms the alarm.
 * Methods return null, and refusals, as values; they throw only on faults.
 */
export class Fund extends DurableObject<Env> {
  readonly #deps: Deps;
  readonly #due: DueTable;
  #loaded: Parts | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, MIGRATIONS);
    this.#due = new DueTable(ctx.storage, (atMs) => this.#deps.clock.alarmAtMs(atMs));
    this.#due.rearm();
  }

  /** Creates the fund, without a key; repeated with the same id, answers what exists. */
  create({ fundId, projectId, network, name }: CreateFund): FundView {
    if (this.#parts() === null) {
      const createdAtMs = this.#deps.clock.nowMs();
      this.ctx.storage.transactionSync(() => {
        const base = { fundId, projectId, network, name, createdAtMs };
        writeFundRecord(this.ctx.storage.sql, { ...base, pausedCause: null, key: null, seen: null });
      });
    }
    const view = this.view();
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
    return this.#required().sponsoring.sponsor(input);
  }

  /** Lends coins for ten minutes; no signature of the fund exists before `execute`. */
  async prepare(input: SponsorInput): Promise<Outcome<Prepared>> {
    return this.#required().sponsoring.prepare(input);
  }

  /**
   * Submits a sponsorship that its sender has signed. Repeated, it resends the same bytes or answers what the chain
   * shows; there is never a signature over other bytes.
   */
  async execute(input: ExecuteInput): Promise<Outcome<Executed>> {
    return this.#required().execution.execute(input);
  }

  /** What the caller may believe about a digest. `COMPLETE` and the end of the hour come from the chain only. */
  async status(digest: string): Promise<Outcome<SponsorshipStatus>> {
    return this.#required().execution.status(digest);
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
    const sponsoring = new FundSponsoring(core, pool, (work) => this.ctx.waitUntil(work));
    this.#loaded = { core, sponsoring, execution: new FundExecution(core), upkeep: new FundUpkeep(core, pool) };
    return this.#loaded;
  }

  /** An access key names its fund, and a fund is never deleted: without one, something is broken. */
  #required(): Parts {
    const parts = this.#parts();
    if (parts === null) throw new Error("no such fund");
    return parts;
  }
}

function viewOf(core: FundCore): FundView {
  const { fundId, projectId, name, network, pausedCause, createdAtMs } = core.record;
  const { balanceMist, inFlightMist } = core.store.totals();
  const depositAddress = core.address;
  return { fundId, projectId, name, network, balanceMist, inFlightMist, depositAddress, pausedCause, createdAtMs };
}
