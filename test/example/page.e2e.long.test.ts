import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { http } from "../../shared/cli/client/http.ts";
import { exampleVars } from "../../shared/cli/example-vars.ts";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { root } from "../../shared/cli/root.ts";
import { displayAddress } from "../devchain/aptos/address.ts";
import { APTOS_DEMO_MODULE, DEMO_PACKAGE } from "../devchain/demo.ts";
import { DESKTOP, type Look, PHONE, startBrowser, type Visit, visit } from "../harness/browser.ts";
import {
  advance,
  flowsSecret,
  newFund,
  newKey,
  serviceUrl,
  setServiceVars,
  sui,
  uniqueName,
  untilAllIsShown,
} from "../harness/harness.ts";
import { aptos, newAptosFund, newAptosKey } from "../support/aptos.ts";
import {
  askAgainButton,
  CARDS,
  type Card,
  mint,
  mintButton,
  nameBadge,
  proposedName,
  resultOf,
  signIn,
} from "./page.ts";

const SCREENSHOTS = join(root, "dist/screenshots");
const PAGE = `${serviceUrl}/example`;
const LIGHT_DESKTOP: Look = { viewport: DESKTOP, colorScheme: "light" };
const DARK_PHONE: Look = { viewport: PHONE, colorScheme: "dark" };

let browser: Browser;
let on: Readonly<Record<string, string>>;
beforeAll(async () => {
  browser = await startBrowser();
  await mkdir(SCREENSHOTS, { recursive: true });
  const [suiKey, aptosKey] = [
    await newKey(await newFund(), { rights: ["gas", "wallet"] }),
    await newAptosKey(await newAptosFund()),
  ];
  const flows = { FLOWS_SECRET: flowsSecret.toString("base64"), FLOWS_CALLER_SECRET: "" };
  on = { ...flows, FLOWS_SUI_KEY: suiKey.key, FLOWS_APTOS_KEY: aptosKey.key, ...exampleVars(flows, serviceUrl) };
  await setServiceVars(on);
});
afterAll(() => browser.close());

let visits: Visit[] = [];
afterEach(async () => {
  for (const { context } of visits) await context.close();
  visits = [];
});

async function open(look: Look = LIGHT_DESKTOP): Promise<Visit> {
  const opened = await visit(browser, PAGE, look);
  visits.push(opened);
  return opened;
}

const newUser = () => uniqueName("ada").toLowerCase();

/** What the chain says a Sui badge is, asked by the stock client. */
async function suiBadge(objectId: string) {
  const { object } = await sui.getObject({ objectId, include: { json: true } });
  return { type: object.type, owner: object.owner, name: object.json?.name };
}

async function suiBadgesOf(owner: string) {
  await untilAllIsShown();
  const { objects } = await sui.listOwnedObjects({ owner, type: `${DEMO_PACKAGE}::demo::Badge` });
  return objects.map(({ objectId }) => objectId);
}

/** An Aptos badge and its owner, asked by the stock client. */
async function aptosBadge(address: string) {
  const [badge, core] = await Promise.all([
    aptos.getAccountResource<{ name: string }>({
      accountAddress: address,
      resourceType: `${APTOS_DEMO_MODULE}::Badge`,
    }),
    aptos.getAccountResource<{ owner: string }>({
      accountAddress: address,
      resourceType: "0x1::object::ObjectCore",
    }),
  ]);
  return { name: badge.name, owner: core.owner };
}

async function expectMinted(card: Card, badge: string, minted: Awaited<ReturnType<typeof mint>>) {
  const { Badge = "", Transaction = "", Gas = "" } = minted.facts;
  expect(minted.title).toBe(`“${badge}” is minted`);
  if (card.startsWith("sui")) {
    await sui.waitForTransaction({ digest: Transaction });
    expect(await suiBadge(Badge)).toEqual({
      type: `${DEMO_PACKAGE}::demo::Badge`,
      owner: { $kind: "AddressOwner", AddressOwner: minted.address },
      name: badge,
    });
    expect((await sui.getBalance({ owner: minted.address })).balance.balance).toBe("0");
    expect((await sui.getTransaction({ digest: Transaction })).Transaction?.status.success).toBe(true);
    expect(Gas).toMatch(/^0\.00\d+ SUI, paid by the fund$/);
  } else {
    const transaction = await aptos.getTransactionByHash({ transactionHash: Transaction });
    expect(transaction).toMatchObject({ success: true, sender: displayAddress(minted.address) });
    expect(await aptosBadge(Badge)).toEqual({ name: badge, owner: displayAddress(minted.address) });
    expect(await aptos.getAccountAPTAmount({ accountAddress: minted.address })).toBe(0);
    expect(Gas).toMatch(/^0\.\d+ APT, paid by the fund$/);
  }
}

describe("a user who has no coin mints", () => {
  test.each<[Card]>(CARDS.map((card) => [card]))("%s", async (card) => {
    const { page, complaints } = await open();
    await signIn(page, newUser());
    await expectMinted(card, "First light", await mint(page, card, "First light"));
    await expectMinted(card, "Second light", await mint(page, card, "Second light"));
    expect(complaints).toEqual([]);
  });

  test("with the keyboard alone", async () => {
    const { page } = await open();
    await page.getByLabel("Your name").focus();
    await page.keyboard.type(newUser());
    await page.keyboard.press("Enter");
    const welcome = page.getByRole("heading", { name: "Signed in as" });
    await welcome.waitFor();
    expect(await welcome.evaluate((heading) => heading === heading.ownerDocument.activeElement)).toBe(true);
    // Sign out, the badge's name, and the first button to mint.
    for (const _ of ["Sign out", "Name", "Mint"]) await page.keyboard.press("Tab");
    const proposed = await proposedName(page);
    await page.keyboard.press("Enter");
    await expectMinted("sui-embedded", proposed, await resultOf(page, "sui-embedded"));
  });

  test("twice on Aptos by the names that the page proposes, under a name of any script", async () => {
    const { page } = await open();
    await signIn(page, `Zoë Мария ${newUser()}`);
    const names: string[] = [];
    for (const _ of ["first", "second"]) {
      const proposed = await proposedName(page);
      names.push(proposed);
      const minted = await mint(page, "aptos-embedded");
      await expectMinted("aptos-embedded", proposed, minted);
      await expect.poll(() => proposedName(page)).not.toBe(proposed);
    }
    expect(new Set(names).size).toBe(2);
  });

  test("and has the same wallets at the next sign-in", async () => {
    const user = newUser();
    const addresses = [];
    for (const _ of ["first", "second"]) {
      const { page } = await open();
      await signIn(page, user);
      addresses.push(await page.locator("#sui-embedded .address, #aptos-embedded .address").allTextContents());
    }
    expect(addresses[1]).toEqual(addresses[0]);
  });
});

describe("one transaction each", () => {
  test("for a double click", async () => {
    const { page } = await open();
    await signIn(page, newUser());
    await nameBadge(page, "Once");
    await mintButton(page, "sui-embedded").dblclick();
    const { address } = await resultOf(page, "sui-embedded");
    expect(await suiBadgesOf(address)).toHaveLength(1);
  });

  test.each<[Card, string]>([
    ["sui-embedded", "sponsor-and-execute"],
    ["sui-own-key", "execute-sponsored"],
    ["aptos-embedded", "sponsor-and-execute"],
    ["aptos-own-key", "execute-sponsored"],
  ])("for answers that are lost: %s", async (card, workflow) => {
    const { page } = await open();
    await signIn(page, newUser());
    // As many as the page repeats the call by itself: executed, and no answer.
    let lost = 0;
    await page.route(`**/flows/${workflow}`, async (route) => {
      lost += 1;
      if (lost > 3) return route.continue();
      await route.fetch();
      return route.abort();
    });
    const open1 = await mint(page, card, "Lost and found");
    expect(open1.title).toBe("No answer came");
    expect(open1.text).toContain("the same attempt is never executed twice");
    await askAgainButton(page, card).click();
    await page.locator(`#${card} .result.good`).waitFor();
    const found = await resultOf(page, card);
    await expectMinted(card, "Lost and found", found);
    if (card.startsWith("sui")) expect(await suiBadgesOf(found.address)).toEqual([found.facts.Badge]);
    else {
      const { sequence_number: sequenceNumber } = await aptos.getAccountInfo({ accountAddress: found.address });
      // An embedded wallet's first transaction made its account.
      expect(sequenceNumber).toBe(card === "aptos-embedded" ? "2" : "1");
    }
  });
});

describe("an attempt whose answers were lost outlives a reload of the page", () => {
  test.each<[Card, string]>([
    ["sui-embedded", "sponsor-and-execute"],
    ["aptos-own-key", "execute-sponsored"],
  ])("%s", async (card, workflow) => {
    const { page } = await open();
    const user = newUser();
    await signIn(page, user);
    const keys = new Set<string | undefined>();
    let isLost = true;
    await page.route(`**/flows/${workflow}`, async (route) => {
      keys.add(route.request().headers()["idempotency-key"]);
      if (!isLost) return route.continue();
      await route.fetch();
      return route.abort();
    });
    expect((await mint(page, card, "Still there")).title).toBe("No answer came");
    isLost = false;
    await page.reload();
    await signIn(page, user);
    await askAgainButton(page, card).click();
    await page.locator(`#${card} .result.good`).waitFor();
    expect((await resultOf(page, card)).title).toContain("Still there");
    expect(keys.size).toBe(1);
    await mintButton(page, card).waitFor();
  });
});

test("a call that takes more than five seconds is said to be slow, and ends as it would have", async () => {
  const { page } = await open();
  await signIn(page, newUser());
  const held = Promise.withResolvers<void>();
  await page.route("**/flows/sponsor-and-execute", async (route) => {
    await held.promise;
    return route.continue();
  });
  await page.clock.install();
  await nameBadge(page, "Patience");
  await mintButton(page, "sui-embedded").click();
  await page.clock.fastForward(5_000);
  const slow = page.locator("#sui-embedded .result").getByText("This is slow");
  await slow.waitFor();
  await page.clock.resume();
  held.resolve();
  expect((await resultOf(page, "sui-embedded")).title).toContain("Patience");
  expect(await slow.isVisible()).toBe(false);
});

describe("a failure is told as what to do", () => {
  test.each(["sui", "aptos"])("when the policy says no, on %s", async (chain) => {
    const { page } = await open();
    await signIn(page, newUser());
    await page.locator(`#${chain}-embedded`).getByRole("button", { name: "See a refusal" }).click();
    const refused = await resultOf(page, chain === "sui" ? "sui-embedded" : "aptos-embedded");
    expect(refused.title).toBe("The app does not sponsor this");
    expect(refused.text).toContain("Nothing was signed or sent");
    expect(refused.text).toContain("403 policy_refused");
  });

  test("when the contract says no", async () => {
    const { page } = await open();
    await signIn(page, newUser());
    await mint(page, "aptos-embedded", "Taken");
    await page.locator("#aptos-embedded .result.good").waitFor();
    await mintButton(page, "aptos-embedded").click();
    await page.locator("#aptos-embedded .result.bad").waitFor();
    const refused = await resultOf(page, "aptos-embedded");
    expect(refused.title).toBe("The chain would refuse this transaction");
    expect(refused.text).toContain("it costs nothing");
    expect(refused.text).toContain("demo: 0x2");
  });

  test("when what came back to be signed is another transaction", async () => {
    const { page } = await open();
    await signIn(page, newUser());
    await page.route("**/flows/sponsor", async (route) => {
      const [answer, asked] = [
        await route.fetch(),
        z.record(z.string(), z.unknown()).parse(route.request().postDataJSON()),
      ];
      const json = z.record(z.string(), z.unknown()).parse(await answer.json());
      // The sender of a transaction for somebody else, as a service that wants more than it says would answer.
      const bytes = String(json.rawTransaction);
      const other = { ...json, rawTransaction: `${bytes.startsWith("0x00") ? "0x01" : "0x00"}${bytes.slice(4)}` };
      return route.fulfill({ response: answer, json: asked.chain === "aptos" ? other : { ...json, txBytes: "AAAA" } });
    });
    for (const card of ["sui-own-key", "aptos-own-key"] as const) {
      const tampered = await mint(page, card, "Tampered");
      expect(tampered.title).toBe("This is not the transaction that was asked for");
    }
  });

  test("when the name is no name", async () => {
    const { page } = await open();
    await page.getByLabel("Your name").fill("☃");
    await page.getByRole("button", { name: "Sign in" }).click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toContain("1 to 40 letters");
  });

  test("when the token has expired", async () => {
    const { page } = await open();
    await signIn(page, newUser());
    await advance(20 * 60_000);
    const expired = await mint(page, "sui-own-key", "Too late");
    expect(expired.title).toBe("You are not signed in any more");
    expect(expired.text).toContain("Sign in again");
  });
});

describe("the page", () => {
  test.each<[string, Look]>([
    ["desktop-light", LIGHT_DESKTOP],
    ["desktop-dark", { ...LIGHT_DESKTOP, colorScheme: "dark" }],
    ["phone-light", { ...DARK_PHONE, colorScheme: "light" }],
    ["phone-dark", DARK_PHONE],
  ])("fits its screen, before and after: %s", async (name, look) => {
    const { page } = await open(look);
    const shot = (state: string) =>
      page.screenshot({ path: join(SCREENSHOTS, `${name}-${state}.png`), fullPage: true });
    const overflow = () => page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    await shot("signed-out");
    expect(await overflow()).toBe(0);
    await signIn(page, newUser());
    await nameBadge(page, "A badge with a name of sixty characters, which is the longest");
    // By the keyboard: what the first ones show moves the others away from the pointer.
    for (const card of CARDS) await mintButton(page, card).press("Enter");
    await shot("minting");
    for (const card of CARDS) await resultOf(page, card);
    await shot("minted");
    await page.locator("#sui-embedded").getByRole("button", { name: "See a refusal" }).click();
    await mintButton(page, "aptos-embedded").click();
    await page.locator("#sui-embedded .result.bad").waitFor();
    await page.locator("#aptos-embedded .result.bad").waitFor();
    await page.locator("#calls summary").first().click();
    await shot("refused");
    expect(await overflow()).toBe(0);
  });

  test("speaks to nobody but its own service, runs no script but its own, stores nothing and shows no token", async () => {
    const { page, context, origins, complaints } = await open();
    await signIn(page, newUser());
    for (const card of CARDS) await mint(page, card, "Kept to itself");
    expect([...origins]).toEqual([new URL(serviceUrl).origin]);
    expect(complaints).toEqual([]);
    const html = await page.content();
    for (const secret of Object.values(on).filter((value) => value.length > 30 && !value.startsWith("http")))
      expect(html).not.toContain(secret);
    // A token has two JSON objects in Base64. Three letters alone can also be part of a signature.
    expect(html).not.toMatch(/eyJ[\w-]+\.eyJ/);
    const { cookies, origins: stored } = await context.storageState();
    expect({ cookies, stored }).toEqual({ cookies: [], stored: [] });
    const intrusion = "document.body.append(Object.assign(document.createElement('script'), { text: '0' }))";
    await expect(page.evaluate(intrusion)).rejects.toThrow("TrustedScript");
    const { headers } = await http(PAGE);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
  });

  test("of another origin is refused by the browser and by the workflows, whatever token it holds", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>elsewhere</title>");
    });
    await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the other origin has no port");
    const elsewhere = `http://${LOOPBACK}:${address.port}`;
    const user = newUser();
    const issued = await http(`${serviceUrl}/example/sign-in`, {
      method: "POST",
      body: JSON.stringify({ name: user }),
    });
    const { token } = z.object({ token: z.string() }).parse(issued.body);
    const asked = `fetch("${serviceUrl}/flows/create-wallet-on-chain", { method: "POST",
      headers: { authorization: "Bearer ${token}", "content-type": "application/json" },
      body: '{"chain":"sui"}' }).then((answer) => answer.status, (error) => String(error))`;

    const other = await visit(browser, elsewhere, LIGHT_DESKTOP);
    visits.push(other);
    expect(await other.page.evaluate(asked)).toBe("TypeError: Failed to fetch");
    expect(other.complaints.join()).toContain("CORS");
    const authorization = `Bearer ${token}`;
    const refused = await http(`${serviceUrl}/flows/wallet?chain=sui`, {
      headers: { authorization, origin: elsewhere },
    });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "origin_refused" } } });
    const none = await http(`${serviceUrl}/flows/wallet?chain=sui`, { headers: { authorization } });
    expect(none).toMatchObject({ status: 404, body: { error: { code: "wallet_not_found" } } });

    const { page } = await open();
    expect(await page.evaluate(asked)).toBe(200);
  });

  test("is not there when it is off, and its users are strangers to the workflows", async () => {
    const issued = await http(`${serviceUrl}/example/sign-in`, { method: "POST", body: '{"name":"ada"}' });
    const { token } = z.object({ token: z.string() }).parse(issued.body);
    await setServiceVars({ EXAMPLE: "off" });
    onTestFinished(() => setServiceVars({ EXAMPLE: "on" }));
    for (const path of ["", "/page.js", "/page.css", "/icon.svg", "/jwks.json", "/executed"])
      expect([path, (await http(`${PAGE}${path}`)).status]).toEqual([path, 404]);
    expect((await http(`${PAGE}/sign-in`, { method: "POST", body: '{"name":"ada"}' })).status).toBe(404);
    const authorization = `Bearer ${token}`;
    const asked = await http(`${serviceUrl}/flows/wallet?chain=sui`, { headers: { authorization } });
    expect(asked).toMatchObject({ status: 503, body: { error: { code: "node_unavailable" } } });
  });
});
