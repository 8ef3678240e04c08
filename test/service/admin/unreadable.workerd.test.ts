import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { admit } from "../../../shared/access/admission.ts";
import { issueAccessKey } from "../../../shared/access/key-format.ts";
import { createDeps, serviceSecrets } from "../../../shared/bindings/deps.ts";
import { readCsv } from "../../support/read-csv.ts";

const deps = createDeps(env);
const adminApp = createAdminApp(deps);
const headers = {
  authorization: `Bearer ${serviceSecrets(deps).adminToken}`,
  "content-type": "application/json",
};
const idSchema = z.object({ id: z.string() });

afterEach(() => vi.restoreAllMocks());

async function create(path: string, body: object): Promise<string> {
  const response = await adminApp.request(path, { method: "POST", headers, body: JSON.stringify(body) }, env);
  return idSchema.parse(await response.json()).id;
}

/** As a newer build leaves it; a file that is torn throws as early. */
async function damage(stub: ReturnType<typeof env.FUND.getByName>): Promise<void> {
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("INSERT INTO schema_version (version) VALUES (99)");
  });
  await evictDurableObject(stub);
}

test("a fund that cannot be read is named, in the answer and in the log, and hides no other", async () => {
  const projectId = await create("/projects", { name: "project" });
  const fund = { network: "SUI_LOCALNET", createDepositAddress: false };
  const [first, torn, last] = [
    await create(`/projects/${projectId}/funds`, { ...fund, name: "first" }),
    await create(`/projects/${projectId}/funds`, { ...fund, name: "torn" }),
    await create(`/projects/${projectId}/funds`, { ...fund, name: "last" }),
  ];
  await damage(env.FUND.getByName(torn));
  const log = vi.spyOn(console, "log");
  const response = await adminApp.request(`/projects/${projectId}/funds`, { headers }, env);
  expect([response.status, await response.json()]).toMatchObject([
    200,
    { items: [{ id: first }, { id: last }], nextCursor: null, unreadable: [torn] },
  ]);
  expect(log.mock.calls.flat().filter((line) => String(line).includes("object.unreadable"))).toEqual([
    expect.stringContaining(torn),
  ]);

  const csv = await adminApp.request(
    `/projects/${projectId}/funds`,
    { headers: { ...headers, accept: "text/csv" } },
    env,
  );
  const [columns = [], ...lines] = readCsv(await csv.text());
  const rows = lines.map((line) => Object.fromEntries(columns.map((column, at) => [column, line[at]])));
  expect(rows.map(({ id, name, unreadable }) => ({ id, name, unreadable }))).toEqual([
    { id: first, name: "first", unreadable: "" },
    { id: last, name: "last", unreadable: "" },
    { id: torn, name: "", unreadable: "cannot be read: the log has why, as object.unreadable" },
  ]);
  expect(lines.map((line) => line.length)).toEqual([columns.length, columns.length, columns.length]);
});

test("a genuine key whose record is lost is told to the log, once", async () => {
  const keyId = "key_00000000000000000bad";
  const { keyPeppers } = serviceSecrets(deps);
  const { region } = deps.config;
  const secret = new Uint8Array(16);
  const key = issueAccessKey({ region, network: "SUI_LOCALNET", keyId, secret }, keyPeppers);
  const log = vi.spyOn(console, "log");
  for (let repeated = 0; repeated < 2; repeated += 1)
    expect(await admit(env, deps, { keys: [key], chain: "sui", calls: [[]] })).toMatchObject({
      error: { reason: "bad_key" },
    });
  expect(log.mock.calls.flat().filter((line) => String(line).includes("access_key.missing_record"))).toEqual([
    expect.stringContaining(keyId),
  ]);
});
