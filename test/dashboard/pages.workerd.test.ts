import { env } from "cloudflare:workers";
import { expect } from "vitest";
import * as z from "zod";
import { pages } from "../../functions/dashboard/pages.ts";
import { createAdminApp } from "../../functions/service/admin/app.ts";
import { leastRoles } from "../../functions/service/admin/operators/permissions.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { operatorRoles } from "../../shared/bindings/operator.ts";
import { adminToken, authorization } from "../support/admin-access.ts";
import { Browser, dashboardApp, hiddenFields } from "../support/dashboard.ts";
import { makeToken } from "../support/operators.ts";
import { longTest, shortTest } from "../support/rounds.ts";
import { give } from "../support/sui-chain.ts";

const adminApp = createAdminApp(createDeps(env));
const idSchema = z.looseObject({ id: z.string() });

async function create(path: string, body: object): Promise<string> {
  const headers = { authorization, "content-type": "application/json" };
  const made = await adminApp.request(path, { method: "POST", headers, body: JSON.stringify(body) }, env);
  expect(made.status, path).toBe(201);
  return idSchema.parse(await made.json()).id;
}

async function newFund(name = "fund", projectName = "project") {
  const projectId = await create("/projects", { name: projectName });
  const fundId = await create(`/projects/${projectId}/funds`, { name, network: "SUI_LOCALNET" });
  return { projectId, fundId };
}

shortTest("every page admits the roles that its routes admit by the table of the API, and no other", async () => {
  for (const role of operatorRoles) {
    const { token } = await makeToken(adminApp, role);
    const browser = await new Browser().logIn(token);
    const { csrf = "" } = hiddenFields(await (await browser.get("/dashboard/nodes")).text(), "/dashboard/logout");
    for (const { method, path, needs } of pages) {
      const url = `/dashboard${path === "/" ? "" : path}`.replaceAll(/:\w+/g, "nobody");
      const answered = await (method === "GET" ? browser.get(url) : browser.post(url, { csrf }));
      const mayDo = needs.every(
        (name) => operatorRoles.indexOf(role) <= operatorRoles.indexOf(leastRoles[name] ?? "owner"),
      );
      expect(needs.length, url).toBeGreaterThan(0);
      expect(answered.status !== 403, `${role}: ${method} ${url}`).toBe(mayDo);
    }
  }
});

shortTest("a role sees no form that it may not send", async () => {
  const { fundId } = await newFund();
  const { token } = await makeToken(adminApp, "viewer");
  const viewer = await new Browser().logIn(token);
  for (const path of [`/dashboard/funds/${fundId}`, `/dashboard/funds/${fundId}/manage`]) {
    const html = await (await viewer.get(path)).text();
    expect(html.match(/<form[^>]*method="post"[^>]*>/g), path).toEqual([
      expect.stringContaining('action="/dashboard/explain"'),
      expect.stringContaining('action="/dashboard/logout"'),
    ]);
    expect(html, path).not.toContain("Check and repair");
  }
  const { token: operators } = await makeToken(adminApp, "operator");
  const html = await (await (await new Browser().logIn(operators)).get(`/dashboard/funds/${fundId}`)).text();
  expect(html).toContain(`action="/dashboard/funds/${fundId}/pause"`);
  expect(html).not.toContain(`/dashboard/funds/${fundId}/withdraw`);
});

/** Names as an attacker would choose them. Control characters are refused by the API itself. */
const CORPUS = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "</title></style></textarea><svg/onload=alert(1)>",
  "javascript:alert(1)",
  "{{constructor.constructor('alert(1)')()}}",
  '<!--<a href="//evil.example">-->&lt;b&gt;&#x3c;',
  "\u202Egnp.exe\u2066",
];

longTest("markup in names is shown as text on every page that shows them", async () => {
  const browser = await new Browser().logIn(adminToken);
  for (const name of CORPUS) {
    const { fundId } = await newFund(name, name);
    const escaped = name
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;");
    const fund = `/dashboard/funds/${fundId}`;
    const paths = ["/dashboard/funds", fund, `${fund}/manage`, `${fund}/withdraw`, `${fund}/coins`, `${fund}/ledger`];
    for (const path of paths) {
      const response = await browser.get(path);
      expect(response.status, path).toBe(200);
      const html = await response.text();
      expect(html, path).toContain(escaped);
      if (escaped !== name) expect(html, path).not.toContain(name);
    }
  }
});

shortTest("a refusal of the API is shown beside its field, with what was typed", async () => {
  const { fundId } = await newFund();
  const browser = await new Browser().logIn(adminToken);
  const path = `/dashboard/funds/${fundId}/manage`;
  const typed = { name: "x".repeat(101), lowBalance: "0.5", sponsorshipFee: "0" };
  const refused = await browser.submit(path, path, typed);
  expect(refused.status).toBe(400);
  const html = await refused.text();
  expect(html).toMatch(/aria-describedby="name-fault"[^>]*aria-invalid="true"/);
  expect(html).toMatch(/id="name-fault">Must have at most 100 characters/);
  expect(html).toContain('value="0.5"');
  const amount = await (await browser.submit(path, path, { ...typed, name: "ok", lowBalance: "0.0000000001" })).text();
  expect(amount).toMatch(/id="lowBalance-fault">Must be an amount of SUI/);
  const saved = await browser.submit(path, path, { ...typed, name: "ok" });
  expect(saved.headers.get("location")).toBe(`${path}?done=saved`);
  const headers = { headers: { authorization } };
  const fund: unknown = await (await adminApp.request(`/funds/${fundId}`, headers, env)).json();
  expect(fund).toMatchObject({ name: "ok", lowBalance: "500000000", sponsorshipFee: "0" });
});

shortTest(
  "a fund that is made here warns below what its form says, which is 0.05 coins if nobody changes it",
  async () => {
    const { projectId } = await newFund();
    const browser = await new Browser().logIn(adminToken);
    const path = "/dashboard/start";
    const page = `${path}?project=${projectId}`;
    expect(await (await browser.get(page)).text()).toMatch(/name="lowBalance"[^>]*value="0\.05"/);
    const typed = { project: projectId, name: "gas", network: "APTOS_LOCALNET", lowBalance: "1,5" };
    const refused = await browser.submit(page, `${path}/fund`, typed);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toMatch(/id="lowBalance-fault">Must be an amount of APT/);
    const made = await browser.submit(page, `${path}/fund`, { ...typed, lowBalance: "1" });
    const fundId = new URLSearchParams(made.headers.get("location")?.split("?")[1]).get("fund");
    const fund: unknown = await (
      await adminApp.request(`/funds/${fundId}`, { headers: { authorization } }, env)
    ).json();
    expect(fund).toMatchObject({ network: "APTOS_LOCALNET", lowBalance: "100000000" });
  },
);

longTest("a form of a fund does not take back what somebody saved while it was open", async () => {
  const { fundId } = await newFund();
  const browser = await new Browser().logIn(adminToken);
  const path = `/dashboard/funds/${fundId}/manage`;
  const opened = hiddenFields(await (await browser.get(path)).text(), path);
  const typed = { name: "mine", lowBalance: "", sponsorshipFee: "0" };
  await browser.submit(path, path, { ...typed, name: "theirs", lowBalance: "1" });
  expect((await browser.post(path, { ...opened, ...typed })).status).toBe(409);
  const fund: unknown = await (await adminApp.request(`/funds/${fundId}`, { headers: { authorization } }, env)).json();
  expect(fund).toMatchObject({ name: "theirs", lowBalance: "1000000000" });
});

shortTest("a dangerous form does nothing before its box is ticked", async () => {
  const { projectId, fundId } = await newFund();
  const browser = await new Browser().logIn(adminToken);
  const fund = `/dashboard/funds/${fundId}`;
  const html = await (await browser.get(`${fund}/manage`)).text();
  const { csrf = "" } = hiddenFields(html, "/dashboard/logout");
  const audit = async () =>
    (await adminApp.request(`/projects/${projectId}/audit`, { headers: { authorization } }, env)).text();
  for (const part of ["recover", "confirm-withdrawals", "force-close", "drop-coin", "revoke"]) {
    const refused = await browser.post(`${fund}/${part}`, { csrf, digest: "D", objectId: "0x1" });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("Nothing is done yet")]);
    const form = html.split("<form").find((each) => each.includes(`action="${fund}/${part}"`));
    if (part !== "confirm-withdrawals") expect(form).toMatch(/type="checkbox" name="sure" value="yes" required/);
  }
  expect(await audit()).not.toMatch(/fund\.(recover|force-close|drop-coin|revoke)/);
  await browser.post(`${fund}/recover`, { csrf, sure: "yes" });
  expect(await audit()).toContain("fund.recover");
});

longTest("the form of a fund's policy sends what was changed, and takes no other change back", async () => {
  const { projectId, fundId } = await newFund();
  const browser = await new Browser().logIn(adminToken);
  const path = `/dashboard/funds/${fundId}/policy`;
  const policyOf = async () => {
    const shown = await adminApp.request(`/funds/${fundId}`, { headers: { authorization } }, env);
    return z.looseObject({ policy: z.record(z.string(), z.unknown()) }).parse(await shown.json()).policy;
  };
  const before = await policyOf();
  const opened = await (await browser.get(path)).text();
  const texts = Object.fromEntries(
    Object.entries(hiddenFields(opened, path)).flatMap(([name, text]) =>
      name.startsWith("was.") ? [[name.slice("was.".length), text]] : [],
    ),
  );
  const saved = await browser.submit(path, path, { ...texts, maxSpendPerDay: "0.5" });
  expect(saved.headers.get("location")).toBe(`/dashboard/funds/${fundId}?done=saved`);
  expect(await policyOf()).toEqual({ ...before, maxSpendPerDay: "500000000" });
  const audit = await adminApp.request(`/projects/${projectId}/audit?limit=1`, { headers: { authorization } }, env);
  const sent = { action: "fund.update", detail: { policy: { maxSpendPerDay: "500000000" } } };
  const rows = z.object({ items: z.array(z.looseObject({ action: z.string(), detail: z.unknown() })) });
  const [row] = rows.parse(await audit.json()).items;
  expect({ action: row?.action, detail: row?.detail }).toEqual(sent);
  const overtaken = await browser.post(path, { ...hiddenFields(opened, path), ...texts, maxInFlightCount: "1" });
  expect([overtaken.status, await overtaken.text()]).toEqual([409, expect.stringContaining("nothing is saved")]);
  expect(await policyOf()).toEqual({ ...before, maxSpendPerDay: "500000000" });
  const wrong = await browser.submit(path, path, { ...texts, maxSpendPerDay: "0.5", maxGasBudget: "lots" });
  const inWords = /Nothing is saved\. Mend the fields below\.[\s\S]*id="maxGasBudget-fault">Must be an amount in coins/;
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringMatching(inWords)]);
});

shortTest("each page of a fund has its name, its state and its other pages", async () => {
  const { fundId } = await newFund("the fund");
  const browser = await new Browser().logIn(adminToken);
  for (const part of ["", "/sponsorships", "/refusals", "/ledger", "/coins", "/unusable", "/manage", "/policy"]) {
    const html = await (await browser.get(`/dashboard/funds/${fundId}${part}`)).text();
    expect(html, part).toMatch(/<h1>the fund .*<nav aria-label="Pages of the fund">/s);
    expect(html, part).toContain(`href="/dashboard/funds/${fundId}/refusals"`);
  }
});

longTest("the wallets are those of the project that the URL names, however many there are, or of none", async () => {
  const browser = await new Browser().logIn(adminToken);
  const page = (id: string) => browser.get(`/dashboard/wallets?project=${id}`);
  const others = Array.from({ length: 40 }, (_, index) => create("/projects", { name: `project ${index}` }));
  await Promise.all(others);
  const last = await create("/projects", { name: "the last" });
  expect(await (await page(last)).text()).toContain("Wallets of the last");
  const unknown = await page(`prj_${"0".repeat(20)}`);
  expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining("No such project")]);
});

shortTest(
  "a change by a form has the holder of the token and the place in the audit log, as one of the API",
  async () => {
    const { projectId, fundId } = await newFund();
    const { token, id } = await makeToken(adminApp, "operator");
    const browser = await new Browser().logIn(token);
    const paused = await browser.submit(`/dashboard/funds/${fundId}`, `/dashboard/funds/${fundId}/pause`);
    expect(paused.headers.get("location")).toBe(`/dashboard/funds/${fundId}?done=paused`);
    const headers = { headers: { authorization } };
    const audit: unknown = await (await adminApp.request(`/projects/${projectId}/audit`, headers, env)).json();
    expect(audit).toMatchObject({
      items: [
        { action: "fund.update", target: fundId, actor: "the operator", actorTokenId: id, detail: { paused: true } },
        { action: "fund.create" },
        { action: "project.create" },
      ],
    });
  },
);

longTest("the start, the fund and its ledger show one balance, which is the sum of the ledger", async () => {
  const { projectId, fundId } = await newFund();
  const headers = { headers: { authorization } };
  const read = async (path: string, method = "GET") =>
    (await adminApp.request(`/funds/${fundId}${path}`, { ...headers, method }, env)).json();
  const { depositAddress } = z.looseObject({ depositAddress: z.string() }).parse(await read(""));
  await give(depositAddress, 2_000_000_000n);
  await read("/refresh", "POST");
  const { balance } = z.looseObject({ balance: z.string() }).parse(await read(""));
  const { amounts } = z.looseObject({ amounts: z.record(z.string(), z.string()) }).parse(await read("/ledger/sum"));
  expect(amounts.balance).toBe(balance);
  const browser = await new Browser().logIn(adminToken);
  const exact = `[^<]*<[^>]*${balance} MIST`;
  const shown = async (path: string) => (await browser.get(path)).text();
  expect(await shown(`/dashboard/start?project=${projectId}&fund=${fundId}`)).toMatch(
    new RegExp(`The balance of the fund is ${exact}`),
  );
  expect(await shown(`/dashboard/funds/${fundId}`)).toMatch(new RegExp(`Balance</dt><dd>${exact}`));
  expect(await shown(`/dashboard/funds/${fundId}/ledger`)).toMatch(
    new RegExp(`All changes together are the balance: ${exact}.*money came to the fund`, "s"),
  );
});

shortTest("a withdrawal is shown once more with every digit, and nothing is called before that", async () => {
  const { projectId, fundId } = await newFund();
  const headers = { headers: { authorization } };
  const { depositAddress } = z
    .looseObject({ depositAddress: z.string() })
    .parse(await (await adminApp.request(`/funds/${fundId}`, headers, env)).json());
  await give(depositAddress, 2_000_000_000n);
  await adminApp.request(`/funds/${fundId}/refresh`, { ...headers, method: "POST" }, env);
  const browser = await new Browser().logIn(adminToken);
  const fund = `/dashboard/funds/${fundId}`;
  const typed = { to: `0x${"ab".repeat(32)}`, amount: "1.5" };
  const tooMuch = await browser.submit(`${fund}/withdraw`, `${fund}/withdraw/review`, { ...typed, amount: "2.5" });
  expect([tooMuch.status, await tooMuch.text()]).toEqual([
    400,
    expect.stringMatching(/id="amount-fault">Must be at most [\d.]+ SUI/),
  ]);
  const review = await browser.submit(`${fund}/withdraw`, `${fund}/withdraw/review`, typed);
  expect(review.status).toBe(200);
  const html = await review.text();
  expect(html).toContain("exactly 1500000000 MIST");
  expect(html).toContain("It is new: no withdrawal to it is known");
  const fields = hiddenFields(html, `${fund}/withdraw`);
  expect(fields).toMatchObject({ to: typed.to, atoms: "1500000000", from: "available" });
  const actions = async () => {
    const audit = await (await adminApp.request(`/projects/${projectId}/audit`, headers, env)).json();
    return z
      .object({ items: z.array(z.looseObject({ action: z.string() })) })
      .parse(audit)
      .items.map((row) => row.action);
  };
  expect(await actions()).toEqual(["fund.create", "project.create"]);
  const sent = await browser.post(`${fund}/withdraw`, { ...fields, atoms: "2500000000" });
  expect(sent.status).toBe(422);
  expect(await sent.text()).toContain('role="alert"');
  expect(await actions()).toContain("fund.withdraw.refused");
  const wrong = await browser.submit(`${fund}/withdraw`, `${fund}/withdraw/review`, { to: "me", amount: "lots" });
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toMatch(/id="to-fault"[\s\S]*id="amount-fault"/);
});

shortTest("the first run makes a project, a fund with an address, and a key that is shown once", async () => {
  const browser = await new Browser().logIn(adminToken);
  const start = "/dashboard/start";
  const makeProject = async (once: string) => {
    const html = await (await browser.get("/dashboard/nodes")).text();
    const { csrf = "" } = hiddenFields(html, "/dashboard/logout");
    return browser.post(`${start}/project`, { csrf, once, name: "first" });
  };
  const [made, again] = [await makeProject("once-0000000000000000"), await makeProject("once-0000000000000000")];
  const withProject = made.headers.get("location") ?? "";
  expect(withProject).toMatch(/^\/dashboard\/start\?project=prj_[0-9a-f]{20}$/);
  expect(again.headers.get("location"), "a form that is sent twice makes one project").toBe(withProject);

  const fund = await browser.submit(withProject, `${start}/fund`, { name: "gas", network: "SUI_LOCALNET" });
  const withFund = fund.headers.get("location") ?? "";
  const html = await (await browser.get(withFund)).text();
  expect(html).toMatch(/0x[0-9a-f]{64}<\/code>/);
  expect(html).toContain('<svg class="qr"');

  const refused = await browser.submit(withFund, `${start}/key`, { name: "backend", perDay: "a lot" });
  expect(await refused.text()).toMatch(/id="perDay-fault">Must be an amount of SUI/);
  const fields = hiddenFields(html, `${start}/key`);
  const shown = await (await browser.post(`${start}/key`, { ...fields, name: "backend", perDay: "2" })).text();
  expect(shown).toMatch(/us1_sui_localnet_[0-9a-f]{64}/);
  expect(shown).toContain("gas_sponsorTransactionBlock");
  const repeated = await (await browser.post(`${start}/key`, { ...fields, name: "backend", perDay: "2" })).text();
  expect(repeated).not.toMatch(/us1_sui_localnet_[0-9a-f]{64}/);
  expect(await (await browser.get(withFund)).text()).toContain("It was shown once");
});

shortTest("a token is shown once where it is made, logs in, and is deleted after a second look", async () => {
  const browser = await new Browser().logIn(adminToken);
  const typed = { name: "ada <b>", role: "viewer", days: "30" };
  const html = await (await browser.submit("/dashboard/tokens", "/dashboard/tokens", typed)).text();
  const [token = ""] = /admin_[0-9a-f]{64}/.exec(html) ?? [];
  expect(token).not.toBe("");
  const ada = await new Browser().logIn(token);
  expect((await ada.get("/dashboard/nodes")).status).toBe(200);
  const listed = await (await browser.get("/dashboard/tokens")).text();
  expect(listed).not.toContain(token);
  expect(listed).toContain("ada &lt;b&gt;");
  const id = `adm_${token.slice("admin_".length + 2, "admin_".length + 22)}`;
  const path = `/dashboard/tokens/${id}/delete`;
  expect(await (await browser.get(path)).text()).toContain("Delete the token of ada &lt;b&gt;?");
  expect((await browser.submit(path, path)).headers.get("location")).toBe("/dashboard/tokens?done=deleted");
  expect((await ada.get("/dashboard/nodes")).status).toBe(303);
  const refused = await browser.submit("/dashboard/tokens", "/dashboard/tokens", { ...typed, role: "root" });
  expect(await refused.text()).toContain('id="role-fault"');
});

longTest("a token's form that is sent twice makes one token, and the form after it another one", async () => {
  let nowMs = Date.now();
  const deps = createDeps(env);
  const later = { ...deps, clock: { ...deps.clock, nowMs: () => nowMs } };
  const browser = await new Browser(dashboardApp(later)).logIn(adminToken);
  const path = "/dashboard/tokens";
  const idsIn = (html: string) => new Set(html.match(/adm_[0-9a-f]{20}/g));
  const before = idsIn(await (await browser.get(path)).text());
  const typed = { name: "sent twice", role: "viewer", days: "30" };
  const form = { ...hiddenFields(await (await browser.get(path)).text(), path), ...typed };
  const first = await (await browser.post(path, form)).text();
  nowMs += 5_000;
  const second = await (await browser.post(path, form)).text();
  expect(first).toMatch(/admin_[0-9a-f]{64}/);
  expect(second).not.toMatch(/admin_[0-9a-f]{64}/);
  expect(second).toContain("This form was sent before");
  expect(idsIn(second).size).toBe(before.size + 1);
  const next = await (await browser.post(path, { ...hiddenFields(second, path), ...typed })).text();
  expect(next).toMatch(/admin_[0-9a-f]{64}/);
  expect(idsIn(next).size).toBe(before.size + 2);
});

longTest("the audit page shows the log of a project with its chain, and refuses a filter of another form", async () => {
  const name = CORPUS[0] ?? "";
  const { projectId, fundId } = await newFund(name);
  const browser = await new Browser().logIn(adminToken);
  const html = await (await browser.get(`/dashboard/audit?project=${projectId}`)).text();
  expect(html).toContain("fund.create");
  expect(html).toContain(fundId);
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(html).not.toContain(name);
  const headers = { headers: { authorization } };
  const head = await (await adminApp.request(`/projects/${projectId}/audit/head`, headers, env)).json();
  const { hash, seq } = z.object({ hash: z.string(), seq: z.int() }).parse(head);
  expect(html).toContain(hash);
  expect(html).toContain(`Row ${seq} is the newest`);
  const refused = await browser.get(`/dashboard/audit?project=${projectId}&action=%3Cb%3E`);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('id="action-fault"');
});

longTest("the settings show the state of the secrets, and to an owner only", async () => {
  const owner = await new Browser().logIn(adminToken);
  const headers = { headers: { authorization } };
  const answered = await (await adminApp.request("/master-key", headers, env)).json();
  const { current } = z.object({ current: z.int() }).parse(answered);
  const shown = await (await owner.get("/dashboard/settings")).text();
  expect(shown).toContain(`Every key is encrypted with master key ${current}.`);
  expect(shown).toContain("Check value");
  const { token } = await makeToken(adminApp, "operator");
  const html = await (await (await new Browser().logIn(token)).get("/dashboard/settings")).text();
  expect(html).toContain("Only an owner reads the state of the secrets");
  expect(html).not.toContain("Check value");
});
