import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createAdminApp } from "../../../functions/service/admin/app.ts";
import { filteredAnswer } from "../../../functions/service/admin/route/filters.ts";
import { createDeps } from "../../../shared/bindings/deps.ts";
import type { Env } from "../../../shared/bindings/env.ts";
import { NO_TRACE } from "../../../shared/fund/explain/trace.ts";
import { walletName } from "../../../shared/wallet/context.ts";
import { authorization } from "../../support/admin-access.ts";
import { coinsOf, onDisk } from "../../support/fund-books.ts";
import { listedSponsorship } from "../../support/listed-rows.ts";
import { newFund, newFundOfCoins, newFundWith, type TestFund, useStoppedClock } from "../../support/sui-fund.ts";

useStoppedClock();

const bindings: Env = env;
const adminApp = createAdminApp(createDeps(env));
const BEGIN_MS = Date.UTC(2026, 0, 1, 12);
const HOUR_MS = 3_600_000;
const COIN_MODULE = `0x${"2".padStart(64, "0")}::coin`;
const KEY = `key_${"1".padStart(20, "0")}`;
const SENDER = `0x${"aB".padStart(64, "0")}`;

const pageSchema = z.object({ items: z.array(z.record(z.string(), z.unknown())), nextCursor: z.string().nullable() });
const problemSchema = z.object({
  detail: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })),
});

function get(path: string): Promise<Response> {
  return Promise.resolve(adminApp.request(path, { headers: { authorization } }, env));
}

async function pageOf(path: string) {
  const response = await get(path);
  expect(response.status, path).toBe(200);
  return pageSchema.parse(await response.json());
}

async function errorsOf(path: string) {
  const response = await get(path);
  expect(response.status, path).toBe(400);
  return problemSchema.parse(await response.json()).errors;
}

/** A fund with one sponsorship an hour. Each second one is of `SENDER`, and each third one has completed. */
async function fundOfHours(): Promise<TestFund> {
  const fund = await newFund();
  await onDisk(fund, (store) =>
    store.transact(() => {
      for (let hour = 0; hour < 24; hour++)
        store.putSponsorship({
          ...listedSponsorship(`d${hour}`, BEGIN_MS + hour * HOUR_MS),
          keyId: KEY,
          state: hour % 3 === 0 ? "complete" : "dead",
          ...(hour % 2 === 0 && { sender: SENDER.toLowerCase() }),
          trace: { ...NO_TRACE, ending: hour % 6 === 0 ? "aborted" : null, targets: [`${COIN_MODULE}::t${hour % 5}`] },
        });
    }),
  );
  return fund;
}

test("filters of sponsorships select by time, key, sender, state and outcome, and their pages hang together", async () => {
  const { id } = await fundOfHours();
  const path = `/funds/${id}/sponsorships`;
  const digests = async (query: string) =>
    (await pageOf(`${path}?${query}&limit=100`)).items.map(({ digest }) => digest);
  expect(await digests(`from=2026-01-01T20:00:00Z&to=2026-01-01T22:00:00Z`)).toEqual(["d9", "d8"]);
  expect(await digests("from=2026-01-02&to=2026-01-02"), "a day counts to its end").toHaveLength(12);
  expect(await digests(`sender=${SENDER}&outcome=executed`)).toEqual(["d18", "d12", "d6", "d0"]);
  expect(await digests(`state=dead&keyId=${KEY}`)).toHaveLength(16);
  expect(await digests("state=complete&outcome=executed")).toHaveLength(8);
  expect(await digests(`keyId=key_${"9".repeat(20)}`)).toEqual([]);
  expect(await digests("outcome=aborted")).toEqual(["d18", "d12", "d6", "d0"]);
  expect(await digests("target=0x2::coin::t4&state=dead")).toEqual(["d19", "d14", "d4"]);
  expect(await digests("target=0x2::coin")).toHaveLength(24);
  expect(await digests("target=0x3")).toEqual([]);

  const found: unknown[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: z.infer<typeof pageSchema> = await pageOf(
      `${path}?state=complete&limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`,
    );
    found.push(...page.items.map(({ digest }) => digest));
    cursor = page.nextCursor;
  }
  expect(found).toEqual(["d21", "d18", "d15", "d12", "d9", "d6", "d3", "d0"]);
});

test("the ledger is filtered by time, key, kind and reference", async () => {
  const fund = await newFund();
  await onDisk(fund, (store) =>
    store.transact(() => {
      const unchanged = { balanceAtoms: 0n, addressBalanceAtoms: 0n, inFlightAtoms: 0n, accruedFeesAtoms: 0n };
      for (let hour = 0; hour < 6; hour++)
        store.addLedger({
          ...unchanged,
          atMs: BEGIN_MS + hour * HOUR_MS,
          kind: hour % 2 === 0 ? "deposit" : "charge",
          reference: `r${hour}`,
          keyId: hour % 2 === 0 ? null : KEY,
        });
    }),
  );
  const references = async (query: string) =>
    (await pageOf(`/funds/${fund.id}/ledger?${query}`)).items.map(({ reference }) => reference);
  expect(await references("kind=deposit")).toEqual(["r4", "r2", "r0"]);
  expect(await references(`keyId=${KEY}&to=2026-01-01T15:00:00Z`)).toEqual(["r1"]);
  expect(await references("reference=r5")).toEqual(["r5"]);
});

async function sumOf(path: string): Promise<unknown> {
  const response = await get(path);
  expect(response.status, path).toBe(200);
  return response.json();
}

test("sponsorships are added up in all and by state, and only a completed one has earned its fee", async () => {
  const { id } = await fundOfHours();
  const path = `/funds/${id}/sponsorships/sum`;
  const amounts = (count: number, fees: number) => ({
    count,
    amounts: {
      gasBudget: String(1_000 * count),
      charged: String(700 * count),
      rebate: String(100 * count),
      maintenance: "0",
      fees: String(fees),
      total: String(700 * count + fees),
    },
  });
  const groups = [
    { name: "dead", ...amounts(16, 0) },
    { name: "complete", ...amounts(8, 8) },
  ];
  expect(await sumOf(path)).toEqual({ ...amounts(24, 8), groups, nextCursor: null });
  expect(await sumOf(`${path}?sender=${SENDER}&outcome=executed`)).toMatchObject(amounts(4, 4));
  const none = { count: 0, amounts: {}, groups: [], nextCursor: null };
  expect(await sumOf(`${path}?keyId=key_${"9".repeat(20)}`)).toEqual(none);
  expect(await errorsOf(`${path}?limit=5`)).toMatchObject([{ path: "limit" }]);
  const { nextCursor } = await pageOf(`/funds/${id}/sponsorships?limit=20&state=dead`);
  expect(nextCursor).toBeNull();
  const cursor = (await pageOf(`/funds/${id}/sponsorships?limit=10&state=dead`)).nextCursor;
  expect(await sumOf(`${path}?state=dead&cursor=${cursor}`), "the rest of a list").toMatchObject(amounts(6, 0));
  expect(await errorsOf(`${path}?cursor=${cursor}`)).toMatchObject([{ path: "cursor" }]);
});

test("the ledger is added up by kind", async () => {
  const fund = await newFund();
  await onDisk(fund, (store) =>
    store.transact(() => {
      const entry = { atMs: BEGIN_MS, reference: "r", keyId: null, addressBalanceAtoms: 0n, accruedFeesAtoms: 0n };
      store.addLedger({ ...entry, kind: "deposit", balanceAtoms: 9_007_199_254_740_993n, inFlightAtoms: 0n });
      store.addLedger({ ...entry, kind: "charge", balanceAtoms: -5n, inFlightAtoms: -7n });
      store.addLedger({ ...entry, kind: "charge", balanceAtoms: 1n, inFlightAtoms: -7n });
    }),
  );
  const rest = { addressBalance: "0", accruedFees: "0" };
  const groups = [
    { name: "charge", count: 2, amounts: { balance: "-4", inFlight: "-14", ...rest } },
    { name: "deposit", count: 1, amounts: { balance: "9007199254740993", inFlight: "0", ...rest } },
  ];
  expect(await sumOf(`/funds/${fund.id}/ledger/sum`)).toMatchObject({ count: 3, groups, nextCursor: null });
  expect(await sumOf(`/funds/${fund.id}/ledger/sum?kind=charge`)).toMatchObject({ groups: groups.slice(0, 1) });
});

test("a fund of an earlier build, which ignores sums, targets and outcomes, is answered with 503, and an unknown one with 404", async () => {
  const { id } = await fundOfHours();
  const old: Env = {
    ...bindings,
    FUND: {
      getByName: (name) => {
        const real = bindings.FUND.getByName(name);
        const page = async ({ wantsSums: _, ...asked }: Parameters<typeof real.sponsorships>[0]) => {
          const { isWholeFilter: __, ...answered } = (await real.sponsorships(asked)) ?? {
            items: [],
            nextCursor: null,
          };
          return answered;
        };
        return { ...real, sponsorships: page };
      },
    },
  };
  const statusOf = async (path: string) =>
    (await adminApp.request(`/funds/${id}/sponsorships${path}`, { headers: { authorization } }, old)).status;
  expect(await statusOf("/sum")).toBe(503);
  expect(await statusOf("?outcome=aborted")).toBe(503);
  expect(await statusOf("?target=0x2")).toBe(503);
  expect(await statusOf("?outcome=executed")).toBe(200);
  expect((await get(`/funds/fund_${"0".repeat(20)}/ledger/sum`)).status).toBe(404);
});

test("an unknown or senseless filter, and the cursor of another filter, are refused by their name", async () => {
  const { id } = await fundOfHours();
  const path = `/funds/${id}/sponsorships`;
  for (const [query, field, message] of [
    ["status=dead", "status", /not a field/],
    ["state=lost", "state", /./],
    ["sender=0x1", "sender", /whole address/],
    ["keyId=key_1", "keyId", /./],
    ["from=yesterday", "from", /day or a time in UTC/],
    ["from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z", "from", /before to/],
    ["from=2026-01-03&to=2026-01-02", "from", /before to/],
    ["state=signed&outcome=executed", "outcome", /never that of the state signed/],
    ["state=dead&outcome=aborted", "outcome", /never that of the state dead/],
    ["target=coin::zero", "target", /package::module::function/],
  ] as const) {
    const [error] = await errorsOf(`${path}?${query}`);
    expect(error, query).toMatchObject({ path: field, message: expect.stringMatching(message) });
  }
  const plain = (await pageOf(`${path}?limit=2`)).nextCursor;
  const dead = (await pageOf(`${path}?limit=2&state=dead`)).nextCursor;
  expect(plain).toMatch(/^[0-9]+$/);
  const refused = [{ path: "cursor", message: "belongs to another filter: begin the list anew" }];
  expect(await errorsOf(`${path}?cursor=${plain}&state=dead`)).toEqual(refused);
  expect(await errorsOf(`${path}?cursor=${dead}`)).toEqual(refused);
  expect(await errorsOf(`${path}?cursor=${dead}&state=complete`)).toEqual(refused);
  expect((await get(`${path}?cursor=${dead}&state=dead`)).status).toBe(200);
});

test("a page that an object of an earlier build did not filter is refused, and never shown", () => {
  const page = { items: ["any"], nextCursor: null };
  expect(filteredAnswer(page, { keyId: KEY })).toMatchObject({ ok: false, error: { status: 503 } });
  expect(filteredAnswer(page, null)).toEqual({ ok: true, value: page });
  expect(filteredAnswer({ ...page, isFiltered: true }, { keyId: KEY })).toEqual({ ok: true, value: page });
});

test("the coins of a fund are listed by state and tier, and an Aptos fund has none", async () => {
  const fund = await newFundOfCoins(3);
  const path = `/funds/${fund.id}/coins`;
  const coins = await coinsOf(fund);
  const page = await pageOf(`${path}?limit=2&state=free`);
  expect(page.items).toHaveLength(2);
  const last = await pageOf(`${path}?limit=2&state=free&cursor=${page.nextCursor}`);
  expect([...page.items, ...last.items]).toEqual(
    coins.map(({ objectId, version, balanceMist }) => ({
      objectId,
      version: String(version),
      balance: String(balanceMist),
      state: "free",
      tier: "10000000",
      heldBy: null,
    })),
  );
  expect((await pageOf(`${path}?tier=source`)).items).toEqual([]);
  expect(await errorsOf(`${path}?cursor=${page.nextCursor}`)).toMatchObject([{ path: "cursor" }]);
  expect(await errorsOf(`${path}?tier=large`)).toMatchObject([{ path: "tier" }]);
  const aptos = await newFundWith({ network: "APTOS_LOCALNET", mode: "fungible_store" });
  expect((await get(`/funds/${aptos.id}/coins`)).status).toBe(422);
});

test("wallets, audit rows, deliveries, webhooks, keys, funds and projects are filtered, too", async () => {
  const made = async (path: string, body: object) => {
    const headers = { authorization, "content-type": "application/json" };
    const response = await adminApp.request(path, { method: "POST", headers, body: JSON.stringify(body) }, env);
    expect(response.status, path).toBe(201);
    return z.object({ id: z.string() }).parse(await response.json()).id;
  };
  const project = await made("/projects", { name: "listed" });
  const fund = await made(`/projects/${project}/funds`, { name: "f", network: "SUI_LOCALNET" });
  const aptos = await made(`/projects/${project}/funds`, { name: "a", network: "APTOS_LOCALNET" });
  const gas = { name: "g", network: "SUI_LOCALNET", rights: ["gas"], fundId: fund };
  const key = await made(`/projects/${project}/keys`, gas);
  const other = await made(`/projects/${project}/keys`, { name: "w", network: "SUI_TESTNET", rights: ["wallet"] });
  const webhook = await made(`/projects/${project}/webhooks`, {
    url: "https://hooks.example.com/",
    events: ["fund.deposit"],
  });
  const chainOf = (index: number) => (index % 2 === 0 ? "sui" : "aptos");
  await runInDurableObject(env.PROJECT.getByName(project), (_, { storage: { sql } }) => {
    for (let index = 1; index <= 6; index++) {
      // A wallet that was admitted again has a later time than those after it.
      sql.exec(
        "INSERT INTO wallet (name, chain, wallet_id, month, admitted_at_ms, address) VALUES (?, ?, ?, 1, ?, ?)",
        walletName({ projectId: project, chain: chainOf(index), walletId: `w${index}` }),
        chainOf(index),
        `w${index}`,
        BEGIN_MS + (index === 1 ? 240 : index) * HOUR_MS,
        index === 6 ? null : `0x${String(index).padStart(64, "0")}`,
      );
      sql.exec(
        "INSERT INTO delivery (webhook_id, event_id, type, state, body, created_at_ms) VALUES (?, ?, ?, ?, '', ?)",
        index === 6 ? "whk_other" : webhook,
        `e${index}`,
        "fund.deposit",
        index % 2 === 0 ? "failed" : "delivered",
        BEGIN_MS + index * HOUR_MS,
      );
    }
  });
  const list = async (path: string, field: string) => {
    const { items, nextCursor } = await pageOf(path);
    expect(nextCursor, path).toBeNull();
    return items.map((item) => item[field]);
  };
  const of = `/projects/${project}`;
  expect(await list(`${of}/wallets?chain=sui`, "walletId")).toEqual(["w2", "w4"]);
  expect(await list(`${of}/wallets?from=2026-01-05`, "walletId")).toEqual(["w1"]);
  expect(await list(`${of}/wallets?address=0x${"5".padStart(64, "0")}`, "walletId")).toEqual(["w5"]);
  expect(await list(`${of}/wallets?walletId=w4`, "walletId")).toEqual(["w4"]);
  expect(await list(`${of}/wallets?walletId=w4&chain=aptos`, "walletId")).toEqual([]);
  expect(await list(`${of}/wallets?walletId=w1&to=2026-01-05`, "walletId")).toEqual([]);
  // The creation of this one is not confirmed.
  expect(await list(`${of}/wallets?walletId=w6`, "walletId")).toEqual([]);
  const deliveries = `${of}/webhooks/${webhook}/deliveries`;
  expect(await list(`${deliveries}?state=failed`, "eventId")).toEqual(["e4", "e2"]);
  expect(await list(`${deliveries}?type=fund.low_balance`, "eventId")).toEqual([]);
  expect(await list(`${deliveries}?to=2026-01-01T15:00:00Z&state=delivered`, "eventId")).toEqual(["e1"]);
  expect(await list(`${of}/audit?action=key.create`, "target")).toEqual([other, key]);
  expect(await list(`${of}/audit?target=${fund}`, "action")).toEqual(["fund.create"]);
  expect(await list(`${of}/audit?to=2020-01-01`, "action")).toEqual([]);
  expect(await list(`${of}/audit?actor=nobody`, "action")).toEqual([]);
  expect(await list(`${of}/audit?actor=ADMIN_TOKEN&action=project.create`, "target")).toEqual([project]);
  expect(await list("/audit?actor=nobody", "action")).toEqual([]);
  expect(await list(`${of}/webhooks?event=fund.deposit&enabled=true`, "id")).toEqual([webhook]);
  expect(await list(`${of}/webhooks?enabled=false`, "id")).toEqual([]);
  expect(await list(`${of}/keys?network=SUI_TESTNET`, "id")).toEqual([other]);
  expect(await list(`${of}/keys?fundId=${fund}&status=active`, "id")).toEqual([key]);
  expect(await list(`${of}/funds?network=APTOS_LOCALNET&paused=false`, "id")).toEqual([aptos]);
  expect(await list("/projects?to=2020-01-01", "id")).toEqual([]);
  for (const [path, field] of [
    [`${of}/wallets?sender=${SENDER}`, "sender"],
    [`${of}/audit?action=%20`, "action"],
    [`${deliveries}?state=lost`, "state"],
    [`${of}/keys?network=MOON`, "network"],
    ["/projects?from=2026-01-02&to=2026-01-01", "from"],
  ])
    expect(await errorsOf(path ?? ""), path).toMatchObject([{ path: field }]);
});
