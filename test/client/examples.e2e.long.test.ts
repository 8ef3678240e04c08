import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Account } from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { exampleVars } from "../../shared/cli/example-vars.ts";
import { root } from "../../shared/cli/root.ts";
import { secretText, signatureHeaders } from "../../shared/webhooks/sign.ts";
import { APTOS_DEMO_MODULE, DEMO_PACKAGE } from "../devchain/demo.ts";
import { startBrowser } from "../harness/browser.ts";
import { flowsSecret, newFund, newKey, serviceUrl, setServiceVars, sui, uniqueName } from "../harness/harness.ts";
import { aptos, chainSeconds, newAptosFund, newAptosKey } from "../support/aptos.ts";
import { clientPackage, unpack } from "./built-package.ts";

const run = promisify(execFile);
const EXAMPLES = join(root, "shared/client/examples");
const webhookSecret = new Uint8Array(32).fill(9);

let consumer: string;
let browser: Browser;
let settings: Readonly<Record<string, string>>;
beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), "gasworks-examples-"));
  await cp(EXAMPLES, consumer, { recursive: true });
  await writeFile(join(consumer, "package.json"), '{"private":true,"type":"module"}');
  await unpack(await clientPackage(), join(consumer, "node_modules/gasworks"));
  for (const name of ["@mysten", "@aptos-labs", "hono", "zod"])
    await symlink(join(root, "node_modules", name), join(consumer, "node_modules", name));
  browser = await startBrowser();

  const [suiKey, aptosKey] = [await newKey(await newFund()), await newAptosKey(await newAptosFund())];
  const flows = { FLOWS_SECRET: flowsSecret.toString("base64"), FLOWS_CALLER_SECRET: "" };
  const keys = { FLOWS_SUI_KEY: suiKey.key, FLOWS_APTOS_KEY: aptosKey.key };
  await setServiceVars({ ...flows, ...keys, ...exampleVars(flows, serviceUrl) });
  settings = {
    GASWORKS_URL: serviceUrl,
    ACCESS_KEY: suiKey.key,
    WEBHOOK_SECRET: secretText(webhookSecret),
    PACKAGE: DEMO_PACKAGE,
  };
});
afterAll(async () => {
  await browser.close();
  await rm(consumer, { recursive: true, force: true });
});

/** Runs a program beside the examples. @returns its lines. */
async function node(program: string): Promise<readonly string[]> {
  await writeFile(join(consumer, "run.ts"), program);
  const args = ["--experimental-strip-types", "--disable-warning=ExperimentalWarning", "run.ts"];
  const { stdout } = await run(process.execPath, args, { cwd: consumer, env: { ...process.env, ...settings } });
  return stdout.trim().split("\n");
}

test("every example is run here", async () => {
  const files = await readdir(EXAMPLES, { recursive: true });
  expect(files.filter((file) => file.endsWith(".ts")).sort()).toEqual([
    "back-end.ts",
    "pages/aptos.ts",
    "pages/sui.ts",
    "pages/wallets.ts",
    "script.ts",
  ]);
});

test("the script has its transaction paid for", async () => {
  const [said = ""] = await node('import "./script.ts";');
  expect(said).toMatch(/: success, paid with [1-9][0-9]* MIST$/);
  const [digest = ""] = said.split(":");
  expect((await sui.getTransaction({ digest })).Transaction?.status.success).toBe(true);
});

test("the back end pays for a badge, once an order, and takes the service's events alone", async () => {
  const user = new Ed25519Keypair();
  const body = JSON.stringify({
    type: "fund.low_balance",
    timestamp: "2026-11-23T20:00:00Z",
    data: { fundId: "fund_1" },
  });
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const headers = signatureHeaders({ id: "evt_1", timestampSeconds, body }, [webhookSecret]);
  const program = `
    import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
    import app from "./back-end.ts";
    const user = Ed25519Keypair.fromSecretKey("${user.getSecretKey()}");
    const post = (path, body, headers = {}) => app.request(path, { method: "POST", body, headers }, process.env);
    const order = JSON.stringify({ sender: user.toSuiAddress(), name: "Ada", order: crypto.randomUUID() });
    const [once, again] = [await (await post("/mint", order)).json(), await (await post("/mint", order)).json()];
    const { signature: senderSignature } = await user.signTransaction(Uint8Array.from(Buffer.from(once.txBytes, "base64")));
    const submitted = await post("/submit", JSON.stringify({ txDigest: once.txDigest, senderSignature }));
    console.log(once.txDigest === again.txDigest, once.txDigest, JSON.stringify(await submitted.json()));
    const event = ${JSON.stringify(body)};
    console.log((await post("/events", event, ${JSON.stringify(headers)})).status, (await post("/events", event + " ", ${JSON.stringify(headers)})).status);
  `;
  const [minted = "", noted, answered] = await node(program);
  expect(minted).toMatch(/^true \S+ \{"status":"success"\}$/);
  expect([noted, answered]).toEqual(["fund_1 needs a deposit", "204 401"]);
  const type = `${DEMO_PACKAGE}::demo::Badge`;
  await sui.waitForTransaction({ digest: minted.split(" ")[1] ?? "" });
  const { objects } = await sui.listOwnedObjects({ owner: user.toSuiAddress(), type });
  expect(objects).toHaveLength(1);
});

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: "esm", write: false });
  return outputFiles[0]?.text ?? "";
}

/** Opens a page of the examples for a user with both wallets, and clicks its button. @returns what it shows. */
async function clickOn(page: string, button: string, keys: readonly string[]): Promise<string> {
  const issued = await http(`${serviceUrl}/example/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: uniqueName("ada").toLowerCase() }),
  });
  const { token } = expectAnswer("sign in", issued, z.object({ token: z.string() }));
  const script = await bundled(join(consumer, `pages/${page}.ts`));
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  // Other files have moved the chain's clock. A page refuses what expires long after its own clock.
  await context.clock.install({ time: Number(await chainSeconds()) * 1_000 });
  await context.addInitScript(await bundled(join(root, "test/client/example-wallets.ts")));
  await context.route("**/session", (route) => route.fulfill({ contentType: "text/plain", body: token }));
  await context.route("**/wallet-page*", (route) =>
    route.request().url().endsWith(".js")
      ? route.fulfill({ contentType: "text/javascript", body: script })
      : route.fulfill({
          contentType: "text/html",
          body: '<body><script type="module" src="/wallet-page.js"></script>',
        }),
  );
  const tab = await context.newPage();
  await tab.goto(`${serviceUrl}/wallet-page#${keys.join(",")}`);
  await tab.getByRole("button", { name: button }).click();
  const shown = tab.locator("output").filter({ hasText: /./ });
  await shown.waitFor();
  return (await shown.textContent()) ?? "";
}

test("the pages have a transaction of the user's own wallet paid for", async () => {
  const [suiUser, aptosUser] = [new Ed25519Keypair(), Account.generate()];
  const keys = [suiUser.getSecretKey(), aptosUser.privateKey.toString()];
  const digest = await clickOn("sui", "Mint with Sui wallet", keys);
  const { Transaction: minted } = await sui.waitForTransaction({ digest, include: { transaction: true } });
  expect([minted?.status.success, minted?.transaction.sender]).toEqual([true, suiUser.toSuiAddress()]);
  const hash = await clickOn("aptos", "Mint with Aptos wallet", keys);
  const added = await aptos.waitForTransaction({ transactionHash: hash });
  expect(added).toMatchObject({ success: true, sender: aptosUser.accountAddress.toString() });
  expect(added).toMatchObject({ payload: { function: `${APTOS_DEMO_MODULE}::mint` } });
});
