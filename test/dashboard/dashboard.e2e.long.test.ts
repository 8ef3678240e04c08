import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { makeDashboardLink } from "../../shared/cli/client/dashboard.ts";
import { root } from "../../shared/cli/root.ts";
import { DESKTOP, type Look, PHONE, startBrowser, visit } from "../harness/browser.ts";
import {
  admin,
  advance,
  chainUrl,
  gas,
  giveSui,
  harness,
  newEmptyFund,
  newFund,
  newKey,
  scheduled,
  serviceUrl,
  setServiceVars,
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
    unusable: `${fund}/unusable`,
    policy: `${fund}/policy`,
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
  // A page focuses its field at its first picture, which may be later than its load.
  const typeInto = async (label: string, text: string) => {
    await page.getByLabel(label).and(page.locator(":focus")).waitFor();
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };
  await typeInto("Token", harness.adminToken);
  await page.getByRole("button", { name: "Log out" }).waitFor();
  await page.goto(`${HOME}/start`);
  await typeInto("Name of the project", uniqueName("app"));
  await typeInto("Name of the fund", "gas");
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
  await page.getByText("The balance of the fund is").waitFor();
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
  await page.getByLabel("To", { exact: true }).fill(to);
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

/** Looks at the present state of a page in each look: axe, its width, and a picture. Nothing is loaded again. */
async function lookAtState(page: Page, state: string): Promise<void> {
  for (const [name, { viewport, colorScheme }] of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const where = `${state}, ${name}`;
    expect(await accessibilityFindings(page), where).toEqual([]);
    const isTooWide = await page.evaluate(
      "document.documentElement.scrollWidth > document.documentElement.clientWidth",
    );
    expect(isTooWide, `${where} scrolls sideways`).toBe(false);
    await page.screenshot({ path: join(SCREENSHOTS, `state-${state}-${name}.png`), fullPage: true });
  }
  await page.setViewportSize(DESKTOP);
}

/** The form of a page that has this button. */
function formWith(page: Page, button: string) {
  return page.locator("main form").filter({ has: page.getByRole("button", { name: button, exact: true }) });
}

/** Ticks the box of a form, and sends it. */
async function sendSurely(page: Page, button: string): Promise<void> {
  const form = formWith(page, button);
  await form.getByRole("checkbox").check();
  await form.getByRole("button", { name: button, exact: true }).click();
}

test("a policy is changed, refused and overtaken on its page, and each state passes axe in each look", async () => {
  const funded = await newFund();
  const { page, complaints } = await open();
  await logIn(page);
  await page.goto(`${HOME}/funds/${funded.fundId}`);
  await page.getByRole("link", { name: "Change", exact: true }).click();
  const spending = page.getByLabel("Most that is spent in a UTC day, SUI");
  await spending.fill("lots");
  await page.getByRole("button", { name: "Save the policy" }).click();
  await page.locator("#maxSpendPerDay-fault").waitFor();
  await lookAtState(page, "policy-refused");
  await spending.fill("0.5");
  await page.getByRole("button", { name: "Save the policy" }).click();
  await page.getByText("Saved.").waitFor();
  await page.getByText("0.5 SUI").first().waitFor();
  await page.goto(`${HOME}/funds/${funded.fundId}/policy`);
  await admin("PATCH", `/funds/${funded.fundId}`, { policy: { maxInFlightCount: 7 } });
  await spending.fill("0.7");
  await page.getByRole("button", { name: "Save the policy" }).click();
  await page.getByText("Somebody has changed this").waitFor();
  await lookAtState(page, "policy-overtaken");
  expect(await page.getByLabel("Most sponsorships that are open at once").inputValue()).toBe("7");
  expect(complaints).toEqual([]);
});

test("a fund is paused, compared, revoked, closed row by row and recovered by clicks, and each state passes axe", async () => {
  const funded = await newFund([4n * ONE_SUI_MIST, ONE_SUI_MIST]);
  const { key } = await newKey(funded);
  const sponsored = await gas(key, "gas_sponsorTransactionBlock", ["AAAA", `0x${"1".repeat(64)}`]);
  const { txDigest } = z.object({ result: z.object({ txDigest: z.string() }) }).parse(sponsored.body).result;
  const coins = await admin("GET", `/funds/${funded.fundId}/coins?state=free`);
  const { items } = z.object({ items: z.array(z.object({ objectId: z.string() })).min(1) }).parse(coins.body);
  const { page, complaints } = await open();
  await logIn(page);
  const manage = `${HOME}/funds/${funded.fundId}/manage`;
  await page.goto(`${HOME}/funds/${funded.fundId}`);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("The fund is paused. It sponsors nothing more.").waitFor();
  await lookAtState(page, "paused");

  await page.goto(manage);
  await page.getByRole("button", { name: "Compare with the chain" }).click();
  await page.getByText(/The records of the fund and the chain (agree exactly|differ)/).waitFor();
  await lookAtState(page, "compared");

  await page.getByLabel("Remove a coin").fill(items[0]?.objectId ?? "");
  await sendSurely(page, "Remove the coin");
  await page.getByRole("alert").waitFor();
  await page
    .getByText(/shows the coin as the fund's|is not free|changed meanwhile/)
    .first()
    .waitFor();
  await lookAtState(page, "drop-refused");

  await page.getByLabel("Close a transaction").fill("1".repeat(43));
  await sendSurely(page, "Close the transaction");
  await page.getByRole("alert").waitFor();
  await lookAtState(page, "close-refused");

  await sendSurely(page, "Pause and take back all signatures");
  await page.getByText("its signatures are taken back").waitFor();
  await lookAtState(page, "revoked");

  await page.getByLabel("Close a transaction").fill(txDigest);
  await sendSurely(page, "Close the transaction");
  await page
    .getByText(/The transaction is closed|can still execute|not over yet|valid until/)
    .first()
    .waitFor();
  await lookAtState(page, "row-closed");

  await page.goto(manage);
  await sendSurely(page, "Recover");
  await page.getByText("The recovery is under way.").waitFor();
  await lookAtState(page, "recovering");
  expect(complaints).toEqual([]);
});

test("a secret in a field of a search is not sent, and the page says so", async () => {
  const { page } = await open();
  await logIn(page);
  await page.goto(`${HOME}/explain`);
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  const box = page.getByLabel("What do you have?");
  await box.fill(`us1_sui_testnet_${"0".repeat(64)}`);
  await page.getByRole("main").getByRole("button", { name: "Explain" }).click();
  expect(await page.evaluate("document.querySelector('#explain-q').validationMessage")).toMatch(
    /This is a secret, and is not sent/,
  );
  expect(sent).toEqual([]);
  await box.fill("1".repeat(43));
  await page.getByRole("main").getByRole("button", { name: "Explain" }).click();
  await page.waitForURL(/explain\?q=1{43}$/);
  await page.goto(`${HOME}/audit`);
  await page.getByLabel("Who").fill(`admin_${"0".repeat(64)}`);
  await page.getByRole("button", { name: "Show" }).click();
  expect(new URL(page.url()).search).toBe("");
  await page.goto(`${HOME}/explain?q=us1_sui_testnet_${"0".repeat(64)}`);
  await page.getByRole("heading", { name: "That is an access key" }).waitFor();
  await lookAtState(page, "secret");
});

test("a node that fails is the first thing that the overview names, and its page says why", async () => {
  await newFund();
  await setServiceVars({ SUI_LOCALNET_NODES: `${chainUrl}/sui http://127.0.0.1:9/sui` });
  onTestFinished(() => setServiceVars({ SUI_LOCALNET_NODES: `${chainUrl}/sui` }));
  // The cron finds which networks are in use. A node is unhealthy after two failed checks, 20 s apart.
  const [cron = ""] = harness.crons;
  for (let checks = 0; checks < 2; checks += 1) {
    await scheduled(cron);
    await admin("GET", "/nodes");
    await advance(25_000);
  }
  const { page } = await open();
  await logIn(page);
  await page.goto(HOME);
  await page.getByText("has a node that fails").waitFor();
  await lookAtState(page, "failing-node-overview");
  await page.goto(`${HOME}/nodes`);
  await page.getByText("127.0.0.1:9").first().waitFor();
  await lookAtState(page, "failing-node");
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
