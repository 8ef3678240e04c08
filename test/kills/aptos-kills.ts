import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { expect } from "vitest";
import * as z from "zod";
import { APTOS_NETWORK, adminCall, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { faucetApt } from "../../shared/cli/client/faucet.ts";
import { createAptosFund, type ProjectFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { displayAddress } from "../devchain/aptos/address.ts";
import { fundOnDisk } from "../harness/disk.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { everyRow } from "../support/admin-lists.ts";
import { raiseLimits } from "../support/limits.ts";
import { seededRandom, sleep } from "../support/random.ts";
import { type AptosCaller, startAptosCaller } from "./aptos-callers.ts";
import { AFTER_THE_HOUR_MS, clockAhead, untilSettled } from "./fixture.ts";

const DEPOSIT_OCTAS = 5_000_000_000n;
const LATER_DEPOSIT_OCTAS = 12_345n;
const FEE_OCTAS = 70n;
const CALLERS = 6;
/** Each run of the service ends after so many answers at most, and so many milliseconds more; whatever comes, it ends. */
const MOST_ANSWERS = 16;
const LONGEST_REST_MS = 300;
const LONGEST_RUN_MS = 4_000;
const LONGEST_DOWN_MS = 200;
const RETRY_MS = 100;
const TICK_MS = 10;

const octas = z.string().transform(BigInt);
const figuresSchema = z.object({ balance: octas, inFlight: octas, available: octas, accruedFees: octas });
const sponsorshipSchema = z.object({
  digest: z.string(),
  state: z.enum(["signed", "complete", "dead"]),
  sender: z.string(),
  charged: octas.nullable(),
});
const ledgerSchema = z.object({ kind: z.string(), balance: octas, inFlight: octas, accruedFees: octas });
const withdrawalSchema = z.object({ digest: z.string(), state: z.string() });

interface KillFixture {
  readonly hosted: SelfHosted;
  readonly fund: ProjectFund;
  /** The stock client, at the chain: the judge. */
  readonly aptos: Aptos;
  readonly callers: readonly AptosCaller[];
  /** Where the operator pays to. */
  readonly treasury: string;
}

async function open(hosted: SelfHosted, seed: number): Promise<KillFixture> {
  const projectId = await createProject(hosted, "killed");
  const fund = await createAptosFund(hosted, projectId, "killed", DEPOSIT_OCTAS);
  const fee = await adminCall(hosted, "PATCH", `/funds/${fund.fundId}`, { sponsorshipFee: FEE_OCTAS.toString() });
  expect(fee.status).toBe(200);
  const terms = { name: "killed", network: APTOS_NETWORK, rights: ["gas"], fundId: fund.fundId };
  const limits = { qps: 10_000, cups: 1_000 };
  const { id: keyId, key: accessKey } = await createKey(hosted, projectId, { ...terms, limits });
  await raiseLimits(hosted, { ...fund, keyId });
  const aptos = new Aptos(new AptosConfig({ network: Network.LOCAL, fullnode: `${hosted.chainUrl}/aptos/v1` }));
  const surroundings = { ...hosted, accessKey, feePayer: fund.depositAddress, aptos };
  const callers = Array.from({ length: CALLERS }, (_, index) => startAptosCaller(surroundings, index, seed));
  return { hosted, fund, aptos, callers, treasury: `0x${"7".repeat(64)}` };
}

const answersOf = (callers: readonly AptosCaller[]) => callers.reduce((sum, { told }) => sum + told.answered.length, 0);

/** A random part of the load: how fast the machine is does not matter. */
async function someLoad(callers: readonly AptosCaller[], random: () => number): Promise<void> {
  const enough = answersOf(callers) + Math.ceil(random() * MOST_ANSWERS);
  for (const deadline = Date.now() + LONGEST_RUN_MS; answersOf(callers) < enough && Date.now() < deadline; )
    await sleep(TICK_MS);
  await sleep(random() * LONGEST_REST_MS);
}

/** Repeats the operator's payout of one run of the service with its key until the service answers. */
async function pay({ hosted, fund, treasury }: KillFixture, run: number): Promise<string> {
  const body = { to: treasury, from: "available", amount: payoutOctas(run).toString() };
  for (; ; await sleep(RETRY_MS)) {
    const path = `/funds/${fund.fundId}/withdraw`;
    const answer = await adminCall(hosted, "POST", path, body, `run ${run}`).catch(() => null);
    if (answer?.status === 202) return expectAnswer("the withdrawal", answer, withdrawalSchema).state;
  }
}

const payoutOctas = (run: number) => 1_000_000n + BigInt(run);

/** Kills the service again and again under load. The last time it comes back, an hour has passed and nobody calls it. */
async function killUnderLoad(fixture: KillFixture, kills: number, seed: number): Promise<void> {
  const { service, chain } = fixture.hosted;
  const random = seededRandom(seed);
  const paying: Promise<string>[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    if (kill < kills) paying.push(pay(fixture, kill));
    await someLoad(fixture.callers, random);
    if (kill === kills) await Promise.all([...paying, ...fixture.callers.map((caller) => caller.stop())]);
    await service.kill();
    if (kill === 1) await faucetApt(fixture.hosted.chainUrl, fixture.fund.depositAddress, LATER_DEPOSIT_OCTAS);
    await sleep(random() * LONGEST_DOWN_MS);
    if (kill < kills) await service.restart();
  }
  await chain.restart(clockAhead(AFTER_THE_HOUR_MS));
  await service.restart(clockAhead(AFTER_THE_HOUR_MS));
}

const committedSchema = z.object({
  hash: z.string(),
  gas_used: octas,
  gas_unit_price: octas,
  signature: z.object({ type: z.string(), fee_payer_address: z.string().optional() }),
  events: z.array(z.object({ type: z.string(), data: z.unknown() })),
});

/** What the chain charged the fund, by hash, for each transaction of these senders that it has committed. */
async function chargesOnChain({ aptos, callers, fund }: KillFixture): Promise<ReadonlyMap<string, bigint>> {
  const charges = new Map<string, bigint>();
  for (const sender of callers.flatMap(({ told }) => [...told.senders])) {
    const list = await aptos.getAccountTransactions({ accountAddress: sender, options: { limit: 100 } });
    for (const transaction of z.array(committedSchema).parse(list)) {
      expect(transaction.signature.fee_payer_address).toBe(displayAddress(fund.depositAddress));
      const statement = transaction.events.find(({ type }) => type === "0x1::transaction_fee::FeeStatement");
      const { storage_fee_refund_octas: refund } = z.object({ storage_fee_refund_octas: octas }).parse(statement?.data);
      charges.set(transaction.hash, transaction.gas_used * transaction.gas_unit_price - refund);
    }
  }
  return charges;
}

/** Compares the fund's books with the chain and with what its callers were told, once the time of all of it is over. */
async function checkBooks(fixture: KillFixture): Promise<void> {
  const { hosted, fund, aptos, callers } = fixture;
  const rows = await everyRow(hosted, `/funds/${fund.fundId}/sponsorships`, sponsorshipSchema);
  const charges = await chargesOnChain(fixture);
  const complete = rows.filter(({ state }) => state === "complete");
  expect(new Map(complete.map(({ digest, charged }) => [digest, charged])), "as the chain shows them").toEqual(charges);
  expect(
    rows.filter(({ state, charged }) => state !== "complete" && (state !== "dead" || charged !== null)),
    "alarms alone end everything",
  ).toEqual([]);
  for (const { told } of callers) {
    expect(told.unexpected, "a crash excuses broken connections, and nothing else").toEqual([]);
    for (const sender of told.answered)
      expect(
        rows.some((row) => row.sender === sender),
        "what was answered is known",
      ).toBe(true);
    for (const hash of told.executed) expect(charges.has(hash), "what was answered was executed").toBe(true);
  }

  const reconciled = await adminCall(hosted, "POST", `/funds/${fund.fundId}/reconcile`);
  expect(expectAnswer("the reconciliation", reconciled, z.object({ exact: z.boolean() }))).toEqual({ exact: true });
  const figures = expectAnswer("the fund", await adminCall(hosted, "GET", `/funds/${fund.fundId}`), figuresSchema);
  const ledger = await everyRow(hosted, `/funds/${fund.fundId}/ledger`, ledgerSchema);
  const sum = (column: "balance" | "inFlight" | "accruedFees", of = ledger) =>
    of.reduce((total, row) => total + row[column], 0n);
  const kind = (name: string) => ledger.filter((row) => row.kind === name);
  expect(
    { balance: sum("balance"), inFlight: sum("inFlight"), accruedFees: sum("accruedFees") },
    "every figure is the sum of its column in the ledger",
  ).toEqual({ balance: figures.balance, inFlight: 0n, accruedFees: BigInt(complete.length) * FEE_OCTAS });
  expect(figures.inFlight, "nothing is withheld").toBe(0n);
  expect(figures.balance, "the balance is what the address owns on chain").toBe(
    await octasOf(aptos, fund.depositAddress),
  );
  expect(sum("balance", kind("deposit")), "each deposit is booked once").toBe(DEPOSIT_OCTAS + LATER_DEPOSIT_OCTAS);
  expect(kind("adjustment"), "nothing had to be adjusted").toEqual([]);
}

async function octasOf(aptos: Aptos, accountAddress: string): Promise<bigint> {
  return BigInt(await aptos.getAccountAPTAmount({ accountAddress }));
}

/** Of the one fund there is nothing open but the next look for deposits. */
async function checkNothingIsStuck({ service, serviceState }: SelfHosted): Promise<void> {
  await service.kill();
  expect((await fundOnDisk(serviceState)).due).toEqual(["scan"]);
  await service.restart();
}

/** SIGKILLs the service at random moments of a load on an Aptos fund, and compares what it believes with the chain. */
export async function assertNothingIsLostOnAptos(kills: number, seed: number): Promise<void> {
  const hosted = await startSelfHosted();
  try {
    const fixture = await open(hosted, seed);
    const { aptos, callers, treasury } = fixture;
    await killUnderLoad(fixture, kills, seed);
    const executions = callers.reduce((sum, { told }) => sum + told.executed.size, 0);
    process.stdout.write(`${kills} kills on Aptos: ${answersOf(callers)} answers, ${executions} executions\n`);
    expect(executions, "there was a load").toBeGreaterThan(kills);

    await untilSettled(hosted);
    await checkNothingIsStuck(hosted);
    await checkBooks(fixture);
    let paidOctas = 0n;
    for (let run = 1; run < kills; run += 1) {
      expect(await pay(fixture, run), "repeated, it is the same payout, or the first that was paid").toBe("complete");
      paidOctas += payoutOctas(run);
    }
    expect(await octasOf(aptos, treasury), "each withdrawal is paid once").toBe(paidOctas);
    await checkBooks(fixture);
  } finally {
    await hosted.stop();
  }
}
