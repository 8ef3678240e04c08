import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AccountAddress,
  ChainId,
  EntryFunction,
  RawTransaction,
  TransactionPayloadEntryFunction,
  U64,
} from "@aptos-labs/ts-sdk";
import * as z from "zod";
import { build } from "../../shared/cli/build.ts";
import { APTOS_NETWORK, adminCall, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { createAptosFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { APTOS_KEY_PATH, APTOS_WALLET_PATH, rpcResult } from "../../shared/cli/client/rpc.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";
import { FLOOR } from "../harness/builds.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { sleep } from "../support/random.ts";
import { fromBefore, startBefore } from "./before.ts";
import { type CountingProxy, startCountingProxy } from "./counting-proxy.ts";
import { loadsOf, requestsOf } from "./loads.ts";
import { type Comparison, compare, spreadOf } from "./report/comparison.ts";
import type { Measured } from "./report/targets.ts";
import { type Route, route } from "./route.ts";

/** A wallet's execution has come to rest before it is its turn again. */
const WALLETS = 256;
/** Each creation waits for the chain, so some are under way at once. */
const MAKERS = 16;
const GASLESS_LOADS = loadsOf("gasless");
const FUND_OCTAS = 1_000_000_000_000n;
const GAS_UNITS = 20_000n;
const GAS_PRICE_OCTAS = 100n;
const LOCALNET_CHAIN_ID = 4;
const SETTLE_MS = 8_000;

interface BenchWallet {
  readonly walletId: string;
  readonly address: string;
  sequenceNumber: bigint;
}

function transfer({ address, sequenceNumber }: BenchWallet): string {
  const args = [AccountAddress.from(address), new U64(0n)];
  const call = EntryFunction.build("0x1::aptos_account", "transfer", [], args);
  const expiration = BigInt(Math.floor(Date.now() / 1_000) + 600);
  return new RawTransaction(
    AccountAddress.from(address),
    sequenceNumber,
    new TransactionPayloadEntryFunction(call),
    GAS_UNITS,
    GAS_PRICE_OCTAS,
    expiration,
    new ChainId(LOCALNET_CHAIN_ID),
  )
    .bcsToHex()
    .toString();
}

async function newWallets(hosted: SelfHosted, key: string, token: string): Promise<readonly BenchWallet[]> {
  const url = `${hosted.serviceUrl}${APTOS_WALLET_PATH}`;
  const wallet = z.object({ accountAddress: z.string() });
  const wallets: BenchWallet[] = [];
  const waiting = Array.from({ length: WALLETS }, (_, index) => `wallet ${index}`).values();

  async function make(): Promise<void> {
    for (const walletId of waiting) {
      const { accountAddress } = await rpcResult(url, key, "wal_createWalletOnChain", [walletId, token], wallet);
      wallets.push({ walletId, address: accountAddress, sequenceNumber: 1n });
    }
  }

  await Promise.all(Array.from({ length: MAKERS }, make));
  return wallets;
}

/** Gasless transactions of embedded wallets of a service, which this makes with a fund and a key. */
async function gaslessRoute(name: string, hosted: SelfHosted): Promise<Route> {
  const projectId = await createProject(hosted, "bench", { secretDerivation: "hkdf" });
  const fund = await createAptosFund(hosted, projectId, "bench", FUND_OCTAS);
  const unlimited = { maxSpendPerDay: null };
  expectAnswer(
    "the fund",
    await adminCall(hosted, "PATCH", `/funds/${fund.fundId}`, { policy: unlimited }),
    z.unknown(),
  );
  const { key } = await createKey(hosted, fund.projectId, {
    name: "bench",
    network: APTOS_NETWORK,
    rights: ["wallet", "gas", "node"],
    fundId: fund.fundId,
    limits: { qps: 10_000, cups: 1_000 },
    policy: { maxInFlightCount: null, maxInFlightAmount: null },
  });
  const secret = randomBytes(32).toString("hex");
  const token = await rpcResult(
    `${hosted.serviceUrl}${APTOS_KEY_PATH}`,
    key,
    "key_createSession",
    [secret],
    z.string(),
  );
  const wallets = await newWallets(hosted, key, token);
  console.log(`${name}: ${wallets.length} wallets on chain`);
  let turn = 0;
  const base = route(name, hosted.service, APTOS_WALLET_PATH);
  return {
    ...base,
    headers: { ...base.headers, "x-api-key": key },
    vary: () => {
      const wallet = wallets[turn++ % wallets.length];
      if (wallet === undefined) throw new Error("there are no wallets");
      const params = [wallet.walletId, token, transfer(wallet), []];
      wallet.sequenceNumber += 1n;
      return { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "wal_executeGaslessTransaction", params }) };
    },
  };
}

/** Prints the calls to the node by method, and returns how many each execution made. */
function printCalls(what: string, proxy: CountingProxy, executions: number): number {
  const rows = [...proxy.taken()].sort(([, a], [, b]) => b - a);
  const total = rows.reduce((sum, [, count]) => sum + count, 0);
  console.log(`${what}: ${(total / executions).toFixed(2)} calls to the node for each execution`);
  for (const [shape, count] of rows) console.log(`  ${(count / executions).toFixed(2).padStart(6)}  ${shape}`);
  return total / executions;
}

/**
 * `wal_executeGaslessTransaction` of embedded wallets against the development chain, and the calls to the node that each
 * makes: while it is answered, and until it has settled by itself. The bare route is one object call, one write and one
 * signature, without a node.
 */
export async function benchAptos(): Promise<Measured> {
  const hosted = await startSelfHosted();
  const proxy = await startCountingProxy(hosted.chainUrl);
  await hosted.service.restart({ APTOS_LOCALNET_NODES: `${proxy.url}/aptos/v1` });
  const before = await startBefore();
  const floorState = await mkdtemp(join(tmpdir(), "gasworks-floor-"));
  const floorWorker = await startWorkerd({ bundle: await build(FLOOR), stateDirectory: floorState, vars: {} });
  try {
    const gasless = await gaslessRoute("service", hosted);
    const older = await fromBefore(before, (hosted) => gaslessRoute("before", hosted));
    await sleep(SETTLE_MS);

    const bare = route("bare", floorWorker, "/bare");
    proxy.taken();
    const comparisons: Comparison[] = [];
    for (const load of GASLESS_LOADS) {
      comparisons.push(await compare("Aptos gasless", [gasless, ...older, bare], load));
      await sleep(SETTLE_MS);
    }
    const calls = spreadOf([printCalls("all in all", proxy, requestsOf(GASLESS_LOADS))]);

    const alone = 16;
    for (let execution = 0; execution < alone; execution += 1) {
      const { body } = gasless.vary?.() ?? {};
      const answer = await fetch(gasless.url, { method: "POST", headers: gasless.headers, ...(body && { body }) });
      if (!(await answer.text()).includes('"result"')) throw new Error("an execution was refused");
    }
    printCalls("one at a time, while they are answered", proxy, alone);
    return { comparisons, figures: [{ name: "Aptos gasless, calls of the node", spread: calls }] };
  } finally {
    await floorWorker.kill();
    await before?.stop();
    await proxy.stop();
    await hosted.stop();
    await rm(floorState, { recursive: true, force: true });
  }
}
