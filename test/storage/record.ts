import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { Webhook } from "standardwebhooks";
import * as z from "zod";
import { build, DEVELOPMENT_CHAIN, SERVICE } from "../../shared/cli/build.ts";
import { adminCall, createKey } from "../../shared/cli/client/admin.ts";
import { createFundedFund, type ProjectFund, type ServiceAccess } from "../../shared/cli/client/funds.ts";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { rpcResult } from "../../shared/cli/client/rpc.ts";
import { randomSecrets } from "../../shared/cli/secrets.ts";
import { startWorkerd, type WorkerdProcess } from "../../shared/cli/workerd.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { SHOWS_AT_ONCE } from "../run/chain-delays.ts";
import { dumpSql } from "./dump.ts";
import { FIXTURE_KEY_PEPPERS, FIXTURE_MASTER_KEYS } from "./fixture-secrets.ts";
import { type Clocks, DEPOSITS_MIST, simulateFund } from "./fund-simulation.ts";

/**
 * Records a storage fixture of the newest schema version of each object that has none yet:
 *
 *     node --experimental-strip-types test/storage/record.ts
 *
 * It runs the built service on workerd through a simulation in which every state of a fund's rows occurs, and dumps the
 * objects' databases from disk, with the API's view of them. The clocks stand in a far future, so that nothing which
 * the fixtures hold falls due by itself while a test reads them.
 */
const CLOCK_START_MS = Date.UTC(2100, 0, 1);
const TOKEN_END_MS = Date.UTC(2101, 0, 1);
const tokenSchema = z.object({ id: z.string(), name: z.string(), role: z.string(), token: z.string() });
const SUI_MIST = 1_000_000_000n;
const RETENTION_OVER_MS = 200 * 86_400_000;

async function read(access: ServiceAccess, path: string): Promise<unknown> {
  return expectAnswer(path, await adminCall(access, "GET", path), z.unknown());
}

/** Omits the storage of a fund: a dump makes a database of another size. */
function withoutStorage(view: unknown): object {
  const { storage: _, ...rest } = z.looseObject({ storage: z.unknown() }).parse(view);
  return rest;
}

async function order(access: ServiceAccess, method: string, path: string, body?: object): Promise<void> {
  expectAnswer(path, await adminCall(access, method, path, body), z.unknown());
}

async function makeWallet(serviceUrl: string, key: string) {
  const url = `${serviceUrl}/wallet/v1`;
  const walletId = "the fixture's wallet";
  const secret = "the fixture's secret";
  const token = await rpcResult(url, key, "svc_key_createSession", [secret], z.string());
  const idempotencyKey = "the fixture's attempt";
  const params = [walletId, token];
  const address = await rpcResult(url, key, "svc_wal_createWallet", params, z.string(), idempotencyKey);
  return { walletId, secret, address, idempotencyKey };
}

/** A user of the workflows has a transaction executed, and gas held for another one. */
async function execute(service: WorkerdProcess, accessKey: string) {
  const callerSecret = "the-fixture's-caller-secret";
  const user = "the-fixture's-user";
  await service.restart({ FLOWS_CALLER_SECRET: callerSecret, FLOWS_SUI_KEY: accessKey });
  const idempotencyKey = "the fixture's click";
  const post = async (flow: string, body: object, key = idempotencyKey): Promise<unknown> => {
    const headers = {
      "content-type": "application/json",
      authorization: `Bearer ${callerSecret}`,
      "x-user-id": user,
      "idempotency-key": key,
    };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await http(`${service.url}/flows/${flow}`, init)).body;
  };
  const keypair = new Ed25519Keypair();
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("fixture")] });
  const transactionKind = toBase64(await transaction.build({ onlyTransactionKind: true }));
  const asked = { transactionKind, sender: keypair.toSuiAddress(), gasBudget: "4000000" };
  const sponsored = await post("sponsor", asked);
  const held = z.object({ expiresAtMs: z.number() }).parse(await post("sponsor", asked, "the fixture's other click"));
  const { txBytes, txDigest } = z.object({ txBytes: z.string(), txDigest: z.string() }).parse(sponsored);
  const { signature } = await keypair.signTransaction(fromBase64(txBytes));
  // The chain is in no state to answer by now: then nobody knows, and the attempt is kept all the same.
  console.log(JSON.stringify(await post("execute-sponsored", { txBytes, signature })));
  return { user, idempotencyKey, txBytes, signature, txDigest, gasBudget: "4000000", heldUntilMs: held.expiresAtMs };
}

/** A webhook whose deliveries fail: there is no network where fixtures are recorded. */
async function makeWebhook(access: ServiceAccess, projectId: string) {
  const path = `/projects/${projectId}/webhooks`;
  const events = ["wallet.created", "fund.deposit", "sponsorship.completed", "sponsorship.expired"];
  const body = { url: "https://hooks.example.com/fixture", events };
  const made = z.object({ id: z.string() });
  const { id } = expectAnswer("a webhook", await adminCall(access, "POST", path, body), made);
  const secret = z.object({ secret: z.string() });
  return { id, ...expectAnswer("its secret", await adminCall(access, "POST", `${path}/${id}/rotate-secret`), secret) };
}

const INBOX_SECRET = `whsec_${btoa("storage fixtures' webhook secret")}`;

/** An event that starts nothing, and how it was answered. */
async function sendWebhook(serviceUrl: string, atMs: number) {
  const id = "the-fixture's-event";
  const body = JSON.stringify({ type: "nothing.to.start", data: {} });
  const signature = new Webhook(INBOX_SECRET).sign(id, new Date(atMs), body);
  const timestamp = String(Math.floor(atMs / 1_000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  const response = await fetch(`${serviceUrl}/webhooks/users`, { method: "POST", headers, body });
  return { name: "users", id, body, status: response.status, answer: await response.text() };
}

function fundPaths({ fundId }: ProjectFund) {
  const fund = `/funds/${fundId}`;
  return {
    fund,
    sponsorships: `${fund}/sponsorships?limit=200`,
    spend: `${fund}/spend?by=key&from=2100-01-01&to=2100-12-31`,
  };
}

/** Both clocks, by restarting; the service on the state that it has on disk. */
function clocksOf(service: WorkerdProcess, chain: WorkerdProcess): Clocks {
  const setWith = async (aheadMs: number, order: () => Promise<void>) => {
    const CLOCK_OFFSET_MS = String(CLOCK_START_MS - Date.now() + aheadMs);
    await chain.restart({ CLOCK_OFFSET_MS });
    await order();
    await service.restart({ STAGE: "test", CLOCK_OFFSET_MS });
  };
  return { setWith, set: (aheadMs) => setWith(aheadMs, async () => {}) };
}

async function keep(object: string, version: number, sql: string, apiSnapshot: object): Promise<void> {
  const path = join(import.meta.dirname, "fixtures", `${object}-v${version}`);
  try {
    await writeFile(`${path}.sql`, sql, { flag: "wx" });
    await writeFile(`${path}.json`, `${JSON.stringify(apiSnapshot, null, 2)}\n`);
    console.log(`recorded ${path}.sql`);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    console.log(`kept ${path}.sql: a recorded fixture is never changed`);
  }
}

/** The one database of an object class on workerd's local disk. */
async function databaseOf(stateDirectory: string, className: string): Promise<DatabaseSync> {
  const folder = join(stateDirectory, "objects", `service-${className}`);
  const [file, ...others] = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  if (file === undefined || others.length > 0) throw new Error(`${folder} does not hold one object`);
  return new DatabaseSync(join(folder, file));
}

async function record(directory: string): Promise<void> {
  const { ADMIN_TOKEN } = randomSecrets();
  const clock = { CLOCK_OFFSET_MS: String(CLOCK_START_MS - Date.now()) };
  const chain = await startWorkerd({
    bundle: await build(DEVELOPMENT_CHAIN),
    stateDirectory: join(directory, "chain"),
    vars: { ...SHOWS_AT_ONCE, ...clock },
  });
  const stateDirectory = join(directory, "service");
  const service = await startWorkerd({
    bundle: await build(SERVICE),
    stateDirectory,
    vars: {
      ADMIN_TOKEN,
      MASTER_KEYS: FIXTURE_MASTER_KEYS,
      KEY_PEPPERS: FIXTURE_KEY_PEPPERS,
      SUI_LOCALNET_NODES: `${chain.url}/sui`,
      STAGE: "test",
      ...clock,
    },
  });
  try {
    const access = { serviceUrl: service.url, chainUrl: chain.url, adminToken: ADMIN_TOKEN };
    const funded = await createFundedFund(access, "fixture's fund", DEPOSITS_MIST);
    const { projectId, fundId } = funded;
    const webhook = await makeWebhook(access, projectId);
    const creation = { fields: { name: "app", rights: ["gas"], fundId }, idempotencyKey: "the fixture's key" };
    const { id: keyId, key } = await createKey(access, projectId, creation.fields, creation.idempotencyKey);
    await order(access, "PATCH", `/projects/${projectId}`, { name: "the fixture's project", walletsPerMonth: 7 });
    await order(access, "PATCH", `/funds/${fundId}`, { paused: true });
    await order(access, "PATCH", `/funds/${fundId}`, { paused: false });
    await order(access, "PATCH", `/keys/${keyId}`, { rights: ["wallet", "gas"], limits: { qps: 50, cups: 1_000 } });
    await order(access, "PATCH", `/keys/${keyId}`, {
      policy: {
        moveTargets: { allow: [`${DEMO_PACKAGE}::demo::*`] },
        senders: { deny: ["0xbad"] },
        maxStorageCost: String(SUI_MIST),
        maxInFlightAmount: null,
        maxSpendPerDay: "18446744073709551615",
      },
    });
    await simulateFund(access, key, funded, clocksOf(service, chain));

    const wallet = await makeWallet(service.url, key);
    const executed = await execute(service, key);
    // Its creation reaches the project, and the project's webhook has been tried in vain.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const FLOWS_CALLER_SECRET = "the fixture's caller secret".replaceAll(" ", "-");
    await service.restart({ FLOWS_CALLER_SECRET, FLOWS_SUI_KEY: key, WEBHOOK_SECRETS: `users=${INBOX_SECRET}` });
    const wallets = z.object({ items: z.tuple([z.object({ createdAt: z.string() })]) });
    const [{ createdAt }] = wallets.parse(await read(access, `/projects/${projectId}/wallets`)).items;
    const inbox = await sendWebhook(service.url, Date.parse(createdAt));
    if (inbox.status !== 200) throw new Error(`the inbox answered ${JSON.stringify(inbox)}`);
    const paths = fundPaths(funded);
    const newToken = { name: "the fixture's viewer", role: "viewer", expiresAt: new Date(TOKEN_END_MS).toISOString() };
    const token = expectAnswer("the token", await adminCall(access, "POST", "/tokens", newToken), tokenSchema);
    const apiSnapshots = {
      directory: { projectIds: [projectId], token, auditHead: await read(access, "/audit/head") },
      project: {
        view: await read(access, `/projects/${projectId}`),
        audit: await read(access, `/projects/${projectId}/audit?limit=200`),
        auditHead: await read(access, `/projects/${projectId}/audit/head`),
        fundIds: [fundId],
        keyIds: [keyId],
        creation,
        walletIds: [wallet.walletId],
        walletClaim: wallet.idempotencyKey,
        webhook,
        deliveries: await read(access, `/projects/${projectId}/webhooks/${webhook.id}/deliveries?limit=200`),
      },
      "access-key": { view: await read(access, `/keys/${keyId}`), key },
      fund: {
        view: withoutStorage(await read(access, paths.fund)),
        sponsorships: await read(access, paths.sponsorships),
        spend: await read(access, paths.spend),
      },
      wallet: { projectId, ...wallet },
      "workflow-user": executed,
      "webhook-inbox": inbox,
    };
    await service.kill();
    const keepNewest = async (object: string, className: string, apiSnapshot: object) => {
      const database = await databaseOf(stateDirectory, className);
      const { version } = z
        .object({ version: z.int() })
        .parse(database.prepare("SELECT MAX(version) AS version FROM schema_version").get());
      await keep(object, version, dumpSql(database), apiSnapshot);
      database.close();
    };
    for (const [object, className] of [
      ["directory", "Directory"],
      ["project", "Project"],
      ["access-key", "AccessKey"],
      ["fund", "Fund"],
      ["wallet", "Wallet"],
      ["workflow-user", "WorkflowUser"],
      ["webhook-inbox", "WebhookInbox"],
    ] as const)
      await keepNewest(object, className, apiSnapshots[object]);
    // After its retention the fund moves what has ended. That would empty the fixture of the fund itself.
    await clocksOf(service, chain).set(RETENTION_OVER_MS);
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const listed = z.object({ items: z.array(z.looseObject({ digest: z.string() })) });
    const { items } = listed.parse(await read(access, paths.sponsorships));
    await service.kill();
    await keepNewest("fund-archive", "FundArchive", { fundId, sponsorships: items });
  } finally {
    await service.kill();
    await chain.kill();
  }
}

const directory = await mkdtemp(join(tmpdir(), "gasworks-record-"));
try {
  await record(directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}
