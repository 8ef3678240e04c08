import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { admit } from "../../../shared/access/admission.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import type { Env } from "../../../shared/bindings/env.ts";
import { authorization } from "../../support/admin-access.ts";

const bindings: Env = env;
const deps = { ...createDeps(env), log: () => {} };
const adminApp = createAdminApp(deps);

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function call(method: string, path: string, body?: object, key?: string, at: Env = bindings): Promise<Reply> {
  const headers = {
    authorization,
    "content-type": "application/json",
    ...(key === undefined ? {} : { "idempotency-key": key }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await adminApp.request(path, init, at);
  return { status: response.status, body: z.record(z.string(), z.unknown()).parse(await response.json()) };
}

async function made(path: string, body: object, key?: string): Promise<Record<string, unknown> & { id: string }> {
  const reply = await call("POST", path, body, key);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return z.looseObject({ id: z.string() }).parse(reply.body);
}

async function listed(path: string): Promise<readonly unknown[]> {
  return z.object({ items: z.array(z.unknown()) }).parse((await call("GET", path)).body).items;
}

const project = { name: "demo", walletsPerMonth: 7 };
const fund = { name: "gas", network: "SUI_TESTNET" };
const key = { name: "app", network: "SUI_TESTNET", rights: ["wallet"] };

/** Each route that honours the header, in a project of its own, with where it lists what it made. */
async function creations() {
  const { id } = await made("/projects", { name: "owner" });
  return [
    { path: "/projects", of: "projects", body: project },
    { path: `/projects/${id}/funds`, of: "funds", body: fund },
    { path: `/projects/${id}/keys`, of: "keys", body: key },
  ] as const;
}

test("a repeat makes nothing, and answers what the first request made as it is now", async () => {
  for (const { path, of, body } of await creations()) {
    const { key: text, ...first } = await made(path, body, "attempt 1");
    const before = await listed(path);
    const { key: again, ...repeated } = await made(path, body, "attempt 1");
    expect(repeated).toEqual(first);
    expect(again).toBe(text === undefined ? undefined : null);
    await call("PATCH", `/${of}/${first.id}`, { name: "renamed" });
    expect(await made(path, body, "attempt 1")).toMatchObject({ id: first.id, name: "renamed" });
    expect(await listed(path)).toHaveLength(before.length);
  }
});

test("a repeat adds no row to the log of changes", async () => {
  const { id } = await made("/projects", project, "p");
  await made("/projects", project, "p");
  for (const [path, body] of [
    [`/projects/${id}/funds`, fund],
    [`/projects/${id}/keys`, key],
  ] as const)
    for (const attempt of ["a", "a"]) await made(path, body, attempt);
  expect(await listed(`/projects/${id}/audit`)).toMatchObject([
    { action: "key.create" },
    { action: "fund.create" },
    { action: "project.create" },
  ]);
});

test("two at once make one", async () => {
  for (const { path, body } of await creations()) {
    const [first, second] = await Promise.all([made(path, body, "attempt 1"), made(path, body, "attempt 1")]);
    expect(first.id).toBe(second.id);
    const mine = (await listed(path)).filter((item) => z.object({ id: z.string() }).parse(item).id === first.id);
    expect(mine).toHaveLength(1);
  }
});

test("of two at once one shows the access key, and that key is let in", async () => {
  const [, , { path }] = await creations();
  const answers = await Promise.all([made(path, key, "attempt 1"), made(path, key, "attempt 1")]);
  const shown = answers.flatMap((answer) => (typeof answer.key === "string" ? [answer.key] : []));
  expect(shown).toHaveLength(1);
  expect(await admit(bindings, deps, { keys: shown, chain: "sui", calls: [["wallet"]] })).toMatchObject({ ok: true });
});

test("a repeat with another body is 409 and changes nothing; the order of fields is no other body", async () => {
  for (const { path, of, body } of await creations()) {
    const { id } = await made(path, body, "attempt 1");
    const other = await call("POST", path, { ...body, name: "another" }, "attempt 1");
    expect(other).toMatchObject({ status: 409, body: { title: "Conflict", detail: expect.stringMatching(/body/) } });
    expect(await call("GET", `/${of}/${id}`)).toMatchObject({ body: { name: body.name } });
    const reversed = Object.fromEntries(Object.entries(body).toReversed());
    expect(await made(path, reversed, "attempt 1")).toMatchObject({ id });
  }
});

test("one key in two projects, or for two kinds of things, makes different ones", async () => {
  const [, funds, keys] = await creations();
  const [, otherFunds] = await creations();
  const ids = [
    (await made(funds.path, fund, "attempt 1")).id,
    (await made(otherFunds.path, fund, "attempt 1")).id,
    (await made(keys.path, key, "attempt 1")).id,
    (await made("/projects", project, "attempt 1")).id,
  ];
  expect(new Set(ids.map((id) => id.replace(/^[a-z]+_/, ""))).size).toBe(4);
});

test("without the header every request makes another", async () => {
  for (const { path, body } of await creations())
    expect((await made(path, body)).id).not.toBe((await made(path, body)).id);
});

test("a request that was refused has not used its key up", async () => {
  const [, , { path }] = await creations();
  expect(await call("POST", path, { ...key, rights: ["gas"] }, "attempt 1")).toMatchObject({ status: 422 });
  expect(await call("POST", path, { ...key, rights: [] }, "attempt 1")).toMatchObject({ status: 400 });
  expect(await made(path, key, "attempt 1")).toMatchObject({ key: expect.any(String) });
});

test("a request that broke off can be repeated as it was, and only so", async () => {
  const [, , { path }] = await creations();
  const broken = {
    getByName: () => {
      throw new Error("this object is broken");
    },
  };
  expect(await call("POST", path, key, "attempt 1", { ...bindings, ACCESS_KEY: broken })).toMatchObject({
    status: 500,
  });
  expect(await call("POST", path, { ...key, name: "another" }, "attempt 1")).toMatchObject({ status: 409 });
  expect(await made(path, key, "attempt 1")).toMatchObject({ key: expect.any(String) });
});

test("a header that is no key is 400 where it is honoured, and ignored elsewhere", async () => {
  for (const { path, of, body } of await creations()) {
    for (const malformed of ["", "x".repeat(256), "\u00e9"])
      expect(await call("POST", path, body, malformed)).toMatchObject({
        status: 400,
        body: { detail: "Idempotency-Key must be 1 to 255 printable ASCII characters" },
      });
    const { id } = await made(path, body, "~".repeat(255));
    expect(await call("PATCH", `/${of}/${id}`, { name: "renamed" }, "")).toMatchObject({ status: 200 });
  }
});
