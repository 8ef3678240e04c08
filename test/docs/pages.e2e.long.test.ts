import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { toBase64 } from "@mysten/sui/utils";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { rpcResult } from "../../shared/cli/client/rpc.ts";
import { freePort } from "../../shared/cli/ports.ts";
import { root } from "../../shared/cli/root.ts";
import {
  callerSecret,
  chainUrl,
  flowsSecret,
  harness,
  keepSecret,
  newFund,
  newKey,
  serviceUrl,
  setServiceVars,
} from "../harness/harness.ts";
import { newAptosFund, newAptosKey } from "../support/aptos.ts";
import { mintKind } from "../support/sui-transactions.ts";
import { readPages, readTree, runCommands } from "./pages.ts";

const SCRIPT_LIMIT_MS = 300_000;

/** The commands of all pages, in the order in which a reader finds them. */
async function allCommands(): Promise<readonly string[]> {
  return (await readPages(await readTree())).flatMap(runCommands);
}

/** Runs it as printed. Throws if it ends with another exit code than 0. */
async function run(command: string, env: object, cwd = root): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env } };
  return (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", command], options)).stdout;
}

test("every npm script that a page marks as run works as printed", { timeout: SCRIPT_LIMIT_MS }, async () => {
  const ports = { PORT: String(await freePort()), CHAIN_PORT: String(await freePort()) };
  const commands = await allCommands();
  expect(commands.filter((command) => !/^(curl|node|npm) /.test(command))).toEqual([]);
  const scripts = commands.filter((command) => command.startsWith("npm "));
  expect(scripts.length).toBeGreaterThan(0);
  for (const command of scripts) await run(command, ports);
});

/** A folder that the commands write into. Of the repository it has only the file that they run. */
async function folderWith(path: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gasworks-pages-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, dirname(path)), { recursive: true });
  await copyFile(join(root, path), join(folder, path));
  return folder;
}

async function useWorkflows(variables: Readonly<Record<string, string>>): Promise<void> {
  const all = { ...variables, FLOWS_SECRET: flowsSecret.toString("base64") };
  onTestFinished(() => setServiceVars(Object.fromEntries(Object.keys(all).map((name) => [name, ""]))));
  await setServiceVars(all);
}

test("every curl and node that a page marks as run works as printed, once the ids that it names are set", async () => {
  const fund = await newFund();
  const { key } = await newKey(fund);
  const { key: walletKey } = await newKey(fund, { rights: ["wallet"], fundId: null });
  const walletSecret = keepSecret("correct horse battery staple");
  const walletUrl = `${serviceUrl}/wallet/v1`;
  const aptosKey = (await newAptosKey(await newAptosFund())).key;
  await useWorkflows({ FLOWS_APTOS_KEY: aptosKey, FLOWS_CALLER_SECRET: callerSecret });
  const env = {
    ACCESS_KEY: key,
    APTOS_KEY: aptosKey,
    FLOWS_CALLER_SECRET: callerSecret,
    ADMIN_TOKEN: harness.adminToken,
    PROJECT_ID: fund.projectId,
    FUND_ID: fund.fundId,
    DEPOSIT_ADDRESS: fund.depositAddress,
    KEY_ID: (await newKey(fund)).keyId,
    MY_ADDRESS: new Ed25519Keypair().toSuiAddress(),
    WALLET_KEY: walletKey,
    WALLET_SECRET: walletSecret,
    SESSION_TOKEN: await rpcResult(walletUrl, walletKey, "svc_key_createSession", [walletSecret], z.string()),
    TX_BYTES: "AAAA",
    GASLESS_KEY: (await newKey(fund, { rights: ["wallet", "gas"] })).key,
    TX_KIND: toBase64(await mintKind("pages")),
  };
  const folder = await folderWith("shared/wallet/open-export.mjs");
  const commands = (await allCommands()).filter((command) => !command.startsWith("npm "));
  for (const name of Object.keys(env)) expect(commands.join(""), name).toContain(`$${name}`);
  for (const command of commands) {
    const here = command.replaceAll("http://127.0.0.1:8787", serviceUrl).replaceAll("http://127.0.0.1:8788", chainUrl);
    const printed = await run(here, env, folder);
    if (command.startsWith("node ")) {
      expect(printed, command).toMatch(/^private key suiprivkey1/m);
      continue;
    }
    if (command.includes("/metrics ")) {
      expect(printed, command).toMatch(/^gasworks_\w+(\{.*\})? [0-9.]+$/m);
      continue;
    }
    const answer: unknown = JSON.parse(printed);
    expect(answer, command).toBeTypeOf("object");
    // JSON-RPC refusals carry `error`, the operator's problem documents `title`.
    expect(answer, command).not.toHaveProperty("error");
    expect(answer, command).not.toHaveProperty("title");
  }
});
