import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { verifyAudit } from "../../../shared/audit/verify.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import { adminToken } from "../../support/admin-access.ts";
import { auditHead, auditRows, verifiedAudit } from "../../support/audit.ts";
import { makeToken } from "../../support/operators.ts";
import { readCsv } from "../../support/read-csv.ts";
import { give } from "../../support/sui-chain.ts";

const adminApp = createAdminApp(createDeps(env));

interface From {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(method: string, path: string, body: object | null, { token = adminToken, headers }: From = {}) {
  const sent = { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers };
  const init = { method, headers: sent, ...(body && { body: JSON.stringify(body) }) };
  const response = await adminApp.request(path, init, env);
  return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
}

async function newProject(): Promise<string> {
  const { body } = await ask("POST", "/projects", { name: "audited" });
  return `/projects/${z.string().parse(body.id)}`;
}

test("each change says who made it, with which token, and from where, with bounds", async () => {
  const project = await newProject();
  const { id, token } = await makeToken(adminApp, "operator");
  const headers = { "cf-connecting-ip": "192.0.2.9", "user-agent": `curl/8.0 ${"x".repeat(500)}` };
  await ask("PATCH", project, { name: "after" }, { token, headers });
  await ask("PATCH", project, { exportEnabled: true });
  const [byOwner, byOperator, created] = await auditRows(adminApp, project);
  expect(byOwner).toMatchObject({
    action: "project.update",
    detail: { exportEnabled: true },
    actor: "ADMIN_TOKEN",
    actorTokenId: null,
    ip: null,
  });
  expect(byOperator).toMatchObject({
    action: "project.update",
    detail: { name: "after" },
    actor: "the operator",
    actorTokenId: id,
    ip: "192.0.2.9",
    userAgent: headers["user-agent"].slice(0, 200),
  });
  expect(created).toMatchObject({ action: "project.create", seq: 1 });
  expect(JSON.stringify(await auditRows(adminApp, project))).not.toContain(token);
});

test("a refused change keeps its actor in both rows, and a change that a role may not make leaves none", async () => {
  const project = await newProject();
  const { id, token } = await makeToken(adminApp, "operator");
  const made = await ask("POST", `${project}/funds`, { name: "f", network: "SUI_LOCALNET" }, { token });
  const fund = `/funds/${z.string().parse(made.body.id)}`;
  expect((await ask("POST", `${fund}/drop-coin`, { objectId: "0x1" }, { token })).status).toBe(404);
  expect((await ask("POST", `${fund}/withdraw`, { to: "0x1", amount: "1" }, { token })).status).toBe(403);
  const rows = await auditRows(adminApp, project);
  expect(rows.map(({ action, actorTokenId }) => [action, actorTokenId])).toEqual([
    ["fund.drop-coin.refused", id],
    ["fund.drop-coin", id],
    ["fund.create", id],
    ["project.create", null],
  ]);
});

test("a withdrawal that is sent again adds no row, unless it was refused before, or another token sends it", async () => {
  const project = await newProject();
  const made = await ask("POST", `${project}/funds`, { name: "f", network: "SUI_LOCALNET" });
  const [fund, address] = [`/funds/${z.string().parse(made.body.id)}`, z.string().parse(made.body.depositAddress)];
  const pay = (token = adminToken, key = "a key of the caller") => {
    const headers = { "idempotency-key": key };
    return ask("POST", `${fund}/withdraw`, { to: `0x${"ab".repeat(32)}`, amount: "5" }, { token, headers });
  };
  const actions = async () =>
    (await auditRows(adminApp, project)).map(({ action }) => action).filter((action) => action.startsWith("fund.w"));
  const [asked, refused] = ["fund.withdraw", "fund.withdraw.refused"];
  expect((await pay()).status).toBe(422);
  expect((await pay()).status).toBe(422);
  expect(await actions()).toEqual([refused, asked, refused, asked]);
  await give(address, 2_000_000_000n);
  await ask("POST", `${fund}/refresh`, null);
  const paid = await pay();
  expect([paid.status, (await pay()).body]).toEqual([202, expect.objectContaining({ digest: paid.body.digest })]);
  expect(await actions()).toEqual([asked, refused, asked, refused, asked]);
  const { token } = await makeToken(adminApp, "owner");
  expect((await pay(token)).status).toBe(202);
  expect(await actions()).toHaveLength(6);
  expect((await pay(adminToken, "another key")).status).toBe(202);
  expect(await actions()).toHaveLength(7);
  expect(JSON.stringify(await auditRows(adminApp, project))).not.toContain("a key of the caller");
});

test("a withdrawal under a key that came with another one has a row of its own before it is paid", async () => {
  const project = await newProject();
  const made = await ask("POST", `${project}/funds`, { name: "f", network: "SUI_LOCALNET" });
  const [fund, address] = [`/funds/${z.string().parse(made.body.id)}`, z.string().parse(made.body.depositAddress)];
  const headers = { "idempotency-key": "one key" };
  const pay = (to: string, amount: string) =>
    ask("POST", `${fund}/withdraw`, { to: `0x${to.repeat(32)}`, amount }, { headers });
  const rows = async () =>
    (await auditRows(adminApp, project))
      .map(({ action, detail }) => ({ action, ...z.looseObject({}).parse(detail) }))
      .filter(({ action }) => action.startsWith("fund.w"))
      .reverse();
  await give(address, 2_000_000_000n);
  await ask("POST", `${fund}/refresh`, null);
  // The first one is looked for in new deposits while the second one comes.
  const [refused, paid] = await Promise.all([pay("aa", "9000000000000"), pay("bb", "5")]);
  expect([refused.status, paid.status]).toEqual([422, 202]);
  const asked = (to: string, amount: string) => ({ action: "fund.withdraw", to: `0x${to.repeat(32)}`, amount });
  const first = await rows();
  expect(first).toContainEqual(expect.objectContaining(asked("aa", "9000000000000")));
  expect(first).toContainEqual(expect.objectContaining(asked("bb", "5")));
  expect((await pay("cc", "7")).status).toBe(409);
  const after = (await rows()).slice(first.length);
  expect(after).toMatchObject([asked("cc", "7"), { ...asked("cc", "7"), action: "fund.withdraw.refused" }]);
});

test("the downloaded log follows its hashes and every head that was kept, and CSV has the same fields", async () => {
  const project = await newProject();
  const heads = [];
  for (let walletsPerMonth = 1; walletsPerMonth <= 5; walletsPerMonth++) {
    await ask("PATCH", project, { walletsPerMonth });
    heads.push(await auditHead(adminApp, project));
  }
  for (const kept of heads) expect(await verifiedAudit(adminApp, project, kept)).toMatchObject({ chained: 6 });
  const headers = { authorization: `Bearer ${adminToken}`, accept: "text/csv" };
  const csv = await (await adminApp.request(`${project}/audit`, { headers }, env)).text();
  expect(readCsv(csv)[1]).toContain((await auditRows(adminApp, project))[0]?.previousHash);
});

test("changes that come at once form one chain, with none of them lost", async () => {
  const project = await newProject();
  const webhook = { url: "https://hooks.example.com/", events: ["fund.deposit"] };
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 4 === 0 ? ask("POST", `${project}/webhooks`, webhook) : ask("PATCH", project, { walletsPerMonth: index }),
    ),
  );
  expect(await verifiedAudit(adminApp, project)).toMatchObject({ chained: 21, unchained: 0 });
});

test("tokens have a log of their own, which no project has", async () => {
  const { id, role, name, expiresAt } = await makeToken(adminApp, "viewer");
  const kept = await auditHead(adminApp);
  await ask("DELETE", `/tokens/${id}`, null);
  const rows = await auditRows(adminApp);
  expect(rows.slice(0, 2)).toMatchObject([
    { action: "token.delete", target: id, actor: "ADMIN_TOKEN" },
    { action: "token.create", target: id, detail: { name, role, expiresAt } },
  ]);
  await verifiedAudit(adminApp, "", kept);
  expect((await ask("DELETE", `/tokens/${id}`, null)).status).toBe(404);
  expect(await auditRows(adminApp), "no change, no row").toHaveLength(rows.length);
});

test("a head of another log, or of this one with another hash, is a fault", async () => {
  const [one, other] = [await newProject(), await newProject()];
  await ask("PATCH", one, { name: "a" });
  await ask("PATCH", other, { name: "b" });
  const rows = await auditRows(adminApp, one);
  expect(verifyAudit(rows, await auditHead(adminApp, one)).ok).toBe(true);
  expect(verifyAudit(rows, await auditHead(adminApp, other)).ok).toBe(false);
});
