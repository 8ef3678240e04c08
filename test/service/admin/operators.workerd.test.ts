import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../../shared/bindings/directory.ts";
import type { Env } from "../../../shared/bindings/env.ts";
import { fromHex } from "../../../shared/bytes.ts";
import { dumpRows } from "../../storage/dump.ts";
import { authorization } from "../../support/admin-access.ts";
import { makeToken } from "../../support/operators.ts";

const deps = createDeps(env);
const adminApp = createAdminApp(deps);
const DAY_MS = 86_400_000;

function send(token: string, path = "/projects", init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...init.headers };
  return Promise.resolve(adminApp.request(path, { ...init, headers }, env));
}

function owner(method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization, "content-type": "application/json" };
  return Promise.resolve(adminApp.request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) }, env));
}

test("a token opens from its creation to its deletion, and not one call longer", async () => {
  const { id, token, ...view } = await makeToken(adminApp, "viewer");
  expect((await send(token)).status).toBe(200);
  const listed = z.object({ items: z.array(z.looseObject({ id: z.string() })) });
  const { items } = listed.parse(await (await owner("GET", "/tokens?limit=200")).json());
  expect(items).toContainEqual({ id, ...view, createdAt: expect.any(String) });
  expect(JSON.stringify(items)).not.toContain("admin_");
  expect((await owner("DELETE", `/tokens/${id}`)).status).toBe(200);
  expect((await send(token)).status).toBe(401);
  expect((await owner("DELETE", `/tokens/${id}`)).status).toBe(404);
});

test("a token ends at its time, by the service's clock, and stays listed", async () => {
  const { id, token } = await makeToken(adminApp, "owner", deps.clock.nowMs() + DAY_MS);
  const endNow = (endsAtMs: number) =>
    runInDurableObject(env.DIRECTORY.getByName(DIRECTORY_NAME), (_, { storage }) => {
      storage.sql.exec("UPDATE operator_token SET expires_at_ms = ? WHERE id = ?", endsAtMs, id);
    });
  await endNow(deps.clock.nowMs() + 60_000);
  expect((await send(token)).status).toBe(200);
  await endNow(deps.clock.nowMs());
  expect((await send(token)).status).toBe(401);
  expect(await (await owner("GET", "/tokens?limit=200")).text()).toContain(id);
});

test("a token in the past, without an end, or of an unknown role is refused", async () => {
  const token = { name: "x", role: "viewer", expiresAt: new Date(deps.clock.nowMs() + DAY_MS).toISOString() };
  for (const [body, status] of [
    [{ ...token, expiresAt: new Date(deps.clock.nowMs() - 1).toISOString() }, 422],
    [{ ...token, expiresAt: null }, 400],
    [{ ...token, expiresAt: "tomorrow" }, 400],
    [{ name: "x", role: "viewer" }, 400],
    [{ ...token, role: "root" }, 400],
    [{ ...token, name: "" }, 400],
    [{ ...token, id: `adm_${"0".repeat(20)}` }, 400],
  ] as const)
    expect((await owner("POST", "/tokens", body)).status, JSON.stringify(body)).toBe(status);
});

describe("an Idempotency-Key makes one token", () => {
  const newBody = () => ({
    name: "repeated",
    role: "viewer",
    expiresAt: new Date(deps.clock.nowMs() + DAY_MS).toISOString(),
  });
  const answerSchema = z.looseObject({ id: z.string(), token: z.string().nullable() });

  async function create(body: object, key: string | null) {
    const headers = { ...(key !== null && { "idempotency-key": key }), authorization };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await send("", "/tokens", init);
    return { status: response.status, body: await response.json() };
  }
  const creationsOf = async (id: string) =>
    z
      .object({ items: z.array(z.looseObject({ target: z.string() })) })
      .parse(await (await owner("GET", `/audit?limit=200&action=token.create&target=${id}`)).json()).items.length;

  test("two at once show it once, and a repeat shows it as it is, without a row in the log", async () => {
    const body = newBody();
    const made = await Promise.all([create(body, "twice"), create(body, "twice"), create(body, "twice")]);
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    const answers = made.map((each) => answerSchema.parse(each.body));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    const shown = answers.flatMap(({ token }) => token ?? []);
    expect(shown).toHaveLength(1);
    expect((await send(shown[0] ?? "")).status).toBe(200);
    const [{ token: _, ...view } = { token: null }] = answers;
    expect((await create(body, "twice")).body).toEqual({ ...view, token: null });
    expect(await creationsOf(answers[0]?.id ?? "")).toBe(1);
  });

  test("another body is 409, and so is a token that was deleted", async () => {
    const body = newBody();
    const { id, token } = answerSchema.parse((await create(body, "changed")).body);
    for (const change of [{ name: "other" }, { role: "owner" }, { expiresAt: "2999-01-01T00:00:00Z" }])
      expect(await create({ ...body, ...change }, "changed")).toMatchObject({ status: 409 });
    expect((await send(token ?? "")).status).toBe(200);
    expect((await owner("DELETE", `/tokens/${id}`)).status).toBe(200);
    expect(await create(body, "changed")).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("deleted") },
    });
    expect((await send(token ?? "")).status).toBe(401);
  });

  test("other keys, or none, make others, and a refused request has not used its key up", async () => {
    const body = newBody();
    expect((await create({ ...body, expiresAt: "2000-01-01T00:00:00Z" }, "first")).status).toBe(422);
    const made = await Promise.all(["first", "second", null, null].map((key) => create(body, key)));
    const answers = made.map((each) => answerSchema.parse(each.body));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(4);
    expect(answers.every(({ token }) => token !== null)).toBe(true);
    expect((await create(body, "")).status).toBe(400);
  });
});

test("only a hash of the secret is stored", async () => {
  const { token } = await makeToken(adminApp, "viewer");
  const secret = token.slice("admin_".length + 22, -10);
  const dump = await runInDurableObject(env.DIRECTORY.getByName(DIRECTORY_NAME), (_, { storage }) =>
    dumpRows((query) => storage.sql.exec(query).toArray()),
  );
  expect(dump).toContain(createHash("sha256").update(fromHex(secret)).digest("hex"));
  expect(dump).not.toContain(secret);
  expect(dump).not.toContain(token);
});

/** An environment whose directory fails the test if it is called. */
const withoutDirectory = {
  ...env,
  DIRECTORY: {
    getByName: () => {
      throw new Error("the directory was called");
    },
  },
};

test("a mistyped token and ADMIN_TOKEN cost no call to the directory", async () => {
  const { token } = await makeToken(adminApp, "viewer");
  const path = `/projects/prj_${"0".repeat(20)}`;
  const status = async (header: string) =>
    (await adminApp.request(path, { headers: { authorization: header } }, withoutDirectory)).status;
  const last = token.at(-1) === "0" ? "1" : "0";
  expect(await status(`Bearer ${token.slice(0, -1)}${last}`)).toBe(401);
  expect(await status(authorization)).toBe(404);
  expect(await status(`Bearer ${token}`)).toBe(500);
});

test("a right token passes after any number of wrong ones of its source", async () => {
  const { token } = await makeToken(adminApp, "viewer");
  const from = { headers: { "cf-connecting-ip": "192.0.2.77" } };
  const app = createAdminApp(deps);
  const call = (bearer: string) =>
    app.request("/projects", { headers: { ...from.headers, authorization: `Bearer ${bearer}` } }, env);
  const answers = [];
  for (let tries = 0; tries < 12; tries++) answers.push((await call(`${token}0`)).status);
  expect(answers.slice(-1)).toEqual([429]);
  expect((await call(token)).status).toBe(200);
});

test("a deleted token costs one call to the directory, is slowed, and slows no token of another secret", async () => {
  const { id, token } = await makeToken(adminApp, "viewer");
  const other = await makeToken(adminApp, "viewer");
  expect((await owner("DELETE", `/tokens/${id}`)).status).toBe(200);
  let calls = 0;
  const counting: Env = Object.assign(Object.create(null), env, {
    DIRECTORY: {
      getByName: () => ({
        raiseForEveryProject: async () => {},
        operatorOf: (tokenId: string, secretHash: Uint8Array) => {
          calls += 1;
          return env.DIRECTORY.getByName(DIRECTORY_NAME).operatorOf(tokenId, secretHash);
        },
      }),
    },
  });
  const app = createAdminApp(deps);
  const path = `/projects/prj_${"0".repeat(20)}`;
  const status = async (bearer: string) =>
    (await app.request(path, { headers: { authorization: `Bearer ${bearer}` } }, counting)).status;
  const answers = [];
  for (let tries = 0; tries < 40; tries++) answers.push(await status(token));
  expect([answers[0], answers.at(-1), calls]).toEqual([401, 429, 1]);
  expect([await status(other.token), calls]).toEqual([404, 2]);
});

test("the source of wrong tokens is bounded in the log", async () => {
  const lines: unknown[] = [];
  const app = createAdminApp({ ...deps, log: (event, fields) => lines.push({ event, ...fields }) });
  const headers = { authorization: "Bearer x", "cf-connecting-ip": "A".repeat(8_000) };
  for (let tries = 0; tries < 11; tries++) await app.request("/projects", { headers }, env);
  expect(lines).toContainEqual({ event: "security.admin_token_refused", source: "A".repeat(64) });
});

test("an object of an earlier build knows no tokens: the call can be repeated, and ADMIN_TOKEN still opens", async () => {
  const { token } = await makeToken(adminApp, "viewer");
  const missing = async (): Promise<never> => {
    throw new TypeError('The RPC receiver does not implement the method "operatorOf".');
  };
  const old: Env = Object.assign(Object.create(null), env, {
    DIRECTORY: { getByName: () => ({ operatorOf: missing }) },
  });
  const path = `/projects/prj_${"0".repeat(20)}`;
  const refused = await adminApp.request(path, { headers: { authorization: `Bearer ${token}` } }, old);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await adminApp.request(path, { headers: { authorization } }, old)).status).toBe(404);
});
