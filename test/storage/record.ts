import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import * as z from "zod";
import { createGasClient } from "../../shared/client/gas-client.ts";
import type { Reply } from "../../shared/client/rpc-client.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { build } from "../local/build.ts";
import {
  adminCall,
  createFundedFund,
  createKey,
  expectAnswer,
  type FundedFund,
  faucet,
  type ServiceAccess,
} from "../local/clients.ts";
import { randomSecrets } from "../local/secrets.ts";
import { startWorkerd, type WorkerdProcess } from "../local/workerd.ts";
import { dumpSql } from "./dump.ts";
import { FIXTURE_KEY_PEPPERS, FIXTURE_MASTER_KEYS } from "./fixture-secrets.ts";

/**
 * Records a storage fixture of the newest schema version of each object that has none yet:
 *
 *     node --experimental-strip-types test/storage/record.ts
 *
 * It runs the built service on workerd through a life in which every state of a fund's rows occurs, and dumps the
 * objects' databases from disk, with what the API said of them. The clocks stand in a far future, so that nothing which
 * the fixtures hold falls due by itself while a test reads them.
 */
const CLOCK_START_MS = Date.UTC(2100, 0, 1);
const AFTER_SPONSORSHIPS_EXPIRE_MS = 3_660_000;
const SUI_MIST = 1_000_000_000n;
const SMALL_BUDGET_MIST = 5_000_000n;
/** No coin covers it once the pool is stocked, so that some are merged, and gone. */
const LARGE_BUDGET_MIST = SUI_MIST;
const DEPOSITS_MIST = [(3n * SUI_MIST) / 2n, (7n * SUI_MIST) / 5n];
/** Makes the stock of larger coins too small, so that the fund wants to split. */
const LATE_DEPOSIT_MIST = 20n * SUI_MIST;
const SUBMIT = "TransactionExecutionService/ExecuteTransaction";
const LIMIT_MS = 30_000;
const POLL_MS = 200;

function resultOf<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(JSON.stringify(reply.error));
  return reply.value;
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; !(await condition()); await new Promise((r) => setTimeout(r, POLL_MS)))
    if (Date.now() > deadline) throw new Error(`${what} did not happen`);
}

async function read(access: ServiceAccess, path: string): Promise<unknown> {
  return expectAnswer(path, await adminCall(access, "GET", path), z.unknown());
}

async function order(access: ServiceAccess, method: string, path: string, body?: object): Promise<void> {
  expectAnswer(path, await adminCall(access, method, path, body), z.unknown());
}

function fundPaths({ fundId }: FundedFund) {
  return { fund: `/funds/${fundId}`, sponsorships: `/funds/${fundId}/sponsorships?limit=200` };
}

async function kind(name: string): Promise<Uint8Array> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
  return transaction.build({ onlyTransactionKind: true });
}

/** Both clocks, by restarting; the service on the state that it has on disk. */
async function setClocks(service: WorkerdProcess, chain: WorkerdProcess, aheadMs: number): Promise<void> {
  const CLOCK_OFFSET_MS = String(CLOCK_START_MS - Date.now() + aheadMs);
  await chain.restart({ CLOCK_OFFSET_MS });
  await service.restart({ STAGE: "test", CLOCK_OFFSET_MS });
}

async function useForAnHour(access: ServiceAccess, key: string, funded: FundedFund, passAnHour: () => Promise<void>) {
  const gas = createGasClient({ baseUrl: access.serviceUrl, accessKey: key });
  const sui = new SuiGrpcClient({ network: "localnet", baseUrl: `${access.chainUrl}/sui` });
  const user = new Ed25519Keypair();
  const paths = fundPaths(funded);
  const params = async (name: string, gasBudget = SMALL_BUDGET_MIST) => ({
    transactionBytes: await kind(name),
    sender: user.toSuiAddress(),
    gasBudget,
  });
  const statusOf = async (transactionDigest: string) =>
    resultOf(await gas.getSponsoredTransactionBlockStatus({ transactionDigest }));

  resultOf(await gas.prepareTransactionBlock(await params("dead")));
  const merged = resultOf(await gas.sponsorTransactionBlock(await params("complete", LARGE_BUDGET_MIST)));
  const { signature } = await user.signTransaction(merged.txBytes);
  await sui.executeTransaction({ transaction: merged.txBytes, signatures: [signature, merged.signature] });
  await until("the execution", async () => (await statusOf(merged.txDigest)) === "COMPLETE");
  const prepared = resultOf(await gas.prepareTransactionBlock(await params("complete too")));
  const { signature: senderSignature } = await user.signTransaction(prepared.txBytes);
  resultOf(await gas.executeTransactionBlock({ txDigest: prepared.txDigest, senderSignature }));
  const expiring = resultOf(await gas.sponsorTransactionBlock(await params("expired")));

  await passAnHour();
  await until("the expiry", async () => (await statusOf(expiring.txDigest)) === "INVALID");
  await until("the release", async () => JSON.stringify(await read(access, paths.sponsorships)).includes('"dead"'));
  resultOf(await gas.sponsorTransactionBlock(await params("signed")));
  resultOf(await gas.prepareTransactionBlock(await params("prepared")));

  const fault = { method: SUBMIT, mode: "unavailable_before_commit", times: 1_000 };
  await fetch(`${access.chainUrl}/control/fault`, { method: "POST", body: JSON.stringify(fault) });
  await faucet(access.chainUrl, funded.depositAddress, LATE_DEPOSIT_MIST);
  await order(access, "POST", `${paths.fund}/refresh`);
}

async function keep(object: string, version: number, sql: string, said: object): Promise<void> {
  const path = join(import.meta.dirname, `${object}-v${version}`);
  try {
    await writeFile(`${path}.sql`, sql, { flag: "wx" });
    await writeFile(`${path}.json`, `${JSON.stringify(said, null, 2)}\n`);
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
    bundle: await build("chain"),
    stateDirectory: join(directory, "chain"),
    vars: clock,
  });
  const stateDirectory = join(directory, "service");
  const service = await startWorkerd({
    bundle: await build("service"),
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
    const { id: keyId, key } = await createKey(access, projectId, { name: "app", rights: ["gas"], fundId });
    await order(access, "PATCH", `/projects/${projectId}`, { name: "the fixture's project", walletsPerMonth: 7 });
    await order(access, "PATCH", `/funds/${fundId}`, { paused: true });
    await order(access, "PATCH", `/funds/${fundId}`, { paused: false });
    await order(access, "PATCH", `/keys/${keyId}`, { rights: ["wallet", "gas"], limits: { qps: 50, cups: 1_000 } });
    await useForAnHour(access, key, funded, () => setClocks(service, chain, AFTER_SPONSORSHIPS_EXPIRE_MS));

    const paths = fundPaths(funded);
    const said = {
      directory: { projectIds: [projectId] },
      project: {
        view: await read(access, `/projects/${projectId}`),
        audit: await read(access, `/projects/${projectId}/audit?limit=200`),
        fundIds: [fundId],
        keyIds: [keyId],
      },
      "access-key": { view: await read(access, `/keys/${keyId}`), key },
      fund: { view: await read(access, paths.fund), sponsorships: await read(access, paths.sponsorships) },
    };
    await service.kill();
    for (const [object, className] of [
      ["directory", "Directory"],
      ["project", "Project"],
      ["access-key", "AccessKey"],
      ["fund", "Fund"],
    ] as const) {
      const database = await databaseOf(stateDirectory, className);
      const { version } = z
        .object({ version: z.int() })
        .parse(database.prepare("SELECT MAX(version) AS version FROM schema_version").get());
      await keep(object, version, dumpSql(database), said[object]);
      database.close();
    }
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
