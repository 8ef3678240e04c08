import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { PHONE, startBrowser } from "../harness/browser.ts";
import {
  admin,
  advance,
  chainUrl,
  gas,
  giveSui,
  harness,
  keepSecret,
  newFund,
  newKey,
  scheduled,
  serviceUrl,
  setServiceVars,
  uniqueName,
  untilAllIsShown,
} from "../harness/harness.ts";

const HOME = `${serviceUrl}/dashboard`;
const ONE_SUI_MIST = 1_000_000_000n;
const STEP_LIMIT_MS = 20_000;

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

let contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts) await context.close();
  contexts = [];
});

/** Opens a page on a phone that runs no script, past the log-in. */
async function logIn(path: string) {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: PHONE });
  context.setDefaultTimeout(STEP_LIMIT_MS);
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(HOME + path);
  await page.getByLabel("Token").fill(harness.adminToken);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  return { page, context };
}

const sponsoredSchema = z.object({ result: z.object({ txDigest: z.string() }) });

async function sponsorEmpty(key: string): Promise<string> {
  const answered = await gas(key, "gas_sponsorTransactionBlock", ["AAAA", `0x${"1".repeat(64)}`]);
  return sponsoredSchema.parse(answered.body).result.txDigest;
}

test("without JavaScript a fund is paused and opened, and a withdrawal is reviewed and sent once", async () => {
  const funded = await newFund();
  const { page, context } = await logIn(`/funds/${funded.fundId}`);
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

test("without JavaScript the first run leads from a project to a sponsored transaction", async () => {
  const { page } = await logIn("/start");
  await page.getByLabel("Name of the project").fill(uniqueName("app"));
  await page.getByRole("button", { name: "Make the project" }).click();
  await page.getByLabel("Name of the fund").fill("gas");
  await page.getByRole("button", { name: "Make the fund" }).click();
  const address = (await page.locator(".deposit code.whole").textContent()) ?? "";
  await giveSui(address, 3n * ONE_SUI_MIST);
  await untilAllIsShown();
  await page.getByRole("button", { name: "Look for the deposit now" }).click();
  await page.getByText("The balance of the fund is").waitFor();
  await page.getByLabel("Name of the key").fill("backend");
  await page.getByRole("button", { name: "Make the key" }).click();
  const key = keepSecret((await page.locator("code.whole").last().textContent()) ?? "");
  const link = page.getByRole("link", { name: "Look again" });
  await link.waitFor();
  await sponsorEmpty(key);
  await link.click();
  await page.getByText("You are done").waitFor();
});

test("without JavaScript a digest is explained, a key is revoked, and the page counts what it took back", async () => {
  const funded = await newFund();
  const { key, keyId } = await newKey(funded, { name: "leaked" });
  const digest = await sponsorEmpty(key);
  const { page } = await logIn("");
  await page.getByRole("searchbox").fill(digest);
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("The fund has signed, and no node shows an execution yet.").waitFor();
  expect(new URL(page.url()).search).toBe(`?q=${digest}`);

  await page.goto(`${HOME}/keys/${keyId}`);
  await page.getByRole("link", { name: "Disable or revoke" }).click();
  await page.getByText("1 signature will be worthless.").waitFor();
  await page.getByRole("button", { name: "Revoke its signatures" }).click();
  await page.getByText("1 can never be executed now.").waitFor();
  const shown = await admin("GET", `/keys/${keyId}`);
  expect(shown.body).toMatchObject({ status: "disabled" });
});

test("without JavaScript the overview names a node that fails, and its page says why", async () => {
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
  const { page } = await logIn("");
  await page.getByText("has a node that fails").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Nodes" }).first().click();
  await page.getByText("The endpoint could not be reached.").first().waitFor();
});
