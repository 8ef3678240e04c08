import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toBase64 } from "@mysten/sui/utils";
import * as z from "zod";
import { build } from "../../shared/cli/build.ts";
import { createKey, createProject } from "../../shared/cli/client/admin.ts";
import type { ServiceAccess } from "../../shared/cli/client/funds.ts";
import { rpcResult } from "../../shared/cli/client/rpc.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";
import { FLOOR } from "../harness/builds.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { runLoad, type Varied } from "./load.ts";
import { printRatio, printRoute, type Route, route, runRounds } from "./route.ts";

const CALLERS = 64;
const ROUNDS = 3;
/** Of the ratio that a rule is about: a machine that changes its speed moves single rounds more than the code does. */
const RULE_ROUNDS = 15;
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 2000);
const MANY_WALLETS = Number(process.env.BENCH_WALLETS ?? 10_000);
const FEW_WALLETS = 10;
/** A key may derive so often at once, and then once a second. */
const DERIVATIONS_PER_KEY = 5;
const HKDF_SESSIONS = 200;
const SCRYPT_SESSIONS = 5;
const WALLET_PATH = "/wallet/v1";
const TRANSACTION_BYTES = 300;

interface BenchApp {
  readonly key: string;
  readonly secret: string;
  readonly projectId: string;
}

async function newApp(access: ServiceAccess, secretDerivation: "scrypt" | "hkdf"): Promise<BenchApp> {
  const projectId = await createProject(access, "bench", { secretDerivation });
  const { key } = await newKey(access, projectId);
  return { key, projectId, secret: randomBytes(32).toString("hex") };
}

function newKey(access: ServiceAccess, projectId: string): Promise<{ key: string }> {
  return createKey(access, projectId, { name: "bench", rights: ["wallet"], limits: { qps: 10_000, cups: 1_000 } });
}

function session(access: ServiceAccess, { key, secret }: BenchApp): Promise<string> {
  return rpcResult(`${access.serviceUrl}${WALLET_PATH}`, key, "svc_key_createSession", [secret], z.string());
}

function bodyOf(method: string, params: readonly string[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

function walletRoute(name: string, hosted: SelfHosted, key: string, vary: () => Varied): Route {
  const base = route(name, hosted.service, WALLET_PATH);
  return { ...base, headers: { ...base.headers, "x-api-key": key }, vary };
}

/** `0` to `count − 1`, again and again. */
function inTurn(count: number): () => number {
  let next = 0;
  return () => {
    next = (next + 1) % count;
    return next;
  };
}

function everNew(): () => number {
  return inTurn(Number.MAX_SAFE_INTEGER);
}

/** Sessions of as many keys as it takes for none to meet its limit, in the rounds and before them. */
async function sessionRoute(hosted: SelfHosted, derivation: "scrypt" | "hkdf", sessions: number): Promise<Route> {
  const { projectId, key, secret } = await newApp(hosted, derivation);
  const keys: string[] = [];
  for (let made = 0; made < Math.ceil((sessions * (ROUNDS + 1)) / DERIVATIONS_PER_KEY); made += 1)
    keys.push((await newKey(hosted, projectId)).key);
  const next = inTurn(keys.length);
  const body = bodyOf("svc_key_createSession", [secret]);
  return walletRoute(`session, ${derivation}`, hosted, key, () => ({
    body,
    headers: { "x-api-key": keys[next()] ?? key },
  }));
}

/**
 * `svc_wal_signTransaction`, `svc_wal_createWallet` and `svc_key_createSession` against their floors: the same runtime,
 * object calls, commits and signature operations, with the keys at hand and no logic. Sessions are in objects, as on
 * every workerd without KV.
 *
 * Making the wallets waits for the disk more than for anything else: a file for each, and three commits that are synced.
 * `TMPDIR=/dev/shm` spares that where the disk is slow, and `BENCH_WALLETS` makes fewer.
 */
export async function benchWallets(): Promise<void> {
  const hosted = await startSelfHosted();
  const floorState = await mkdtemp(join(tmpdir(), "gasworks-floor-"));
  const floorWorker = await startWorkerd({ bundle: await build(FLOOR), stateDirectory: floorState, vars: {} });
  const floorRoute = (name: string, path: string, next: () => number): Route => ({
    ...route(name, floorWorker, path),
    vary: () => ({ body: `wallet ${next()}` }),
  });
  try {
    const app = await newApp(hosted, "hkdf");
    const token = await session(hosted, app);
    const creation = (next: () => number) => () => ({
      body: bodyOf("svc_wal_createWallet", [`wallet ${next()}`, token]),
    });
    const create = walletRoute("create", hosted, app.key, creation(everNew()));
    const floorCreate = floorRoute("create, floor", "/wallet-create", everNew());
    await runRounds([create, floorCreate], { callers: CALLERS, requests: REQUESTS / 4, rounds: ROUNDS });

    const many = await newApp(hosted, "hkdf");
    const manyToken = await session(hosted, many);
    console.log(`making ${MANY_WALLETS} wallets`);
    const next = inTurn(MANY_WALLETS);
    const make = () => ({ body: bodyOf("svc_wal_createWallet", [`wallet ${next()}`, manyToken]) });
    const making = walletRoute("making", hosted, many.key, make);
    await runLoad({ ...making, callers: CALLERS, requests: MANY_WALLETS });

    const bytes = toBase64(randomBytes(TRANSACTION_BYTES));
    const signing = (which: () => number) => () => ({
      body: bodyOf("svc_wal_signTransaction", [`wallet ${which()}`, manyToken, bytes]),
    });
    const sign = walletRoute(`sign, ${CALLERS} wallets`, hosted, many.key, signing(inTurn(CALLERS)));
    const floorSign = floorRoute("sign, floor", "/wallet-sign", inTurn(CALLERS));
    const atHand = floorRoute("sign, at hand", "/wallet-sign-at-hand", inTurn(CALLERS));
    const signMany = walletRoute(`sign, ${MANY_WALLETS}`, hosted, many.key, signing(inTurn(MANY_WALLETS)));
    const signFew = walletRoute(`sign, ${FEW_WALLETS}`, hosted, many.key, signing(inTurn(FEW_WALLETS)));
    console.log(
      `${CALLERS} callers, ${ROUNDS} rounds of ${REQUESTS} requests after one to warm up; of sign ${RULE_ROUNDS} of a quarter`,
    );
    const rounds = { callers: CALLERS, requests: REQUESTS, rounds: ROUNDS };
    for (const each of [sign, floorSign, atHand]) await runLoad({ ...each, callers: CALLERS, requests: REQUESTS });
    await runRounds([sign, floorSign, atHand], { ...rounds, requests: REQUESTS / 4, rounds: RULE_ROUNDS });
    await runRounds([signMany, signFew], rounds);

    const hkdf = await sessionRoute(hosted, "hkdf", HKDF_SESSIONS);
    const floorSession = floorRoute("session, floor", "/wallet-session", inTurn(CALLERS));
    await runRounds([hkdf, floorSession], { callers: 8, requests: HKDF_SESSIONS, rounds: ROUNDS });
    const scrypt = await sessionRoute(hosted, "scrypt", SCRYPT_SESSIONS);
    await runRounds([scrypt], { callers: 1, requests: SCRYPT_SESSIONS, rounds: ROUNDS });

    for (const each of [sign, floorSign, atHand, signMany, signFew, create, floorCreate, hkdf, floorSession, scrypt])
      printRoute(each);
    printRatio("sign/floor, the bench rule", sign, floorSign);
    printRatio("sign/floor with its key at hand", sign, atHand);
    printRatio(`sign, ${MANY_WALLETS}/${FEW_WALLETS} wallets`, signMany, signFew);
    printRatio("create/floor", create, floorCreate);
    printRatio("session of hkdf/floor", hkdf, floorSession);
  } finally {
    await floorWorker.kill();
    await hosted.stop();
    await rm(floorState, { recursive: true, force: true });
  }
}
