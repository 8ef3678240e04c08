import { env } from "cloudflare:workers";
import { beforeEach, describe, expect } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../functions/service/admin/app.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { alterReplies } from "../byzantine-node/altered-sui-node.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { adminToken, authorization } from "../support/admin-access.ts";
import { Browser, hiddenFields } from "../support/dashboard.ts";
import { failing } from "../support/failing-executions.ts";
import { makeToken } from "../support/operators.ts";
import { longTest, shortTest } from "../support/rounds.ts";
import { give } from "../support/sui-chain.ts";
import {
  executeOnChain,
  prepare,
  sponsor,
  sponsorInput,
  stateOf,
  stub,
  type TestFund,
  until,
  useStoppedClock,
  withOurTime,
} from "../support/sui-fund.ts";

const adminApp = createAdminApp(createDeps(env));
const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`;
/** The hostile text as a browser would run it. */
const LIVE = /<script>alert|<img src=x/;
const idSchema = z.looseObject({ id: z.string() });

async function admin(method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization, "content-type": "application/json" };
  const response = await adminApp.request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) }, env);
  const text = await response.text();
  expect(response.status, `${path}: ${text}`).toBeLessThan(300);
  return JSON.parse(text);
}

interface Place {
  readonly projectId: string;
  readonly fund: TestFund;
  readonly keyId: string;
}

/** Makes a project, a fund with coins and a key. All of their names are hostile. */
async function newPlace(name: string): Promise<Place> {
  const { id: projectId } = idSchema.parse(await admin("POST", "/projects", { name }));
  const made = await admin("POST", `/projects/${projectId}/funds`, { name, network: "SUI_LOCALNET" });
  const { id, depositAddress: address } = z.looseObject({ id: z.string(), depositAddress: z.string() }).parse(made);
  const asked = { name, network: "SUI_LOCALNET", rights: ["gas"], fundId: id };
  const { id: keyId } = idSchema.parse(await admin("POST", `/projects/${projectId}/keys`, asked));
  await give(address, 9_000_000n);
  await give(address, 9_000_000n);
  await stub({ id, address }).refresh();
  return { projectId, fund: { id, address }, keyId };
}

async function html(browser: Browser, path: string): Promise<string> {
  const response = await browser.get(path);
  const text = await response.text();
  expect(response.status, `${path}: ${text.slice(0, 2_000)}`).toBe(200);
  return text;
}

/** Returns the text of a page as a person reads it. */
function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ");
}

useStoppedClock();

let browser = new Browser();
beforeEach(async () => {
  browser = await new Browser().logIn(adminToken);
});

/** Asks for one sponsorship that a policy of the key refuses. */
async function refuse({ fund, keyId }: Place, requestId: string): Promise<void> {
  const keyPolicy = { ...defaultKeyPolicy("sui"), maxGasBudgetAtoms: 1n };
  const refused = await stub(fund).sponsor({ ...(await sponsorInput(requestId)), keyId, requestId, keyPolicy });
  expect(refused.ok).toBe(false);
}

describe("whatever an app has done", () => {
  shortTest(
    "is explained by digest, sender, request and key, sentence first, and hostile names are inert",
    async () => {
      const place = await newPlace(HOSTILE);
      const sponsored = await sponsor(place.fund, "explained", { keyId: place.keyId });
      await executeOnChain(sponsored);
      await refuse(place, "5f0e8e0a-4d3d-4a4e-9a59-6c6a1a2b3c4d");
      const byDigest = await html(browser, `/dashboard/explain?q=${sponsored.digest}`);
      expect(textOf(byDigest)).toMatch(/Succeeded It was executed with success .* What happened .* What it cost/);
      const byRequest = await html(browser, "/dashboard/explain?q=5f0e8e0a-4d3d-4a4e-9a59-6c6a1a2b3c4d");
      expect(textOf(byRequest)).toMatch(
        /Refused The access key's policy refused it by its rule maxGasBudget: .* What to do: .* a refused call costs nothing/,
      );
      const { sender } = await sponsorInput("explained");
      const bySender = await html(browser, `/dashboard/explain?q=${sender}`);
      expect(textOf(bySender)).toContain("What it did, newest first");
      const byKey = await browser.get(`/dashboard/explain?q=${place.keyId}`);
      expect(byKey.headers.get("location")).toBe(`/dashboard/keys/${place.keyId}`);
      const pages = [
        byDigest,
        byRequest,
        await html(browser, "/dashboard/keys"),
        await html(browser, `/dashboard/keys/${place.keyId}`),
        await html(browser, `/dashboard/keys/${place.keyId}/stop`),
        await html(browser, `/dashboard/keys/${place.keyId}/policy`),
        await html(browser, `/dashboard/new-key?project=${place.projectId}`),
        await html(browser, `/dashboard/funds/${place.fund.id}/sponsorships`),
        await html(browser, `/dashboard/funds/${place.fund.id}/refusals`),
        await html(browser, `/dashboard/explain?q=${encodeURIComponent(HOSTILE)}`),
      ];
      for (const page of pages) expect(page).toContain("&lt;script&gt;");
      for (const page of [...pages, bySender]) {
        expect(page).not.toMatch(LIVE);
        expect(page).not.toMatch(/\sstyle=|<style|\son[a-z]+="/);
      }
    },
  );

  shortTest("an unknown digest says what to compare", async () => {
    const text = textOf(await html(browser, `/dashboard/explain?q=${"1".repeat(43)}`));
    expect(text).toContain("Compare the digest, hash or id with what the user sees.");
  });
});

longTest(
  "an aborted transaction is red and Aborted on every page with its row, and its list is filtered by it",
  async () => {
    const place = await newPlace("aborts");
    const aborting = await sponsor(place.fund, "aborts", { keyId: place.keyId });
    const location = { package: DEMO_PACKAGE, module: "demo", functionName: "mint" };
    const errorDetails = { oneofKind: "abort", abort: { abortCode: 7n, location } } as const;
    alterReplies(withOurTime, failing({ kind: 13, command: 0n, errorDetails }));
    await executeOnChain(aborting);
    await until(async () => {
      await stub(place.fund).status(aborting.digest);
      return (await stateOf(place.fund, aborting.digest)) === "complete";
    });
    const live = await sponsor(place.fund, "live", { keyId: place.keyId });
    const { sender } = await sponsorInput("aborts");
    const fund = `/dashboard/funds/${place.fund.id}`;
    for (const path of [fund, `${fund}/sponsorships`, `/dashboard/explain?q=${sender}`]) {
      const page = await html(browser, path);
      expect(page, path).toContain('<span class="tag bad">Aborted on chain</span>');
      expect(page, path).not.toContain('<span class="tag ok">Executed</span>');
    }
    const filtered = await html(browser, `${fund}/sponsorships?outcome=aborted`);
    expect(filtered).toContain('<option value="aborted" selected="">Aborted on chain</option>');
    expect(filtered).toContain(aborting.digest);
    expect(filtered).not.toContain(live.digest);
  },
);

describe("lists", () => {
  shortTest("take filters by key and state, and show the refusal of a wrong one beside its field", async () => {
    const place = await newPlace("lists");
    const [mine, other] = [
      await sponsor(place.fund, "mine", { keyId: place.keyId }),
      await prepare(place.fund, "prepared", { keyId: place.keyId }),
    ];
    const path = `/dashboard/funds/${place.fund.id}/sponsorships`;
    const signed = await html(browser, `${path}?state=signed&keyId=${place.keyId}&sender=`);
    expect(signed).toContain(mine.digest);
    expect(signed).not.toContain(other.digest);
    const wrong = await browser.get(`${path}?sender=0x1`);
    expect(wrong.status).toBe(400);
    expect(textOf(await wrong.text())).toContain("Must be a whole address: 0x and 64 hex digits");
  });

  longTest("of refusals begin with their sums", async () => {
    const place = await newPlace("refused");
    await refuse(place, "refused-1");
    await refuse(place, "refused-2");
    const text = textOf(await html(browser, `/dashboard/funds/${place.fund.id}/refusals`));
    expect(text).toMatch(/by what refused 2 A policy refused it by maxGasBudget \. If you want to pay for it/);
    expect(text.match(/The gas budget is above/g)).toHaveLength(2);
  });

  longTest("of refusals are filtered by the days that their form offers", async () => {
    const place = await newPlace("days");
    await refuse(place, "refused-1");
    const path = `/dashboard/funds/${place.fund.id}/refusals`;
    const page = await html(browser, path);
    for (const name of ["from", "to"]) expect(page).toContain(`name="${name}" type="date"`);
    const rows = async (query: string) =>
      textOf(await html(browser, `${path}?${query}`)).match(/The gas budget is above/g);
    expect(await rows("from=2026-01-01&to=2999-12-31")).toHaveLength(1);
    expect(await rows("from=2999-12-31&to=")).toBeNull();
    expect(await rows("from=&to=2000-01-01")).toBeNull();
  });
});

describe("a key", () => {
  const newKeyPath = ({ projectId }: Place) => `/dashboard/new-key?project=${projectId}`;

  shortTest("is shown once, however often its form is sent", async () => {
    const place = await newPlace("shown once");
    const path = newKeyPath(place);
    const page = await html(browser, path);
    const once = /name="once" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const fields = { name: "new", payer: place.fund.id, rights: "gas", qps: "7", once };
    const made = await (await browser.submit(path, path, fields)).text();
    const [key] = /us1_sui_localnet_[0-9a-f]{64}/.exec(made) ?? [];
    expect(key).toBeDefined();
    const again = await (await browser.submit(path, path, fields)).text();
    expect(again).not.toContain(key ?? "no key");
    expect(textOf(again)).toContain("Nobody can show it again.");
    const { items } = z
      .object({ items: z.array(z.looseObject({ name: z.string(), limits: z.looseObject({ qps: z.int() }) })) })
      .parse(await admin("GET", `/projects/${place.projectId}/keys`));
    expect(items.filter(({ name }) => name === "new")).toMatchObject([{ limits: { qps: 7 } }]);
  });

  shortTest("is not made with a wrong field, whose refusal stands beside it", async () => {
    const place = await newPlace("wrong");
    const path = newKeyPath(place);
    const answered = await browser.submit(path, path, { name: "", payer: place.fund.id, rights: "gas", qps: "many" });
    expect(answered.status).toBe(400);
    const page = await answered.text();
    expect(page).toMatch(/id="name-fault"/);
    expect(page).toMatch(/id="qps-fault"/);
    expect(page).toContain('value="many"');
  });

  shortTest("gets another policy by its form, in coins, and a wrong amount changes nothing", async () => {
    const place = await newPlace("policy");
    const path = `/dashboard/keys/${place.keyId}/policy`;
    const policy = async () =>
      z.looseObject({ policy: z.looseObject({}) }).parse(await admin("GET", `/keys/${place.keyId}`)).policy;
    const sent = { "moveTargets.allow": "0x2::coin::*\n\n 0x3::a::b ", maxSpendPerDay: "1.5", maxInFlightCount: "3" };
    const saved = await browser.submit(path, path, sent);
    const shown = `/dashboard/keys/${place.keyId}?done=saved`;
    expect(saved.headers.get("location")).toBe(shown);
    expect(await (await browser.get(shown)).text(), "the page says so").toContain(">Saved.<");
    expect(await policy()).toMatchObject({
      moveTargets: { allow: [`0x${"2".padStart(64, "0")}::coin::*`, `0x${"3".padStart(64, "0")}::a::b`], deny: null },
      maxSpendPerDay: "1500000000",
      maxInFlightCount: 3,
      maxInFlightAmount: null,
    });
    const before = await policy();
    const refused = await browser.submit(path, path, { ...sent, maxSpendPerDay: "1.0000000001" });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toMatch(/id="maxSpendPerDay-fault"/);
    expect(await policy()).toEqual(before);
  });

  longTest("keeps a limit that somebody set while the form of its policy or of its rates was open", async () => {
    const place = await newPlace("overtaken");
    const key = `/dashboard/keys/${place.keyId}`;
    const opened = new Map<string, string>();
    for (const path of [`${key}/policy`, key]) opened.set(path, await html(browser, path));
    const deny = [`0x${"b".repeat(64)}`];
    const limits = { qps: 3, cups: 4, sessionsPerSecond: 5 };
    await admin("PATCH", `/keys/${place.keyId}`, { limits, policy: { senders: { deny }, maxSpendPerDay: "0" } });
    for (const [path, page] of opened) {
      const refused = await browser.post(path, { ...hiddenFields(page, path), maxGasBudget: "0.1", qps: "9" });
      expect(refused.status).toBe(409);
      expect(textOf(await refused.text())).toContain("Somebody has changed this since you opened the form");
    }
    const shown = await admin("GET", `/keys/${place.keyId}`);
    expect(shown).toMatchObject({ limits, policy: { senders: { deny }, maxSpendPerDay: "0" } });
  });

  longTest("is stopped after its page has said what that costs, and an owner makes it active again", async () => {
    const place = await newPlace("stopped");
    await sponsor(place.fund, "open", { keyId: place.keyId });
    const path = `/dashboard/keys/${place.keyId}/stop`;
    expect(textOf(await html(browser, path))).toContain("1 signature will be worthless.");
    const stopped = await browser.submit(path, path, { outstanding: "true" });
    expect(textOf(await stopped.text())).toMatch(/is disabled .*1 (can never be executed|are not decided yet)/);
    const status = async () =>
      z.looseObject({ status: z.string() }).parse(await admin("GET", `/keys/${place.keyId}`)).status;
    expect(await status()).toBe("disabled");
    const page = `/dashboard/keys/${place.keyId}`;
    await browser.submit(page, `${page}/activate`);
    expect(await status()).toBe("active");
  });

  shortTest("is neither changed nor made by a viewer, who does not see the forms", async () => {
    const place = await newPlace("roles");
    const viewer = await new Browser().logIn((await makeToken(adminApp, "viewer")).token);
    const page = await html(viewer, `/dashboard/keys/${place.keyId}`);
    expect(page).not.toMatch(/<form[^>]*action="\/dashboard\/keys/);
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
    for (const path of ["", "/activate", "/policy", "/stop"]) {
      const refused = await viewer.post(`/dashboard/keys/${place.keyId}${path}`, {
        csrf,
        name: "x",
        outstanding: "false",
      });
      expect(refused.status, path).toBe(403);
    }
    expect((await viewer.get(newKeyPath(place))).status).toBe(403);
    expect(await admin("GET", `/keys/${place.keyId}`)).toMatchObject({ name: "roles", status: "active" });
  });
});
