import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { GrpcTypes } from "@mysten/sui/grpc";
import { beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import { MAX_OUTBOX_EVENTS } from "../../shared/durable/outbox.ts";
import { walletName } from "../../shared/wallet/context.ts";
import { alteration, alterReplies, asChain } from "../byzantine-node/altered-sui-node.ts";
import { DRY_RUN, give } from "../support/sui-chain.ts";
import {
  alarm,
  BUDGET_MIST,
  crash,
  executeOnChain,
  HOUR_MS,
  liveFor,
  MINUTE_MS,
  newFundWith,
  pass,
  platformStub,
  refusalOf,
  SECOND_MS,
  sponsor,
  stub,
  type TestFund,
  until,
  withOurTime,
} from "../support/sui-fund.ts";
import { admin, call, newKey, newSession, OTHER_SECRET } from "../support/wallets.ts";
import { accept, status } from "../support/webhook-receivers.ts";
import {
  auditActions,
  bindings,
  deliveriesOf,
  newProject,
  newWebhook,
  runAlarm,
  type TestWebhook,
  useReceivers,
} from "../support/webhooks.ts";

const URL = "https://hooks.example.com/";
const LOW_MIST = 100_000_000n;
/** Stays in the address balance, and is not available. */
const RESERVE_MIST = 10_000_000n;
const SUI_MIST = 1_000_000_000n;

const receivers = useReceivers();

beforeEach(() => {
  receivers().at("hooks.example.com", accept);
});

/** A fund that its project lists, with a deposit in it; both as of before anybody listens. */
async function newListedFund(
  availableMist: bigint,
  lowBalanceAtoms: bigint | null = null,
): Promise<[string, TestFund]> {
  const projectId = await newProject();
  const fund = await newFundWith({ projectId, mode: "address_balance", lowBalanceAtoms });
  const entry = { action: "test", target: fund.id, detailJson: "{}" };
  await bindings.PROJECT.getByName(projectId).addResource(
    { kind: "fund", id: fund.id, network: "SUI_LOCALNET" },
    entry,
  );
  await deposit(fund, RESERVE_MIST + availableMist);
  return [projectId, fund];
}

async function deposit(fund: TestFund, amountMist: bigint): Promise<void> {
  await give(fund.address, amountMist, "address_balance");
  await stub(fund).refresh();
}

const bodySchema = z.object({ type: z.string(), data: z.unknown() });

/** What the project has taken in for a webhook, oldest first. */
function taken({ projectId, id }: TestWebhook): Promise<readonly z.output<typeof bodySchema>[]> {
  return runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) =>
    storage.sql
      .exec<{ body: string }>("SELECT body FROM delivery WHERE webhook_id = ? ORDER BY seq", id)
      .toArray()
      .map(({ body }) => bodySchema.parse(JSON.parse(body))),
  );
}

function outboxOf(fund: TestFund): Promise<number> {
  return runInDurableObject(platformStub(fund), (_, { storage }) =>
    Number(storage.sql.exec("SELECT COUNT(*) AS count FROM outbox").one().count),
  );
}

/** Lets the fund hand over what it has raised. */
async function handOver(fund: TestFund): Promise<void> {
  await liveFor(fund, SECOND_MS);
}

/** Five minutes pass, and the fund does what is due. */
async function liveOn(fund: TestFund): Promise<void> {
  pass(5 * MINUTE_MS);
  await alarm(fund);
}

test.each([
  ["by the cron", (fund: TestFund) => stub(fund).check()],
  ["by the fund's own alarm, where there are no crons", liveOn],
])("a balance that crosses its threshold is one event, and one when it has recovered: seen %s", async (_, look) => {
  const [projectId, fund] = await newListedFund(LOW_MIST, LOW_MIST);
  const webhook = await newWebhook(projectId, URL, ["fund.low_balance", "fund.balance_recovered"]);
  const check = () => look(fund);
  await check();
  await sponsor(fund, "in flight");
  for (let times = 0; times < 3; times++) await check();
  await deposit(fund, BUDGET_MIST + LOW_MIST / 10n);
  for (let times = 0; times < 3; times++) await check();
  await handOver(fund);
  const common = { fundId: fund.id, network: "SUI_LOCALNET", lowBalance: `${LOW_MIST}` };
  expect(await taken(webhook)).toEqual([
    { type: "fund.low_balance", data: { ...common, available: `${LOW_MIST - BUDGET_MIST}` } },
    { type: "fund.balance_recovered", data: { ...common, available: `${LOW_MIST + LOW_MIST / 10n}` } },
  ]);
  await runAlarm(projectId);
  await until(async () => (await deliveriesOf(webhook)).every(({ state }) => state === "delivered"));
  expect(receivers().received).toHaveLength(2);
});

test("a deposit, a sponsorship that was executed and one that was not are events; nothing else of them is", async () => {
  const [projectId, fund] = await newListedFund(SUI_MIST);
  const types = ["fund.deposit", "sponsorship.completed", "sponsorship.expired"];
  const webhook = await newWebhook(projectId, URL, types);
  await deposit(fund, 7n);
  const executed = await sponsor(fund, "executed");
  const abandoned = await sponsor(fund, "abandoned");
  await executeOnChain(executed);
  pass(HOUR_MS);
  await liveFor(fund, MINUTE_MS);
  // Those that fall due together are told in no particular order.
  const events = (await taken(webhook)).toSorted((a, b) => (a.type < b.type ? -1 : 1));
  const common = { fundId: fund.id, network: "SUI_LOCALNET" };
  expect(events).toMatchObject([
    { type: "fund.deposit", data: { ...common, amount: "7", balance: `${RESERVE_MIST + SUI_MIST + 7n}` } },
    { type: "sponsorship.completed", data: { ...common, digest: executed.digest, fee: "0" } },
    { type: "sponsorship.expired", data: { ...common, digest: abandoned.digest } },
  ]);
});

test("money that cannot be converted is one event, however often it is tried", async () => {
  const [projectId, fund] = await newListedFund(SUI_MIST);
  const webhook = await newWebhook(projectId, URL, ["fund.conversion_refused"]);
  const refusal = alteration(DRY_RUN, GrpcTypes.SimulateTransactionResponse, ({ transaction }) => {
    const status = transaction?.effects?.status;
    if (status === undefined) return;
    status.success = false;
    status.error = GrpcTypes.ExecutionError.create({ description: "no rule allows it" });
  });
  alterReplies(withOurTime, refusal);
  await give(fund.address, SUI_MIST);
  for (let times = 0; times < 5; times++) await stub(fund).refresh();
  await handOver(fund);
  const data = {
    fundId: fund.id,
    network: "SUI_LOCALNET",
    unconverted: `${SUI_MIST}`,
    cause: "the treasury transaction would fail: no rule allows it",
  };
  expect(await taken(webhook)).toEqual([{ type: "fund.conversion_refused", data }]);
});

test("where nobody listens a fund raises nothing, and from the moment in which somebody does it raises everything", async () => {
  const [projectId, fund] = await newListedFund(SUI_MIST);
  await deposit(fund, 1n);
  const webhook = await newWebhook(projectId, URL, ["fund.deposit"]);
  await deposit(fund, 2n);
  await admin("PATCH", webhook.path, { enabled: false });
  await deposit(fund, 3n);
  await admin("PATCH", webhook.path, { enabled: true });
  await deposit(fund, 4n);
  await admin("PATCH", webhook.path, { events: ["sponsorship.completed"] });
  await deposit(fund, 5n);
  expect(await outboxOf(fund)).toBe(2);
  await handOver(fund);
  expect(await taken(webhook), "and it is not asked for any more").toEqual([]);
});

test("an endpoint that its receiver has disabled is not raised for any more", async () => {
  const [projectId, fund] = await newListedFund(SUI_MIST);
  receivers().at("hooks.example.com", status(410));
  const webhook = await newWebhook(projectId, URL, ["fund.deposit"]);
  await deposit(fund, 1n);
  await handOver(fund);
  await runAlarm(projectId);
  await until(async () => (await deliveriesOf(webhook))[0]?.lastStatus === 410);
  await runAlarm(projectId);
  await deposit(fund, 2n);
  expect(await outboxOf(fund)).toBe(0);
});

test("a fund that could not hear who listens is told by the project's alarm", async () => {
  const [projectId, fund] = await newListedFund(SUI_MIST);
  const learn = vi.spyOn(
    Object.getPrototypeOf(await runInDurableObject(platformStub(fund), (object) => object)),
    "setSubscribedEvents",
  );
  learn.mockRejectedValueOnce(new Error("this object is busy"));
  await newWebhook(projectId, URL, ["fund.deposit"]);
  await deposit(fund, 1n);
  expect(await outboxOf(fund)).toBe(0);
  pass(MINUTE_MS);
  await runAlarm(projectId);
  await deposit(fund, 2n);
  expect(await outboxOf(fund)).toBe(1);
});

test("an event survives a crash before its hand-over, and a hand-over whose answer is lost makes no second delivery", async () => {
  const [projectId, fund] = await newListedFund(SUI_MIST);
  const webhook = await newWebhook(projectId, URL, ["fund.deposit"]);
  await deposit(fund, 1n);
  await crash();
  expect(await outboxOf(fund)).toBe(1);
  // What the project has committed, the fund never hears of.
  const rows = await runInDurableObject(platformStub(fund), (_, { storage }) =>
    storage.sql.exec("SELECT * FROM outbox").toArray(),
  );
  const events = z
    .array(
      z.object({ seq: z.int(), id: z.string(), type: z.literal("fund.deposit"), at_ms: z.int(), body: z.string() }),
    )
    .parse(rows)
    .map(({ at_ms: atMs, ...event }) => ({ ...event, atMs }));
  for (let times = 0; times < 2; times++)
    await bindings.PROJECT.getByName(projectId).takeEvents({ source: fund.id, events, dropped: 0 });
  await handOver(fund);
  expect(await outboxOf(fund)).toBe(0);
  expect(await taken(webhook)).toMatchObject([{ type: "fund.deposit", data: { amount: "1" } }]);
  await deposit(fund, 2n);
  await handOver(fund);
  expect(await taken(webhook)).toMatchObject([{ data: { amount: "1" } }, { data: { amount: "2" } }]);
});

test("while the project does not take events, new ones do not have a fund ask it any sooner", async () => {
  const [projectId, fund] = await newListedFund(SUI_MIST);
  const webhook = await newWebhook(projectId, URL, ["fund.deposit"]);
  const project = await runInDurableObject(env.PROJECT.getByName(projectId), (object) => object);
  const take = vi.spyOn(Object.getPrototypeOf(project), "takeEvents").mockRejectedValue(new Error("busy"));
  await deposit(fund, 1n);
  for (let times = 0; times < 4; times++) {
    await liveFor(fund, 10 * SECOND_MS);
    await deposit(fund, 1n);
  }
  expect(take.mock.calls.length, "after half a second, and 15 seconds more").toBe(2);
  take.mockRestore();
  await liveFor(fund, MINUTE_MS);
  expect(await taken(webhook)).toHaveLength(5);
});

test("how many events a source has lost is told once, also where a hand-over is repeated", async () => {
  const projectId = await newProject();
  await newWebhook(projectId, URL, ["fund.deposit"]);
  const event = (seq: number) => ({ seq, id: `evt_${seq}`, type: "fund.deposit", atMs: 0, body: "{}" }) as const;
  const project = bindings.PROJECT.getByName(projectId);
  const lost = async () =>
    z
      .object({ items: z.array(z.object({ action: z.string(), detail: z.unknown() })) })
      .parse(await admin("GET", `/projects/${projectId}/audit`))
      .items.filter(({ action }) => action === "events.dropped")
      .map(({ detail }) => detail)
      .toReversed();
  await project.takeEvents({ source: "a fund", events: [event(1)], dropped: 3 });
  // The answer was lost, and more was dropped until the repeat.
  await project.takeEvents({ source: "a fund", events: [event(1)], dropped: 5 });
  await project.takeEvents({ source: "a fund", events: [event(2)], dropped: 5 });
  expect(await lost()).toEqual([{ events: 3 }, { events: 2 }]);
});

test("a fund keeps so many events and no more while its project does not take them, and says how many it has lost", async () => {
  const [projectId, fund] = await newListedFund(SUI_MIST);
  const webhook = await newWebhook(projectId, URL, ["fund.deposit"]);
  await runInDurableObject(platformStub(fund), (_, { storage }) => {
    for (const seq of [1, MAX_OUTBOX_EVENTS])
      storage.sql.exec(
        'INSERT INTO outbox VALUES (?, ?, \'fund.deposit\', 0, \'{"type":"fund.deposit","data":{}}\')',
        seq,
        `evt_${seq}`,
      );
  });
  for (let times = 0; times < 3; times++) await deposit(fund, 1n);
  expect(await outboxOf(fund)).toBe(2);
  await handOver(fund);
  expect(await taken(webhook)).toHaveLength(2);
  const { items } = z
    .object({ items: z.array(z.object({ action: z.string(), target: z.string(), detail: z.unknown() })) })
    .parse(await admin("GET", `/projects/${projectId}/audit`));
  expect(items[0]).toEqual({ action: "events.dropped", target: fund.id, detail: { events: 3 } });
  await deposit(fund, 1n);
  await handOver(fund);
  expect(await taken(webhook)).toHaveLength(3);
  expect((await auditActions(projectId)).filter((action) => action === "events.dropped")).toHaveLength(1);
});

test("a wallet that was made is an event, once, and no new wallet in a month without room is one, once", async () => {
  const projectId = await newProject({ walletsPerMonth: 1 });
  const webhook = await newWebhook(projectId, URL, ["wallet.created", "quota.reached"]);
  const key = await newKey(projectId);
  const token = await newSession(key);
  const address = await call(key, "svc_wal_createWallet", ["user-1", token]);
  const ref = { projectId, chain: "sui", walletId: "user-1" } as const;
  const view = await bindings.WALLET.getByName(walletName(ref)).view();
  if (view === null) throw new Error("no wallet");
  await bindings.PROJECT.getByName(projectId).confirmWallet(view);
  for (const walletId of ["user-2", "user-3"]) await call(key, "svc_wal_createWallet", [walletId, token]);
  const month = new Date().toISOString().slice(0, 7);
  expect(await taken(webhook)).toEqual([
    { type: "wallet.created", data: { chain: "sui", walletId: "user-1", address } },
    { type: "quota.reached", data: { walletsPerMonth: 1, month } },
  ]);
});

test("guessing at a wallet's secret is an event: the fifth wrong one in a row", async () => {
  const projectId = await newProject();
  const webhook = await newWebhook(projectId, URL, ["security.secret_mismatch"]);
  const key = await newKey(projectId);
  await call(key, "svc_wal_createWallet", ["user-1", await newSession(key)]);
  const wrong = await newSession(key, OTHER_SECRET);
  for (let times = 0; times < 6; times++) await call(key, "svc_wal_signTransaction", ["user-1", wrong, "AAAA"]);
  const wallet = env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId: "user-1" }));
  pass(SECOND_MS);
  await runDurableObjectAlarm(wallet);
  expect(await taken(webhook)).toEqual([
    {
      type: "security.secret_mismatch",
      data: { chain: "sui", walletId: "user-1", keyId: expect.stringMatching(/^key_/), inARow: 5 },
    },
  ]);
});

test("a wallet whose record is lost is an event, once a day", async () => {
  const projectId = await newProject();
  const webhook = await newWebhook(projectId, URL, ["wallet.missing_record"]);
  const key = await newKey(projectId);
  const address = await call(key, "svc_wal_createWallet", ["user-1", await newSession(key)]);
  const wallet = env.WALLET.getByName(walletName({ projectId, chain: "sui", walletId: "user-1" }));
  await runInDurableObject(wallet, (_, { storage }) => storage.deleteAll());
  await evictDurableObject(wallet);
  const event = { type: "wallet.missing_record", data: { chain: "sui", walletId: "user-1", address } };
  for (let times = 0; times < 2; times++) await call(key, "svc_wal_getWallet", ["user-1"]);
  expect(await taken(webhook)).toEqual([event]);
  pass(24 * HOUR_MS);
  await call(key, "svc_wal_createWallet", ["user-1", await newSession(key)]);
  expect(await taken(webhook)).toEqual([event, event]);
});

test("a master key that was exchanged is an event of every project, once a day", async () => {
  const directory = bindings.DIRECTORY.getByName(DIRECTORY_NAME);
  const projectIds = [await newProject(), await newProject()];
  const hooks: TestWebhook[] = [];
  for (const id of projectIds) hooks.push(await newWebhook(id, URL, ["security.service_secret_mismatch"]));
  const compare = async (value: string) =>
    (await directory.compareSecrets([{ secret: "MASTER_KEYS", version: 9, value }])).wrong;
  expect(await compare("first")).toEqual([]);
  const event = { type: "security.service_secret_mismatch", data: { secret: "MASTER_KEYS", version: 9 } };
  for (let times = 0; times < 2; times++) {
    expect(await compare("another")).toEqual([event.data]);
    for (const hook of hooks) await until(async () => (await taken(hook)).length > 0);
    for (const hook of hooks) expect(await taken(hook)).toEqual([event]);
  }
  expect(await compare("first")).toEqual([]);
});

test("a key that is disabled is an event, and one that is disabled already is none", async () => {
  const projectId = await newProject();
  const webhook = await newWebhook(projectId, URL, ["key.disabled"]);
  const fields = { name: "back end", network: "SUI_TESTNET", rights: ["wallet"] };
  const { id } = z.object({ id: z.string() }).parse(await admin("POST", `/projects/${projectId}/keys`, fields));
  const disable = () => admin("PATCH", `/keys/${id}`, { status: "disabled" });
  await disable();
  await disable();
  pass(SECOND_MS);
  await runDurableObjectAlarm(env.ACCESS_KEY.getByName(id));
  const data = { keyId: id, name: "back end", network: "SUI_TESTNET" };
  expect(await taken(webhook)).toEqual([{ type: "key.disabled", data }]);
  await admin("PATCH", `/keys/${id}`, { status: "active" });
  await admin("POST", `/keys/${id}/revoke`, { outstanding: false });
  pass(SECOND_MS);
  await runDurableObjectAlarm(env.ACCESS_KEY.getByName(id));
  expect(await taken(webhook)).toHaveLength(2);
});

test("a fund whose nodes answer for another chain is paused, and says so once, in its log and as an event", async () => {
  const [projectId, fund] = await newListedFund(SUI_MIST);
  const webhook = await newWebhook(projectId, URL, ["fund.paused"]);
  const log = vi.spyOn(console, "log");
  pass(6 * MINUTE_MS);
  await refusalOf(fund, "a second look at its own chain");
  alterReplies(...asChain("1".repeat(32)));
  pass(6 * MINUTE_MS);
  expect(await refusalOf(fund, "one reply")).toBe("node_unavailable");
  pass(3 * SECOND_MS);
  for (let time = 0; time < 3; time++) {
    expect(await refusalOf(fund, `number ${time}`)).toBe("fund_paused");
    pass(SECOND_MS);
  }
  vi.mocked(globalThis.fetch).mockRestore();
  await liveFor(fund, SECOND_MS);
  expect(await taken(webhook)).toEqual([
    { type: "fund.paused", data: { fundId: fund.id, network: "SUI_LOCALNET", cause: "chain_reset" } },
  ]);
  expect(log.mock.calls.filter(([line]) => String(line).includes("fund.chain_reset"))).toHaveLength(1);
});
