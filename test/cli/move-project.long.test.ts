import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as z from "zod";
import { build, SERVICE } from "../../shared/cli/build.ts";
import { adminCall, createKey, SUI_NETWORK } from "../../shared/cli/client/admin.ts";
import { createFundedFund, type ProjectFund, type ServiceAccess } from "../../shared/cli/client/funds.ts";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { rpcCall, rpcResult, SUI_GAS_PATH } from "../../shared/cli/client/rpc.ts";
import { localNodes } from "../../shared/cli/platform.ts";
import { root } from "../../shared/cli/root.ts";
import { randomServiceSecrets } from "../../shared/cli/secrets.ts";
import { startWorkerd, type WorkerdProcess } from "../../shared/cli/workerd.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { mintKind } from "../support/sui-transactions.ts";

const SUI_MIST = 1_000_000_000n;
const BUDGET_MIST = 5_000_000;
/** More by hand: a project with 100,000 sponsorships and 5,000 wallets has moved so. */
const SPONSORSHIPS = Number(process.env.MOVE_SPONSORSHIPS ?? 200);
const WALLETS = Number(process.env.MOVE_WALLETS ?? 30);
const CALLERS = 8;
const SECRET = "a5b6c7d8".repeat(8);
const LIMITS = { qps: 10_000, cups: 1_000_000, sessionsPerSecond: 1_000 };

let directory: string;
let old: SelfHosted;
let fresh: WorkerdProcess;
let oldAccess: ServiceAccess;
let newAccess: ServiceAccess;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "gasworks-move-"));
  const secrets = randomServiceSecrets();
  old = await startSelfHosted({ vars: { service: secrets } });
  fresh = await startWorkerd({
    bundle: await build(SERVICE),
    stateDirectory: join(directory, "state"),
    vars: { ...secrets, ...localNodes(old.chainUrl) },
  });
  oldAccess = { serviceUrl: old.serviceUrl, chainUrl: old.chainUrl, adminToken: secrets.ADMIN_TOKEN };
  newAccess = { ...oldAccess, serviceUrl: fresh.url };
}, 60_000);
afterAll(async () => {
  await fresh.kill();
  await old.stop();
  await rm(directory, { recursive: true, force: true });
});

const user = new Ed25519Keypair();
const sponsored = z.object({ txBytes: z.string(), txDigest: z.string() });
const refused = z.object({ error: z.object({ code: z.int(), data: z.looseObject({ reason: z.string() }) }) });

/** What callers were answered, at whichever service. */
class Callers {
  readonly executed: string[] = [];
  readonly signed: string[] = [];
  readonly #key: string;
  readonly #until: () => boolean;
  serviceUrl: string;
  refusedMs = 0;
  #refusedSinceMs: number | null = null;

  constructor(serviceUrl: string, key: string, until: () => boolean) {
    this.serviceUrl = serviceUrl;
    this.#key = key;
    this.#until = until;
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: CALLERS }, () => this.#one()));
  }

  async #one(): Promise<void> {
    for (let count = 0; !this.#until(); count++) {
      const kind = toBase64(await mintKind(`badge ${count}`));
      const call = await this.#call("gas_sponsorTransactionBlock", [kind, user.toSuiAddress(), BUDGET_MIST]);
      if (call === null) continue;
      const { txBytes, txDigest } = sponsored.parse(call);
      this.signed.push(txDigest);
      if (count % 4 === 3) continue;
      const { signature } = await user.signTransaction(fromBase64(txBytes));
      if ((await this.#call("gas_executeTransactionBlock", [txDigest, signature])) !== null)
        this.executed.push(txDigest);
    }
  }

  /** @returns the result. Null if the call was refused for now, which is the only refusal that may come. */
  async #call(method: string, params: readonly unknown[]): Promise<unknown> {
    const isNew = this.serviceUrl === newAccess.serviceUrl;
    const answer = await rpcCall(`${this.serviceUrl}${SUI_GAS_PATH}`, this.#key, method, params).catch(() => null);
    // The new service restarts once.
    if (answer === null) return null;
    const { body } = answer;
    const refusal = refused.safeParse(body);
    if (!refusal.success) {
      if (this.#refusedSinceMs !== null) this.refusedMs = Date.now() - this.#refusedSinceMs;
      return z.object({ result: z.unknown() }).parse(body).result;
    }
    const { code, data } = refusal.data.error;
    // The new service does not know the key until its frame has arrived.
    expect(isNew ? [-32016, -32017, -32001] : [-32016, -32017], JSON.stringify(body)).toContain(code);
    if (data.reason !== "project_moved" && code !== -32001) return null;
    this.#refusedSinceMs ??= Date.now();
    // A caller moves by its URL alone, and asks both until one of them answers.
    this.serviceUrl = isNew ? oldAccess.serviceUrl : newAccess.serviceUrl;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return null;
  }
}

async function projectInUse() {
  const coins = Array.from({ length: 40 }, () => SUI_MIST);
  const fund = await createFundedFund(oldAccess, "moving", coins, { secretDerivation: "hkdf" });
  const terms = { name: "app", network: SUI_NETWORK, limits: LIMITS };
  const policy = { maxInFlightCount: null, maxInFlightAmount: null };
  const gas = await createKey(oldAccess, fund.projectId, { ...terms, rights: ["gas"], fundId: fund.fundId, policy });
  const wallet = await createKey(oldAccess, fund.projectId, { ...terms, rights: ["wallet"] });
  const url = `${oldAccess.serviceUrl}/wallet/v1`;
  const token = await rpcResult(url, wallet.key, "svc_key_createSession", [SECRET], z.string());
  const addresses = await Promise.all(
    Array.from({ length: WALLETS }, (_, at) =>
      rpcResult(url, wallet.key, "svc_wal_createWallet", [`user ${at}`, token], z.string()),
    ),
  );
  return { ...fund, gasKey: gas.key, walletKey: wallet.key, addresses };
}

/** Runs the command, and kills it after so many lines with this word. Null lets it end. @returns its exit code. */
function moveProject(projectId: string, killAfter: string | null, ...args: string[]): Promise<number | null> {
  const child = spawn(
    process.execPath,
    [join(root, "shared/cli/move-project.ts"), "--project", projectId, "--destination", newAccess.serviceUrl, ...args],
    {
      env: {
        ...process.env,
        OLD_URL: oldAccess.serviceUrl,
        OLD_ADMIN_TOKEN: oldAccess.adminToken,
        NEW_URL: newAccess.serviceUrl,
        NEW_ADMIN_TOKEN: newAccess.adminToken,
      },
    },
  );
  let output = "";
  const read = (chunk: Buffer) => {
    output += chunk;
    if (killAfter !== null && output.includes(killAfter)) child.kill("SIGKILL");
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  return new Promise((resolve, reject) =>
    child.once("exit", (code, signal) =>
      code === 0 || signal === "SIGKILL" ? resolve(code) : reject(new Error(`exit ${code}: ${output}`)),
    ),
  );
}

async function state(access: ServiceAccess, projectId: string): Promise<string> {
  const answer = await adminCall(access, "GET", `/projects/${projectId}/transfer`);
  return expectAnswer("the transfer", answer, z.object({ state: z.string() })).state;
}

async function expectAllThere({ projectId, fundId, gasKey, walletKey, addresses }: InUse, callers: Callers) {
  const gasUrl = `${newAccess.serviceUrl}${SUI_GAS_PATH}`;
  const statusOf = (digest: string) =>
    rpcResult(gasUrl, gasKey, "gas_getSponsoredTransactionBlockStatus", [digest], z.string());
  for (const digest of callers.executed) expect(await statusOf(digest)).toBe("COMPLETE");
  const executed = new Set(callers.executed);
  for (const digest of callers.signed)
    if (!executed.has(digest)) expect(["IN_FLIGHT", "COMPLETE"]).toContain(await statusOf(digest));
  const walletUrl = `${newAccess.serviceUrl}/wallet/v1`;
  const found = await Promise.all(
    addresses.map((_, at) => rpcResult(walletUrl, walletKey, "svc_wal_getWallet", [`user ${at}`], z.string())),
  );
  expect(found).toEqual(addresses);
  const reconciled = await adminCall(newAccess, "POST", `/funds/${fundId}/reconcile`);
  expect(reconciled.body).toMatchObject({ exact: true });
  const listed = await adminCall(newAccess, "GET", "/projects");
  expect(JSON.stringify(listed.body)).toContain(projectId);
}
type InUse = Awaited<ReturnType<typeof projectInUse>> & ProjectFund;

test("a project moves under load: callers wait, then find every digest, wallet and key at the new service", async () => {
  const moving = await projectInUse();
  let ends = () => false;
  const callers = new Callers(oldAccess.serviceUrl, moving.gasKey, () => ends());
  const load = callers.run();
  const reached = (count: number, of: readonly string[]) =>
    Promise.race([
      load.then(() => {
        throw new Error("the callers have ended");
      }),
      vi.waitUntil(() => of.length >= count, { timeout: 540_000, interval: 50 }),
    ]);
  await reached(SPONSORSHIPS, callers.signed);

  // The command is killed at the source, and while it sends. It goes on each time.
  await moveProject(moving.projectId, "is closed");
  expect(await state(oldAccess, moving.projectId)).toBe("closed");
  const file = join(directory, "copy");
  await moveProject(moving.projectId, null, "--out", file);
  expect(await readFile(file, "utf8")).not.toContain("badge");
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const path = `/projects/${moving.projectId}/transfer/frames`;
  for (const line of lines.slice(0, Math.ceil(lines.length / 2))) {
    const { nextCursor: _, ...frame } = z.looseObject({ nextCursor: z.unknown() }).parse(JSON.parse(line));
    expect(await adminCall(newAccess, "POST", path, frame)).toMatchObject({ status: 202 });
  }
  await fresh.restart({});
  await moveProject(moving.projectId, null, "--in", file, "--current");
  expect(await state(newAccess, moving.projectId)).toBe("arrived");

  const before = callers.executed.length;
  await reached(before + CALLERS, callers.executed);
  ends = () => true;
  await load;
  // The copy waits 30 s for calls under way. The rest is the time to read and to send it.
  console.info(`${callers.signed.length} sponsorships, ${WALLETS} wallets: refused for ${callers.refusedMs} ms`);
  await expectAllThere(moving, callers);

  // A second import is refused, and the old service stays closed.
  await expect(moveProject(moving.projectId, null, "--in", file, "--current")).resolves.toBe(0);
  const first = z.looseObject({ nextCursor: z.unknown() }).parse(JSON.parse(lines[0] ?? ""));
  const { nextCursor: _, ...again } = first;
  expect(await adminCall(newAccess, "POST", path, again)).toMatchObject({ status: 422 });
  expect(await http(`${oldAccess.serviceUrl}/health`)).toMatchObject({ status: 200 });
  expect(await state(oldAccess, moving.projectId)).toBe("closed");
}, 600_000);
