import { createExecutionContext, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import worker from "../../functions/index.ts";
import { createDeps, serviceSecrets } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import { migrations as Fund } from "../../shared/fund/migrations.ts";
import { mayHaveSubmitted } from "../../shared/rpc/faults.ts";

const { adminToken } = serviceSecrets(createDeps(env));
const directory = () => env.DIRECTORY.getByName(DIRECTORY_NAME);

async function ask(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await worker.fetch(new Request(`https://gasworks.test${path}`, init), env, createExecutionContext());
  return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
}

/** As an object is left behind by another build. */
async function leave(stub: DurableObjectStub<undefined>, statement: string): Promise<void> {
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(statement);
  });
  await evictDurableObject(stub);
}

test("an older build tells health that a newer one has run with the state, and which objects it does not know", async () => {
  expect(await ask("GET", "/health")).toEqual({ status: 200, body: { status: "ok" } });
  await leave(directory(), "UPDATE newest_schema SET version = 99 WHERE object = 'Fund'");
  const { status, body } = await ask("GET", "/health");
  expect([status, body]).toEqual([
    503,
    { status: "newer_state", detail: expect.stringMatching(/Fund at schema 99, this build knows [0-9]+\): /) },
  ]);
  expect(body.detail, "of the others nothing is said").not.toMatch(/Wallet|Project/);
  await leave(directory(), "UPDATE newest_schema SET version = 1 WHERE object = 'Fund'");
  expect((await ask("GET", "/health")).status, "what is newer here is noted, and no fault").toBe(200);
  expect(
    await runInDurableObject(directory(), (_, { storage }) =>
      storage.sql.exec("SELECT version FROM newest_schema WHERE object = 'Fund'").one(),
    ),
  ).toEqual({ version: Fund.length });
});

test("health says so where the first object that is asked is newer, and not that the disk is full", async () => {
  await leave(directory(), "INSERT INTO schema_version (version) VALUES (99)");
  expect(await ask("GET", "/health")).toMatchObject({ status: 503, body: { status: "newer_state" } });
  expect(await ask("GET", "/admin/v1/projects")).toMatchObject({
    status: 503,
    body: { detail: expect.stringMatching(/^a newer build has run with this state/) },
  });
});

test("admin says so of one fund, and whoever wanted it executed hears that nothing was sent", async () => {
  const { body: project } = await ask("POST", "/admin/v1/projects", { name: "project" });
  const { body: fund } = await ask("POST", `/admin/v1/projects/${project.id}/funds`, {
    name: "fund",
    network: "SUI_LOCALNET",
    createDepositAddress: false,
  });
  const stub = env.FUND.getByName(String(fund.id));
  await leave(stub, "INSERT INTO schema_version (version) VALUES (99)");
  expect(await ask("GET", `/admin/v1/funds/${fund.id}`)).toMatchObject({
    status: 503,
    body: { detail: expect.stringMatching(/^a newer build has run with this state/) },
  });
  const fault: unknown = await stub.view().catch((error: unknown) => error);
  expect(mayHaveSubmitted(fault)).toBe(false);
});
