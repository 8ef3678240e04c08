import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Account } from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { exampleVars } from "../../shared/cli/example-vars.ts";
import { root } from "../../shared/cli/root.ts";
import { secretText, signatureHeaders } from "../../shared/webhooks/sign.ts";
import { displayAddress } from "../devchain/aptos/address.ts";
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
  for (const name of ["@mysten", "@aptos-labs", "hono", "react", "react-dom", "zod"])
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
  expect(files.filter((file) => /\.tsx?$/.test(file)).sort()).toEqual([
    "back-end.ts",
    "pages/aptos.tsx",
    "pages/sui.tsx",
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

const bundles = new Map<string, Promise<string>>();

/** Bundles a program for a browser, once. */
function bundled(entry: string): Promise<string> {
  const known = bundles.get(entry);
  if (known !== undefined) return known;
  const options = { bundle: true, format: "esm", write: false, logLevel: "silent" } as const;
  const bundle = build({ entryPoints: [entry], ...options }).then(({ outputFiles, warnings }) => {
    expect(warnings).toEqual([]);
    return outputFiles[0]?.text ?? "";
  });
  bundles.set(entry, bundle);
  return bundle;
}

interface Visited {
  readonly tab: Page;
  /** Of every request that the page has made. */
  readonly origins: ReadonlySet<string>;
}

/** The keys of both wallets, as `example-wallets.ts` reads them. */
function keysOf({ sui = new Ed25519Keypair(), aptos = Account.generate() }): readonly string[] {
  return [sui.getSecretKey(), aptos.privateKey.toString()];
}

/** Opens a page of the examples for a user with both wallets. */
async function open(page: string, fragment: readonly string[]): Promise<Visited> {
  const issued = await http(`${serviceUrl}/example/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: uniqueName("ada").toLowerCase() }),
  });
  const { token } = expectAnswer("sign in", issued, z.object({ token: z.string() }));
  const script = await bundled(join(consumer, `pages/${page}.tsx`));
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  // Other files have moved the chain's clock. A page refuses what expires long after its own clock.
  await context.clock.install({ time: Number(await chainSeconds()) * 1_000 });
  await context.addInitScript(await bundled(join(root, "test/client/example-wallets.ts")));
  // No page asks anybody else here. A node may run at the address that a page names.
  await context.route(
    ({ origin }) => origin !== serviceUrl,
    (route) => route.abort(),
  );
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
  const origins = new Set<string>();
  tab.on("request", (request) => origins.add(new URL(request.url()).origin));
  await tab.goto(`${serviceUrl}/wallet-page#${fragment.join(",")}`);
  return { tab, origins };
}

/** Clicks on the button of a page, and waits for the end of its transaction. @returns what the page shows then. */
async function mint(tab: Page): Promise<string> {
  await tab.getByRole("button", { name: "Mint" }).click();
  const end = tab.locator("output").filter({ hasText: /[^…]$/ });
  await end.waitFor();
  return (await end.textContent()) ?? "";
}

/** The origins that are neither the service nor a node of the development network. */
function othersIn(origins: ReadonlySet<string>): readonly string[] {
  const known = [serviceUrl, "http://127.0.0.1:8788", "http://127.0.0.1:8080"];
  return [...origins].filter((origin) => !known.includes(origin));
}

/** Connects the wallet of Sui as a user does: by dapp-kit's button, and its list of wallets. */
async function connectOnSui(tab: Page): Promise<void> {
  await tab.getByRole("button", { name: "Connect Wallet" }).click();
  await tab.getByRole("button", { name: "Sui wallet" }).click();
}

test("the page with dapp-kit has a transaction of the user's own wallet paid for", async () => {
  const user = new Ed25519Keypair();
  const { tab, origins } = await open("sui", keysOf({ sui: user }));
  await connectOnSui(tab);
  const said = await mint(tab);
  const digest = /^Minted: (\S+)$/.exec(said)?.[1] ?? said;
  const { Transaction: minted } = await sui.waitForTransaction({ digest, include: { transaction: true } });
  expect([minted?.status.success, minted?.transaction.sender]).toEqual([true, user.toSuiAddress()]);
  expect(othersIn(origins)).toEqual([]);
});

test("the page with the wallet adapter has a transaction of the user's own wallet paid for", async () => {
  const user = Account.generate();
  const { tab, origins } = await open("aptos", keysOf({ aptos: user }));
  await tab.getByRole("button", { name: "Aptos wallet" }).click();
  const said = await mint(tab);
  const transactionHash = /^Minted: (\S+)$/.exec(said)?.[1] ?? said;
  const minted = await aptos.waitForTransaction({ transactionHash });
  // A node writes addresses without leading zeros.
  expect(minted).toMatchObject({ success: true, sender: displayAddress(user.accountAddress.toStringLong()) });
  expect(minted).toMatchObject({ payload: { function: `${APTOS_DEMO_MODULE}::mint` } });
  expect(othersIn(origins)).toEqual([]);
});

test("the pages say what a wallet says that refuses", async () => {
  const onSui = await open("sui", [...keysOf({}), "refusing"]);
  await connectOnSui(onSui.tab);
  expect(await mint(onSui.tab)).toBe("the user has rejected this: retry");
  const onAptos = await open("aptos", [...keysOf({}), "refusing"]);
  await onAptos.tab.getByRole("button", { name: "Aptos wallet" }).click();
  expect(await mint(onAptos.tab)).toBe("User has rejected the request: retry");
});
