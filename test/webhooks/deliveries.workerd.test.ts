import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { sleep } from "../../shared/timing.ts";
import { TIMEOUT_MS } from "../../shared/webhooks/delivery.ts";
import { crash, HOUR_MS, pass, SECOND_MS, until } from "../support/sui-fund.ts";
import { admin } from "../support/wallets.ts";
import { accept, hang, type Receivers, status } from "../support/webhook-receivers.ts";
import {
  attempt,
  auditActions,
  bindings,
  deliveriesOf,
  newProject,
  newWebhook,
  raise,
  runAlarm,
  statesOf,
  useReceivers,
  verified,
} from "../support/webhooks.ts";

const HOST = "hooks.example.com";
const URL = `https://${HOST}/gasworks`;
const OTHER_HOST = "other.example.com";
const OTHER_URL = `https://${OTHER_HOST}/`;

const receivers = useReceivers();

async function newHook(events?: readonly string[]) {
  const projectId = await newProject();
  return newWebhook(projectId, URL, events);
}

/** Attempts time out when the function that this returns is called, and not before. */
function holdTimeOuts(): () => void {
  let isOver = false;
  const { setTimeout, setInterval } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation((handler: () => void, ms?: number) => {
    if (ms !== TIMEOUT_MS) return setTimeout(handler, ms);
    // By a timer of the object's own: a test must not end what belongs to an object.
    const looking = setInterval(() => {
      if (!isOver) return;
      clearInterval(looking);
      handler();
    }, 20);
    return looking;
  });
  return () => {
    isOver = true;
  };
}

test("an event reaches its receiver once, signed so that the library verifies it", async () => {
  vi.useRealTimers();
  receivers().at(HOST, accept);
  const webhook = await newHook();
  await raise(webhook.projectId);
  await until(async () => (await statesOf(webhook))[0] === "delivered");
  const [received, ...more] = receivers().received;
  if (received === undefined) throw new Error("nothing was received");
  expect(more).toEqual([]);
  expect(verified(webhook, received)).toEqual({
    type: "quota.reached",
    timestamp: expect.stringMatching(/Z$/),
    data: { walletsPerMonth: 0, month: expect.stringMatching(/^\d{4}-\d\d$/) },
  });
  expect(received).toMatchObject({ url: URL, redirect: "manual", headers: { "content-type": "application/json" } });
  expect(() => verified(webhook, { ...received, body: `${received.body} ` })).toThrow("No matching signature");
});

test("a chat service gets one sentence as text, retried like every event, and nobody reads its URL again", async () => {
  receivers().at(HOST, status(500));
  const webhook = await newWebhook(await newProject(), `${URL}/T000/B000/a-secret-of-the-hook`, undefined, "chat");
  await raise(webhook.projectId);
  await attempt(webhook, 1);
  receivers().at(HOST, accept);
  pass(6 * SECOND_MS);
  await attempt(webhook, 2);
  await until(async () => (await statesOf(webhook))[0] === "delivered");
  const [first, second] = receivers().received;
  if (first === undefined || second === undefined) throw new Error("nothing was received");
  expect(z.strictObject({ text: z.string() }).parse(JSON.parse(second.body)).text).toMatch(
    /^Gasworks: A new wallet was refused: 0 were made in \d{4}-\d\d\.$/,
  );
  expect(second.body).toBe(first.body);
  expect(verified(webhook, second), "signed like every event").toEqual(JSON.parse(second.body));
  expect(second.url).toBe(`${URL}/T000/B000/a-secret-of-the-hook`);
  const patched = await admin("PATCH", webhook.path, { url: `${URL}/T000/B000/another-secret-of-the-hook` });
  expect(patched).toMatchObject({ url: `https://${HOST}/…`, format: "chat" });
  const shown = [await admin("GET", webhook.path), await admin("GET", `/projects/${webhook.projectId}/audit`)];
  expect(shown[0]).toMatchObject({ url: `https://${HOST}/…`, format: "chat" });
  expect(JSON.stringify(shown)).not.toContain("secret-of-the-hook");
});

test("a receiver that fails is tried ten times over three days, with one id and one body, and then by hand", async () => {
  receivers().at(HOST, status(500));
  const webhook = await newHook();
  await raise(webhook.projectId);
  const startedAtMs = Date.now();
  for (let attempts = 1; attempts <= 10; attempts++) {
    await attempt(webhook, attempts);
    const [delivery] = await deliveriesOf(webhook);
    expect(delivery).toMatchObject({ state: attempts < 10 ? "pending" : "failed", lastStatus: 500 });
    if (delivery?.nextAttemptAt) vi.setSystemTime(Date.parse(delivery.nextAttemptAt));
  }
  expect(Date.now() - startedAtMs).toBeGreaterThan(71 * HOUR_MS);
  const { received } = receivers();
  expect(received).toHaveLength(10);
  expect(new Set(received.map(({ headers, body }) => `${headers["webhook-id"]} ${body}`)).size).toBe(1);
  expect(new Set(received.map(({ headers }) => headers["webhook-timestamp"])).size, "each is signed anew").toBe(10);

  receivers().at(HOST, accept);
  const eventId = received[0]?.headers["webhook-id"];
  expect(await admin("POST", `${webhook.path}/resend`, { eventId })).toMatchObject({ eventId, state: "pending" });
  await attempt(webhook, 1);
  expect(await statesOf(webhook)).toEqual(["delivered"]);
  expect(received.at(-1)?.headers["webhook-id"]).toBe(eventId);
  expect(await auditActions(webhook.projectId)).toContain("webhook.resend");
});

test("one that is sent again while an attempt at it is under way goes by how the later attempt ends", async () => {
  const over: number[] = [];
  const at = (place: number, code: number): Parameters<Receivers["at"]>[1] => {
    return async (...received) => {
      while (!over.includes(place)) await sleep(5);
      return status(code)(...received);
    };
  };
  receivers().at(HOST, at(1, 500));
  const webhook = await newHook();
  await raise(webhook.projectId);
  await runAlarm(webhook.projectId);
  await until(async () => receivers().received.length === 1);
  receivers().at(HOST, at(2, 202));
  pass(SECOND_MS);
  const [delivery] = await deliveriesOf(webhook);
  await admin("POST", `${webhook.path}/resend`, { eventId: delivery?.eventId });
  await runAlarm(webhook.projectId);
  await until(async () => receivers().received.length === 2);
  over.push(1);
  await until(async () => z.object({ failures: z.int() }).parse(await admin("GET", webhook.path)).failures === 1);
  over.push(2);
  await until(async () => (await statesOf(webhook))[0] === "delivered");
  expect(await deliveriesOf(webhook)).toMatchObject([{ attempts: 1, lastStatus: 202 }]);
  pass(HOUR_MS);
  await runAlarm(webhook.projectId);
  expect(receivers().received).toHaveLength(2);
});

test("a redirect is a failure, and is not followed", async () => {
  receivers().at(HOST, status(302, { location: OTHER_URL }));
  receivers().at(OTHER_HOST, accept);
  const webhook = await newHook();
  await raise(webhook.projectId);
  await attempt(webhook, 1);
  expect(await deliveriesOf(webhook)).toMatchObject([{ state: "pending", lastStatus: 302 }]);
  expect(receivers().ofHost(OTHER_HOST)).toEqual([]);
});

test("410 disables the endpoint, which hears no more until it is enabled; what waited is sent then", async () => {
  receivers().at(HOST, status(410));
  const webhook = await newHook();
  await raise(webhook.projectId);
  await attempt(webhook, 1);
  expect(await admin("GET", webhook.path)).toMatchObject({ enabled: false, disabledCause: "gone" });
  expect((await auditActions(webhook.projectId))[0]).toBe("webhook.disabled");
  await raise(webhook.projectId);
  pass(HOUR_MS);
  await runAlarm(webhook.projectId);
  expect(receivers().received).toHaveLength(1);
  expect(await statesOf(webhook), "what happened meanwhile is not kept").toEqual(["pending"]);
  receivers().at(HOST, accept);
  expect(await admin("PATCH", webhook.path, { enabled: true })).toMatchObject({ enabled: true, disabledCause: null });
  await attempt(webhook, 2);
  expect(await statesOf(webhook)).toEqual(["delivered"]);
});

test("a receiver that hangs is given up, keeps nobody else waiting, and its own next events wait for a probe", async () => {
  const timeOut = holdTimeOuts();
  receivers().at(HOST, hang);
  receivers().at(OTHER_HOST, accept);
  const webhook = await newHook();
  const other = await newWebhook(webhook.projectId, OTHER_URL);
  for (let events = 0; events < 8; events++) await raise(webhook.projectId);
  await runAlarm(webhook.projectId);
  await until(async () => (await statesOf(other)).filter((state) => state === "delivered").length === 8);
  expect(
    (await deliveriesOf(webhook)).every(({ attempts }) => attempts === 0),
    "it still hangs",
  ).toBe(true);
  expect(receivers().ofHost(HOST)).toHaveLength(4);
  timeOut();
  await until(async () => (await deliveriesOf(webhook)).filter(({ attempts }) => attempts === 1).length === 8);
  expect(new Set((await deliveriesOf(webhook)).map(({ lastError }) => lastError))).toEqual(
    new Set(["no answer within 15 s"]),
  );
});

test("more than one alarm may send, with the 50 calls of Workers Free, is sent by those that follow", async () => {
  receivers().at(HOST, accept);
  const webhook = await newHook();
  const events = Array.from({ length: 90 }, (_, index) => ({
    seq: index + 1,
    id: `evt_${index.toString(16).padStart(20, "0")}`,
    type: "quota.reached" as const,
    atMs: 0,
    body: "{}",
  }));
  await bindings.PROJECT.getByName(webhook.projectId).takeEvents({ source: "a source", events, dropped: 0 });
  for (const sent of [40, 80, 90]) {
    await runAlarm(webhook.projectId);
    await until(async () => receivers().received.length === sent);
  }
  expect(new Set(receivers().received.map(({ headers }) => headers["webhook-id"])).size).toBe(90);
});

test("a receiver that cannot be reached is tried again, and nothing of the network's own words is shown", async () => {
  receivers().at(HOST, () => Promise.reject(new Error("connect ECONNREFUSED 10.0.0.7:443")));
  const webhook = await newHook();
  await raise(webhook.projectId);
  await attempt(webhook, 1);
  expect(await deliveriesOf(webhook)).toMatchObject([
    { state: "pending", lastStatus: null, lastError: "no connection" },
  ]);
});

test("an answer without end is not read", async () => {
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
    cancel: () => {
      cancelled = true;
    },
  });
  receivers().at(HOST, () => new Response(endless));
  const webhook = await newHook();
  await raise(webhook.projectId);
  await attempt(webhook, 1);
  expect(await statesOf(webhook)).toEqual(["delivered"]);
  expect(cancelled).toBe(true);
});

test("an instance that ends in the middle of an attempt loses nothing: it is made again, under the same id", async () => {
  receivers().at(HOST, () => new Promise(() => {}));
  const webhook = await newHook();
  await raise(webhook.projectId);
  await runAlarm(webhook.projectId);
  await until(async () => receivers().received.length === 1);
  await crash();
  receivers().at(HOST, accept);
  await runAlarm(webhook.projectId);
  expect(receivers().received, "the first attempt may still be under way").toHaveLength(1);
  pass(60 * SECOND_MS);
  await attempt(webhook, 1);
  expect(await statesOf(webhook)).toEqual(["delivered"]);
  const ids = receivers().received.map(({ headers }) => headers["webhook-id"]);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
});

test("a URL is checked on every send: one that has become private is not called", async () => {
  const fetched = vi.mocked(globalThis.fetch);
  const webhook = await newHook();
  await runInDurableObject(env.PROJECT.getByName(webhook.projectId), (_, { storage }) => {
    storage.sql.exec("UPDATE webhook SET url = 'https://127.0.0.1/'");
  });
  fetched.mockClear();
  await raise(webhook.projectId);
  await attempt(webhook, 1);
  expect(await deliveriesOf(webhook)).toMatchObject([
    { state: "pending", lastStatus: null, lastError: "the URL must name a host, not an IP address" },
  ]);
  expect(fetched).not.toHaveBeenCalled();
});

test("a 410 of the URL before does not disable the webhook at its new one", async () => {
  let isOver = false;
  receivers().at(HOST, async (...received) => {
    while (!isOver) await sleep(5);
    return status(410)(...received);
  });
  receivers().at(OTHER_HOST, accept);
  const webhook = await newHook();
  await raise(webhook.projectId);
  await runAlarm(webhook.projectId);
  await until(async () => receivers().received.length === 1);
  await admin("PATCH", webhook.path, { url: OTHER_URL });
  isOver = true;
  await until(async () => (await deliveriesOf(webhook))[0]?.lastStatus === 410);
  expect(await admin("GET", webhook.path)).toMatchObject({ enabled: true, failures: 0 });
  pass(60 * SECOND_MS);
  await attempt(webhook, 2);
  expect(await statesOf(webhook)).toEqual(["delivered"]);
  expect(receivers().ofHost(OTHER_HOST)).toHaveLength(1);
});

test("where the service itself cannot send, it tries again after a minute, however much waits, and counts no attempt", async () => {
  receivers().at(HOST, accept);
  const webhook = await newHook();
  const inStorage = (change: (sql: SqlStorage) => void) =>
    runInDurableObject(env.PROJECT.getByName(webhook.projectId), (_, { storage }) => change(storage.sql));
  // The version of its master key is the second byte: one that is not configured.
  await inStorage((sql) =>
    sql.exec("UPDATE webhook SET sealed_secret = CAST(x'01ff' || substr(sealed_secret, 3) AS BLOB)"),
  );
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const faults = () => log.mock.calls.filter(([line]) => String(line).includes("webhook.attempt_failed")).length;
  for (let events = 0; events < 12; events++) await raise(webhook.projectId);
  await runAlarm(webhook.projectId);
  await until(async () => (await deliveriesOf(webhook)).every(({ nextAttemptAt }) => isLater(nextAttemptAt)));
  expect(faults(), "as many as were under way at once").toBe(4);
  expect((await deliveriesOf(webhook)).every(({ state, attempts }) => state === "pending" && attempts === 0)).toBe(
    true,
  );
  const { secret } = (await admin("POST", `${webhook.path}/rotate-secret`)) as { secret: string };
  await inStorage((sql) => sql.exec("UPDATE webhook SET previous_secret = NULL"));
  pass(60 * SECOND_MS);
  await runAlarm(webhook.projectId);
  await until(async () => (await statesOf(webhook)).every((state) => state === "delivered"));
  for (const received of receivers().received) expect(() => verified({ secret }, received)).not.toThrow();
});

function isLater(at: string | null): boolean {
  return at !== null && Date.parse(at) > Date.now() + SECOND_MS;
}

test("a replaced secret signs beside the new one for a day, and not a moment longer", async () => {
  const ahead = vi.getRealSystemTime;
  receivers().at(HOST, accept);
  const webhook = await newHook();
  const { secret } = (await admin("POST", `${webhook.path}/rotate-secret`)) as { secret: string };
  const send = async (nowMs: number) => {
    vi.setSystemTime(nowMs);
    await raise(webhook.projectId);
    await attempt(webhook, 1);
    const received = receivers().received.at(-1);
    if (received === undefined) throw new Error("nothing was received");
    // The library knows the time by its own clock, which is this one.
    const verifies = (candidate: string) => {
      try {
        verified({ secret: candidate }, received);
        return true;
      } catch {
        return false;
      }
    };
    return { old: verifies(webhook.secret), new: verifies(secret) };
  };
  expect(ahead()).toBeLessThan(Date.now());
  const rotatedAtMs = Date.now();
  expect(await send(rotatedAtMs + 24 * HOUR_MS - SECOND_MS)).toEqual({ old: true, new: true });
  expect(await send(rotatedAtMs + 24 * HOUR_MS)).toEqual({ old: false, new: true });
});

test("a deleted webhook hears nothing more, and its secret and deliveries are gone", async () => {
  receivers().at(HOST, status(500));
  const webhook = await newHook();
  await raise(webhook.projectId);
  await attempt(webhook, 1);
  await admin("DELETE", webhook.path);
  pass(HOUR_MS);
  await runAlarm(webhook.projectId);
  await raise(webhook.projectId);
  expect(receivers().received).toHaveLength(1);
  await runInDurableObject(env.PROJECT.getByName(webhook.projectId), (_, { storage }) => {
    for (const table of ["webhook", "delivery", "sealed"])
      expect(storage.sql.exec(`SELECT * FROM ${table}`).toArray(), table).toEqual([]);
  });
});

test("what waits for a webhook that is disabled is kept for as long as it is, and sent when it is enabled", async () => {
  receivers().at(HOST, status(500));
  const webhook = await newHook();
  await raise(webhook.projectId);
  await attempt(webhook, 1);
  await admin("PATCH", webhook.path, { enabled: false });
  pass(30 * 24 * HOUR_MS);
  await runAlarm(webhook.projectId);
  receivers().at(HOST, accept);
  await admin("PATCH", webhook.path, { enabled: true });
  await attempt(webhook, 2);
  expect(await statesOf(webhook)).toEqual(["delivered"]);
});

test("deliveries that are over are kept for seven days", async () => {
  receivers().at(HOST, accept);
  const webhook = await newHook();
  await raise(webhook.projectId);
  await attempt(webhook, 1);
  pass(6 * 24 * HOUR_MS);
  await raise(webhook.projectId);
  await attempt(webhook, 1);
  pass(2 * 24 * HOUR_MS);
  await runAlarm(webhook.projectId);
  expect(await statesOf(webhook)).toEqual(["delivered"]);
});

describe("how many deliveries wait for an endpoint", () => {
  const stored = (projectId: string, sql: string, ...values: string[]) =>
    runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) =>
      storage.sql.exec(sql, ...values).toArray(),
    );

  test("is known at every step without counting them", async () => {
    receivers().at(HOST, status(500));
    receivers().at(OTHER_HOST, accept);
    const webhook = await newHook();
    const other = await newWebhook(webhook.projectId, OTHER_URL);
    const waiting = async () => {
      const rows = await stored(
        webhook.projectId,
        `SELECT id, waiting, (SELECT COUNT(*) FROM delivery WHERE webhook_id = id AND state = 'pending') AS counted
         FROM webhook ORDER BY seq`,
      );
      for (const row of rows) expect(row.waiting).toBe(row.counted);
      return rows.map((row) => row.waiting);
    };
    await raise(webhook.projectId);
    await raise(webhook.projectId);
    expect(await waiting()).toEqual([2, 2]);
    await attempt(other, 1);
    await until(async () => (await statesOf(other)).every((state) => state === "delivered"));
    expect(await waiting()).toEqual([2, 0]);
    const [first] = await deliveriesOf(other);
    await admin("POST", `${other.path}/resend`, { eventId: first?.eventId });
    expect(await waiting()).toEqual([2, 1]);
    await admin("DELETE", webhook.path);
    expect(await waiting()).toEqual([1]);
  });

  test("bounds what is taken in for it", async () => {
    const webhook = await newHook();
    await stored(webhook.projectId, "UPDATE webhook SET waiting = 100000 WHERE id = ?", webhook.id);
    await raise(webhook.projectId);
    expect(await deliveriesOf(webhook)).toEqual([]);
    expect(await auditActions(webhook.projectId)).toContain("webhook.backlog_full");
    await stored(webhook.projectId, "UPDATE webhook SET waiting = 99999 WHERE id = ?", webhook.id);
    await raise(webhook.projectId);
    expect(await deliveriesOf(webhook)).toHaveLength(1);
  });
});
