import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { makeDashboardLink } from "../../shared/cli/client/dashboard.ts";
import { root } from "../../shared/cli/root.ts";
import { DESKTOP, type Look, PHONE, startBrowser, visit } from "../harness/browser.ts";
import {
  admin,
  gas,
  giveSui,
  harness,
  newEmptyFund,
  newFund,
  newKey,
  serviceUrl,
  uniqueName,
  untilAllIsShown,
} from "../harness/harness.ts";

const SCREENSHOTS = join(root, "dist/screenshots/dashboard");
const HOME = `${serviceUrl}/dashboard`;
const ONE_SUI_MIST = 1_000_000_000n;
const LOOKS: readonly (readonly [string, Look])[] = [
  ["desktop-light", { viewport: DESKTOP, colorScheme: "light" }],
  ["desktop-dark", { viewport: DESKTOP, colorScheme: "dark" }],
  ["phone-light", { viewport: PHONE, colorScheme: "light" }],
  ["phone-dark", { viewport: PHONE, colorScheme: "dark" }],
];
const [[, DESKTOP_LIGHT]] = LOOKS as readonly [readonly [string, Look]];

let browser: Browser;
let axe: string;
beforeAll(async () => {
  browser = await startBrowser();
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await mkdir(SCREENSHOTS, { recursive: true });
});
afterAll(() => browser.close());

let contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts) await context.close();
  contexts = [];
});

async function open(look: Look = DESKTOP_LIGHT) {
  const opened = await visit(browser, `${HOME}/login`, look);
  contexts.push(opened.context);
  return opened;
}

async function logIn(page: Page): Promise<void> {
  await page.getByLabel("Token").fill(harness.adminToken);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
}

const violationsSchema = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.string().nullable(),
      nodes: z.array(z.object({ target: z.array(z.string()) })),
    }),
  ),
});

/** Returns what axe finds on the page, in a line each. */
async function accessibilityFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const { violations } = violationsSchema.parse(await page.evaluate("axe.run()"));
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target }) => `${impact} ${id}: ${target.join(" ")}`),
  );
}

/** A fund that has executed nothing, one that is paused, one that is empty, and a key of the first. */
async function furnish() {
  const funded = await newFund();
  const [paused, empty] = [await newEmptyFund(), await newEmptyFund({ name: `<b>"'&${uniqueName("empty")}` })];
  const key = await newKey(funded);
  await admin("PATCH", `/funds/${paused.fundId}`, { paused: true });
  const sponsored = await gas(key.key, "gas_sponsorTransactionBlock", ["AAAA", `0x${"1".repeat(64)}`]);
  const { txDigest } = z.object({ result: z.object({ txDigest: z.string() }) }).parse(sponsored.body).result;
  return { funded, paused, empty, key: { keyId: key.keyId, digest: txDigest } };
}

test("every page and state passes axe, keeps its policy and its width, and is small, in each look", async () => {
  const { funded, paused, empty, key } = await furnish();
  const fund = `/funds/${funded.fundId}`;
  const paths: Readonly<Record<string, string>> = {
    overview: "",
    "start-1": "/start",
    "start-2": `/start?project=${empty.projectId}&fund=${empty.fundId}`,
    "start-4": `/start?project=${funded.projectId}&fund=${funded.fundId}`,
    funds: "/funds",
    fund,
    ledger: `${fund}/ledger`,
    coins: `${fund}/coins`,
    manage: `${fund}/manage`,
    withdraw: `${fund}/withdraw`,
    "paused-fund": `/funds/${paused.fundId}`,
    "empty-fund": `/funds/${empty.fundId}`,
    sponsorships: `${fund}/sponsorships`,
    refusals: `${fund}/refusals`,
    keys: "/keys",
    key: `/keys/${key.keyId}`,
    "stop-key": `/keys/${key.keyId}/stop`,
    "new-key": `/new-key?project=${funded.projectId}`,
    explain: "/explain",
    explained: `/explain?q=${key.digest}`,
    wallets: "/wallets",
    webhooks: "/webhooks",
    nodes: "/nodes",
    audit: "/audit",
    "audit-of-project": `/audit?project=${funded.projectId}`,
    tokens: "/tokens",
    settings: "/settings",
    "no-page": "/nowhere",
    "no-fund": "/funds/fund_00000000000000000000",
  };
  for (const [name, look] of LOOKS) {
    const { page, complaints, origins } = await open(look);
    expect(await accessibilityFindings(page), `${name} log-in`).toEqual([]);
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("alert").waitFor();
    expect(await accessibilityFindings(page), `${name} wrong token`).toEqual([]);
    await logIn(page);
    for (const [title, path] of Object.entries(paths)) {
      const response = await page.goto(HOME + path);
      const where = `${name} ${path}`;
      expect(await accessibilityFindings(page), where).toEqual([]);
      const isTooWide = await page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth",
      );
      expect(isTooWide, `${where} scrolls sideways`).toBe(false);
      const html = (await response?.body()) ?? Buffer.alloc(0);
      const style = await page.evaluate(
        "fetch(document.querySelector('link[rel=stylesheet]').href).then((a) => a.text())",
      );
      expect(gzipSync(html).length + gzipSync(z.string().parse(style)).length, where).toBeLessThan(40_000);
      await page.screenshot({ path: join(SCREENSHOTS, `${title}-${name}.png`), fullPage: true });
    }
    expect(complaints, name).toEqual([]);
    expect([...origins], name).toEqual([serviceUrl]);
  }
});

test("the first run by keyboard alone leads to a sponsored transaction, which its page shows by itself", async () => {
  const { page, complaints } = await open();
  await page.keyboard.type(harness.adminToken);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Log out" }).waitFor();
  await page.goto(`${HOME}/start`);
  await page.keyboard.type(uniqueName("app"));
  await page.keyboard.press("Enter");
  await page.getByLabel("Name of the fund").waitFor();
  await page.keyboard.type("gas");
  await page.keyboard.press("Enter");
  const address = (await page.locator(".deposit code.whole").textContent()) ?? "";
  expect(address).toMatch(/^0x[0-9a-f]{64}$/);
  await giveSui(address, 3n * ONE_SUI_MIST);
  await untilAllIsShown();

  const focusOn = async (name: string) => {
    for (let press = 0; press < 40; press += 1) {
      await page.keyboard.press("Tab");
      const isThere = await page.evaluate(
        `(document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent ?? "").startsWith(${JSON.stringify(name)})`,
      );
      if (isThere === true) return;
    }
    throw new Error(`the keyboard does not reach ${name}`);
  };
  await focusOn("Look for the deposit now");
  await page.keyboard.press("Enter");
  await page.getByText("The fund holds").waitFor();
  await focusOn("Name of the key");
  await page.keyboard.type("backend");
  await page.keyboard.press("Enter");
  const key = (await page.locator("code.whole").last().textContent()) ?? "";
  expect(key).toMatch(/^us1_sui_localnet_[0-9a-f]{64}$/);
  expect(await accessibilityFindings(page)).toEqual([]);

  const call = (await page.locator("pre code").first().textContent()) ?? "";
  expect(call).toContain(key);
  const [, body = ""] = /-d '([^']+)'/.exec(call) ?? [];
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const answered = await fetch(`${serviceUrl}/sui/gas/v1`, { method: "POST", headers, body });
  expect(await answered.json()).toMatchObject({ result: { signature: expect.any(String) } });
  await page.getByText("You are done").waitFor();
  expect(complaints).toEqual([]);
});

test("without JavaScript a fund is paused and opened, and a withdrawal is reviewed and sent once", async () => {
  const funded = await newFund();
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: PHONE });
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(`${HOME}/funds/${funded.fundId}`);
  await logIn(page);
  expect(new URL(page.url()).pathname).toBe(`/dashboard/funds/${funded.fundId}`);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("The fund is paused. It sponsors nothing more.").waitFor();
  await page.getByRole("button", { name: "Let it sponsor again" }).click();
  await page.getByText("The fund is open.").waitFor();

  await page.getByRole("link", { name: "Withdraw" }).click();
  const to = `0x${"ab".repeat(32)}`;
  await page.getByLabel("To").fill(to);
  await page.getByLabel("Amount in SUI").fill("0.25");
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByText("exactly 250000000 MIST").waitFor();
  const inputs = await page.locator('form[action$="/withdraw"] input').all();
  const fields = await Promise.all(
    inputs.map(async (input) => [(await input.getAttribute("name")) ?? "", await input.inputValue()] as const),
  );
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("heading", { name: "The withdrawal is" }).waitFor();
  const [paid, digest = ""] = await page.locator("code.whole").allTextContents();
  expect(paid, "the page shows where the money went").toBe(to);
  expect(digest).not.toBe("");
  const again = await context.request.post(page.url(), {
    form: Object.fromEntries(fields),
    headers: { origin: serviceUrl },
  });
  expect(await again.text(), "a second sending is the same withdrawal").toContain(digest);
});

test("the one-time link of the launcher logs in after a click, and never again", async () => {
  const link = await makeDashboardLink(harness);
  const { page } = await open();
  await page.goto(link);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  const other = await open();
  await other.page.goto(link);
  await other.page.getByRole("button", { name: "Log in" }).click();
  await other.page.getByText("This link was used before").waitFor();
});

test("a copy button copies the whole address", async () => {
  const { fundId, depositAddress } = await newEmptyFund();
  const { page, context } = await open();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await logIn(page);
  await page.goto(`${HOME}/funds/${fundId}`);
  await page.getByRole("button", { name: `Copy ${depositAddress}` }).click();
  await page.getByText("Copied").first().waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(depositAddress);
});
