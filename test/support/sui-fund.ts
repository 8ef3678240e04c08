import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { afterEach, beforeEach, vi } from "vitest";
import type { Env } from "../../shared/bindings/env.ts";
import type { CreateFund } from "../../shared/bindings/fund.ts";
import type { Outcome } from "../../shared/errors.ts";
import { onGridMs } from "../../shared/fund/look-up-schedule.ts";
import type { Executed, ExecuteInput } from "../../shared/fund/sui/engine/execution.ts";
import type { Prepared, Sponsored } from "../../shared/fund/sui/engine/sponsor.ts";
import type { SponsorInput } from "../../shared/fund/sui/engine/sponsor-input.ts";
import { defaultFundPolicy, defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { sleep } from "../../shared/timing.ts";
import { alteration, alterReplies, once } from "../byzantine-node/altered-sui-node.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { dueRows } from "./fund/due-rows.ts";
import { clearFaults, give, submitToChain } from "./sui-chain.ts";

export const bindings: Env = env;
export const SUI_MIST = 1_000_000_000n;
export const BUDGET_MIST = 5_000_000n;
const SMALL_COIN_MIST = 9_000_000n;
export const KEY_ID = "key_000000000000000000d1";
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
/** An alarm that finds nothing to wait for would run for ever. */
const MAX_ALARMS_AT_ONCE = 50;
const POLL_MS = 20;
const MAX_WAIT_MS = 10_000;
/** Tests move their own clock. It starts this far ahead, so that the platform's alarms never fire by themselves. */
const AHEAD_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A test that spends, lives on and reads the sum of the day must not meet midnight. */
const LEFT_OF_DAY_MS = 2 * HOUR_MS;

export const user = new Ed25519Keypair();
let funds = 0;

/** Returns a time ahead of the chain's, at a whole second, on which look-ups are due. */
function aheadMs(): number {
  const atMs = onGridMs(Date.now() + AHEAD_MS);
  const nextDayMs = Math.ceil(atMs / DAY_MS) * DAY_MS;
  return nextDayMs - atMs < LEFT_OF_DAY_MS ? nextDayMs : atMs;
}

/** The service's clock stands still from here on, ahead of the chain's unless a time is given. */
export function stopClock(atMs = aheadMs()): void {
  vi.useFakeTimers({ toFake: ["Date"], now: atMs });
}

export function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

/** Waits in real time. `vi.waitUntil` would move the stopped clock. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; !(await condition()); waitedMs += POLL_MS) {
    if (waitedMs > MAX_WAIT_MS) throw new Error("it did not happen in time");
    await sleep(POLL_MS);
  }
}

/** For every test of a file: the clock stands still, and the endpoint, which is honest, has seen the chain up to it. */
export function useStoppedClock(): void {
  beforeEach(() => {
    stopClock();
    alterReplies(withOurTime);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    await clearFaults();
  });
}

/** Ends all instances at once, as a crash does. An eviction would wait for the time-outs of calls that have ended. */
export const crash = abortAllDurableObjects;

/**
 * Ends all instances while one of them calls the node: `before` the call is sent, or `after` the node has answered and
 * before the instance sees it. Nobody hears of what the instance was doing.
 */
export async function crashDuring(
  work: () => Promise<unknown>,
  moment: "before" | "after",
  method: string,
): Promise<void> {
  let reached = false;
  const stay = () => {
    reached = true;
    return sleep(MINUTE_MS);
  };
  alterReplies(withOurTime, once(method, { [moment]: stay }));
  const working = work().then(
    () => "answered",
    () => "ended",
  );
  await until(async () => reached);
  await crash();
  if ((await working) === "answered") throw new Error("the instance answered although it had ended");
  alterReplies(withOurTime);
}

/** The endpoint has seen the chain up to the service's own clock. */
export const withOurTime = alteration("LedgerService/GetServiceInfo", GrpcTypes.GetServiceInfoResponse, (reply) => {
  reply.timestamp = { seconds: BigInt(Math.floor(Date.now() / 1_000)), nanos: 0 };
});

export interface TestFund {
  readonly id: string;
  readonly address: string;
}

/** The defaults of a new fund. */
export function settings(fundId: string): CreateFund {
  return {
    fundId,
    projectId: "prj_000000000000000000d1",
    network: "SUI_LOCALNET",
    name: "fund",
    mode: "coin",
    policy: defaultFundPolicy("sui"),
    sponsorshipFeeAtoms: 0n,
    lowBalanceAtoms: null,
  };
}

export function newFund(...coinsMist: readonly bigint[]): Promise<TestFund> {
  return newFundWith({}, ...coinsMist);
}

/** With other settings than the defaults of a new fund. */
export async function newFundWith(changes: Partial<CreateFund>, ...coinsMist: readonly bigint[]): Promise<TestFund> {
  funds += 1;
  const id = `fund_${funds.toString(16).padStart(20, "0")}`;
  const fund = bindings.FUND.getByName(id);
  const created = await fund.create({ ...settings(id), ...changes });
  if (!created.ok) throw new Error(created.error.details);
  const depositAddress = (await fund.createDepositAddress())?.depositAddress ?? null;
  if (depositAddress === null) throw new Error("the fund has no deposit address");
  for (const amountMist of coinsMist) await give(depositAddress, amountMist);
  if (coinsMist.length > 0) await fund.refresh();
  return { id, address: depositAddress };
}

/** With so many coins, each of which serves one sponsorship and is too small to be split. */
export function newFundOfCoins(count: number, changes: Partial<CreateFund> = {}): Promise<TestFund> {
  return newFundWith(changes, ...Array.from({ length: count }, () => SMALL_COIN_MIST));
}

/** The same object, as the test tools want it. */
export function platformStub({ id }: TestFund) {
  return env.FUND.getByName(id);
}

export function stub({ id }: TestFund) {
  return bindings.FUND.getByName(id);
}

async function kindOf(name: string): Promise<Uint8Array> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
  return transaction.build({ onlyTransactionKind: true });
}

export async function sponsorInput(name: string, terms: Partial<SponsorInput> = {}): Promise<SponsorInput> {
  return {
    keyId: KEY_ID,
    keyPolicy: defaultKeyPolicy("sui"),
    idempotency: null,
    kindBytes: await kindOf(name),
    sender: user.toSuiAddress(),
    gasBudgetMist: BUDGET_MIST,
    maxGasBudgetMist: null,
    gasPriceMist: null,
    lastEpoch: null,
    ...terms,
  };
}

export async function sponsor(fund: TestFund, name: string, terms: Partial<SponsorInput> = {}): Promise<Sponsored> {
  const sponsored = await stub(fund).sponsor(await sponsorInput(name, terms));
  if (!sponsored.ok) throw new Error(JSON.stringify(sponsored.error));
  return sponsored.value;
}

/** Lends, and signs nothing. */
export async function prepare(fund: TestFund, name: string, terms: Partial<SponsorInput> = {}): Promise<Prepared> {
  const prepared = await stub(fund).prepare(await sponsorInput(name, terms));
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.error));
  return prepared.value;
}

/** The user signs, and has the fund submit. */
export async function execute(
  fund: TestFund,
  { txBytes, digest }: Prepared,
  input: Partial<ExecuteInput> = {},
): Promise<Outcome<Executed>> {
  const { signature: senderSignature } = await user.signTransaction(txBytes);
  return stub(fund).execute({
    digest,
    senderSignature,
    waitForLocalExecution: false,
    idempotency: null,
    ...input,
  });
}

/** Why the fund does not sponsor; null where it does. */
export async function refusalOf(
  fund: TestFund,
  name: string,
  terms: Partial<SponsorInput> = {},
): Promise<string | null> {
  const sponsored = await stub(fund).sponsor(await sponsorInput(name, terms));
  return sponsored.ok ? null : sponsored.error.reason;
}

export function termsOf({ txBytes }: Sponsored) {
  const { gasData, expiration } = bcs.TransactionData.parse(txBytes).V1;
  return { priceMist: BigInt(gasData.price), expirationEpoch: BigInt(expiration.Epoch ?? -1) };
}

/** The user submits it to the chain, past the service: `executed`, or why the node refuses it. */
export async function submitAsUser({ txBytes, signature }: Sponsored): Promise<string> {
  const { signature: senderSignature } = await user.signTransaction(txBytes);
  return submitToChain(txBytes, [senderSignature, signature]);
}

export async function executeOnChain(sponsored: Sponsored): Promise<void> {
  const outcome = await submitAsUser(sponsored);
  if (outcome !== "executed") throw new Error(outcome);
}

export async function stateOf(fund: TestFund, digest: string): Promise<string | undefined> {
  const page = await stub(fund).sponsorships({ limit: 100, cursor: null });
  return page?.items.find((item) => item.digest === digest)?.state;
}

/** When each row of a kind falls due, counted from the service's clock. */
export function dueInMs(fund: TestFund, kind: string): Promise<readonly number[]> {
  return runInDurableObject(platformStub(fund), (_, { storage }) =>
    dueRows(storage.sql).flatMap((row) => (row.kind === kind ? row.atMs - Date.now() : [])),
  );
}

export function alarmInMs(fund: TestFund): Promise<number | null> {
  return runInDurableObject(platformStub(fund), async (_, { storage }) => {
    const atMs = await storage.getAlarm();
    return atMs === null ? null : atMs - Date.now();
  });
}

/** Runs the alarm that the object has armed; there must be one. */
export async function alarm(fund: TestFund): Promise<void> {
  if (!(await runDurableObjectAlarm(platformStub(fund)))) throw new Error("no alarm was armed");
}

/** Time passes, and nothing happens but what the object's own alarms do. No request reaches it. */
export function liveFor(fund: TestFund, ms: number): Promise<void> {
  return live(fund, ms, async () => {});
}

/** As `liveFor`, with an instance for each moment: what it has not stored is gone after that. */
export function liveByAlarmsFor(fund: TestFund, ms: number): Promise<void> {
  return live(fund, ms, async () => {
    await runInDurableObject(platformStub(fund), (_, { storage }) => storage.sync());
    await crash();
  });
}

/** As `alarmInMs`. While the platform runs an alarm by itself, none is armed. The next one counts then. */
async function nextAlarmInMs(fund: TestFund): Promise<number | null> {
  let inMs: number | null = null;
  await until(async () => {
    inMs = await alarmInMs(fund);
    return inMs !== null || !(await hasDueRows(fund));
  });
  return inMs;
}

function hasDueRows(fund: TestFund): Promise<boolean> {
  return runInDurableObject(platformStub(fund), (_, { storage }) => dueRows(storage.sql).length > 0);
}

async function live(fund: TestFund, ms: number, beforePause: () => Promise<void>): Promise<void> {
  const untilMs = Date.now() + ms;
  for (let atOnce = 0; ; atOnce++) {
    const inMs = await nextAlarmInMs(fund);
    if (inMs === null || Date.now() + inMs > untilMs) break;
    if (inMs > 0) {
      await beforePause();
      pass(inMs);
      atOnce = 0;
    }
    if (atOnce > MAX_ALARMS_AT_ONCE) throw new Error("the alarm is armed again and again without a pause");
    // If the clock stands behind the platform's, the platform may run the alarm by itself between the two calls.
    if (!(await runDurableObjectAlarm(platformStub(fund)))) await sleep(POLL_MS);
  }
  vi.setSystemTime(untilMs);
}
