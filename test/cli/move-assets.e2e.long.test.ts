import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toBase64 } from "@mysten/sui/utils";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { adminCall, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { createFundedFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { rpcResult } from "../../shared/cli/client/rpc.ts";
import { assetsOf } from "../../shared/cli/move/assets.ts";
import { openTarget, walletsAt } from "../../shared/cli/move/services.ts";
import { root } from "../../shared/cli/root.ts";
import { readPage } from "../docs/pages.ts";
import { chainUrl, giveSui, harness, newFund, newKey, serviceUrl, sui, uniqueName } from "../harness/harness.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { clockAhead } from "../kills/fixture.ts";
import {
  clearFaults,
  clearUpstreamCalls,
  EXECUTE,
  orderFault,
  SIMULATE,
  upstreamCalls,
} from "../support/chain-control.ts";
import { faucetIntoBalance } from "../support/faucet.ts";
import { chainNowMs, newUser, ownedObjects, sponsor, submitSponsored } from "../support/sui-gas.ts";
import { mintKind, transferKind } from "../support/sui-transactions.ts";

const WALLETS = ["user-1", "user-2", "user-3"];
const BALANCE_MIST = 70_000_000n;
const PATIENCE_MS = 20_000;
/** As the page of the commands prints it. */
const COMMAND = /^```sh run by .*\n(npm run move-assets .*?)^```$/ms;

/** The new service, on the chain of the old one. */
let here: SelfHosted;
let folder: string;
let env: Readonly<Record<string, string>>;
let policyOf: (policy: object) => Promise<void>;
/** Digests of what the fund here has ever lent for. */
let lent: () => Promise<readonly string[]>;
const secrets = new Map(WALLETS.map((walletId) => [walletId, randomBytes(32).toString("hex")]));
const oldUrl = `${serviceUrl}/sui/wallet/v1`;

function sessionOf(key: string, secret: string): Promise<string> {
  return rpcResult(`${serviceUrl}/sui/key/v1`, key, "shinami_key_createSession", [secret], z.string());
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gasworks-move-"));
  // The chain's clock may be ahead of this machine's, and a service does not believe a node that is.
  const clock = clockAhead(Math.max(0, Math.round((await chainNowMs()) - Date.now())));
  here = await startSelfHosted({ vars: { service: { SUI_LOCALNET_NODES: `${chainUrl}/sui`, ...clock } } });
  const access = { ...here, chainUrl };
  const fund = await createFundedFund(access, "moves", [5_000_000_000n], { secretDerivation: "hkdf" });
  const fields = { name: "moves", rights: ["wallet", "gas"], fundId: fund.fundId };
  const { id, key } = await createKey(access, fund.projectId, fields);
  policyOf = async (policy) => {
    expectAnswer("the policy", await adminCall(access, "PATCH", `/keys/${id}`, { policy }), z.unknown());
  };
  const listSchema = z.object({ items: z.array(z.object({ digest: z.string() })) });
  lent = async () => {
    const answer = await adminCall(access, "GET", `/funds/${fund.fundId}/sponsorships?limit=100`);
    return expectAnswer("the sponsorships", answer, listSchema).items.map(({ digest }) => digest);
  };
  const projectId = await createProject(harness, uniqueName("old"), { secretDerivation: "hkdf" });
  const { key: oldKey } = await createKey(harness, projectId, { name: "old", rights: ["wallet"] });
  env = {
    OLD_URL: serviceUrl,
    OLD_KEY: oldKey,
    NEW_URL: here.serviceUrl,
    NEW_KEY: key,
    SUI_NODE: `${chainUrl}/sui`,
  };
  for (const [walletId, secret] of secrets) {
    const token = await sessionOf(oldKey, secret);
    const address = await rpcResult(oldUrl, oldKey, "shinami_wal_createWallet", [walletId, token], z.string());
    await give(address);
  }
  const lines = [...secrets].map(([walletId, secret]) => JSON.stringify({ walletId, secret }));
  await writeFile(join(folder, "wallets.jsonl"), `${lines.join("\n")}\n`);
});
afterEach(clearFaults);
afterAll(async () => {
  await here.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Two coins, a badge that a user mints and gives away, and SUI in the address balance. */
async function give(address: string): Promise<void> {
  await giveSui(address, 1_000_000n);
  await giveSui(address, 2_000_000n);
  await faucetIntoBalance(chainUrl, address, BALANCE_MIST);
  const fund = await newFund();
  const { key } = await newKey(fund);
  const user = newUser();
  await submitSponsored(user, await sponsor(key, await mintKind("moves"), user.toSuiAddress()));
  const [badge] = await ownedObjects(user.toSuiAddress());
  if (badge === undefined) throw new Error("no badge");
  const kind = await transferKind(badge, address);
  await submitSponsored(user, await sponsor(key, kind, user.toSuiAddress()));
}

/** The page's command, for the wallets of this test. */
async function start(...options: readonly string[]): Promise<ChildProcess> {
  const [, command = ""] = COMMAND.exec((await readPage("shared/cli/move-over/hosted-service.md")).text) ?? [];
  expect(command).toContain("wallets.jsonl");
  const here = command.trim().replace("wallets.jsonl", join(folder, "wallets.jsonl"));
  return spawn("bash", ["-c", [here, ...options].join(" ")], {
    cwd: root,
    env: { ...process.env, ...env },
    detached: true,
  });
}

async function finish(child: ChildProcess) {
  let output = "";
  child.stdout?.on("data", (text) => (output += text));
  child.stderr?.on("data", (text) => (output += text));
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { exitCode, output };
}

async function addressAt(url: string, key: string, walletId: string): Promise<string> {
  return rpcResult(`${url}/sui/wallet/v1`, key, "svc_wal_getWallet", [walletId], z.string());
}
const oldAddress = (walletId: string) => addressAt(serviceUrl, env.OLD_KEY ?? "", walletId);
const newAddress = (walletId: string) => addressAt(here.serviceUrl, env.NEW_KEY ?? "", walletId);

async function idsOf(address: string): Promise<readonly string[]> {
  return (await assetsOf(sui, address)).objects.map(({ objectId }) => objectId).sort();
}

async function journal(): Promise<readonly string[]> {
  return (await readFile(join(folder, "wallets.jsonl.moved"), "utf8").catch(() => "")).split("\n").slice(0, -1);
}
const submissions = async () => (await journal()).filter((line) => line.includes("submitting"));

async function killOnce(child: ChildProcess, isReached: () => Promise<boolean>): Promise<void> {
  const ended = finish(child);
  for (const deadline = Date.now() + PATIENCE_MS; !(await isReached()); ) {
    if (Date.now() > deadline) throw new Error("it was not reached");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  process.kill(-(child.pid ?? 0), "SIGKILL");
  expect((await ended).exitCode).toBe(null);
}

test("what wallets of another instance own is listed, refused, moved, verified and gone on with after a kill", async () => {
  const owned = new Map<string, readonly string[]>();
  for (const walletId of WALLETS) owned.set(walletId, await idsOf(await oldAddress(walletId)));
  expect([...owned.values()].map((ids) => ids.length)).toEqual([3, 3, 3]);

  const listed = await finish(await start("--list"));
  expect(listed.exitCode, listed.output).toBe(0);
  for (const id of [...owned.values()].flat()) expect(listed.output).toContain(id);
  for (const secret of secrets.values()) expect(listed.output).not.toContain(secret);
  expect(await journal()).toEqual([]);

  // What the fund refuses to pay for stays where it is, and is told one by one.
  await policyOf({ maxGasBudget: "1000" });
  const refused = await finish(await start());
  expect(refused.exitCode, refused.output).toBe(1);
  for (const id of [...owned.values()].flat()) expect(refused.output).toMatch(new RegExp(`left: ${id} .*maxGasBudget`));
  expect(await idsOf(await oldAddress("user-1"))).toEqual(owned.get("user-1"));
  await policyOf({ maxGasBudget: null });

  // Killed while the fund is asked to lend, and again between the submission and its answer.
  await clearUpstreamCalls();
  await orderFault(SIMULATE, "delay", 1_000, 1_500);
  await killOnce(await start(), async () => ((await upstreamCalls())[SIMULATE] ?? 0) > 0);
  expect(await submissions()).toEqual([]);
  await clearFaults();
  await orderFault(EXECUTE, "delay", 1_000, 10_000);
  await killOnce(await start(), async () => (await submissions()).length > 0);
  expect((await journal()).join()).not.toContain("settled");
  await clearFaults();

  const resumed = await finish(await start());
  expect(resumed.exitCode, resumed.output).toBe(0);
  for (const walletId of WALLETS) {
    expect(await assetsOf(sui, await oldAddress(walletId))).toEqual({ objects: [], balances: [] });
    const { objects, balances } = await assetsOf(sui, await newAddress(walletId));
    expect(objects.map(({ objectId }) => objectId).sort()).toEqual(owned.get(walletId));
    expect(balances.map(({ amount }) => amount)).toEqual([BALANCE_MIST.toString()]);
  }
  const settled = (await journal()).filter((line) => line.includes("settled"));
  // Each move had one sponsorship, whoever was killed: objects and balances of three wallets.
  expect(settled.every((line) => line.includes('"executed":true'))).toBe(true);
  expect(settled).toHaveLength(6);
  expect(await submissions()).toHaveLength(6);
  expect(await lent()).toHaveLength(6);

  const again = await finish(await start());
  expect(again.exitCode, again.output).toBe(0);
  expect(again.output.match(/moved 0 objects, 0 address balances/g)).toHaveLength(3);

  // The wallets open here: what they hold can be used.
  const [walletId = "", secret = ""] = [...secrets][0] ?? [];
  const url = `${here.serviceUrl}/wallet/v1`;
  const wallets = walletsAt({ baseUrl: here.serviceUrl, accessKey: env.NEW_KEY ?? "", prefix: "svc" });
  const { session } = await openTarget(wallets, { walletId, secret });
  const params = [walletId, session, toBase64(await mintKind("moved"))];
  const executed = z.object({ effects: z.object({ status: z.object({ status: z.string() }) }) });
  const { effects } = await rpcResult(url, env.NEW_KEY ?? "", "svc_wal_executeGaslessTransaction", params, executed);
  expect(effects.status.status).toBe("success");
});
