/// <reference types="vite/client" />
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../functions/service/admin/app.ts";
import { admit } from "../../shared/access/admission.ts";
import { createDeps, serviceSecrets } from "../../shared/deps.ts";
import type { Env } from "../../shared/env.ts";
import { coinStates } from "../../shared/fund/coin-store.ts";
import { SqliteCoinStore } from "../../shared/fund/sqlite-coin-store.ts";
import { sponsorshipStates } from "../../shared/fund/views.ts";
import { migrations as accessKeyMigrations } from "../../shared/objects/access-key.ts";
import { DIRECTORY_NAME, migrations as directoryMigrations } from "../../shared/objects/directory.ts";
import { MIGRATIONS as fundMigrations } from "../../shared/objects/fund.ts";
import { migrations as projectMigrations } from "../../shared/objects/project.ts";
import { alteration, alterReplies } from "../objects/altered-node.ts";

const adminApp = createAdminApp(createDeps(env));

const dumps = import.meta.glob<string>("./*-v*.sql", { eager: true, query: "?raw", import: "default" });
const sayings = import.meta.glob<unknown>("./*-v*.json", { eager: true, import: "default" });

const bindings: Env = env;
const deps = createDeps(env);
const authorization = `Bearer ${serviceSecrets(deps).adminToken}`;
const FIRST_PAGE = { limit: 100, cursor: null };

const objects = {
  directory: { migrations: directoryMigrations, namespace: env.DIRECTORY },
  project: { migrations: projectMigrations, namespace: env.PROJECT },
  "access-key": { migrations: accessKeyMigrations, namespace: env.ACCESS_KEY },
  fund: { migrations: fundMigrations, namespace: env.FUND },
} as const;
type ObjectName = keyof typeof objects;
const objectNames: readonly ObjectName[] = ["directory", "project", "access-key", "fund"];

interface Fixture {
  readonly version: number;
  readonly dump: string;
  /** What the API said of the object when it was recorded. */
  readonly said: unknown;
}

function fixturesOf(object: ObjectName): readonly Fixture[] {
  return Object.entries(dumps).flatMap(([path, dump]) => {
    const [, name, version] = /^\.\/(.+)-v([0-9]+)\.sql$/.exec(path) ?? [];
    if (name !== object) return [];
    return [{ version: Number(version), dump, said: sayings[path.replace(/sql$/, "json")] }];
  });
}

function stubOf(object: ObjectName, name: string) {
  return objects[object].namespace.getByName(name);
}

/** Puts recorded storage under an object of this name; its next use runs the constructor of today. */
async function load(object: ObjectName, name: string, { dump }: Fixture): Promise<void> {
  const stub = stubOf(object, name);
  await runInDurableObject(stub, async (_, { storage }) => {
    await storage.deleteAll();
    storage.sql.exec(dump);
  });
  await evictDurableObject(stub);
}

function schemaOf(object: ObjectName, name: string): Promise<readonly unknown[]> {
  return runInDurableObject(stubOf(object, name), (_, { storage }) =>
    storage.sql
      .exec("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")
      .toArray()
      .map(({ type, name, sql }) => `${type} ${name}: ${sql}`)
      .sort(),
  );
}

async function read(path: string): Promise<unknown> {
  const response = await adminApp.request(path, { headers: { authorization } }, env);
  expect(response.status, path).toBe(200);
  return response.json();
}

function* everyFixture(object: ObjectName): Generator<[string, Fixture]> {
  for (const fixture of fixturesOf(object)) yield [`${object}-v${fixture.version}`, fixture];
}

afterEach(() => {
  vi.restoreAllMocks();
});

test.each(objectNames)("every landed schema version of %s has a fixture", (object) => {
  const recorded = fixturesOf(object).map(({ version }) => version);
  for (let version = 1; version <= objects[object].migrations.length; version += 1)
    expect(
      recorded,
      `record test/storage/${object}-v${version}.sql with test/storage/record.ts before the migration lands`,
    ).toContain(version);
  expect(Math.max(...recorded), "a fixture of a version that no build knows").toBe(objects[object].migrations.length);
});

describe.each(objectNames)("%s", (object) => {
  test.each([...everyFixture(object)])(
    "%s ends with the schema of a new object: no landed migration has changed",
    async (_, fixture) => {
      await load(object, "old", fixture);
      expect(await schemaOf(object, "old")).toEqual(await schemaOf(object, "new"));
    },
  );
});

test.each([...everyFixture("directory")])("%s lists its projects", async (_, fixture) => {
  const { projectIds } = z.object({ projectIds: z.array(z.string()) }).parse(fixture.said);
  await load("directory", DIRECTORY_NAME, fixture);
  expect(await bindings.DIRECTORY.getByName(DIRECTORY_NAME).projects(FIRST_PAGE)).toEqual({
    items: projectIds,
    nextCursor: null,
  });
});

test.each([...everyFixture("project")])("%s shows its settings, members and the whole log", async (_, fixture) => {
  const said = z
    .object({
      view: z.looseObject({ id: z.string() }),
      audit: z.object({ items: z.array(z.unknown()).min(1) }),
      fundIds: z.array(z.string()),
      keyIds: z.array(z.string()),
    })
    .parse(fixture.said);
  await load("project", said.view.id, fixture);
  expect(await read(`/projects/${said.view.id}`)).toMatchObject(said.view);
  expect(await read(`/projects/${said.view.id}/audit?limit=200`)).toMatchObject(said.audit);
  const project = bindings.PROJECT.getByName(said.view.id);
  expect(await project.members("fund", FIRST_PAGE)).toMatchObject({ items: said.fundIds });
  expect(await project.members("key", FIRST_PAGE)).toMatchObject({ items: said.keyIds });
  await runInDurableObject(env.PROJECT.getByName(said.view.id), (_, { storage }) => {
    expect(() => storage.sql.exec("DELETE FROM audit")).toThrow("append-only");
  });
});

test.each([...everyFixture("access-key")])("%s shows its record, and the key still admits", async (_, fixture) => {
  const said = z.object({ view: z.looseObject({ id: z.string() }), key: z.string() }).parse(fixture.said);
  await load("access-key", said.view.id, fixture);
  expect(await read(`/keys/${said.view.id}`)).toMatchObject(said.view);
  const admitted = await admit(bindings, deps, { keys: [said.key], chain: "sui", calls: [["gas"], ["node"]] });
  expect(admitted).toMatchObject({
    ok: true,
    value: { caller: { keyId: said.view.id, fundId: said.view.fundId }, calls: [{ ok: true }, { ok: false }] },
  });
});

const fundSaid = z.object({
  view: z.looseObject({ id: z.string(), balance: z.string(), inFlight: z.string(), depositAddress: z.string() }),
  sponsorships: z.object({ items: z.array(z.looseObject({ digest: z.string(), state: z.string() })).min(1) }),
});

describe.each([...everyFixture("fund")])("%s", (_, fixture) => {
  const { view, sponsorships } = fundSaid.parse(fixture.said);

  /** The development chain of this run is another one than the fixture's, which a fund would notice. */
  async function asOnItsChain(): Promise<void> {
    const row = await runInDurableObject(env.FUND.getByName(view.id), (_, { storage }) =>
      storage.sql.exec<{ chain_identifier: string }>("SELECT chain_identifier FROM fund").one(),
    );
    const setChain = (reply: GrpcTypes.GetServiceInfoResponse) => {
      reply.chainId = row.chain_identifier;
    };
    alterReplies(alteration("LedgerService/GetServiceInfo", GrpcTypes.GetServiceInfoResponse, setChain));
  }

  test("shows what it showed when it was recorded", async () => {
    await load("fund", view.id, fixture);
    expect(await read(`/funds/${view.id}`)).toMatchObject(view);
    expect(await read(`/funds/${view.id}/sponsorships?limit=200`)).toMatchObject(sponsorships);
    expect(new Set(sponsorships.items.map(({ state }) => state)), "the fixture has every state").toEqual(
      new Set(sponsorshipStates),
    );
  });

  test("its coins, transactions, ledger and due rows read back, and add up to its totals", async () => {
    await load("fund", view.id, fixture);
    await runInDurableObject(env.FUND.getByName(view.id), (_, { storage }) => {
      const { sql } = storage;
      const store = new SqliteCoinStore(sql, () => {});
      const ids = sql.exec<{ object_id: string }>("SELECT object_id FROM coin").toArray();
      const coins = ids.flatMap(({ object_id }) => store.coin(object_id) ?? []);
      const owned = coins.filter(({ state }) => state !== "gone");
      expect(new Set(coins.map(({ state }) => state)), "the fixture has every state").toEqual(new Set(coinStates));
      expect(owned.reduce((sum, { balanceMist }) => sum + balanceMist, 0n)).toBe(BigInt(view.balance));
      expect(store.totals()).toEqual({ balanceMist: BigInt(view.balance), inFlightMist: BigInt(view.inFlight) });

      for (const { digest, state } of sponsorships.items) {
        const payment = bcs.TransactionData.parse(store.sponsorship(digest)?.transactionBytes ?? new Uint8Array()).V1
          .gasData.payment;
        const lent = state === "prepared" || state === "signed" || state === "expired";
        expect(store.coinsOf(digest).map(({ objectId }) => objectId)).toEqual(
          lent ? payment.map(({ objectId }) => objectId).sort() : [],
        );
      }
      const [pending] = store.pendingOwnTransactions();
      expect(pending?.splitMist.length).toBeGreaterThan(0);
      expect(store.coinsOf(pending?.digest ?? "")).toMatchObject([{ state: "spending" }]);
      const due = sql.exec<{ kind: string }>("SELECT DISTINCT kind FROM due ORDER BY kind").toArray();
      expect(due.map(({ kind }) => kind)).toEqual(["own", "scan", "settle"]);
    });
  });

  test("still sponsors, signed by the key that it was sealed with", async () => {
    await load("fund", view.id, fixture);
    await asOnItsChain();
    const kindBytes = bcs.TransactionKind.serialize({
      ProgrammableTransaction: { inputs: [], commands: [] },
    }).toBytes();
    const sponsored = await bindings.FUND.getByName(view.id).sponsor({
      keyId: "key_000000000000000000f1",
      kindBytes,
      sender: `0x${"5".repeat(64)}`,
      gasBudgetMist: 3_000_000n,
      maxGasBudgetMist: null,
      gasPriceMist: null,
    });
    if (!sponsored.ok) throw new Error(sponsored.refusal.details);
    const { txBytes, signature } = sponsored.value;
    const publicKey = await verifyTransactionSignature(txBytes, signature, { address: view.depositAddress });
    expect(publicKey.toSuiAddress()).toBe(view.depositAddress);
    expect(await read(`/funds/${view.id}`)).toMatchObject({
      balance: view.balance,
      inFlight: `${BigInt(view.inFlight) + 3_000_000n}`,
    });
  });
});
