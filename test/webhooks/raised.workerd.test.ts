import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import { MAX_OUTBOX_EVENTS } from "../../shared/durable/outbox.ts";
import {
  alarm,
  BUDGET_MIST,
  crash,
  liveFor,
  MINUTE_MS,
  pass,
  platformStub,
  SECOND_MS,
  sponsor,
  type TestFund,
  until,
} from "../support/sui-fund.ts";
import { admin } from "../support/wallets.ts";
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
import { deposit, handOver, newListedFund } from "./causes/cause.ts";

const URL = "https://hooks.example.com/";
const LOW_MIST = 100_000_000n;
const SUI_MIST = 1_000_000_000n;

const receivers = useReceivers();

beforeEach(() => {
  receivers().at("hooks.example.com", accept);
});

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

/** Five minutes pass, and the fund does what is due. */
async function liveOn(fund: TestFund): Promise<void> {
  pass(5 * MINUTE_MS);
  await alarm(fund);
}

test("a balance that crosses its threshold is one event each time, also if only the fund's own alarm looks", async () => {
  const [projectId, fund] = await newListedFund(LOW_MIST, LOW_MIST);
  const webhook = await newWebhook(projectId, URL, ["fund.low_balance", "fund.balance_recovered"]);
  const check = () => liveOn(fund);
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
