import { join } from "node:path";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { build } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { expectAnswer, http } from "../../../shared/cli/client/http.ts";
import { exampleVars } from "../../../shared/cli/example-vars.ts";
import { root } from "../../../shared/cli/root.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { startBrowser } from "../../harness/browser.ts";
import {
  flowsSecret,
  newFund,
  newKey,
  serviceUrl,
  setServiceVars,
  sui,
  uniqueName,
  untilAllIsShown,
} from "../../harness/harness.ts";

const HTML = `<!doctype html><title>App</title><button id="mint">Mint</button><p id="step"></p><p id="result"></p><p id="repeat"></p>
<a href="/shop/receipt">Receipt</a><script type="module" src="/shop/page.js"></script>`;
const STEP_LIMIT_MS = 20_000;

let browser: Browser;
let script: string;
beforeAll(async () => {
  const bundled = build({
    entryPoints: [join(root, "test/client/flows/browser-page.ts")],
    bundle: true,
    format: "esm",
    write: false,
  });
  browser = await startBrowser();
  script = (await bundled).outputFiles[0]?.text ?? "";
  const { key } = await newKey(await newFund(), { rights: ["gas"] });
  const flows = { FLOWS_SECRET: flowsSecret.toString("base64"), FLOWS_CALLER_SECRET: "" };
  await setServiceVars({ ...flows, FLOWS_SUI_KEY: key, ...exampleVars(flows, serviceUrl) });
});
afterAll(() => browser.close());

let contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts) await context.close();
  contexts = [];
});

interface Shop {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly address: string;
}

/** A user at the app's page, signed in, with a wallet that outlives the page. */
async function shop(path = "/shop/"): Promise<Shop> {
  const context = await browser.newContext();
  contexts.push(context);
  context.setDefaultTimeout(STEP_LIMIT_MS);
  await context.route("**/shop/**", (route) =>
    route.request().url().endsWith(".js")
      ? route.fulfill({ contentType: "text/javascript", body: script })
      : route.fulfill({ contentType: "text/html", body: HTML }),
  );
  const issued = await http(`${serviceUrl}/example/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: uniqueName("ada").toLowerCase() }),
  });
  const { token } = expectAnswer("sign in", issued, z.object({ token: z.string() }));
  const keypair = new Ed25519Keypair();
  const wallet = { "test.key": keypair.getSecretKey(), "test.token": token };
  await context.addInitScript((values) => {
    for (const [key, value] of Object.entries(values)) globalThis.localStorage.setItem(key, value);
  }, wallet);
  const page = await context.newPage();
  await page.goto(serviceUrl + path);
  return { context, page, address: keypair.toSuiAddress() };
}

const mint = (page: Page) => page.getByRole("button", { name: "Mint" });

/** Waits for the end, and returns the digest or the error. */
async function result(page: Page): Promise<string> {
  const shown = page.locator("#result");
  await shown.filter({ hasText: /./ }).waitFor();
  return (await shown.textContent()) ?? "";
}

async function badges(owner: string): Promise<number> {
  await untilAllIsShown();
  return (await sui.listOwnedObjects({ owner, type: `${DEMO_PACKAGE}::demo::Badge` })).objects.length;
}

/** Holds the answers of `sponsor` until the clicks are over, however long they take. */
async function whileSponsoring(context: BrowserContext, clicks: () => Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  await context.route("**/flows/sponsor", async (route) => {
    await over.promise;
    return route.continue();
  });
  await clicks();
  over.resolve();
}

/** Has the service execute, and holds the answer back for as long as the page lives. `executed` resolves then. */
async function holdFirstAnswer(page: Page): Promise<{ readonly executed: Promise<void> }> {
  const executed = Promise.withResolvers<void>();
  let calls = 0;
  await page.route("**/flows/execute-sponsored", async (route) => {
    calls += 1;
    if (calls > 1) return route.continue();
    await route.fetch();
    executed.resolve();
  });
  return { executed: executed.promise };
}

const signatures = (page: Page) => page.evaluate(() => globalThis.localStorage.getItem("test.signatures"));

const DIGEST = /^[1-9A-HJ-NP-Za-km-z]{43,44}$/;

test("a double click is one transaction and one signature", async () => {
  const { context, page, address } = await shop();
  await whileSponsoring(context, () => mint(page).dblclick());
  expect(await result(page)).toMatch(DIGEST);
  expect(await badges(address)).toBe(1);
  expect(await signatures(page)).toBe("1");
});

test("clicks in two tabs at once are one transaction and one signature", async () => {
  const { context, page, address } = await shop();
  const other = await context.newPage();
  await other.goto(`${serviceUrl}/shop/`);
  await whileSponsoring(context, () => Promise.all([mint(page).click(), mint(other).click()]));
  expect(await result(page)).toBe(await result(other));
  expect(await badges(address)).toBe(1);
  expect(await signatures(page)).toBe("1");
});

test("a lost answer, a reload and another click are one transaction", async () => {
  const { page, address } = await shop();
  const keys = new Set<string>();
  await page.route("**/flows/execute-sponsored", async (route) => {
    keys.add((await route.request().headerValue("idempotency-key")) ?? "");
    await route.fetch();
    return route.abort();
  });
  await mint(page).click();
  expect(await result(page)).toBe("no_answer retry");
  expect(await page.locator("#step").textContent()).toBe("unknown");
  await page.unroute("**/flows/execute-sponsored");
  await page.route("**/flows/execute-sponsored", async (route) => {
    keys.add((await route.request().headerValue("idempotency-key")) ?? "");
    return route.continue();
  });
  await page.reload();
  await mint(page).click();
  expect(await result(page)).toMatch(DIGEST);
  expect(keys.size).toBe(1);
  expect(await badges(address)).toBe(1);
  expect(await signatures(page)).toBe("1");
});

test("a service that refuses what it may execute later gets no second signature, also after a reload", async () => {
  const { page, address } = await shop();
  await page.route("**/flows/execute-sponsored", (route) =>
    route.fulfill({
      status: 404,
      contentType: "application/json",
      body: '{"error":{"code":"sponsorship_expired","message":"expired","retryable":false}}',
    }),
  );
  await mint(page).click();
  expect(await result(page)).toBe("sponsorship_expired wait");
  expect(await page.locator("#step").textContent()).toBe("unknown");
  await page.unroute("**/flows/execute-sponsored");
  await page.reload();
  await mint(page).click();
  expect(await result(page)).toMatch(DIGEST);
  expect(await page.locator("#repeat").textContent()).toBe("already done");
  expect(await badges(address)).toBe(1);
  expect(await signatures(page)).toBe("1");
});

test("a wallet that never answers frees the button, and the next click is one transaction", async () => {
  const { page, address } = await shop();
  await page.evaluate(() => globalThis.localStorage.setItem("test.silent", "yes"));
  await mint(page).click();
  expect(await result(page)).toBe("wallet_timeout retry");
  await page.evaluate(() => globalThis.localStorage.setItem("test.silent", "no"));
  await mint(page).click();
  await page.locator("#result").filter({ hasText: DIGEST }).waitFor();
  expect(await page.locator("#repeat").textContent()).toBe("done");
  expect(await badges(address)).toBe(1);
  expect(await signatures(page)).toBe("1");
});

test("a reload while the service executes is one transaction", async () => {
  const { page, address } = await shop();
  const held = await holdFirstAnswer(page);
  await mint(page).click();
  await held.executed;
  await page.reload();
  await mint(page).click();
  expect(await result(page)).toMatch(DIGEST);
  expect(await badges(address)).toBe(1);
  expect(await signatures(page)).toBe("1");
});

test("the back button, to a page that asks by itself, is one transaction", async () => {
  const { page, address } = await shop("/shop/?name=order-17");
  const first = await result(page);
  expect(first).toMatch(DIGEST);
  await page.getByRole("link", { name: "Receipt" }).click();
  await page.waitForURL("**/receipt");
  await page.goBack();
  expect(await result(page)).toBe(first);
  await page.reload();
  expect(await result(page)).toBe(first);
  expect(await badges(address)).toBe(1);
  expect(await signatures(page)).toBe("1");
});

test("leaving before the answer, the back button and another click are one transaction", async () => {
  const { page, address } = await shop();
  const held = await holdFirstAnswer(page);
  await mint(page).click();
  await held.executed;
  await page.getByRole("link", { name: "Receipt" }).click();
  await page.waitForURL("**/receipt");
  await page.goBack();
  await mint(page).click();
  expect(await result(page)).toMatch(DIGEST);
  expect(await badges(address)).toBe(1);
  expect(await signatures(page)).toBe("1");
});
