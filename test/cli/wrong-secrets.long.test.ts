import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { adminCall, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { createFundedFund } from "../../shared/cli/client/funds.ts";
import { http } from "../../shared/cli/client/http.ts";
import { rpcCall } from "../../shared/cli/client/rpc.ts";
import { randomSecrets } from "../../shared/cli/secrets.ts";
import { refuseOtherSecrets, refuseUnhealthy } from "../../shared/cli/wrong-secrets.ts";
import { userWalletId } from "../../shared/workflow/wallet-clients.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";

const { FLOWS_CALLER_SECRET, FLOWS_SECRET, ...secrets } = randomSecrets();
const flows = { FLOWS_CALLER_SECRET, FLOWS_SECRET };
const other = () => `1:${randomBytes(32).toString("base64")}`;

let hosted: SelfHosted;
let projectId: string;
let key: string;
beforeAll(async () => {
  hosted = { ...(await startSelfHosted({ vars: { service: secrets } })), adminToken: secrets.ADMIN_TOKEN };
  projectId = await createProject(hosted, "app", { secretDerivation: "hkdf" });
  key = (await createKey(hosted, projectId, { name: "wallets", rights: ["wallet"] })).key;
  await hosted.service.restart({ ...flows, FLOWS_SUI_KEY: key });
});
afterAll(() => hosted.stop());

function signIn(user: string) {
  return http(`${hosted.serviceUrl}/flows/create-wallet-on-chain`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${FLOWS_CALLER_SECRET}`,
      "x-user-id": user,
    },
    body: JSON.stringify({ chain: "sui" }),
  });
}

async function addressOf(user: string): Promise<string> {
  return z.object({ address: z.string() }).parse((await signIn(user)).body).address;
}

/** Nobody gets an address: neither who has none yet, nor who is known, by the service's own interface. */
async function expectNoAddress(known: string, code: string): Promise<void> {
  expect(await signIn("newcomer")).toMatchObject({ status: 503, body: { error: { code, retryable: false } } });
  const walletId = userWalletId({ issuer: "gasworks:flows:caller-secret", subject: known });
  const read = await rpcCall(`${hosted.serviceUrl}/wallet/v1`, key, "svc_wal_getWallet", [walletId]);
  expect(JSON.stringify(read.body)).not.toContain("0x");
}

const told = (pattern: RegExp) => ({
  status: 503,
  body: { status: "wrong_secrets", detail: expect.stringMatching(pattern) },
});

// Each test goes on from the one before, on one state.
test("another master key under the same version: no address, and the operator is told which, until it is back", async () => {
  const address = await addressOf("ada");
  await createFundedFund(hosted, "gas", [1_000_000_000n]);
  await hosted.service.restart({ MASTER_KEYS: other() });
  await expectNoAddress("ada", "wallet_unavailable");
  expect(await http(`${hosted.serviceUrl}/health`)).toMatchObject(told(/^MASTER_KEYS version 1: /));
  await expect(refuseUnhealthy(hosted.serviceUrl, "secrets", () => {})).rejects.toThrow(
    /does not fit the state: MASTER_KEYS/,
  );
  const fund = { name: "gas", network: "SUI_LOCALNET" };
  expect(await adminCall(hosted, "POST", `/projects/${projectId}/funds`, fund)).toMatchObject({
    status: 503,
    body: { detail: expect.stringMatching(/^MASTER_KEYS version 1: /) },
  });
  await hosted.service.restart({ MASTER_KEYS: secrets.MASTER_KEYS });
  await refuseUnhealthy(hosted.serviceUrl, "secrets", () => {});
  expect(await addressOf("ada")).toBe(address);
});

test("another FLOWS_SECRET: no address, and the operator is told", async () => {
  const address = await addressOf("ada");
  await hosted.service.restart({ FLOWS_SECRET: randomBytes(32).toString("base64") });
  for (const user of ["ada", "newcomer"])
    expect(await signIn(user)).toMatchObject({
      status: 503,
      body: { error: { code: "not_configured", message: expect.stringMatching(/^FLOWS_SECRET differs from the one/) } },
    });
  expect(await http(`${hosted.serviceUrl}/health`)).toMatchObject(told(/^FLOWS_SECRET: /));
  await hosted.service.restart(flows);
  expect(await addressOf("ada")).toBe(address);
});

test("a wallet's file deleted: nobody gets another address", async () => {
  const before = await addressOf("bob");
  await hosted.service.kill();
  const walletId = userWalletId({ issuer: "gasworks:flows:caller-secret", subject: "bob" });
  const folder = join(hosted.serviceState, "objects", "service-Wallet");
  const files = await readdir(folder);
  const lost = files.filter((name) => name !== "metadata.sqlite");
  expect(lost.length).toBeGreaterThan(0);
  for (const name of lost) await rm(join(folder, name));
  await hosted.service.restart();
  const read = await rpcCall(`${hosted.serviceUrl}/wallet/v1`, key, "svc_wal_getWallet", [walletId]);
  expect(read.body).toMatchObject({ error: { code: -32603, data: { reason: "corrupt_record" } } });
  expect(await addressOf("bob"), "the workflows know it").toBe(before);
});

test("a deployment is compared with what is in use before anything is uploaded", async () => {
  const url = hosted.serviceUrl;
  await refuseOtherSecrets(url, "secrets", secrets);
  await refuseOtherSecrets(url, "secrets", { ...secrets, MASTER_KEYS: `${secrets.MASTER_KEYS},2:${other().slice(2)}` });
  for (const [changed, words] of [
    [{ MASTER_KEYS: other() }, /^Nothing was uploaded\. .*MASTER_KEYS version 1: /],
    [{ KEY_PEPPERS: other() }, /KEY_PEPPERS version 1: /],
    [{ ADMIN_TOKEN: "a".repeat(24) }, /refuses the ADMIN_TOKEN/],
  ] as const)
    await expect(refuseOtherSecrets(url, "secrets", { ...secrets, ...changed })).rejects.toThrow(words);
  await expect(refuseOtherSecrets("http://127.0.0.1:9", "secrets", secrets)).rejects.toThrow(/does not answer/);
});
