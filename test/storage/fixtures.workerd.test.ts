/// <reference types="vite/client" />

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { bcs } from "@mysten/sui/bcs";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../functions/service/admin/app.ts";
import { admit } from "../../shared/access/admission.ts";
import { migrations as accessKeyMigrations } from "../../shared/access/schema.ts";
import { createDeps, serviceSecrets } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import type { Env } from "../../shared/bindings/env.ts";
import { KEPT_FORMAT } from "../../shared/chain/sui/kept-execution.ts";
import { migrations as directoryMigrations } from "../../shared/directory/schema.ts";
import { migrate } from "../../shared/durable/migrations.ts";
import { migrations as fundArchiveMigrations } from "../../shared/fund/archive/schema.ts";
import { decodeLedgerRow } from "../../shared/fund/ledger/archived.ts";
import { ledgerKinds, WHOLE_FUND } from "../../shared/fund/ledger/books.ts";
import { utcDay } from "../../shared/fund/ledger/usage.ts";
import { migrations as fundMigrations } from "../../shared/fund/migrations.ts";
import { decodeSponsorship } from "../../shared/fund/sui/archived.ts";
import { SqliteSuiFundStore } from "../../shared/fund/sui/sqlite-store.ts";
import { coinStates, treasuryPurposes } from "../../shared/fund/sui/store.ts";
import { sponsorshipStates } from "../../shared/fund/views.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import { migrations as projectMigrations } from "../../shared/project/schema.ts";
import { walletName } from "../../shared/wallet/context.ts";
import { createRareTables, migrateWallet, migrations as walletMigrations } from "../../shared/wallet/schema.ts";
import { migrations as inboxMigrations } from "../../shared/webhooks/inbox/schema.ts";
import { migrations as workflowUserMigrations } from "../../shared/workflow/user/schema.ts";
import { alterReplies, asChain } from "../byzantine-node/altered-sui-node.ts";
import { authorization } from "../support/admin-access.ts";
import { verifiedAudit } from "../support/audit.ts";
import { dueRows } from "../support/fund/due-rows.ts";
import { moveAllOldRows } from "../support/fund/old-rows.ts";
import { variants } from "../support/rounds.ts";
import { withOurTime } from "../support/sui-fund.ts";
import { accept, Receivers } from "../support/webhook-receivers.ts";

const adminApp = createAdminApp(createDeps(env));

const dumps = import.meta.glob<string>("./fixtures/*-v*.sql", { eager: true, query: "?raw", import: "default" });
const apiSnapshots = import.meta.glob<unknown>("./fixtures/*-v*.json", { eager: true, import: "default" });

const bindings: Env = env;
const deps = createDeps(env);
const FIRST_PAGE = { limit: 100, cursor: null };

const objects = {
  directory: { migrations: directoryMigrations, namespace: env.DIRECTORY },
  project: { migrations: projectMigrations, namespace: env.PROJECT },
  "access-key": { migrations: accessKeyMigrations, namespace: env.ACCESS_KEY },
  fund: { migrations: fundMigrations, namespace: env.FUND },
  "fund-archive": { migrations: fundArchiveMigrations, namespace: env.FUND_ARCHIVE },
  wallet: { migrations: walletMigrations, namespace: env.WALLET },
  "workflow-user": { migrations: workflowUserMigrations, namespace: env.WORKFLOW_USER },
  "webhook-inbox": { migrations: inboxMigrations, namespace: env.WEBHOOK_INBOX },
} as const;
type ObjectName = keyof typeof objects;
const objectNames: readonly ObjectName[] = [
  "directory",
  "project",
  "access-key",
  "fund",
  "fund-archive",
  "wallet",
  "workflow-user",
  "webhook-inbox",
];

interface Fixture {
  readonly version: number;
  readonly dump: string;
  /** The API's view of the object when it was recorded. */
  readonly apiSnapshot: unknown;
}

function fixturesOf(object: ObjectName): readonly Fixture[] {
  return Object.entries(dumps).flatMap(([path, dump]) => {
    const [, name, version] = /^\.\/fixtures\/(.+)-v([0-9]+)\.sql$/.exec(path) ?? [];
    if (name !== object) return [];
    return [{ version: Number(version), dump, apiSnapshot: apiSnapshots[path.replace(/sql$/, "json")] }];
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
  return runInDurableObject(stubOf(object, name), (_, { storage }) => {
    // An object that has stored nothing yet may have no tables.
    if (object === "wallet") migrateWallet(storage);
    else migrate(storage, objects[object].migrations);
    if (object === "fund") moveAllOldRows(storage);
    if (object === "wallet") createRareTables(storage.sql);
    return storage.sql
      .exec("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")
      .toArray()
      .map(({ type, name, sql }) => `${type} ${name}: ${sql}`)
      .sort();
  });
}

async function create(path: string, body: object, idempotencyKey: string): Promise<Response> {
  const headers = { authorization, "content-type": "application/json", "idempotency-key": idempotencyKey };
  return adminApp.request(path, { method: "POST", headers, body: JSON.stringify(body) }, env);
}

async function read(path: string): Promise<unknown> {
  const response = await adminApp.request(path, { headers: { authorization } }, env);
  expect(response.status, path).toBe(200);
  return response.json();
}

function sealedKeyOf(fundId: string): Promise<unknown> {
  return runInDurableObject(env.FUND.getByName(fundId), (_, { storage }) =>
    storage.sql.exec("SELECT hex(sealed_private_key) AS key FROM fund").one(),
  );
}

/** In `npm test` the oldest, every third after it, and the newest. */
function* everyFixture(object: ObjectName): Generator<[string, Fixture]> {
  const all = fixturesOf(object).toSorted((a, b) => a.version - b.version);
  for (const fixture of new Set([...variants(all, 3), ...all.slice(-1)]))
    yield [`${object}-v${fixture.version}`, fixture];
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
  const { projectIds } = z.object({ projectIds: z.array(z.string()) }).parse(fixture.apiSnapshot);
  await load("directory", DIRECTORY_NAME, fixture);
  expect(await bindings.DIRECTORY.getByName(DIRECTORY_NAME).projects(FIRST_PAGE)).toEqual({
    items: projectIds,
    nextCursor: null,
  });
});

/** From its eighth version on, a project chains its log. From its third on, the directory has one. */
const headSchema = z.object({ seq: z.int(), hash: z.string() });
const withChain = [...everyFixture("project")].filter(([, { version }]) => version >= 8);

test.each(withChain)(
  "%s still follows the head of its log that was recorded, and goes on from it",
  async (_, fixture) => {
    const snapshot = z.object({ view: z.looseObject({ id: z.string() }), auditHead: headSchema });
    const { view, auditHead } = snapshot.parse(fixture.apiSnapshot);
    await load("project", view.id, fixture);
    const { unchained } = await verifiedAudit(adminApp, `/projects/${view.id}`, auditHead);
    const patched = { method: "PATCH", headers: { authorization, "content-type": "application/json" } };
    await adminApp.request(`/projects/${view.id}`, { ...patched, body: '{"name":"chained"}' }, env);
    expect(await verifiedAudit(adminApp, `/projects/${view.id}`, auditHead)).toMatchObject({
      unchained,
      head: { seq: auditHead.seq + 1 },
    });
  },
);

test("a log from before the chain keeps its rows, and its next row begins the chain after them", async () => {
  const before = fixturesOf("project").find(({ version }) => version === 7);
  if (before === undefined) throw new Error("no fixture of version 7");
  const audited = z.object({ items: z.array(z.unknown()) });
  const snapshot = z.object({ view: z.looseObject({ id: z.string() }), audit: audited }).parse(before.apiSnapshot);
  const project = `/projects/${snapshot.view.id}`;
  await load("project", snapshot.view.id, before);
  expect(await read(`${project}/audit/head`)).toEqual({ seq: 0, hash: null });
  const patched = { method: "PATCH", headers: { authorization, "content-type": "application/json" } };
  await adminApp.request(project, { ...patched, body: '{"name":"chained"}' }, env);
  const unchained = snapshot.audit.items.length;
  expect(await verifiedAudit(adminApp, project)).toMatchObject({ chained: 2, unchained });
  expect(await read(`${project}/audit?limit=200`)).toMatchObject({
    items: [
      { action: "project.update", detail: { name: "chained" } },
      { action: "audit.chain_begins", detail: { lastSeqBefore: unchained, hashBefore: expect.any(String) } },
      ...snapshot.audit.items,
    ],
  });
  await runInDurableObject(env.PROJECT.getByName(snapshot.view.id), (_, { storage }) => {
    const fork = `INSERT INTO audit (at_ms, action, target, detail, previous_hash)
      SELECT at_ms, action, target, detail, previous_hash FROM audit ORDER BY seq DESC LIMIT 1`;
    expect(() => storage.sql.exec(fork), "no two rows follow one").toThrow("UNIQUE");
  });
});

/** From the third version on, the directory keeps the tokens of operators. */
const withTokens = [...everyFixture("directory")].filter(([, { version }]) => version >= 3);

test.each(withTokens)("%s still admits an operator's token, and only to what its role may do", async (_, fixture) => {
  const tokenSchema = z.looseObject({ id: z.string(), role: z.string(), token: z.string() });
  const snapshot = z.object({ token: tokenSchema, auditHead: headSchema }).parse(fixture.apiSnapshot);
  const { auditHead } = snapshot;
  const { token, ...view } = snapshot.token;
  await load("directory", DIRECTORY_NAME, fixture);
  expect(await read("/tokens")).toMatchObject({ items: [view] });
  const headers = { authorization: `Bearer ${token}` };
  expect((await adminApp.request("/openapi.json", { headers }, env)).status).toBe(200);
  expect((await adminApp.request("/master-key", { headers }, env)).status).toBe(403);
  await verifiedAudit(adminApp, "", auditHead);
});

test.each([...everyFixture("project")])("%s shows its settings, members and the whole log", async (_, fixture) => {
  const snapshot = z
    .object({
      view: z.looseObject({ id: z.string() }),
      audit: z.object({ items: z.array(z.unknown()).min(1) }),
      fundIds: z.array(z.string()),
      keyIds: z.array(z.string()),
    })
    .parse(fixture.apiSnapshot);
  await load("project", snapshot.view.id, fixture);
  expect(await read(`/projects/${snapshot.view.id}`)).toMatchObject(snapshot.view);
  expect(await read(`/projects/${snapshot.view.id}/audit?limit=200`)).toMatchObject(snapshot.audit);
  const project = bindings.PROJECT.getByName(snapshot.view.id);
  expect(await project.resources("fund", FIRST_PAGE)).toMatchObject({ items: snapshot.fundIds });
  expect(await project.resources("key", FIRST_PAGE)).toMatchObject({ items: snapshot.keyIds });
  await runInDurableObject(env.PROJECT.getByName(snapshot.view.id), (_, { storage }) => {
    expect(() => storage.sql.exec("DELETE FROM audit")).toThrow("append-only");
  });
});

/** From the second version on, a project keeps what its operator's idempotency keys have made. */
const creationSnapshotSchema = z.object({
  view: z.looseObject({ id: z.string() }),
  keyIds: z.array(z.string()),
  creation: z.object({ fields: z.looseObject({ name: z.string() }), idempotencyKey: z.string() }),
});
const withCreation = [...everyFixture("project")].filter(([, { version }]) => version >= 2);

test.each(withCreation)("%s still knows what an idempotency key has made", async (_, fixture) => {
  const { view, keyIds, creation } = creationSnapshotSchema.parse(fixture.apiSnapshot);
  await load("project", view.id, fixture);
  const path = `/projects/${view.id}/keys`;
  const fields = { network: "SUI_LOCALNET", ...creation.fields };
  const other = await create(path, { ...fields, name: "another" }, creation.idempotencyKey);
  expect(other.status).toBe(409);
  const repeated = await create(path, fields, creation.idempotencyKey);
  expect(await repeated.json()).toMatchObject({ id: keyIds[0] });
});

test.each([...everyFixture("access-key")])("%s shows its record, and the key still admits", async (_, fixture) => {
  const snapshot = z.object({ view: z.looseObject({ id: z.string() }), key: z.string() }).parse(fixture.apiSnapshot);
  await load("access-key", snapshot.view.id, fixture);
  expect(await read(`/keys/${snapshot.view.id}`)).toMatchObject(snapshot.view);
  const admitted = await admit(bindings, deps, { keys: [snapshot.key], chain: "sui", calls: [["gas"], ["node"]] });
  expect(admitted).toMatchObject({
    ok: true,
    value: { caller: { keyId: snapshot.view.id, fundId: snapshot.view.fundId }, calls: [{ ok: true }, { ok: false }] },
  });
});

test("a key from before there were policies has the limits that a new key had when they came", async () => {
  const first = fixturesOf("access-key").find(({ version }) => version === 1);
  const { view } = z.object({ view: z.object({ id: z.string() }) }).parse(first?.apiSnapshot);
  if (first === undefined) throw new Error("no fixture of version 1");
  await load("access-key", view.id, first);
  expect(await read(`/keys/${view.id}`)).toMatchObject({
    policy: {
      moveTargets: { allow: null, deny: null },
      senders: { allow: null, deny: null },
      orderless: false,
      maxGasBudget: null,
      maxStorageCost: null,
      maxInFlightCount: 1_000,
      maxInFlightAmount: "50000000000",
      maxSpendPerDay: null,
      maxSpendPerSenderPerDay: null,
      maxAbandonCostPerDay: "500000000",
    },
  });
});

const sponsorshipSnapshotSchema = z.looseObject({
  digest: z.string(),
  state: z.string(),
  keyId: z.string(),
  gasBudget: z.string(),
  createdAt: z.iso.datetime(),
  /** Absent before version 2. */
  fee: z.string().optional(),
});

const unconvertedSchema = z.object({ unconverted: z.object({ amount: z.string() }).nullish() });

/** Versions that did not say what waits for conversion have counted it as available. */
function availableNow(snapshot: z.output<typeof fundSnapshotSchema>["view"], unconvertedMist: string) {
  const { available } = snapshot;
  if (available === undefined || "unconverted" in snapshot) return {};
  return { available: (BigInt(available) - BigInt(unconvertedMist)).toString() };
}

/** A loaded dump does not take the very pages that the recorded object took. */
function sizeNow({ storage }: z.output<typeof fundSnapshotSchema>["view"]) {
  return storage === undefined ? {} : { storage: { ...storage, usedBytes: expect.any(Number) } };
}

const spendSchema = z.object({ since: z.string(), items: z.array(z.unknown()) });

const fundSnapshotSchema = z.object({
  view: z.looseObject({
    id: z.string(),
    /** Absent before version 2. */
    available: z.string().optional(),
    balance: z.string(),
    inFlight: z.string(),
    depositAddress: z.string(),
    /** Absent before version 2. */
    sponsorshipFee: z.string().default("0"),
    /** Absent before version 6. */
    storage: z.looseObject({ usedBytes: z.number() }).optional(),
  }),
  sponsorships: z.object({ items: z.array(sponsorshipSnapshotSchema).min(1) }),
  /** Absent before version 7. Versions 7 to 11 have it of one day and key. */
  spend: z
    .union([z.object({ day: z.int(), key: z.string() }), spendSchema])
    .nullable()
    .default(null),
});

describe.each([...everyFixture("fund-archive")])("%s", (_, fixture) => {
  test("finds what it was given by its digest, and lists it newest first", async () => {
    const snapshot = z.object({ sponsorships: z.array(z.looseObject({ digest: z.string(), state: z.string() })) });
    const { sponsorships } = snapshot.parse(fixture.apiSnapshot);
    await load("fund-archive", "the fixture's archive", fixture);
    const archive = bindings.FUND_ARCHIVE.getByName("the fixture's archive");
    const archived = await archive.list("sponsorships", Number.MAX_SAFE_INTEGER, 100);
    expect(archived.length).toBeGreaterThan(1);
    const shown = archived.map(({ record }) => {
      const { digest, state, sender, createdAtMs } = decodeSponsorship(record);
      return { digest, state, sender, createdAt: new Date(createdAtMs).toISOString() };
    });
    const listed = sponsorships.filter(({ digest }) => shown.some((row) => row.digest === digest));
    expect(listed).toMatchObject(shown);
    for (const { digest } of shown)
      expect(decodeSponsorship((await archive.sponsorship(digest))?.record ?? "null").digest).toBe(digest);
    const ledger = await archive.list("ledger", Number.MAX_SAFE_INTEGER, 1_000);
    expect(new Set(ledger.map(({ record }) => decodeLedgerRow(record).kind))).toContain("charge");
  });
});

/** Nothing was recycled before version 2. */
function coinStatesOf({ version }: Fixture): readonly string[] {
  return version === 1 ? coinStates.filter((state) => state !== "recycling") : coinStates;
}

describe.each([...everyFixture("fund")])("%s", (_, fixture) => {
  const { view, sponsorships, spend } = fundSnapshotSchema.parse(fixture.apiSnapshot);

  // By any other clock all of its work is due at once, and goes on beside the test and into the next one.
  beforeEach(() => {
    const recordedAtMs = Math.max(...sponsorships.items.map(({ createdAt }) => Date.parse(createdAt)));
    vi.useFakeTimers({ toFake: ["Date"], now: recordedAtMs });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** The development chain of this run is another one than the fixture's, which a fund would notice. */
  async function asOnItsChain(): Promise<void> {
    const row = await runInDurableObject(env.FUND.getByName(view.id), (_, { storage }) =>
      storage.sql.exec<{ chain_identifier: string }>("SELECT chain_identifier FROM fund").one(),
    );
    alterReplies(withOurTime, ...asChain(row.chain_identifier));
  }

  test("shows what it showed when it was recorded", async () => {
    await load("fund", view.id, fixture);
    const { unconverted } = unconvertedSchema.parse(await read(`/funds/${view.id}`));
    const snapshot = { ...view, ...availableNow(view, unconverted?.amount ?? "0"), ...sizeNow(view) };
    expect(await read(`/funds/${view.id}`)).toMatchObject(snapshot);
    expect(await read(`/funds/${view.id}/sponsorships?limit=200`)).toMatchObject(sponsorships);
    expect(new Set(sponsorships.items.map(({ state }) => state)), "the fixture has every state").toEqual(
      new Set(sponsorshipStates),
    );
  });

  test("its daily counters read back, and begin at the upgrade of an older version", async () => {
    await load("fund", view.id, fixture);
    const { since, items } = spendSchema.parse(
      await read(`/funds/${view.id}/spend?by=key&from=2100-01-01&to=2100-12-31`),
    );
    const counted = {
      sponsored: 5,
      executed: 3,
      failed: 1,
      abandoned: 2,
      unresolvable: 0,
      charged: "2019760",
      fees: "20",
      spent: "2060780",
    };
    if (spend !== null && "items" in spend) {
      expect(spend.items.length).toBeGreaterThan(0);
      expect({ since, items }).toEqual(spend);
      return;
    }
    const expected = spend === null ? [] : [{ name: spend.key, ...counted, rebate: "978120", maintenance: "41000" }];
    expect(items).toEqual(expected);
    expect(Date.parse(since)).toBe(spend === null ? Date.now() : spend.day * 86_400_000);
  });

  test("its coins, transactions, ledger and due rows read back, and add up to its totals", async () => {
    await load("fund", view.id, fixture);
    await runInDurableObject(env.FUND.getByName(view.id), (_, { storage }) => {
      const { sql } = storage;
      const store = new SqliteSuiFundStore(storage, () => {});
      const ids = sql.exec<{ object_id: string }>("SELECT object_id FROM coin").toArray();
      const coins = ids.flatMap(({ object_id }) => store.coin(object_id) ?? []);
      const owned = coins.filter(({ state }) => state !== "gone");
      expect(new Set(coins.map(({ state }) => state)), "the fixture has every state").toEqual(
        new Set(coinStatesOf(fixture)),
      );
      const { balanceAtoms: balanceMist, addressBalanceAtoms: addressBalanceMist, inFlightAtoms } = store.totals();
      expect(balanceMist).toBe(BigInt(view.balance));
      expect(inFlightAtoms).toBe(BigInt(view.inFlight));
      expect(owned.reduce((sum, coin) => sum + coin.balanceMist, 0n)).toBe(balanceMist - addressBalanceMist);
      const ledger = store.ledgerBelow(Number.MAX_SAFE_INTEGER, 1_000).map(({ row }) => row);
      for (const column of ["balanceAtoms", "addressBalanceAtoms", "inFlightAtoms", "accruedFeesAtoms"] as const)
        expect(
          ledger.reduce((sum, row) => sum + row[column], 0n),
          column,
        ).toBe(store.totals()[column]);

      const live = sponsorships.items.filter(({ state }) => state !== "complete" && state !== "dead");
      expect(new Set(store.liveIds(null))).toEqual(new Set(live.map(({ digest }) => digest)));
      const withheldMist = live.reduce((sum, { gasBudget, fee = "0" }) => sum + BigInt(gasBudget) + BigInt(fee), 0n);
      for (const scope of [WHOLE_FUND, live[0]?.keyId ?? ""])
        expect(store.usage(scope)).toMatchObject({ inFlightCount: live.length, inFlightAtoms: withheldMist });
      expect(inFlightAtoms).toBe(withheldMist);

      for (const { digest, state } of sponsorships.items) {
        const bytes = store.sponsorship(digest)?.transactionBytes ?? new Uint8Array();
        const payment = bytes.length === 0 ? [] : bcs.TransactionData.parse(bytes).V1.gasData.payment;
        const lent = state === "prepared" || state === "signed" || state === "expired";
        expect(store.coinsHeldBy(digest).map(({ objectId }) => objectId)).toEqual(
          lent ? payment.map(({ objectId }) => objectId).sort() : [],
        );
      }
      const split = store.pendingTreasury().find(({ purpose }) => purpose === "split");
      expect(split?.createdMist.length).toBeGreaterThan(0);
      expect(store.coinsHeldBy(split?.digest ?? "")).toMatchObject([{ state: "spending" }]);
      // The alarm may have moved all rows of version 5 by now, or not.
      const due = new Set(dueRows(sql).map(({ kind }) => kind));
      due.delete("migrate");
      const kinds = ["own", "recycle", "scan", "settle"];
      expect([...due].sort()).toEqual(fixture.version < 5 ? kinds : ["answers", ...kinds]);
      const settled = dueRows(sql).flatMap(({ kind, reference }) => (kind === "settle" ? reference : []));
      expect(settled.sort(), "each live row is due once").toEqual(live.map(({ digest }) => digest).sort());
    });
  });

  test("what was journaled, counted and claimed since version 2 reads back", async () => {
    if (fixture.version < 2) return;
    await load("fund", view.id, fixture);
    await runInDurableObject(env.FUND.getByName(view.id), (_, { storage }) => {
      const { sql } = storage;
      const store = new SqliteSuiFundStore(storage, () => {});
      const column = (query: string) => new Set([...sql.exec(query).raw()].flat());
      const recorded = treasuryPurposes.filter((purpose) => purpose !== "recover");
      const purposes = recorded.filter((purpose) => purpose !== "take_in" || fixture.version >= 5);
      expect(column("SELECT DISTINCT purpose FROM own_transaction")).toEqual(new Set(purposes));
      const party = store.partyCoinIds().map((objectId) => store.partyCoin(objectId)?.balanceMist);
      expect(party).toEqual(fixture.version >= 5 ? [store.partyMist()] : []);
      const ledger = store.oldestLedger(1_000);
      expect(new Set(ledger.map(({ row }) => row.kind))).toEqual(
        new Set(ledgerKinds.filter((kind) => kind !== "adjustment" && kind !== "correction")),
      );
      const maintenance = store.maintenanceCoins();
      expect(maintenance).toHaveLength(3);
      const recycle = store.pendingTreasury().find(({ purpose }) => purpose === "recycle");
      expect(maintenance.map(({ heldByDigest }) => heldByDigest)).toContain(recycle?.digest);
      expect(recycle?.bumpedCoins.map(({ objectId }) => store.coin(objectId)?.state)).toEqual(["recycling"]);
      for (const { gasBudgetAtoms: gasBudgetMist } of store.pendingTreasury())
        expect(gasBudgetMist).toBeGreaterThan(0n);

      const dead = sponsorships.items.flatMap(({ digest, state }) => (state === "dead" ? [digest] : []));
      const shares = dead.map((digest) => store.sponsorship(digest)?.maintenanceAtoms ?? null);
      const recycledMist = shares.find((shareMist) => shareMist !== null);
      expect(shares, "one was recycled, one was never signed").toHaveLength(2);
      expect(recycledMist).toBeGreaterThan(0n);
      expect(store.usage(sponsorships.items[0]?.keyId ?? "").abandonCostTodayAtoms).toBe(recycledMist);
      const claims = [...column("SELECT scope FROM idempotency")].map(String);
      expect(claims.map((scope) => store.idempotency(scope)?.reference)).toEqual(
        expect.arrayContaining(sponsorships.items.map(({ digest }) => digest)),
      );
    });
  });

  test("counts what senders have spent, also before that was counted", async () => {
    await load("fund", view.id, fixture);
    await runInDurableObject(env.FUND.getByName(view.id), (_, { storage }) => {
      const store = new SqliteSuiFundStore(storage, () => {});
      const rows = sponsorships.items.flatMap(({ digest }) => store.sponsorship(digest) ?? []);
      const lastDay = Math.max(...rows.map(({ createdAtMs }) => utcDay(createdAtMs)));
      const lately = rows.filter(({ createdAtMs, state }) => utcDay(createdAtMs) >= lastDay - 1 && state !== "dead");
      const spent = new Map<string, bigint>();
      for (const { sender, createdAtMs, gasBudgetAtoms, chargedAtoms, feeAtoms } of lately) {
        const name = `${utcDay(createdAtMs)} ${sender}`;
        const costAtoms = chargedAtoms ?? gasBudgetAtoms;
        spent.set(name, (spent.get(name) ?? 0n) + (costAtoms > 0n ? costAtoms : 0n) + feeAtoms);
      }
      expect(spent.size).toBeGreaterThan(0);
      for (const [name, spentAtoms] of spent) {
        const [day = "", sender = ""] = name.split(" ");
        expect(store.senderUsage(sender, null, Number(day))).toEqual({ spentAtoms, stopped: false });
        expect(store.senderUsage(sender, lately[0]?.keyId ?? "", Number(day)).spentAtoms).toBe(spentAtoms);
      }
    });
  });

  test("what it answered to an execution reads back since version 5", async () => {
    if (fixture.version < 5) return;
    await load("fund", view.id, fixture);
    await runInDurableObject(env.FUND.getByName(view.id), (_, { storage }) => {
      const { answers } = new SqliteSuiFundStore(storage, () => {});
      const rows = storage.sql.exec<{ digest: string; format: string }>(
        "SELECT digest, hex(substr(execution, 1, 1)) AS format FROM kept_answer",
      );
      // Another format than today's is not read: within a day the chain answers instead.
      const [{ digest, format } = { digest: "", format: "" }] = rows.toArray();
      const kept = answers.get(digest);
      if (Number.parseInt(format, 16) !== KEPT_FORMAT) return expect(kept).toBeNull();
      expect(kept).toMatchObject({ success: true });
      expect(kept?.changedObjects.length).toBeGreaterThan(0);
      expect(kept?.balanceChanges.length).toBeGreaterThan(0);
    });
  });

  test.each(["sealed as it was", "re-sealed"])("still sponsors, signed by its key, %s", async (sealed) => {
    await load("fund", view.id, fixture);
    await asOnItsChain();
    if (sealed === "re-sealed") {
      const keysBefore = await sealedKeyOf(view.id);
      const { current } = serviceSecrets(deps).masterKeys;
      expect(await bindings.FUND.getByName(view.id).reseal()).toEqual({ ok: true, value: current });
      expect(await sealedKeyOf(view.id)).not.toEqual(keysBefore);
    }
    const kindBytes = bcs.TransactionKind.serialize({
      ProgrammableTransaction: { inputs: [], commands: [] },
    }).toBytes();
    const sponsored = await bindings.FUND.getByName(view.id).sponsor({
      keyId: "key_000000000000000000f1",
      keyPolicy: defaultKeyPolicy("sui"),
      idempotency: null,
      kindBytes,
      sender: `0x${"5".repeat(64)}`,
      gasBudgetMist: 3_000_000n,
      maxGasBudgetMist: null,
      gasPriceMist: null,
      lastEpoch: null,
    });
    if (!sponsored.ok) throw new Error(sponsored.error.details);
    const { txBytes, signature } = sponsored.value;
    const publicKey = await verifyTransactionSignature(txBytes, signature, { address: view.depositAddress });
    expect(publicKey.toSuiAddress()).toBe(view.depositAddress);
    expect(await read(`/funds/${view.id}`)).toMatchObject({
      balance: view.balance,
      inFlight: `${BigInt(view.inFlight) + 3_000_000n + BigInt(view.sponsorshipFee)}`,
    });
  });
});

test.each([...everyFixture("project")])("%s knows what is sealed, and has its funds asked", async (_, fixture) => {
  const snapshot = z
    .object({
      view: z.object({ id: z.string() }),
      fundIds: z.array(z.string()),
      walletIds: z.array(z.string()).default([]),
      webhook: z.object({}).optional(),
    })
    .parse(fixture.apiSnapshot);
  await load("project", snapshot.view.id, fixture);
  const known = fixture.version >= 3;
  const objects = snapshot.fundIds.length + snapshot.walletIds.length + (snapshot.webhook === undefined ? 0 : 1);
  expect(await bindings.PROJECT.getByName(snapshot.view.id).masterKeyUsage()).toEqual([
    { masterKeyVersion: known ? 1 : 0, objects, failing: 0 },
  ]);
});

/** From the third version on, a project knows its wallets. */
const withWallets = [...everyFixture("project")].filter(([, { version }]) => version >= 3);

test.each(withWallets)("%s lists its wallets", async (_, fixture) => {
  const snapshot = z
    .object({ view: z.object({ id: z.string() }), walletIds: z.array(z.string()) })
    .parse(fixture.apiSnapshot);
  await load("project", snapshot.view.id, fixture);
  expect(await read(`/projects/${snapshot.view.id}/wallets`)).toMatchObject({
    items: snapshot.walletIds.map((walletId) => ({ walletId })),
  });
});

/** From the fourth version on, it knows which wallet an Idempotency-Key was used for. */
const withClaims = [...everyFixture("project")].filter(([, { version }]) => version >= 4);

test.each(withClaims)("%s makes no second wallet for an Idempotency-Key", async (_, fixture) => {
  const snapshot = z
    .object({ view: z.object({ id: z.string() }), keyIds: z.tuple([z.string()]), walletClaim: z.string() })
    .parse(fixture.apiSnapshot);
  await load("project", snapshot.view.id, fixture);
  const ref = { projectId: snapshot.view.id, chain: "sui", walletId: "another" } as const;
  const scope = `${snapshot.keyIds[0]}/svc_wal_createWallet/${snapshot.walletClaim}`;
  const admit = (of: string) =>
    bindings.PROJECT.getByName(snapshot.view.id).admitWallet(
      { ...ref, name: walletName(ref) },
      { masterKeyVersion: 1, scope: of, address: null },
    );
  expect(await admit(scope)).toMatchObject({ ok: false, error: { reason: "idempotency_conflict" } });
  expect(await admit(`${scope} 2`)).toMatchObject({ ok: true });
});

/** From the fifth version on, it has webhooks. */
const withWebhooks = [...everyFixture("project")].filter(([, { version }]) => version >= 5);
const webhookSnapshotSchema = z.object({
  view: z.object({ id: z.string() }),
  webhook: z.object({ id: z.string(), secret: z.string() }),
  deliveries: z.object({ items: z.array(z.looseObject({ eventId: z.string(), type: z.string() })).min(1) }),
});

test.each(withWebhooks)("%s goes on with its deliveries, signed by the secret that was shown", async (_, fixture) => {
  const { view, webhook, deliveries } = webhookSnapshotSchema.parse(fixture.apiSnapshot);
  await load("project", view.id, fixture);
  expect(await read(`/projects/${view.id}/webhooks/${webhook.id}/deliveries?limit=200`)).toMatchObject(deliveries);
  const receivers = new Receivers();
  receivers.at("hooks.example.com", accept);
  const { eventId } = deliveries.items[0] ?? { eventId: "" };
  const entry = { action: "test", target: webhook.id, detailJson: "{}" };
  await bindings.PROJECT.getByName(view.id).resendDelivery(webhook.id, eventId, entry);
  await vi.waitFor(() => expect(receivers.received).toHaveLength(1), 30_000);
  const [received] = receivers.received;
  if (received === undefined) throw new Error("nothing was received");
  expect(new Webhook(webhook.secret).verify(received.body, received.headers)).toMatchObject({
    type: deliveries.items[0]?.type,
  });
});

test.each([...everyFixture("webhook-inbox")])("%s answers a repeat as it did", async (_, fixture) => {
  const snapshot = z
    .object({ name: z.string(), id: z.string(), body: z.string(), answer: z.string() })
    .parse(fixture.apiSnapshot);
  await load("webhook-inbox", snapshot.name, fixture);
  const fingerprint = createHash("sha256").update(snapshot.body).digest("base64url");
  expect(await bindings.WEBHOOK_INBOX.getByName(snapshot.name).begin({ id: snapshot.id, fingerprint })).toEqual({
    state: "answered",
    answerJson: snapshot.answer,
  });
});

test.each([...everyFixture("wallet")])("%s shows its address", async (_, fixture) => {
  const snapshot = z
    .object({ projectId: z.string(), walletId: z.string(), address: z.string() })
    .parse(fixture.apiSnapshot);
  const wallet = { projectId: snapshot.projectId, chain: "sui", walletId: snapshot.walletId } as const;
  const name = walletName(wallet);
  await load("wallet", name, fixture);
  expect(await bindings.WALLET.getByName(name).address(wallet)).toEqual({ ok: true, value: snapshot.address });
});

test.each([...everyFixture("workflow-user")])(
  "%s knows what its user has executed, and counts it",
  async (_, fixture) => {
    const snapshot = z
      .object({ txDigest: z.string(), gasBudget: z.string(), heldUntilMs: z.number().optional() })
      .parse(fixture.apiSnapshot);
    await load("workflow-user", "a user", fixture);
    const user = bindings.WORKFLOW_USER.getByName("a user");
    const [stored] = await runInDurableObject(env.WORKFLOW_USER.getByName("a user"), (_, { storage }) =>
      storage.sql.exec<{ key: string; fingerprint: string }>("SELECT key, fingerprint FROM attempt").toArray(),
    );
    if (stored === undefined) throw new Error("the fixture has no attempt");
    const asked = { ...stored, chain: "sui", cap: { transactionsPerDay: 1, gasPerDayAtoms: null } } as const;
    expect(await user.begin(asked)).toMatchObject({
      kind: "begun",
      transaction: { id: snapshot.txDigest, capUsage: { chain: "sui", gasBudgetAtoms: BigInt(snapshot.gasBudget) } },
    });
    expect(await user.begin({ ...asked, fingerprint: "other" })).toEqual({ kind: "conflict" });
    const { heldUntilMs } = snapshot;
    const wanted = { chain: "sui", gasAtoms: null, atMostAtoms: null, untilMs: null } as const;
    const held = await user.reserveSlot(wanted, { heldAtOnce: 1, heldGasAtoms: null }, null);
    expect(held.kind).toBe(heldUntilMs === undefined ? "held" : "over_cap");
  },
);
