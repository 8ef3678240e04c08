import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { EVENT_TYPES } from "../../functions/dashboard/webhooks/events.ts";
import { createAdminApp } from "../../functions/service/admin/app.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { eventTypes } from "../../shared/observe/events.ts";
import { walletName } from "../../shared/wallet/context.ts";
import { adminToken, authorization } from "../support/admin-access.ts";
import { Browser, hiddenFields } from "../support/dashboard.ts";
import { makeToken } from "../support/operators.ts";

const adminApp = createAdminApp(createDeps(env));
const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`;
const LIVE = /<script>alert|<img src=x/;
const EVENT_ID = `evt_${"1".repeat(20)}`;
const ADDRESS = `0x${"7".repeat(64)}`;
const hooksSchema = z.object({ items: z.array(z.looseObject({ id: z.string(), enabled: z.boolean() })) });

async function admin(method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization, "content-type": "application/json" };
  const response = await adminApp.request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) }, env);
  const text = await response.text();
  expect(response.status, `${path}: ${text}`).toBeLessThan(300);
  return JSON.parse(text);
}

async function newProject(): Promise<string> {
  return z.looseObject({ id: z.string() }).parse(await admin("POST", "/projects", { name: HOSTILE })).id;
}

/** Makes a project with a webhook by the dashboard's form. */
async function newHook(browser: Browser) {
  const projectId = await newProject();
  const path = `/dashboard/new-webhook?project=${projectId}`;
  const fields = { url: "https://hooks.example.com/", events: "fund.deposit" };
  const page = await (await browser.submit(path, path, fields)).text();
  const { items } = hooksSchema.parse(await admin("GET", `/projects/${projectId}/webhooks`));
  const hookId = items[0]?.id ?? "";
  return { projectId, hookId, page, path: `/dashboard/projects/${projectId}/webhooks/${hookId}` };
}

/** A delivery that has failed, and whose error is hostile. */
function failDelivery(projectId: string, hookId: string) {
  return runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage: { sql } }) =>
    sql.exec(
      `INSERT INTO delivery (webhook_id, event_id, type, state, body, created_at_ms, attempts, last_error)
       VALUES (?, ?, 'fund.deposit', 'failed', '{}', ?, 10, ?)`,
      hookId,
      EVENT_ID,
      Date.now(),
      HOSTILE,
    ),
  );
}

test("each event can be chosen", () => {
  expect(EVENT_TYPES.toSorted()).toEqual(eventTypes.toSorted());
});

test("the secret of a webhook is shown once, and a wrong URL is refused beside its field", async () => {
  const browser = await new Browser().logIn(adminToken);
  const { page, projectId } = await newHook(browser);
  expect(page).toMatch(/data-copy="whsec_[A-Za-z0-9+/]{43}="/);
  const path = `/dashboard/new-webhook?project=${projectId}`;
  const refused = await browser.submit(path, path, { url: "http://127.0.0.1/", events: "fund.deposit" });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toMatch(/id="url-fault"/);
});

test("the form makes a webhook of a chat service, and no later page shows the secret path of its URL", async () => {
  const browser = await new Browser().logIn(adminToken);
  const projectId = await newProject();
  const path = `/dashboard/new-webhook?project=${projectId}`;
  const url = "https://chat.example.com/hooks/secret";
  const made = await browser.submit(path, path, { url, events: "fund.deposit", format: "chat" });
  const { items } = hooksSchema.parse(await admin("GET", `/projects/${projectId}/webhooks`));
  expect(items).toMatchObject([{ format: "chat", url: "https://chat.example.com/…" }]);
  const hook = `/dashboard/projects/${projectId}/webhooks/${items[0]?.id}`;
  const pages = [made, await browser.get("/dashboard/webhooks"), await browser.get(hook)];
  for (const page of [...pages, await browser.get(`${hook}/delete`)]) {
    expect(page.status).toBe(200);
    expect(await page.text()).not.toContain("hooks/secret");
  }
  const refused = await browser.submit(path, path, { url, events: "fund.deposit", format: "other" });
  expect(await refused.text()).toMatch(/id="format-fault"/);
});

test("a failed delivery is seen, inert, and sent again", async () => {
  const browser = await new Browser().logIn(adminToken);
  const { projectId, hookId, path } = await newHook(browser);
  await failDelivery(projectId, hookId);
  const page = await (await browser.get(`${path}?state=failed`)).text();
  expect(page).toContain(EVENT_ID);
  expect(page).toContain("&lt;script&gt;");
  expect(page).not.toMatch(LIVE);
  expect(await (await browser.get(`${path}?state=delivered`)).text()).not.toContain(EVENT_ID);
  const sent = await browser.submit(path, `${path}/resend`);
  expect(sent.headers.get("location")).toBe(`${path}?done=saved`);
  const { items } = z
    .object({ items: z.array(z.looseObject({ eventId: z.string(), state: z.string() })) })
    .parse(await admin("GET", `/projects/${projectId}/webhooks/${hookId}/deliveries`));
  expect(items).not.toContainEqual(expect.objectContaining({ eventId: EVENT_ID, state: "failed" }));
});

test("a webhook is disabled, enabled and deleted by its page, and not by a viewer", async () => {
  const browser = await new Browser().logIn(adminToken);
  const { projectId, path } = await newHook(browser);
  const hooks = async () => hooksSchema.parse(await admin("GET", `/projects/${projectId}/webhooks`)).items;
  const viewer = await new Browser().logIn((await makeToken(adminApp, "viewer")).token);
  const seen = await (await viewer.get(path)).text();
  expect(seen).not.toContain(`action="${path}/`);
  const csrf = /name="csrf" value="([^"]+)"/.exec(seen)?.[1] ?? "";
  for (const part of ["change", "enable", "disable", "resend", "rotate", "delete"])
    expect((await viewer.post(`${path}/${part}`, { csrf })).status, part).toBe(403);
  await browser.submit(path, `${path}/disable`);
  expect(await hooks()).toMatchObject([{ enabled: false }]);
  await browser.submit(path, `${path}/enable`);
  expect(await hooks()).toMatchObject([{ enabled: true }]);
  await browser.submit(`${path}/delete`, `${path}/delete`);
  expect(await hooks()).toEqual([]);
});

test("a change of its events keeps the secret path of a chat service's URL", async () => {
  const browser = await new Browser().logIn(adminToken);
  const projectId = await newProject();
  const asked = { url: "https://chat.example.com/hooks/secret", events: ["fund.deposit"], format: "chat" };
  const { id } = z.looseObject({ id: z.string() }).parse(await admin("POST", `/projects/${projectId}/webhooks`, asked));
  const path = `/dashboard/projects/${projectId}/webhooks/${id}`;
  const url = /name="url" type="url" value="([^"]+)"/.exec(await (await browser.get(path)).text())?.[1] ?? "";
  expect(url).toMatch(/^https:.*chat.example.com/);
  const saved = await browser.submit(path, `${path}/change`, { url, events: "fund.low_balance" });
  expect(saved.status).toBe(303);
  const stored = await runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage: { sql } }) =>
    sql.exec("SELECT url, events FROM webhook").one(),
  );
  expect(stored).toMatchObject({ url: asked.url, events: expect.stringContaining("fund.low_balance") });
});

test("a form for a new secret makes one after a tick, and a reload of its answer makes no other", async () => {
  const browser = await new Browser().logIn(adminToken);
  const { projectId, hookId, path } = await newHook(browser);
  const rotate = `${path}/rotate`;
  const fields = { ...hiddenFields(await (await browser.get(path)).text(), rotate), sure: "yes" };
  const unticked = await browser.post(rotate, { ...fields, sure: "" });
  expect([unticked.status, await unticked.text()]).toEqual([400, expect.stringContaining("tick the box")]);
  const secretOf = async (answered: Response) => /whsec_[^<"]*/.exec(await answered.text())?.[0];
  const [first, repeated] = [await browser.post(rotate, fields), await browser.post(rotate, fields)];
  expect(await secretOf(first)).toMatch(/^whsec_/);
  expect([repeated.status, await secretOf(repeated)]).toEqual([422, undefined]);
  const again = await browser.submit(path, rotate, { sure: "yes" });
  expect([again.status, await secretOf(again)]).toEqual([200, expect.stringMatching(/^whsec_/)]);
  const { items } = hooksSchema.parse(await admin("GET", `/projects/${projectId}/webhooks`));
  expect(items).toMatchObject([{ id: hookId, previousSecretUntil: expect.any(String) }]);
});

test("wallets are found by their id and their address, and the quota counts those of the month", async () => {
  const browser = await new Browser().logIn(adminToken);
  const projectId = await newProject();
  const walletId = `user ${HOSTILE}`;
  await runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage: { sql } }) =>
    sql.exec(
      "INSERT INTO wallet (name, chain, wallet_id, month, admitted_at_ms, address) VALUES (?, 'sui', ?, 1, ?, ?)",
      walletName({ projectId, chain: "sui", walletId }),
      walletId,
      Date.now(),
      ADDRESS,
    ),
  );
  for (const text of [walletId, ADDRESS]) {
    const found = await (await browser.get(`/dashboard/explain?q=${encodeURIComponent(text)}`)).text();
    expect(found).toContain(ADDRESS);
    expect(found).toContain("user &quot;&gt;&lt;script&gt;");
    expect(found).not.toMatch(LIVE);
  }
  const path = `/dashboard/wallets?project=${projectId}`;
  const page = await (await browser.get(path)).text();
  expect(page).toContain("1 new wallet this month (UTC). There is no limit on new wallets.");
  expect(page).not.toMatch(LIVE);
  await browser.submit(path, path, { walletsPerMonth: "1" });
  expect(await admin("GET", `/projects/${projectId}`)).toMatchObject({ walletsPerMonth: 1 });
  expect(await (await browser.get(path)).text()).toContain("The limit is reached: new users get none.");
  const refused = await browser.submit(path, path, { walletsPerMonth: "-1" });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toMatch(/id="walletsPerMonth-fault"/);
});
