import { randomBytes } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { APTOS_NETWORK, createKey } from "../../shared/cli/client/admin.ts";
import { createAptosFund, createFundedFund } from "../../shared/cli/client/funds.ts";
import { exampleVars } from "../../shared/cli/example-vars.ts";
import { DESKTOP, startBrowser, visit } from "../harness/browser.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { CARDS, mint, signIn } from "./page.ts";

let hosted: SelfHosted;
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  hosted = await startSelfHosted();
  const rights = ["wallet", "gas", "node"];
  const fund = await createFundedFund(hosted, "gas", [5_000_000_000n]);
  const { fundId, projectId } = await createAptosFund(hosted, fund.projectId, "gas on Aptos", 1_000_000_000n);
  const ofSui = await createKey(hosted, projectId, { name: "app", rights, fundId: fund.fundId });
  const ofAptos = await createKey(hosted, projectId, { name: "app on Aptos", network: APTOS_NETWORK, rights, fundId });
  const FLOWS_SECRET = randomBytes(32).toString("base64");
  const keys = { FLOWS_SECRET, FLOWS_SUI_KEY: ofSui.key, FLOWS_APTOS_KEY: ofAptos.key };
  await hosted.service.restart({ ...keys, ...exampleVars(keys, hosted.serviceUrl) });
});
afterAll(async () => {
  await hosted.stop();
  await browser.close();
});

test("the example mints on plain workerd, which has no KV", async () => {
  const { page } = await visit(browser, `${hosted.serviceUrl}/example`, { viewport: DESKTOP, colorScheme: "light" });
  await signIn(page, "ada");
  for (const card of CARDS) expect((await mint(page, card, "On workerd")).title).toBe("“On workerd” is minted");
});
