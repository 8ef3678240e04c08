import { createDeps, type Deps, serviceMasterKeys } from "../bindings/deps.ts";
import type { Env, ObjectMethods } from "../bindings/env.ts";
import type { CreateFund, FundObject, FundPatch } from "../bindings/fund.ts";
import type { AdmitAndCall, FundMethod } from "../bindings/fund-calls.ts";
import { DueTable } from "../durable/due-table.ts";
import { Outbox } from "../durable/outbox.ts";
import { type EventSubscriptions, SubscribedEvents } from "../durable/subscriptions.ts";
import { MovingDurableObject, type TransferHooks } from "../durable/transfer/moving-object.ts";
import { Transfer } from "../durable/transfer/state.ts";
import { done, type Outcome } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import type { UpstreamTally } from "../observe/upstream-calls.ts";
import type { PageRequest, SummableRequest } from "../paging.ts";
import { FundAdmission } from "./admission.ts";
import { answerFundAlarm } from "./alarm.ts";
import type { AptosExecuted, AptosExecuteInput } from "./aptos/engine/execute.ts";
import type { AptosInitialization, AptosInitializationInput } from "./aptos/engine/initialize.ts";
import type { AptosScreenInput, AptosSponsorInput } from "./aptos/engine/reserve.ts";
import { archiveNamesOf } from "./archive/months.ts";
import { BalanceChecks } from "./balance-checks.ts";
import { countNodeCalls } from "./calls.ts";
import { createFund } from "./creation.ts";
import { FUND_DUE_COLUMNS } from "./due-times.ts";
import { EngineLoader } from "./engine-loader.ts";
import { FundRefusals } from "./explain/fund-refusals.ts";
import { createDepositAddress, opensFundKey, resealFundKey } from "./key.ts";
import type { LedgerFilter, SponsorshipFilter } from "./lists/filter.ts";
import { type FundMetrics, fundMetrics } from "./metrics.ts";
import { migrateFund, scheduleMigration } from "./migrations.ts";
import { confirmAllWithdrawals, refreshFund, revokeSignatures, unrevokeKey, updateFund } from "./settings.ts";
import type { BoundedSponsorInput } from "./sui/engine/sponsor.ts";
import type { SponsorInput } from "./sui/engine/sponsor-input.ts";
import { transferHooksOf } from "./transfer-hooks.ts";
import { FUND_INTERVALS } from "./upkeep.ts";
import { viewOf } from "./view.ts";
import type { DroppedCoin, ForceClosed, FundView, Reconciliation, RecoveryView } from "./views.ts";

/**
 * The Durable Object of one fund. It loads, calls a transition of `shared/fund`, commits, and arms the alarm. The
 * engine holds every difference between chains. Methods return null and refusals as values, and throw only on faults.
 */
export class Fund extends MovingDurableObject implements ObjectMethods<FundObject> {
  readonly #deps: Deps;
  readonly #due: DueTable;
  readonly #outbox: Outbox;
  readonly #subscribed: SubscribedEvents;
  readonly #engine: EngineLoader;
  readonly #transfer: Transfer;
  readonly #transferHooks: TransferHooks;
  readonly #admission: FundAdmission;
  readonly #refusals: FundRefusals;
  readonly #checks = new BalanceChecks();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrateFund(ctx.storage, this.#deps.clock.nowMs());
    this.#due = new DueTable(ctx.storage, (atMs) => this.#deps.clock.alarmAtMs(atMs), FUND_INTERVALS, FUND_DUE_COLUMNS);
    this.#outbox = new Outbox(ctx.storage.sql, this.#due, this.#deps);
    this.#subscribed = new SubscribedEvents(ctx.storage.sql);
    this.#transfer = new Transfer(ctx.storage);
    const moving = { deps: this.#deps, state: ctx, due: this.#due, transfer: this.#transfer };
    const parts = { ...moving, archiveNamed: (name: string) => env.FUND_ARCHIVE.getByName(name) };
    this.#engine = new EngineLoader(parts, this.#outbox, this.#subscribed);
    this.#transferHooks = transferHooksOf(moving, this.#engine);
    this.#refusals = new FundRefusals(ctx.storage.sql, this.#deps, this.#engine);
    this.#admission = new FundAdmission(env, parts, { fund: this, engine: this.#engine, refusals: this.#refusals });
    scheduleMigration(ctx.storage.sql, this.#due, this.#deps.clock.nowMs());
    if (this.#transfer.isOpen) this.#due.rearm();
  }

  async create(input: CreateFund): Promise<Outcome<FundView>> {
    const created = await createFund(() => this.#engine.load() !== null, this.ctx.storage, input, this.#deps);
    return created.ok ? done(viewOf(this.#engine.require())) : created;
  }

  view(): FundView | null {
    return this.#engine.use(viewOf);
  }

  async update(patch: FundPatch): Promise<FundView | null> {
    return this.#engine.use((engine) => updateFund(engine, patch));
  }

  async createDepositAddress(): Promise<FundView | null> {
    return this.#engine.use((engine) => createDepositAddress(engine, this.env));
  }

  async opensUnder(masterKeyVersion: number): Promise<boolean | null> {
    return opensFundKey(this.#engine.load(), masterKeyVersion);
  }

  async reseal(): Promise<Outcome<number>> {
    await resealFundKey(this.#engine.load(), this.env);
    return done(serviceMasterKeys(this.#deps).current);
  }

  async refresh(): Promise<Outcome<FundView> | null> {
    return this.#engine.use((engine) => refreshFund(engine));
  }

  async sponsorships(page: SummableRequest<SponsorshipFilter>) {
    return this.#engine.loadForUse()?.rows.sponsorships(page) ?? null;
  }

  async coins(request: Parameters<FundObject["coins"]>[0]) {
    return this.#engine.loadForUse()?.coins(request) ?? null;
  }

  async unusable(page: PageRequest) {
    return this.#engine.loadForUse()?.unusable(page) ?? null;
  }

  async admitAndCall<Method extends FundMethod>(input: AdmitAndCall<Method>, tally?: UpstreamTally) {
    return this.#admission.run(input, tally);
  }

  recallLease(keyId: string) {
    return this.#admission.recall(keyId);
  }

  async sponsor(input: SponsorInput, tally?: UpstreamTally) {
    const sponsored = await this.#engine.requireSui().sponsoring.sponsor(input, tally);
    return this.#refusals.sponsoring("sponsor", input, sponsored);
  }

  async prepare(input: SponsorInput) {
    return this.#refusals.sponsoring("prepare", input, await this.#engine.requireSui().sponsoring.prepare(input));
  }

  async prepareBounded(input: BoundedSponsorInput) {
    const prepared = await this.#engine.requireSui().sponsoring.prepareBounded(input);
    return this.#refusals.sponsoring("prepareBounded", input, prepared);
  }

  async prepareExecution(input: SponsorInput) {
    const prepared = await this.#engine.requireSui().sponsoring.prepareExecution(input);
    return this.#refusals.sponsoring("prepareExecution", input, prepared);
  }

  async abandon(digest: string, idempotency: IdempotencyClaim | null): Promise<void> {
    this.#engine.requireSui().sponsoring.abandon(digest, idempotency);
  }

  async execute(input: Parameters<FundObject["execute"]>[0]) {
    return this.#refusals.execution(input, await this.#engine.requireSui().execution.execute(input));
  }

  async status(digest: string, leftMs?: number) {
    return this.#engine.requireSui().status.read(digest, leftMs);
  }

  async aptosScreen(input: AptosScreenInput): Promise<Outcome<{ readonly feePayerAddress: string }>> {
    return this.#refusals.onAptos("aptosScreen", input, await this.#engine.requireAptos().sponsoring.screen(input));
  }

  async aptosSponsor(input: AptosSponsorInput) {
    return this.#refusals.onAptos("aptosSponsor", input, await this.#engine.requireAptos().sponsoring.sponsor(input));
  }

  async aptosExecute(input: AptosExecuteInput): Promise<Outcome<AptosExecuted>> {
    return this.#refusals.onAptos("aptosExecute", input, await this.#engine.requireAptos().execution.execute(input));
  }

  async aptosScreenInitialization(): Promise<Outcome<null>> {
    return this.#engine.requireAptos().initializations.screen();
  }

  async aptosInitialization(input: AptosInitializationInput): Promise<Outcome<AptosInitialization>> {
    const prepared = await this.#engine.requireAptos().initializations.prepare(input);
    return this.#refusals.initialization(input, prepared);
  }

  async withdraw(input: Parameters<FundObject["withdraw"]>[0]) {
    return this.#engine.loadForUse()?.withdraw(input) ?? null;
  }

  async revoke(keyId: string | null) {
    return this.#engine.use((engine) => revokeSignatures(engine, keyId));
  }

  unrevokeKey(keyId: string): void {
    unrevokeKey(this.#engine.require().core, keyId);
  }

  async reconcile(): Promise<Outcome<Reconciliation> | null> {
    return this.#engine.loadForUse()?.reconcile() ?? null;
  }

  async recover(): Promise<Outcome<RecoveryView> | null> {
    return this.#engine.loadForUse()?.recover() ?? null;
  }

  async forceClose(digest: string): Promise<Outcome<ForceClosed | null> | null> {
    return this.#engine.loadForUse()?.forceClose(digest) ?? null;
  }

  async dropCoin(objectId: string): Promise<Outcome<DroppedCoin | null> | null> {
    return this.#engine.loadForUse()?.dropCoin(objectId) ?? null;
  }

  confirmWithdrawals(): Outcome<RecoveryView> | null {
    return this.#engine.use(({ core }) => confirmAllWithdrawals(core));
  }

  async ledger(page: SummableRequest<LedgerFilter>) {
    return this.#engine.loadForUse()?.rows.ledger(page) ?? null;
  }

  async spend(query: Parameters<FundObject["spend"]>[0]) {
    return this.#engine.loadForUse()?.rows.spend(query) ?? null;
  }

  async refusals(query: Parameters<FundObject["refusals"]>[0]) {
    return this.#refusals.list(query);
  }

  async tell(query: Parameters<FundObject["tell"]>[0]) {
    return this.#refusals.tell(query);
  }

  async refusalCounts(query: Parameters<FundObject["refusalCounts"]>[0]) {
    return this.#refusals.counts(query);
  }

  metrics(): FundMetrics | null {
    return fundMetrics(this.#engine.load(), this.ctx.storage.sql);
  }

  check(): FundView | null {
    return this.#checks.run(this.#engine.load());
  }

  setSubscribedEvents(listeners: EventSubscriptions): void {
    this.#subscribed.set(listeners);
  }

  archiveNames(): readonly string[] {
    return archiveNamesOf(this.ctx.storage.sql);
  }

  transferHooks(): TransferHooks {
    return this.#transferHooks;
  }

  override async alarm(): Promise<void> {
    const parts = { deps: this.#deps, due: this.#due, transfer: this.#transfer, outbox: this.#outbox };
    await answerFundAlarm(this.ctx.id.name ?? null, parts, this.env, () => this.#engine.load(), this.#checks);
  }
}

countNodeCalls(Fund.prototype);
