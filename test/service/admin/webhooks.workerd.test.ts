import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import { eventTypes } from "../../../shared/observe/events.ts";
import { authorization } from "../../support/admin-access.ts";

const deps = createDeps(env);
const adminApp = createAdminApp(deps);
const unknown = "0".repeat(20);
const URL = "https://hooks.example.com/gasworks";

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const init = { method, headers: { authorization, "content-type": "application/json", ...headers } };
  const response = await adminApp.request(path, body ? { ...init, body: JSON.stringify(body) } : init, env);
  return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
}

async function made(path: string, body: object): Promise<Record<string, unknown> & { id: string }> {
  const { status, body: answer } = await call("POST", path, body);
  expect(status, JSON.stringify(answer)).toBe(201);
  return z.looseObject({ id: z.string() }).parse(answer);
}

async function newProject(): Promise<string> {
  return (await made("/projects", { name: "demo", secretDerivation: "hkdf" })).id;
}

async function audit(projectId: string): Promise<unknown> {
  return (await call("GET", `/projects/${projectId}/audit`)).body.items;
}

test("a webhook is made, read, changed, given a new secret, deleted, and logged; its secret is shown once", async () => {
  const projectId = await newProject();
  const path = `/projects/${projectId}/webhooks`;
  const { secret, ...created } = await made(path, { url: URL, events: ["fund.deposit"] });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(created).toEqual({
    id: expect.stringMatching(/^whk_[0-9a-f]{20}$/),
    url: URL,
    events: ["fund.deposit"],
    enabled: true,
    disabledCause: null,
    failures: 0,
    format: "standard",
    dropped: 0,
    previousSecretUntil: null,
    createdAt: expect.any(String),
  });
  const one = `${path}/${created.id}`;
  expect(await call("GET", path)).toEqual({ status: 200, body: { items: [created], nextCursor: null } });
  expect(await call("GET", one)).toEqual({ status: 200, body: created });
  const changes = { url: "https://other.example.com/", events: ["key.disabled", "quota.reached"], enabled: false };
  const { enabled, ...changed } = changes;
  expect(await call("PATCH", one, changes)).toEqual({
    status: 200,
    body: { ...created, ...changed, enabled, disabledCause: "operator" },
  });
  const rotated = await call("POST", `${one}/rotate-secret`);
  expect(rotated).toEqual({ status: 200, body: { secret: expect.stringMatching(/^whsec_/) } });
  expect(rotated.body.secret).not.toBe(secret);
  const shown = await call("GET", one);
  expect(Date.parse(String(shown.body.previousSecretUntil)) - Date.now()).toBeGreaterThan(86_000_000);
  const rotate = (shownUntil: string) => call("POST", `${one}/rotate-secret?previousSecretUntil=${shownUntil}`);
  expect((await rotate("none")).status).toBe(422);
  expect((await rotate("yesterday")).status).toBe(400);
  expect(await call("GET", one)).toEqual(shown);
  expect((await call("GET", `${one}/deliveries`)).body).toEqual({ items: [], nextCursor: null });
  for (const page of [await call("GET", path), shown, { body: { items: await audit(projectId) } }])
    for (const hidden of [secret, rotated.body.secret])
      expect(JSON.stringify(page.body)).not.toContain(String(hidden).slice(6));
  expect((await call("DELETE", one)).status).toBe(200);
  expect((await call("GET", one)).status).toBe(404);
  expect(await audit(projectId)).toMatchObject(
    ["delete", "rotate_secret", "update", "create"]
      .map((action) => ({ action: `webhook.${action}`, target: created.id }))
      .concat([{ action: "project.create", target: projectId }]),
  );
});

test("a repeat with an Idempotency-Key makes no second webhook, and does not show the secret again", async () => {
  const path = `/projects/${await newProject()}/webhooks`;
  const body = { url: URL, events: ["fund.deposit"] };
  const key = { "idempotency-key": "k" };
  const first = await call("POST", path, body, key);
  expect(first).toMatchObject({ status: 201, body: { secret: expect.any(String) } });
  expect(await call("POST", path, body, key)).toEqual({ status: 201, body: { ...first.body, secret: null } });
  expect((await call("POST", path, { ...body, events: ["key.disabled"] }, key)).status).toBe(409);
  expect((await call("GET", path)).body.items).toHaveLength(1);
});

test("what does not fit is refused with what is wrong, and makes nothing", async () => {
  const path = `/projects/${await newProject()}/webhooks`;
  const { id } = await made(path, { url: URL, events: ["fund.deposit"] });
  for (const [body, field, message] of [
    [{ url: "http://hooks.example.com/", events: ["fund.deposit"] }, "url", "must begin with https://"],
    [{ url: "https://0x7f.1/", events: ["fund.deposit"] }, "url", "must name a host, not an IP address"],
    [{ url: "https://hooks.example.com:8443/", events: ["fund.deposit"] }, "url", "must be on port 443"],
    [{ url: URL, events: [] }, "events", "must name an event"],
    [{ url: URL, events: ["fund.deposit", "fund.deposit"] }, "events", "must not name an event twice"],
    [{ url: URL, events: ["fund.stolen"] }, "events.0", expect.any(String)],
  ] as const) {
    expect(await call("POST", path, body)).toMatchObject({ status: 400, body: { errors: [{ path: field, message }] } });
    expect((await call("PATCH", `${path}/${id}`, body)).status).toBe(400);
  }
  expect((await call("PATCH", `${path}/${id}`, {})).status).toBe(400);
  expect((await call("POST", `${path}/${id}/resend`, { eventId: "nothing" })).status).toBe(400);
  expect((await call("POST", `${path}/${id}/resend`, { eventId: `evt_${unknown}` })).status).toBe(422);
  await call("PATCH", `${path}/${id}`, { enabled: false });
  expect(await call("POST", `${path}/${id}/resend`, { eventId: `evt_${unknown}` })).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("disabled") },
  });
  expect((await call("GET", path)).body.items).toMatchObject([{ url: URL, events: ["fund.deposit"] }]);
});

test("a project has twenty webhooks at most", async () => {
  const path = `/projects/${await newProject()}/webhooks`;
  const body = { url: URL, events: [...eventTypes] };
  for (let count = 0; count < 20; count++) await made(path, body);
  expect(await call("POST", path, body)).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining("20") },
  });
});

test("another project's webhook, and an id of nothing, are 404 on every route", async () => {
  const projectId = await newProject();
  const { id } = await made(`/projects/${await newProject()}/webhooks`, { url: URL, events: ["fund.deposit"] });
  for (const [method, path, body] of [
    ["GET", ""],
    ["PATCH", "", { enabled: false }],
    ["DELETE", ""],
    ["POST", "/rotate-secret"],
    ["GET", "/deliveries"],
    ["POST", "/resend", { eventId: `evt_${unknown}` }],
  ] as const)
    for (const [project, webhook] of [
      [projectId, id],
      [projectId, `whk_${unknown}`],
      [projectId, "nothing"],
      [`prj_${unknown}`, id],
      ["nothing", id],
    ])
      expect(
        (await call(method, `/projects/${project}/webhooks/${webhook}${path}`, body)).status,
        `${method} ${project} ${webhook} ${path}`,
      ).toBe(404);
  for (const method of ["GET", "POST"])
    expect(
      (
        await call(
          method,
          `/projects/prj_${unknown}/webhooks`,
          method === "POST" ? { url: URL, events: ["fund.deposit"] } : undefined,
        )
      ).status,
    ).toBe(404);
});
