import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { adminCall, createKey } from "../../shared/cli/client/admin.ts";
import { createFundInProject, deposit } from "../../shared/cli/client/funds.ts";
import { http } from "../../shared/cli/client/http.ts";
import { rpcCall } from "../../shared/cli/client/rpc.ts";
import { gasCalls, mintKind } from "../../shared/cli/story/gas-calls.ts";
import { refuseOtherSecrets, refuseUnhealthy } from "../../shared/cli/wrong-secrets.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { contextOf, KEY_ARN, type KmsStandIn, startKms } from "../harness/aws-kms.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { findNeedles, type Haystack } from "../leaks/search.ts";
import { expectOpens, masterKey, masterKeyProgress, newWalletApp, rewrap } from "../support/wallet-client.ts";

const ONE_SUI_MIST = 1_000_000_000n;
/** Longer than a failure of the key service is kept. */
const FORGOTTEN_MS = 1_100;
const checksSchema = z.object({ checks: z.array(z.unknown()) });

const keyed = (...versions: readonly string[]) => ({ MASTER_KEYS: [`awskms:${KEY_ARN}`, ...versions].join(",") });
const wrapped = (kms: KmsStandIn, version: number) => `${version}:${kms.wrapNew(version)}`;
const health = ({ serviceUrl }: SelfHosted) => http(`${serviceUrl}/health`);

async function host(vars: Readonly<Record<string, string>>, kms: KmsStandIn): Promise<SelfHosted> {
  const hosted = await startSelfHosted({ vars: { service: { ...kms.vars, ...vars } } });
  onTestFinished(() => hosted.stop());
  return hosted;
}

/** Reads all that the service has written: its objects and its log. */
async function filesIn(directory: string): Promise<readonly Haystack[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ name, parentPath }) => ({ name, bytes: await readFile(join(parentPath, name)) })),
  );
}

async function newKms(): Promise<KmsStandIn> {
  const kms = await startKms();
  onTestFinished(() => kms.stop());
  return kms;
}

/** A wallet and a fund, with calls that open both. */
async function newUse(hosted: SelfHosted) {
  const app = await newWalletApp(hosted);
  const token = await app.must("svc_key_createSession", app.secret);
  const address = await app.must("svc_wal_createWallet", "ada", token);
  const fund = await createFundInProject(hosted, "fund");
  await deposit(hosted, fund, [ONE_SUI_MIST]);
  const { key } = await createKey(hosted, fund.projectId, { name: "gas", rights: ["gas"], fundId: fund.fundId });
  const kind = await mintKind(DEMO_PACKAGE, "key service");
  const sponsor = () => gasCalls(hosted.serviceUrl, key).sponsor(kind, new Ed25519Keypair().toSuiAddress());
  const allWorks = async () => {
    await expectOpens(app, "ada", address, await app.must("svc_key_createSession", app.secret));
    await sponsor();
  };
  const refusedSponsoring = () =>
    rpcCall(`${hosted.serviceUrl}/sui/gas/v1`, key, "gas_sponsorTransactionBlock", [
      kind,
      new Ed25519Keypair().toSuiAddress(),
    ]);
  const fundState = async () => (await adminCall(hosted, "GET", `/funds/${fund.fundId}`)).body;
  const rows = async () => (await adminCall(hosted, "GET", `/funds/${fund.fundId}/sponsorships`)).body;
  return { app, token, address, fund, allWorks, refusedSponsoring, fundState, rows };
}

test("with a wrapped master key everything opens, also after a restart; each isolate asks the key service once", async () => {
  const kms = await newKms();
  const hosted = await host(keyed(wrapped(kms, 1)), kms);
  const { allWorks } = await newUse(hosted);
  await allWorks();
  const atFirst = kms.asked.length;
  kms.fault = "denied";
  await allWorks();
  await (await newUse(hosted)).allWorks();
  expect(kms.asked.length, "an isolate that has the key asks no more, also for new objects").toBe(atFirst);
  kms.fault = null;
  await hosted.service.restart();
  await allWorks();
  expect(kms.asked.length).toBeGreaterThan(atFirst);
  expect(new Set(kms.asked)).toEqual(new Set(["1"]));
});

test("while the key service fails nothing is opened, signed, made or recorded, and the same calls work when it is back", async () => {
  const kms = await newKms();
  kms.fault = "internal";
  const key = randomBytes(32);
  const flows = { FLOWS_CALLER_SECRET: "c".repeat(24), FLOWS_SUI_KEY: "us1_sui_localnet_00" };
  const hosted = await host({ ...keyed(`1:${kms.wrap(key, contextOf(1))}`), ...flows }, kms);
  const failing = (words: RegExp) => ({
    status: 503,
    body: { status: "key_service", detail: expect.stringMatching(words) },
  });
  expect(await health(hosted), "at its very first start").toMatchObject(
    failing(/MASTER_KEYS version 1: AWS KMS answered/),
  );
  kms.fault = null;
  await expect.poll(() => health(hosted), { timeout: 10_000 }).toMatchObject({ status: 200 });
  const use = await newUse(hosted);
  await use.allWorks();
  const [before, rows] = [await use.fundState(), await use.rows()];
  const checks = async () => checksSchema.parse((await adminCall(hosted, "GET", "/master-key")).body).checks;
  const recorded = await checks();

  for (const [fault, words] of [
    ["internal", /KMSInternalException: try again/],
    ["denied", /version 1: AWS KMS refuses to unwrap it \(AccessDeniedException\): allow kms:Decrypt/],
  ] as const) {
    kms.fault = fault;
    await hosted.service.restart();
    const { app, token } = use;
    const refused = { ok: false, reason: "key_service", error: { code: -32016 } };
    expect(await app.call("svc_wal_getWallet", "ada")).toMatchObject(refused);
    expect(await app.call("svc_wal_createWallet", "bob", token)).toMatchObject(refused);
    expect(await app.call("svc_key_createSession", app.secret)).toMatchObject(refused);
    expect(await app.call("svc_wal_signTransaction", "ada", token, "AAAA")).toMatchObject(refused);
    expect(await use.refusedSponsoring()).toMatchObject({
      body: { error: { code: -32016, data: { reason: "key_service" } } },
    });
    expect(await health(hosted)).toMatchObject(failing(words));
    const told: string[] = [];
    await refuseUnhealthy(hosted.serviceUrl, "secrets", (line) => told.push(line));
    expect(told, "the start says it, too").toEqual([expect.stringMatching(words)]);
    const headers = { authorization: `Bearer ${flows.FLOWS_CALLER_SECRET}`, "x-user-id": "eve" };
    expect(await http(`${hosted.serviceUrl}/flows/wallet?chain=sui`, { headers })).toMatchObject({
      status: 503,
      body: { error: { code: "key_service", message: expect.stringMatching(words), retryable: true } },
    });
    expect(await http(`${hosted.serviceUrl}/ready`)).toMatchObject({
      status: 503,
      body: { causes: expect.arrayContaining([{ cause: "key_service", count: 1 }]) },
    });
    const two = { name: "two", network: "SUI_LOCALNET" };
    const another = await adminCall(hosted, "POST", `/projects/${use.fund.projectId}/funds`, two);
    expect(another).toMatchObject({ status: 503, body: { detail: expect.stringMatching(words) } });
    expect(Number(another.headers.get("retry-after"))).toBeGreaterThan(0);
    kms.fault = null;
    await new Promise((resolve) => setTimeout(resolve, FORGOTTEN_MS));
    expect(await use.rows(), "no sponsorship was written").toEqual(rows);
    expect(await use.fundState()).toEqual(before);
    expect(await checks()).toEqual(recorded);
    expect(await app.call("svc_wal_getWallet", "bob")).toMatchObject({ ok: false, reason: "unknown_wallet" });
    expect(await app.call("svc_wal_getWallet", "ada")).toEqual({ ok: true, result: use.address });
  }
  await use.allWorks();
  await hosted.service.kill();
  const needles = [
    { name: "the master key", bytes: key },
    { name: "the credentials", bytes: Buffer.from(kms.vars.AWS_SECRET_ACCESS_KEY ?? "") },
  ];
  const files = await filesIn(hosted.serviceState);
  expect(files.map(({ name }) => name)).toContain("workerd.log");
  expect(findNeedles(files, needles)).toEqual([]);
});

test("another wrapped key under the same version is reported as the wrong master key, before an upload and by the service", async () => {
  const kms = await newKms();
  const peppers = { KEY_PEPPERS: masterKey(1) };
  const [right, wrong] = [keyed(wrapped(kms, 1)), keyed(wrapped(kms, 1))];
  const hosted = await host({ ...right, ...peppers }, kms);
  const { allWorks } = await newUse(hosted);
  await allWorks();
  const secrets = { ...peppers, ADMIN_TOKEN: hosted.adminToken, ...kms.vars };
  const compare = (env: Readonly<Record<string, string>>) =>
    refuseOtherSecrets(hosted.serviceUrl, "secrets", { ...secrets, ...env });
  await compare(right);
  await expect(compare(wrong)).rejects.toThrow(/^Nothing was uploaded\. .*: MASTER_KEYS version 1: not what/);
  kms.fault = "denied";
  await expect(compare(right)).rejects.toThrow(/^Nothing was uploaded.*MASTER_KEYS version 1: AWS KMS refuses/);
  kms.fault = null;
  await hosted.service.restart(wrong);
  expect(await health(hosted)).toMatchObject({
    status: 503,
    body: { status: "wrong_secrets", detail: expect.stringMatching(/^MASTER_KEYS version 1: /) },
  });
  await hosted.service.restart(right);
  await allWorks();
});

test("a service moves from a plain master key to a wrapped one by the rotation", async () => {
  const kms = await newKms();
  const plain = `1:${randomBytes(32).toString("base64")}`;
  const hosted = await host({ MASTER_KEYS: plain }, kms);
  const { allWorks } = await newUse(hosted);
  await allWorks();
  expect(kms.asked).toEqual([]);
  const second = wrapped(kms, 2);
  await hosted.service.restart(keyed(plain, second));
  expect(await masterKeyProgress(hosted)).toMatchObject({ current: 2, remaining: 2 });
  await allWorks();
  await rewrap(hosted);
  await hosted.service.restart(keyed(second));
  expect(await masterKeyProgress(hosted)).toEqual({ current: 2, remaining: 0, failing: 0, unopenable: 0 });
  await allWorks();
});
