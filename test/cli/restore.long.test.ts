import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as z from "zod";
import { adminCall, createKey, SUI_NETWORK } from "../../shared/cli/client/admin.ts";
import { createFundedFund } from "../../shared/cli/client/funds.ts";
import { http, JSON_HEADERS } from "../../shared/cli/client/http.ts";
import { rpcResult, SUI_GAS_PATH } from "../../shared/cli/client/rpc.ts";
import { root } from "../../shared/cli/root.ts";
import { blocksOf, readPage } from "../docs/pages.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { mintKind } from "../support/sui-transactions.ts";

const SUI_MIST = 1_000_000_000n;
const PAID_MIST = "1000000000";
const sponsored = z.object({ txBytes: z.string(), txDigest: z.string(), signature: z.string() });
const fundSchema = z.looseObject({
  pausedCause: z.string().nullable(),
  recovery: z.looseObject({ state: z.string(), corrections: z.string() }).nullable(),
});

let directory: string;
let hosted: SelfHosted;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "gasworks-restore-"));
  hosted = await startSelfHosted();
});
afterAll(async () => {
  await hosted.stop();
  await rm(directory, { recursive: true, force: true });
  await rm(`${hosted.serviceState}.before`, { recursive: true, force: true });
});

/** The commands of the page that name this test, in its order. */
async function commandsOfPage(): Promise<readonly string[]> {
  const { text } = await readPage("shared/cli/restore.md");
  const run = blocksOf(text).filter(({ info }) => info === "sh run by test/cli/restore.long.test.ts");
  return run.map(({ text: command }) => command);
}

test("the commands of the page bring a backup up to the chain, and pay no withdrawal twice", async () => {
  const { serviceUrl, chainUrl, service, serviceState } = hosted;
  const [putBack = "", recover = "", reconcile = "", withdraw = "", ...others] = await commandsOfPage();
  expect(others).toEqual([]);
  const { projectId, fundId } = await createFundedFund(hosted, "restored", Array(6).fill(SUI_MIST));
  const { key } = await createKey(hosted, projectId, { name: "app", network: SUI_NETWORK, rights: ["gas"], fundId });
  const myAddress = new Ed25519Keypair().toSuiAddress();
  const chain = new SuiGrpcClient({ network: "localnet", baseUrl: `${chainUrl}/sui` });
  const user = new Ed25519Keypair();
  const sponsor = async (name: string) => {
    const params = [toBase64(await mintKind(name)), user.toSuiAddress(), 5_000_000];
    return rpcResult(`${serviceUrl}${SUI_GAS_PATH}`, key, "gas_sponsorTransactionBlock", params, sponsored);
  };
  const execute = async ({ txBytes, signature }: z.output<typeof sponsored>) => {
    const transaction = fromBase64(txBytes);
    const { signature: own } = await user.signTransaction(transaction);
    return chain.executeTransaction({ transaction, signatures: [own, signature], include: {} });
  };
  const pay = (idempotencyKey: string) =>
    http(`${serviceUrl}/admin/v1/funds/${fundId}/withdraw`, {
      method: "POST",
      headers: { ...JSON_HEADERS, authorization: `Bearer ${hosted.adminToken}`, "idempotency-key": idempotencyKey },
      body: JSON.stringify({ to: myAddress, amount: PAID_MIST }),
    });
  const paidMist = async () => (await chain.getBalance({ owner: myAddress })).balance.balance;
  const fund = async () => fundSchema.parse((await adminCall(hosted, "GET", `/funds/${fundId}`)).body);
  const env = { STATE: serviceState, BACKUP: join(directory, "backup"), FUND_ID: fundId, MY_ADDRESS: myAddress };
  const run = async (command: string) => {
    const here = command.replaceAll("http://127.0.0.1:8787", serviceUrl);
    const options = { cwd: root, env: { ...process.env, ...env, ADMIN_TOKEN: hosted.adminToken } };
    return (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", here], options)).stdout;
  };

  await execute(await sponsor("of before the backup"));
  await service.kill();
  await cp(serviceState, env.BACKUP, { recursive: true });
  await service.restart();
  await execute(await sponsor("of after the backup"));
  const forgotten = await sponsor("never submitted before the restore");
  expect(await pay("forgotten")).toMatchObject({ status: 202, body: { state: "complete" } });

  await service.kill();
  expect(await run(putBack)).toContain("Fund");
  await service.restart();
  expect(await pay("forgotten")).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("state_behind_chain") },
  });
  expect(JSON.parse(await run(recover))).toMatchObject({ withdrawals: "unconfirmed" });
  await vi.waitUntil(async () => (await fund()).recovery?.state === "done", { timeout: 30_000, interval: 250 });
  expect(await fund()).toMatchObject({ pausedCause: null });
  expect(BigInt((await fund()).recovery?.corrections ?? 0)).toBeLessThanOrEqual(-BigInt(PAID_MIST));
  expect(JSON.parse(await run(reconcile))).toMatchObject({ exact: true });
  await expect(execute(forgotten)).rejects.toThrow("is unavailable for consumption");

  expect(await pay("forgotten")).toMatchObject({ status: 409, body: { detail: expect.stringContaining("confirm") } });
  expect(await paidMist()).toBe(PAID_MIST);
  expect(JSON.parse(await run(withdraw))).toMatchObject({ state: "complete" });
  expect(JSON.parse(await run(withdraw))).toMatchObject({ state: "complete" });
  // A node shows a payment a quarter of a second later.
  await vi.waitFor(async () => expect(await paidMist()).toBe(`${2n * BigInt(PAID_MIST)}`), { timeout: 10_000 });
  await execute(await sponsor("of after the recovery"));
});
