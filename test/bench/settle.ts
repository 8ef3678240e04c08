import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64 } from "@mysten/sui/utils";
import * as z from "zod";
import { APTOS_NETWORK, adminCall, createKey, createProject, getFund } from "../../shared/cli/client/admin.ts";
import { createAptosFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { APTOS_GAS_PATH, rpcResult, SUI_GAS_PATH } from "../../shared/cli/client/rpc.ts";
import { GRID_MS, nextLookUpAtMs } from "../../shared/fund/look-up-schedule.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { assembleDraft, draftOf, newUser, submitToAptos } from "../support/aptos-chain.ts";
import { sleep } from "../support/random.ts";
import { fromBefore, startBefore } from "./before.ts";
import { startCountingProxy } from "./counting-proxy.ts";
import { fundWithCoins } from "./fund-with-coins.ts";
import { runLoad } from "./load.ts";
import { spreadOf } from "./report/comparison.ts";
import type { Figure, Measured } from "./report/targets.ts";
import { BUDGET_MIST, benchKind, COIN_MIST, cpuMicrosOf, sponsorRoute } from "./route.ts";

/** The service has just started, so that few rows would measure its compiler. Rows on Aptos take long to make. */
const SUI_ROWS = Number(process.env.SETTLE_ROWS ?? 8_000);
const APTOS_ROWS = Math.ceil(SUI_ROWS / 2);
const DELAY_MS = Number(process.env.SETTLE_DELAY_MS ?? 100);
const PER_SECOND = 300;
const WARM_UP = 3_000;
const SECONDS = Number(process.env.SETTLE_SECONDS ?? 10);
/** The look-ups 2, 5, 15 and 60 s after a signature have been made by then. */
const LOOKED_UP_MS = 70_000;
const CALLERS = 16;
const POLL_MS = 50;
const PATIENCE_MS = 180_000;
const SPARE_COINS = 4;
const FUND_OCTAS = 1_000_000_000_000n;

const lentSchema = z.object({ txBytes: z.string(), signature: z.string() });
const feePayerSchema = z.object({ feePayer: z.object({ address: z.string(), signature: z.array(z.number()) }) });

/** Runs work over items, a few at once. */
async function forAll<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = items.values();
  const caller = async () => {
    for (const item of waiting) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return results;
}

/** Returns the longest wait for the next look-up of rows that were signed within this time and not found. */
function overdueInMs(signingMs: number): number {
  const agesMs = Array.from({ length: Math.ceil(signingMs / GRID_MS) + 1 }, (_, step) => step * GRID_MS);
  return GRID_MS + Math.max(...agesMs.map((ageMs) => nextLookUpAtMs(0, Number.POSITIVE_INFINITY, ageMs) - ageMs));
}

/** Starts the killed service with a node that is far away, and measures how many it settles a second of what is overdue. */
async function settled(
  name: string,
  { hosted, fundId, rows, signingMs }: { hosted: SelfHosted; fundId: string; rows: number; signingMs: number },
): Promise<number> {
  const proxy = await startCountingProxy(hosted.chainUrl, DELAY_MS);
  await sleep(overdueInMs(signingMs));
  try {
    await hosted.service.restart({
      SUI_LOCALNET_NODES: `${proxy.url}/sui`,
      APTOS_LOCALNET_NODES: `${proxy.url}/aptos/v1`,
    });
    const startedAt = performance.now();
    const cpuBefore = await cpuMicrosOf(hosted.service.pid());
    for (let inFlight = "-"; inFlight !== "0"; await sleep(POLL_MS)) {
      ({ inFlight } = await getFund(hosted, fundId));
      if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`${inFlight} is still in flight`);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const cpuMicros = (await cpuMicrosOf(hosted.service.pid())) - cpuBefore;
    const calls = [...proxy.taken().values()].reduce((sum, count) => sum + count, 0);
    console.log(
      name.padEnd(8),
      `${(rows / seconds).toFixed(0)} settled/s`.padEnd(18),
      `CPU ${(cpuMicros / rows).toFixed(0)} us each`.padEnd(20),
      `${(calls / rows).toFixed(2)} calls to the node each`,
    );
    return rows / seconds;
  } finally {
    await proxy.stop();
  }
}

async function settleOnSui(hosted: SelfHosted): Promise<number> {
  try {
    const { fundId, key } = await fundWithCoins(hosted, SUI_ROWS + SPARE_COINS, COIN_MIST);
    const user = new Ed25519Keypair();
    const params = [await benchKind(), user.toSuiAddress(), BUDGET_MIST.toString()];
    const url = `${hosted.serviceUrl}${SUI_GAS_PATH}`;
    const startedAt = performance.now();
    const lent = await forAll(Array.from({ length: SUI_ROWS }), () =>
      rpcResult(url, key, "gas_sponsorTransactionBlock", params, lentSchema),
    );
    const signingMs = performance.now() - startedAt;
    await hosted.service.kill();
    const chain = new SuiGrpcClient({ network: "localnet", baseUrl: `${hosted.chainUrl}/sui` });
    await forAll(lent, async ({ txBytes, signature }) => {
      const transaction = fromBase64(txBytes);
      const { signature: own } = await user.signTransaction(transaction);
      return chain.executeTransaction({ transaction, signatures: [own, signature] });
    });
    return await settled("Sui", { hosted, fundId, rows: SUI_ROWS, signingMs });
  } finally {
    await hosted.stop();
  }
}

async function settleOnAptos(hosted: SelfHosted): Promise<number> {
  try {
    const projectId = await createProject(hosted, "bench", { secretDerivation: "hkdf" });
    const { fundId } = await createAptosFund(hosted, projectId, "bench", FUND_OCTAS);
    const unlimited = { policy: { maxSpendPerDay: null } };
    expectAnswer("the fund", await adminCall(hosted, "PATCH", `/funds/${fundId}`, unlimited), z.unknown());
    const { key } = await createKey(hosted, projectId, {
      name: "bench",
      network: APTOS_NETWORK,
      rights: ["gas"],
      fundId,
      limits: { qps: 10_000, cups: 1_000 },
      policy: { maxInFlightCount: null, maxInFlightAmount: null, maxSpendPerDay: null },
    });
    const url = `${hosted.serviceUrl}${APTOS_GAS_PATH}`;
    const expirationSecs = BigInt(Math.floor(Date.now() / 1_000)) + 3_000n;
    const startedAt = performance.now();
    const signed = await forAll(Array.from({ length: APTOS_ROWS }), async () => {
      const draft = draftOf(newUser(), { expirationSecs });
      const { feePayer } = await rpcResult(
        url,
        key,
        "gas_sponsorTransaction",
        [draft.raw.bcsToHex().toString()],
        feePayerSchema,
      );
      return assembleDraft(draft, feePayer.address, Uint8Array.from(feePayer.signature));
    });
    const signingMs = performance.now() - startedAt;
    await hosted.service.kill();
    await forAll(signed, async (bytes) => {
      const answer = await submitToAptos(bytes, `${hosted.chainUrl}/aptos/v1`);
      if (answer !== "accepted") throw new Error(answer);
    });
    return await settled("Aptos", { hosted, fundId, rows: APTOS_ROWS, signingMs });
  } finally {
    await hosted.stop();
  }
}

/**
 * Sponsors at a steady rate, and counts all CPU until a minute of look-ups has passed. Nobody uses the signatures.
 *
 * @returns the CPU of one, µs.
 */
async function unusedOnSui(hosted: SelfHosted): Promise<number> {
  const proxy = await startCountingProxy(hosted.chainUrl);
  try {
    await hosted.service.restart({ SUI_LOCALNET_NODES: `${proxy.url}/sui` });
    const count = PER_SECOND * SECONDS;
    const { key } = await fundWithCoins(hosted, count + WARM_UP + SPARE_COINS, COIN_MIST);
    const sponsor = await sponsorRoute("unused", hosted.service, key);
    const load = (requests: number) => runLoad({ ...sponsor, callers: CALLERS, requests });
    await load(WARM_UP);
    await sleep(LOOKED_UP_MS);
    proxy.taken();
    const before = await cpuMicrosOf(hosted.service.pid());
    const startedAt = performance.now();
    // Each tenth of a second has its share, so that look-ups fall due at the rate of the calls.
    for (let step = 0; step < SECONDS * 10; step += 1) {
      await load(PER_SECOND / 10);
      await sleep(Math.max(0, startedAt + (step + 1) * 100 - performance.now()));
    }
    const answered = await cpuMicrosOf(hosted.service.pid());
    await sleep(LOOKED_UP_MS);
    const after = await cpuMicrosOf(hosted.service.pid());
    const calls = [...proxy.taken().values()].reduce((sum, number) => sum + number, 0);
    console.log(
      `${PER_SECOND} a second that nobody uses: CPU ${((after - before) / count).toFixed(0)} us each in 70 s,`,
      `of which ${((after - answered) / count).toFixed(0)} us after the last call;`,
      `${(calls / count).toFixed(2)} calls to the node each`,
    );
    return (after - before) / count;
  } finally {
    await proxy.stop();
    await hosted.stop();
  }
}

/**
 * The background work of a fund: what it settles a second when everything is overdue and the node is far away, and what
 * a sponsorship costs in all. The development chain is a process of its own, and its CPU does not count.
 */
export async function benchSettle(): Promise<Pick<Measured, "figures">> {
  console.log(`${SUI_ROWS} executed sponsorships on Sui and ${APTOS_ROWS} on Aptos, a node ${DELAY_MS} ms away`);
  const parts: readonly { name: Figure["name"]; measure: (hosted: SelfHosted) => Promise<number> }[] = [
    { name: "settled on Sui/s", measure: settleOnSui },
    { name: "settled on Aptos/s", measure: settleOnAptos },
    { name: "unused sponsorship, CPU µs", measure: unusedOnSui },
  ];
  const figures: Figure[] = [];
  for (const { name, measure } of parts) {
    figures.push({ name, spread: spreadOf([await measure(await startSelfHosted())]) });
    const before = await startBefore();
    if (before !== null) console.log("before:");
    await fromBefore(before, measure);
  }
  return { figures };
}
