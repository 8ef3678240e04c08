import { DurableObject } from "cloudflare:workers";
import { createDeps, type Deps, serviceSecrets } from "../bindings/deps.ts";
import type { Env, ObjectMethods } from "../bindings/env.ts";
import type { CreateFund, FundObject, FundPatch } from "../bindings/fund.ts";
import { masterKeyVersionOf, notOpened } from "../crypto/sealing.ts";
import { createSealedKey, openSigner, resealKey } from "../crypto/signer.ts";
import { requireRightKeys } from "../directory/right-secrets.ts";
import { DUE_TABLE_MIGRATION, DueTable } from "../durable/due-table.ts";
import { migrate } from "../durable/migrations.ts";
import { OUTBOX_INTERVALS, OUTBOX_MIGRATION, Outbox } from "../durable/outbox.ts";
import { type EventSubscriptions, SUBSCRIBED_EVENTS_MIGRATION, SubscribedEvents } from "../durable/subscriptions.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import { isAptosNetwork, isSuiNetwork, type Network } from "../networks.ts";
import type { Page, PageRequest } from "../paging.ts";
import { patchPolicy } from "../policy/policy-schema.ts";
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
import { APTOS_FUND_STORE_MIGRATION } from "./aptos/schema.ts";
import { APTOS_FUND_STORE_MIGRATION_5 } from "./aptos/sqlite-store.ts";
import { FUND_KEY_LABEL } from "./core.ts";
import type { FundEngine, RevocationResult, Withdrawal, WithdrawInput } from "./engine.ts";
import { type FundEvent, raisedEvent } from "./events.ts";
import type { LedgerRow } from "./ledger/books.ts";
import { FUND_BOOKS_MIGRATION_3, FUND_BOOKS_MIGRATION_5 } from "./ledger/sqlite-books.ts";
import { DOUBTS_MIGRATION } from "./ledger/sqlite-doubts.ts";
import {
  FUND_RECORD_MIGRATION,
  FUND_RECORD_MIGRATION_2,
  FUND_RECORD_MIGRATION_3,
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
import { SPONSORSHIP_TTL_MS } from "./sui/limits.ts";
import { FUND_STORE_MIGRATION, FUND_STORE_MIGRATION_2, FUND_STORE_MIGRATION_5 } from "./sui/schema.ts";
import type { UnusableView } from "./sui/unusable.ts";
import { LONGEST_INTERVALS } from "./upkeep.ts";
import {
  type AnyFundMode,
  CHAIN_RESET,
  FUNGIBLE_STORE,
  type FundView,
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
export const migrations = [
  FUND_RECORD_MIGRATION + FUND_STORE_MIGRATION + DUE_TABLE_MIGRATION,
  FUND_RECORD_MIGRATION_2 + FUND_STORE_MIGRATION_2 + RECYCLE_EXPIRED,
  FUND_RECORD_MIGRATION_3 + FUND_BOOKS_MIGRATION_3 + APTOS_FUND_STORE_MIGRATION,
  OUTBOX_MIGRATION + SUBSCRIBED_EVENTS_MIGRATION,
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

/**
 * The Durable Object of one fund: loads, calls a transition of `shared/fund`, commits, and arms the alarm. What
 * differs by chain is in its engine. Methods return null, and refusals, as values; they throw only on faults.
 */
export class Fund extends DurableObject<Env> implements ObjectMethods<FundObject> {
  readonly #deps: Deps;
  readonly #due: DueTable;
  readonly #outbox: Outbox;
  readonly #listeners: SubscribedEvents;
  #loaded: FundEngine | null = null;
  /** By this instance. */
  #checkedAtMs = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations);
    this.#due = new DueTable(ctx.storage, (atMs) => this.#deps.clock.alarmAtMs(atMs), {
      ...LONGEST_INTERVALS,
      ...OUTBOX_INTERVALS,
    });
    this.#outbox = new Outbox(ctx.storage.sql, this.#due, this.#deps);
    this.#listeners = new SubscribedEvents(ctx.storage.sql);
    this.#due.rearm();
  }

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

  view(): FundView | null {
    const engine = this.#asked();
    return engine === null ? null : viewOf(engine);
  }

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

  async createDepositAddress(): Promise<FundView | null> {
    const engine = this.#asked();
    if (engine === null) return null;
    const { core } = engine;
    if (core.record.key === null) {
      await requireRightKeys(this.env, this.#deps);
      const { masterKeys } = serviceSecrets(this.#deps);
      const { randomBytes } = this.#deps;
      const { fundId, projectId } = core.record;
      await this.env.PROJECT.getByName(projectId).recordSealing({ kind: "fund", name: fundId }, masterKeys.current);
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

  async opensUnder(masterKeyVersion: number): Promise<boolean | null> {
    const record = this.#engine()?.core.record;
    const key = record?.key ?? null;
    if (record === undefined || key === null || masterKeyVersionOf(key.sealedPrivateKey) !== masterKeyVersion)
      return null;
    return openSigner(key, FUND_KEY_LABEL, record.fundId, serviceSecrets(this.#deps).masterKeys).then(
      () => true,
      notOpened,
    );
  }

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

  async refresh(): Promise<Outcome<FundView> | null> {
    const engine = this.#asked();
    if (engine === null) return null;
    const refreshed = await engine.refresh();
    return refreshed.ok ? done(viewOf(engine)) : refreshed;
  }

  sponsorships(page: PageRequest): Page<SponsorshipView> | null {
    return this.#asked()?.sponsorships(page) ?? null;
  }

  async unusable(page: PageRequest): Promise<Outcome<Page<UnusableView>> | null> {
    return this.#asked()?.unusable(page) ?? null;
  }

  async sponsor(input: SponsorInput): Promise<Outcome<Sponsored>> {
    return this.#sui().sponsoring.sponsor(input);
  }

  async prepare(input: SponsorInput): Promise<Outcome<Simulated>> {
    return this.#sui().sponsoring.prepare(input);
  }

  async prepareExecution(input: SponsorInput): Promise<Outcome<Prepared>> {
    return this.#sui().sponsoring.prepareExecution(input);
  }

  async abandon(digest: string, idempotency: IdempotencyClaim | null): Promise<void> {
    this.#sui().sponsoring.abandon(digest, idempotency);
  }

  async execute(input: ExecuteInput): Promise<Outcome<Executed>> {
    return this.#sui().execution.execute(input);
  }

  async status(digest: string, leftMs?: number): Promise<Outcome<SponsorshipStatus>> {
    return this.#sui().execution.status(digest, leftMs);
  }

  async aptosScreen(input: AptosScreenInput): Promise<Outcome<{ readonly feePayerAddress: string }>> {
    return this.#aptos().sponsoring.screen(input);
  }

  async aptosSponsor(input: AptosSponsorInput): Promise<Outcome<AptosSponsored>> {
    return this.#aptos().sponsoring.sponsor(input);
  }

  async aptosExecute(input: AptosExecuteInput): Promise<Outcome<AptosExecuted>> {
    return this.#aptos().sponsoring.execute(input);
  }

  async aptosScreenInitialization(): Promise<Outcome<null>> {
    return this.#aptos().sponsoring.screenInitialization();
  }

  async aptosInitialization(input: AptosInitializationInput): Promise<Outcome<AptosInitialization>> {
    return this.#aptos().sponsoring.initialization(input);
  }

  async withdraw(input: WithdrawInput): Promise<Outcome<Withdrawal> | null> {
    const engine = this.#asked();
    return engine === null ? null : engine.withdraw(input);
  }

  async revoke(keyId: string | null): Promise<RevocationResult | null> {
    const engine = this.#asked();
    if (engine === null) return null;
    const { core } = engine;
    if (keyId === null && core.record.pausedCause !== CHAIN_RESET)
      core.commit(() => core.changeRecord({ pausedCause: REVOKED }));
    return engine.revoke(keyId);
  }

  unrevokeKey(keyId: string): void {
    const { core } = this.#required();
    core.commit(() => core.store.setRevoked(keyId, false));
  }

  async reconcile(): Promise<Outcome<Reconciliation> | null> {
    const engine = this.#asked();
    return engine === null ? null : engine.reconcile();
  }

  ledger(page: PageRequest): Page<LedgerRow> | null {
    return this.#asked()?.core.store.listLedger(page) ?? null;
  }

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

  setSubscribedEvents(listeners: EventSubscriptions): void {
    this.#listeners.set(listeners);
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
