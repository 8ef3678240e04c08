import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import type { Env } from "../../shared/bindings/env.ts";
import type { AuditEntry, NewProject } from "../../shared/bindings/project.ts";

const bindings: Env = env;
const newProject: NewProject = {
  projectId: "prj_000000000000000000c1",
  name: "demo",
  secretDerivation: "hkdf",
  walletsPerMonth: 7,
};

function entry(action: string): AuditEntry {
  return { action, target: newProject.projectId, detailJson: "{}" };
}

function stub() {
  return bindings.PROJECT.getByName(newProject.projectId);
}

/** The same object, as the test tools want it. */
function platformStub() {
  return env.PROJECT.getByName(newProject.projectId);
}

async function actions(): Promise<readonly string[]> {
  const page = await stub().audit({ limit: 100, cursor: null });
  return page?.items.map((row) => row.action) ?? [];
}

async function saltOf(): Promise<string> {
  return runInDurableObject(platformStub(), (_, state) =>
    String(state.storage.sql.exec("SELECT hex(salt) AS salt FROM project").one().salt),
  );
}

test("a project that was never created has no view, no lists and takes no members", async () => {
  expect(await stub().view()).toBe(null);
  expect(await stub().update({ name: "x" }, entry("project.update"))).toBe(null);
  expect(await stub().resources("key", { limit: 1, cursor: null })).toBe(null);
  expect(await stub().audit({ limit: 1, cursor: null })).toBe(null);
  await runInDurableObject(platformStub(), async (object) => {
    await expect(object.record(entry("x"))).rejects.toThrow("never created");
  });
});

test("a project survives eviction; creating it again changes neither settings, salt nor log", async () => {
  const created = await stub().create(newProject, entry("project.create"));
  expect(created).toMatchObject(newProject);
  const salt = await saltOf();
  expect(salt).toMatch(/^[0-9A-F]{64}$/);
  await evictDurableObject(platformStub());
  expect(await stub().create({ ...newProject, name: "other" }, entry("project.create"))).toEqual(created);
  expect(await saltOf()).toBe(salt);
  expect(await actions()).toEqual(["project.create"]);
});

test("an update changes the fields that it names, null included, and is a row of the log", async () => {
  const created = await stub().create(newProject, entry("project.create"));
  expect(await stub().update({ walletsPerMonth: null }, entry("a"))).toEqual({ ...created, walletsPerMonth: null });
  expect(await stub().update({ name: "renamed" }, entry("b"))).toMatchObject({
    name: "renamed",
    walletsPerMonth: null,
  });
  expect(await actions()).toEqual(["b", "a", "project.create"]);
});

test("exports are off until an update switches them on, and only then is one logged", async () => {
  expect(await stub().create(newProject, entry("project.create"))).toMatchObject({ exportEnabled: false });
  const disabled = { ok: false, error: { reason: "export_disabled" } };
  expect(await stub().exportSalt()).toMatchObject(disabled);
  expect(await stub().recordExport(entry("wallet.export"))).toMatchObject(disabled);
  expect(await stub().update({ exportEnabled: true }, entry("a"))).toMatchObject({ exportEnabled: true });
  expect(await stub().update({ name: "renamed" }, entry("b"))).toMatchObject({ exportEnabled: true });
  const terms = await stub().derivationTerms();
  expect(await stub().exportSalt()).toEqual({ ok: true, value: terms?.salt });
  expect(await stub().recordExport(entry("wallet.export"))).toEqual({ ok: true, value: null });
  expect(await actions()).toEqual(["wallet.export", "b", "a", "project.create"]);
});

test("a member is listed once, with one row of the log, however often it is added", async () => {
  await stub().create(newProject, entry("project.create"));
  const fund = { kind: "fund", id: "fund_000000000000000000c1", network: "SUI_TESTNET" } as const;
  for (let repeat = 0; repeat < 3; repeat++) await stub().addResource(fund, entry("fund.create"));
  expect(await stub().resources("fund", { limit: 10, cursor: null })).toEqual({ items: [fund.id], nextCursor: null });
  expect(await stub().resources("key", { limit: 10, cursor: null })).toEqual({ items: [], nextCursor: null });
  expect(await actions()).toEqual(["fund.create", "project.create"]);
  expect(await stub().fundNetwork(fund.id)).toBe("SUI_TESTNET");
  expect(await stub().fundNetwork("fund_000000000000000000c2")).toBe(null);
});

test("pages show every item once, in order", async () => {
  await stub().create(newProject, entry("project.create"));
  const ids = Array.from({ length: 7 }, (_, index) => `key_00000000000000000${String(index).padStart(3, "0")}`);
  for (const id of ids) await stub().addResource({ kind: "key", id, network: "SUI_TESTNET" }, entry(id));
  const seen: string[] = [];
  const logged: string[] = [];
  for (let cursor: string | null = null, first = true; first || cursor; first = false) {
    const page = await stub().resources("key", { limit: 3, cursor });
    seen.push(...(page?.items ?? []));
    cursor = page?.nextCursor ?? null;
  }
  for (let cursor: string | null = null, first = true; first || cursor; first = false) {
    const page = await stub().audit({ limit: 4, cursor });
    logged.push(...(page?.items.map((row) => row.action) ?? []));
    cursor = page?.nextCursor ?? null;
  }
  expect(seen).toEqual(ids);
  expect(logged).toEqual([...ids.toReversed(), "project.create"]);
});

test("no statement can change or remove a row of the log", async () => {
  await stub().create(newProject, entry("project.create"));
  await runInDurableObject(platformStub(), (_, state) => {
    expect(() => state.storage.sql.exec("DELETE FROM audit")).toThrow("append-only");
    expect(() => state.storage.sql.exec("UPDATE audit SET action = 'x'")).toThrow("append-only");
  });
  expect(await actions()).toEqual(["project.create"]);
});

test("the directory lists each project once, in the order of creation, page by page", async () => {
  const directory = bindings.DIRECTORY.getByName(DIRECTORY_NAME);
  for (const id of ["prj_b", "prj_a", "prj_b", "prj_c"]) await directory.add(id);
  const first = await directory.projects({ limit: 2, cursor: null });
  expect(first.items).toEqual(["prj_b", "prj_a"]);
  expect(await directory.projects({ limit: 2, cursor: first.nextCursor })).toEqual({
    items: ["prj_c"],
    nextCursor: null,
  });
});
