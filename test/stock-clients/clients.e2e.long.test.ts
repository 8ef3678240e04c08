import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { root } from "../../shared/cli/root.ts";
import { APTOS_DEMO_MODULE, DEMO_PACKAGE } from "../devchain/demo.ts";
import { chainUrl, newEmptyFund, newFund, newKey, serviceUrl, sui, untilShown } from "../harness/harness.ts";
import { aptos, newAptosFund, newAptosKey } from "../support/aptos.ts";
import { status, submit } from "../support/sui-gas.ts";

/**
 * The stock client of the service that the interface comes from, npm @shinami/clients 0.9.8, as a deployed app has it:
 * installed by itself, from a lock file of its own, with the chains' SDKs of its time. Only the URLs are ours.
 */
const CASES = [
  "sui KeyClient and WalletClient",
  "sui KeySession",
  "sui ShinamiWalletSigner",
  "sui GasStationClient",
  "sui GasStationClient.getFund of a fund without an address, which the client cannot read",
  "rpcDiscover of every client",
  "aptos KeyClient and WalletClient",
  "aptos KeySession",
  "aptos ShinamiWalletSigner",
  "createAptosClient",
  "aptos GasStationClient",
  "aptos GasStationClient.request, for a transaction as JSON",
];
const INSTALL_LIMIT_MS = 180_000;
const CASE_LIMIT_MS = 60_000;
const FILES = ["package.json", "package-lock.json", "clients.js"];

const run = promisify(execFile);
let folder: string;
let setting: object;
let suiKey: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gasworks-contract-"));
  for (const file of FILES) await copyFile(join(root, "test/stock-clients", file), join(folder, file));
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
  const fund = await newFund();
  suiKey = (await newKey(fund, { rights: ["wallet", "gas"] })).key;
  const bare = await newEmptyFund({ createDepositAddress: false });
  setting = {
    serviceUrl,
    chainUrl,
    suiKey,
    bareSuiKey: (await newKey(bare)).key,
    aptosKey: (await newAptosKey(await newAptosFund())).key,
    suiTarget: `${DEMO_PACKAGE}::demo::mint`,
    aptosTarget: `${APTOS_DEMO_MODULE}::increment`,
    secret: randomBytes(32).toString("hex"),
  };
}, INSTALL_LIMIT_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

const shownSchema = z.strictObject({
  sender: z.string().optional(),
  /** Digests that the chain must show as successes of the sender. */
  sui: z.array(z.string()).default([]),
  /** What the chain must execute. */
  submit: z.strictObject({ txBytes: z.string(), signatures: z.array(z.string()) }).optional(),
  /** Hashes that the chain must show as successes. */
  aptos: z.array(z.string()).default([]),
});

async function runClients(what: string): Promise<unknown> {
  const env = { ...process.env, SETTING: JSON.stringify(setting) };
  const options = { cwd: folder, env, timeout: CASE_LIMIT_MS };
  return JSON.parse((await run(process.execPath, ["--no-warnings", "clients.js", what], options)).stdout);
}

test("every case of the program is run", async () => {
  expect(await runClients("list")).toEqual(CASES);
});

test.each(CASES)("with nothing but the URL changed: %s", async (what) => {
  const shown = shownSchema.parse(await runClients(what));
  for (const digest of shown.sui) {
    await untilShown(digest);
    const { Transaction } = await sui.getTransaction({ digest, include: { transaction: true } });
    expect(Transaction).toMatchObject({ status: { success: true }, transaction: { sender: shown.sender } });
  }
  if (shown.submit !== undefined) {
    const executed = await submit(shown.submit.txBytes, shown.submit.signatures);
    expect(executed.status.success).toBe(true);
    expect(await status(suiKey, executed.digest)).toBe("COMPLETE");
  }
  for (const transactionHash of shown.aptos)
    expect(await aptos.waitForTransaction({ transactionHash })).toMatchObject({ success: true });
});
