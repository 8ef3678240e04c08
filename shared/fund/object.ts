import { DurableObject } from "cloudflare:workers";
import { createDeps, type Deps, serviceSecrets } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import { notOpened, sealedUnder } from "../crypto/sealing.ts";
import { createSealedKey, openSigner, resealKey } from "../crypto/signer.ts";
import { requireRightKeys } from "../directory/right-secrets.ts";
import { DUE_TABLE_MIGRATION, DueTable } from "../durable/due-table.ts";
import { migrate } from "../durable/migrations.ts";
import {
  KnownListeners,
  LISTENERS_MIGRATION,
  type Listeners,
  OUTBOX_INTERVALS,
  OUTBOX_MIGRATION,
  Outbox,
} from "../durable/outbox.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import { isAptosNetwork, isSuiNetwork, type Network } from "../networks.ts";
import type { Page, PageRequest } from "../paging.ts";
import { type PolicyPatch, patchPolicy } from "../policy/policy-schema.ts";
import { AptosFundCore } from "./aptos/engine/chain.ts";
import { AptosFundEngine } from "./aptos/engine/index.ts";
import type {
  AptosExecuted,
  AptosExecuteInput,
  AptosInitialization,
  AptosInitializationInput,
  AptosScreenInput,
  AptosSponsored,
  AptosSponsorInput,
} from "./aptos/engine/sponsor.ts";
import { APTOS_FUND_STORE_MIGRATION, APTOS_FUND_STORE_MIGRATION_5 } from "./aptos/sqlite-store.ts";
import { FUND_KEY_LABEL } from "./core.ts";
import type { FundEngine, Revoked, Withdrawal, WithdrawInput } from "./engine.ts";
import { type FundEvent, raisedEvent } from "./events.ts";
import { FUND_BOOKS_MIGRATION_3, FUND_BOOKS_MIGRATION_5 } from "./ledger/sqlite-books.ts";
import { DOUBTS_MIGRATION } from "./ledger/sqlite-doubts.ts";
import {
  FUND_RECORD_MIGRATION,
  FUND_RECORD_MIGRATION_2,
  FUND_RECORD_MIGRATION_3,
  type FundSettings,
  readFundRecord,
  writeFundRecord,
} from "./record.ts";
import { SPENT_BYTES_MIGRATION } from "./spent-bytes.ts";
import { CONVERSIONS_MIGRATION } from "./sui/conversion.ts";
import { SuiFundCore } from "./sui/engine/chain.ts";
import type { Executed, ExecuteInput, SponsorshipStatus } from "./sui/engine/execute.ts";
import { SuiFundEngine } from "./sui/engine/index.ts";
import type { Prepared, Simulated, Sponsored, SponsorInput } from "./sui/engine/sponsor.ts";
import { KEPT_ANSWERS_MIGRATION } from "./sui/kept-answers.ts";
import { SPONSORSHIP_TTL_MS } from "./sui/sponsorships.ts";
import { FUND_STORE_MIGRATION, FUND_STORE_MIGRATION_2, FUND_STORE_MIGRATION_5 } from "./sui/sqlite-store.ts";
import type { UnusableView } from "./sui/unusable.ts";
import { LONGEST_INTERVALS } from "./upkeep.ts";
import {
  type AnyFundMode,
  CHAIN_RESET,
  FUNGIBLE_STORE,
  type FundView,
  type LedgerView,
  PAUSED_BY_OPERATOR,
  REVOKED,
  type Reconciliation,
  type SponsorshipView,
} from "./views.ts";

/** Before version 2, nothing took what had expired to a higher version. */
const RECYCLE_EXPIRED = `
  INSERT INTO due
    SELECT 'recycle', '', MIN(expires_at_ms) FROM sponsorship WHERE state = 'expired' HAVING COUNT(*) > 0;
`;

/** Append-only: objects out there have run these. */
export const MIGRATIONS = [
  FUND_RECORD_MIGRATION + FUND_STORE_MIGRATION + DUE_TABLE_MIGRATION,
  FUND_RECORD_MIGRATION_2 + FUND_STORE_MIGRATION_2 + RECYCLE_EXPIRED,
  FUND_RECORD_MIGRATION_3 + FUND_BOOKS_MIGRATION_3 + APTOS_FUND_STORE_MIGRATION,
  OUTBOX_MIGRATION + LISTENERS_MIGRATION,
  FUND_BOOKS_MIGRATION_5 +
    FUND_STORE_MIGRATION_5 +
    KEPT_ANSWERS_MIGRATION +
    SPENT_BYTES_MIGRATION +
    CONVERSIONS_MIGRATION +
    DOUBTS_MIGRATION +
    APTOS_FUND_STORE_MIGRATION_5,
];

/** A balance that was low is called recovered once it is this much above its threshold, so that it does not flap. */
const RECOVERED_PERCENT = 110n;
/** Between two looks at the balance, by the fund's own alarm: where there are no crons, nobody else does. */
const BALANCE_CHECK_MS = 300_000;

export interface CreateFund extends FundSettings {
  readonly fundId: string;
  readonly projectId: string;
  readonly network: Network;
  /** `fungible_store` on Aptos, one of the others on Sui. */
  readonly mode: AnyFundMode;
}

export interface FundPatch extends Partial<Omit<FundSettings, "policy">> {
  readonly paused?: boolean;
  /** Merged here, so that two changes at once both hold. */
  readonly policy?: PolicyPatch;
}

/**
 * The Durable Object of one fund: loads, calls a transition of `shared/fund`, commits, and arms the alarm. What
 * differs by chain is in its engine. Methods return null, and refusals, as values; they throw only on faults.
 */
export class Fund extends DurableObject<Env> {
  readonly #deps: Deps;
  readonly #due: DueTable;
  readonly #outbox: Outbox;
  readonly #listeners: KnownListeners;
  #loaded: FundEngine | null = null;
  /** By this instance. */
  #checkedAtMs = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, MIGRATIONS);
    this.#due = new DueTable(ctx.storage, (atMs) => this.#deps.clock.alarmAtMs(atMs), {
      ...LONGEST_INTERVALS,
      ...OUTBOX_INTERVALS,
    });
    this.#outbox = new Outbox(ctx.storage.sql, this.#due, this.#deps);
    this.#listeners = new KnownListeners(ctx.storage.sql);
    this.#due.rearm();
  }

  /**
   * Creates the fund, without a key; repeated with the same id, answers what exists.
   *
   * @returns `unsupported_network` for an address balance where the epochs are too short for it, `node_unavailable`
   * where that cannot be asked.
   */
  async create({ fundId, projectId, network, mode, ...settings }: CreateFund): Promise<Outcome<FundView>> {
    if (this.#engine() === null) {
      const suitable = await this.#suits(network, mode);
      if (!suitable.ok) return suitable;
    }
    if (this.#engine() === null) {
      const createdAtMs = this.#deps.clock.nowMs();
      this.ctx.storage.transactionSync(() => {
        const base = { fundId, projectId, network, mode, ...settings, createdAtMs };
        writeFundRecord(this.ctx.storage.sql, { ...base, pausedCause: null, key: null, seen: null, low: false });
      });
    }
    return done(viewOf(this.#required()));
  }

  async #suits(network: Network, mode: AnyFundMode): Promise<Outcome<null>> {
    if (isSuiNetwork(network) === (mode === FUNGIBLE_STORE))
      return refuse("unsupported_network", `a fund on ${network} has no mode ${mode}`);
    if (mode !== "address_balance" || !isSuiNetwork(network)) return done(null);
    // What is promised from an address balance is bound to two epochs at most, and has to last an hour.
    const facts = await this.#deps.suiNode(network).chainFacts(0n);
    if (!facts.ok) return facts;
    return facts.value.epochDurationMs >= SPONSORSHIP_TTL_MS
      ? done(null)
      : refuse("unsupported_network", "an epoch of this network is shorter than an hour: use mode coin");
  }

  /** Null: no fund was ever created under this id. */
  view(): FundView | null {
    const engine = this.#asked();
    return engine === null ? null : viewOf(engine);
  }

  /**
   * Changes settings, pauses or resumes; null where the fund does not exist. Holds from the next call. A fund whose
   * chain seemed gone is resumed only where the node answers for that chain again: a single answer for another chain
   * pauses a fund, and it may have been a wrong address in the configuration.
   */
  async update({ paused, policy, ...settings }: FundPatch): Promise<FundView | null> {
    const engine = this.#asked();
    if (engine === null) return null;
    const { core } = engine;
    const reset = core.record.pausedCause === CHAIN_RESET;
    const settable = paused !== undefined && (!reset || (!paused && (await engine.isOnItsChain())));
    const changes = {
      ...settings,
      ...(policy && { policy: patchPolicy(core.record.policy, policy) }),
      ...(settable && { pausedCause: paused ? PAUSED_BY_OPERATOR : null }),
    };
    core.commit(() => core.changeRecord(changes));
    return viewOf(engine);
  }

  /** Makes the fund's key, once. Its address is the deposit address. */
  async createDepositAddress(): Promise<FundView | null> {
    const engine = this.#asked();
    if (engine === null) return null;
    const { core } = engine;
    if (core.record.key === null) {
      await requireRightKeys(this.env, this.#deps);
      const { masterKeys } = serviceSecrets(this.#deps);
      const { randomBytes } = this.#deps;
      const { fundId, projectId } = core.record;
      await this.env.PROJECT.getByName(projectId).noteSealing({ kind: "fund", name: fundId }, masterKeys.current);
      const key = await createSealedKey(FUND_KEY_LABEL, fundId, masterKeys, randomBytes);
      // Another call may have made one meanwhile, and its address may already have been shown.
      if (core.record.key === null)
        core.commit(() => {
          core.setKey(key);
          core.due.set("scan", "", core.nowMs());
        });
    }
    return viewOf(engine);
  }

  /** Whether the fund's key opens. Null: it has none yet, or one that is under another master key version. */
  async opensUnder(masterKeyVersion: number): Promise<boolean | null> {
    const record = this.#engine()?.core.record;
    const key = record?.key ?? null;
    if (record === undefined || key === null || sealedUnder(key.sealedPrivateKey) !== masterKeyVersion) return null;
    return openSigner(key, FUND_KEY_LABEL, record.fundId, serviceSecrets(this.#deps).masterKeys).then(
      () => true,
      notOpened,
    );
  }

  /**
   * Seals the fund's key under the current master key. A repeat changes nothing.
   *
   * @returns the master key version that the key is under from now on, also one that is only about to be made. Throws
   * where it does not open; then it is as it was.
   */
  async reseal(): Promise<Outcome<number>> {
    const { masterKeys } = serviceSecrets(this.#deps);
    const core = this.#engine()?.core;
    const key = core?.record.key ?? null;
    if (core === undefined || key === null) return done(masterKeys.current);
    await requireRightKeys(this.env, this.#deps);
    const resealed = await resealKey(key, FUND_KEY_LABEL, core.record.fundId, masterKeys, this.#deps.randomBytes);
    // Not over what another call has stored meanwhile.
    if (resealed !== key && core.record.key === key) core.commit(() => core.setKey(resealed));
    return done(masterKeys.current);
  }

  /** Reads the fund's coins from the chain now. */
  async refresh(): Promise<Outcome<FundView> | null> {
    const engine = this.#asked();
    if (engine === null) return null;
    const refreshed = await engine.refresh();
    return refreshed.ok ? done(viewOf(engine)) : refreshed;
  }

  /** Newest first; null where the fund does not exist. */
  sponsorships(page: PageRequest): Page<SponsorshipView> | null {
    return this.#asked()?.sponsorships(page) ?? null;
  }

  /** Reads from a node what lies at the fund's address and pays for nothing; null where the fund does not exist. */
  async unusable(page: PageRequest): Promise<Outcome<Page<UnusableView>> | null> {
    return this.#asked()?.unusable(page) ?? null;
  }

  /** Lends coins, signs, and hands the signature out: for transactions that the caller submits. */
  async sponsor(input: SponsorInput): Promise<Outcome<Sponsored>> {
    return this.#sui().sponsoring.sponsor(input);
  }

  /** Lends coins for ten minutes; no signature of the fund exists before `execute`. */
  async prepare(input: SponsorInput): Promise<Outcome<Simulated>> {
    return this.#sui().sponsoring.prepare(input);
  }

  /** As `prepare`, for a call that goes on to `execute` by itself: a repeat is given what the first call has prepared. */
  async prepareExecution(input: SponsorInput): Promise<Outcome<Prepared>> {
    return this.#sui().sponsoring.prepareExecution(input);
  }

  /** Frees what was prepared for a call that was refused after all, and its Idempotency-Key. What is signed stays. */
  async abandon(digest: string, idempotency: IdempotencyClaim | null): Promise<void> {
    this.#sui().sponsoring.abandon(digest, idempotency);
  }

  /**
   * Submits a sponsorship that its sender has signed. Repeated, it resends the same bytes or answers what the chain
   * shows; there is never a signature over other bytes.
   */
  async execute(input: ExecuteInput): Promise<Outcome<Executed>> {
    return this.#sui().execution.execute(input);
  }

  /** What the caller may believe about a digest. `COMPLETE` and the end of the hour come from the chain only. */
  async status(digest: string, leftMs?: number): Promise<Outcome<SponsorshipStatus>> {
    return this.#sui().execution.status(digest, leftMs);
  }

  /** On Aptos: whether the fund would pay for a transaction, before anybody signs anything. Nothing is written. */
  async aptosScreen(input: AptosScreenInput): Promise<Outcome<{ readonly feePayerAddress: string }>> {
    return this.#aptos().sponsoring.screen(input);
  }

  /** On Aptos: signs as fee payer, and hands the signature out: for transactions that the caller submits. */
  async aptosSponsor(input: AptosSponsorInput): Promise<Outcome<AptosSponsored>> {
    return this.#aptos().sponsoring.sponsor(input);
  }

  /**
   * On Aptos: signs as fee payer and submits what all others have signed. Repeated, it submits the same bytes, or answers
   * what became of them; another transaction with the same sequence number is refused.
   */
  async aptosExecute(input: AptosExecuteInput): Promise<Outcome<AptosExecuted>> {
    return this.#aptos().sponsoring.execute(input);
  }

  /** On Aptos: whether the fund would pay for some account's initialisation, as far as that depends on the fund alone. */
  async aptosScreenInitialization(): Promise<Outcome<null>> {
    return this.#aptos().sponsoring.screenInitialization();
  }

  /** On Aptos: whether an account is on chain, and the transaction that makes one, to be signed by it. */
  async aptosInitialization(input: AptosInitializationInput): Promise<Outcome<AptosInitialization>> {
    return this.#aptos().sponsoring.initialization(input);
  }

  /**
   * Withdraws money from the fund. Idempotent by its key.
   *
   * @returns null where the fund does not exist; the refusals of `FundWithdrawals.withdraw`.
   */
  async withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal> | null> {
    const engine = this.#asked();
    return engine === null ? null : engine.withdraw(input);
  }

  /**
   * Makes the signatures worthless that are out: of one access key, or of the whole fund (null), which is then paused.
   * Safe to repeat; null where the fund does not exist.
   */
  async revoke(keyId: string | null): Promise<Revoked | null> {
    const engine = this.#asked();
    if (engine === null) return null;
    const { core } = engine;
    if (keyId === null && core.record.pausedCause !== CHAIN_RESET)
      core.commit(() => core.changeRecord({ pausedCause: REVOKED }));
    return engine.revoke(keyId);
  }

  /** An access key that was revoked is in use again. */
  reinstate(keyId: string): void {
    const { core } = this.#required();
    core.commit(() => core.store.setRevoked(keyId, false));
  }

  /** Compares the books with the chain, after settling what is open; null where the fund does not exist. */
  async reconcile(): Promise<Outcome<Reconciliation> | null> {
    const engine = this.#asked();
    return engine === null ? null : engine.reconcile();
  }

  /** Newest first; null where the fund does not exist. */
  ledger(page: PageRequest): Page<LedgerView> | null {
    return this.#asked()?.core.store.listLedger(page) ?? null;
  }

  /**
   * Says once when the available balance has crossed its threshold, and once when it has recovered. The fund's own alarm
   * asks this now and then, and so does the cron, which thereby arms what an alarm may have lost.
   */
  check(): FundView | null {
    const engine = this.#engine();
    if (engine === null) return null;
    const { core } = engine;
    this.#checkedAtMs = core.nowMs();
    const { lowBalanceAtoms, low, fundId } = core.record;
    const nowAtoms = engine.availableAtoms();
    const isLow =
      lowBalanceAtoms !== null &&
      (low ? nowAtoms * 100n < lowBalanceAtoms * RECOVERED_PERCENT : nowAtoms < lowBalanceAtoms);
    if (isLow !== low) {
      const type = isLow ? "fund.low_balance" : "fund.balance_recovered";
      core.commit(() => {
        core.changeRecord({ low: isLow });
        core.store.raise({ type, availableAtoms: nowAtoms, lowBalanceAtoms });
      });
      this.#deps.log(type, { fund: fundId, availableAtoms: nowAtoms.toString() });
    }
    return viewOf(engine);
  }

  /** Which events the project's webhooks want from now on: others are not raised. */
  hearListeners(listeners: Listeners): void {
    this.#listeners.learn(listeners);
  }

  override async alarm(): Promise<void> {
    this.#due.beginAlarm();
    try {
      const engine = this.#engine();
      await engine?.runDue();
      if (engine !== null) {
        // Also where the clock was ahead when it was checked; now, if the next alarm may come too late for it.
        const sinceCheckMs = Math.abs(this.#deps.clock.nowMs() - this.#checkedAtMs);
        if (sinceCheckMs + engine.core.scanIntervalMs() > BALANCE_CHECK_MS) this.check();
        const { fundId, projectId } = engine.core.record;
        await this.#outbox.runDue(fundId, this.env.PROJECT.getByName(projectId));
      }
    } catch (error) {
      this.#deps.log("fund.alarm_failed", { fund: this.ctx.id.name ?? null, error: String(error) });
    } finally {
      this.#due.endAlarm(this.#deps.clock.nowMs());
    }
  }

  #engine(): FundEngine | null {
    this.#due.rearmIfOverdue(this.#deps.clock.nowMs());
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  /** The engine for somebody who uses the fund or looks at it. */
  #asked(): FundEngine | null {
    const engine = this.#engine();
    engine?.core.noteDemand();
    return engine;
  }

  /** Null where the fund has never been created. */
  #load(): FundEngine | null {
    const record = readFundRecord(this.ctx.storage.sql);
    if (record === null) return null;
    const { network, fundId } = record;
    const parts = { deps: this.#deps, state: this.ctx, due: this.#due, raise: this.#raiser({ fundId, network }) };
    if (isAptosNetwork(network)) return new AptosFundEngine(new AptosFundCore(parts, record, network));
    if (!isSuiNetwork(network)) throw new Error(`no fund can be on ${network}`);
    const core = new SuiFundCore(parts, record, network);
    return new SuiFundEngine(core, (work) => this.ctx.waitUntil(work));
  }

  /** Into the outbox, in the commit under way; what nobody wants costs a look-up in memory. */
  #raiser(fund: { readonly fundId: string; readonly network: Network }): (event: FundEvent) => void {
    return (event) => {
      if (this.#listeners.wants(event.type)) this.#outbox.raise(raisedEvent(event, fund));
    };
  }

  /** An access key names its fund, and a fund is never deleted: without one, something is broken. */
  #required(): FundEngine {
    const engine = this.#asked();
    if (engine === null) throw new Error("no such fund");
    return engine;
  }

  /** Admission knows the network of a key, and so the chain of its fund. */
  #sui(): SuiFundEngine {
    const engine = this.#required();
    if (!(engine instanceof SuiFundEngine)) throw new Error("not a fund on Sui");
    return engine;
  }

  #aptos(): AptosFundEngine {
    const engine = this.#required();
    if (!(engine instanceof AptosFundEngine)) throw new Error("not a fund on Aptos");
    return engine;
  }
}

function viewOf(engine: FundEngine): FundView {
  const { record, store, address } = engine.core;
  const { key: _, seen: __, ...settings } = record;
  const { balanceAtoms, inFlightAtoms, accruedFeesAtoms } = store.totals();
  return {
    ...settings,
    balanceAtoms,
    inFlightAtoms,
    accruedFeesAtoms,
    availableAtoms: engine.availableAtoms(),
    unconverted: engine.unconverted(),
    maintenanceReserveAtoms: engine.maintenanceReserveAtoms(),
    depositAddress: address,
  };
}
