import { createExecutionContext, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, vi } from "vitest";
import * as z from "zod";
import worker from "../../functions/index.ts";
import { walletName } from "../../shared/wallet/context.ts";
import { secretText } from "../../shared/webhooks/sign.ts";
import { FLOWS_SECRET } from "../support/app-secret.ts";
import { giveOctas } from "../support/aptos-chain.ts";
import { setDatabaseSize } from "../support/database-size.ts";
import { longTest, shortTest } from "../support/rounds.ts";
import { clearFaults } from "../support/sui-chain.ts";
import { stopClock } from "../support/sui-fund.ts";
import { admin } from "../support/wallets.ts";
import { deliveriesOf, newProject, newWebhook } from "../support/webhooks.ts";

const secret = secretText(crypto.getRandomValues(new Uint8Array(32)));
const nextSecret = secretText(crypto.getRandomValues(new Uint8Array(32)));
const created = { type: "user.created", data: { id: "user-1", email: "ada@example.com" } };

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await clearFaults();
});

interface App {
  readonly projectId: string;
  readonly vars: Readonly<Record<string, string>>;
}

const VARS = {
  FLOWS_CALLER_SECRET: "a-caller's-secret-of-enough-length",
  FLOWS_SECRET,
  WEBHOOK_SECRETS: `users=${secret} users=${nextSecret} orders=${secret}`,
};

async function newKey(projectId: string, fields: object): Promise<string> {
  const made = await admin("POST", `/projects/${projectId}/keys`, { name: "app", ...fields });
  return z.object({ key: z.string() }).parse(made).key;
}

let app: App;
/** An app with wallets on Sui, where a wallet takes no transaction. */
beforeEach(async () => {
  const projectId = await newProject();
  const key = await newKey(projectId, { network: "SUI_LOCALNET", rights: ["wallet"] });
  app = { projectId, vars: { ...VARS, FLOWS_SUI_KEY: key } };
});

/** An app with wallets on Aptos, each of which takes one transaction. @returns how many there were. */
async function onAptos(): Promise<() => Promise<number>> {
  const projectId = await newProject();
  const network = "APTOS_LOCALNET";
  const funded = z.object({ id: z.string(), depositAddress: z.string() });
  const fund = funded.parse(await admin("POST", `/projects/${projectId}/funds`, { name: "gas", network }));
  await giveOctas(fund.depositAddress, 100_000_000n);
  await admin("POST", `/funds/${fund.id}/refresh`);
  const key = await newKey(projectId, { network, rights: ["wallet", "gas", "node"], fundId: fund.id });
  app = { projectId, vars: { ...VARS, FLOWS_APTOS_KEY: key } };
  const rows = z.object({ items: z.array(z.unknown()) });
  return async () => rows.parse(await admin("GET", `/funds/${fund.id}/sponsorships?limit=100`)).items.length;
}

interface Sent {
  readonly id?: string;
  readonly atMs?: number;
  readonly name?: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
  /** In place of the body that was signed. */
  readonly tampered?: string;
  readonly vars?: Record<string, string>;
}

function signed(body: string, { id = "msg_1", atMs = Date.now(), key = secret }: Sent): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(atMs / 1_000)),
    "webhook-signature": new Webhook(key).sign(id, new Date(atMs), body),
  };
}

/** The whole Worker, with the app's configuration. */
async function ask(
  name: string,
  vars: Readonly<Record<string, string>> = {},
  init: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<Response> {
  const url = `https://app.example.com/webhooks/${name}`;
  return worker.fetch(new Request(url, init), { ...env, ...app.vars, ...vars }, createExecutionContext());
}

async function send(message: unknown, sent: Sent = {}) {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  const response = await ask(sent.name ?? "users", sent.vars, {
    method: "POST",
    headers: { ...signed(body, sent), ...sent.headers },
    body: sent.tampered ?? body,
  });
  return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
}

async function walletIds(): Promise<readonly string[]> {
  const page = z.object({ items: z.array(z.object({ walletId: z.string() })) });
  return page.parse(await admin("GET", `/projects/${app.projectId}/wallets`)).items.map(({ walletId }) => walletId);
}

const started = { status: 200, body: { started: ["create-wallet-on-chain"] } };

shortTest(
  "a user who was created gets a wallet on chain, and repeats, one after another and at once, are one transaction",
  async () => {
    const transactions = await onAptos();
    expect(await send(created)).toEqual(started);
    expect(await send(created), "as it was sent").toEqual(started);
    expect(await send(created, { atMs: Date.now() + 2_000 }), "signed anew").toEqual(started);
    expect(await send(created, { key: nextSecret }), "by the sender's next secret").toEqual(started);
    expect(await transactions()).toBe(1);
    const atOnce = { ...created, data: { id: "user-2" } };
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(atOnce, { id: "msg_2" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await send(atOnce, { id: "msg_2" })).toEqual(started);
    expect(await transactions()).toBe(2);
    expect(await walletIds()).toHaveLength(2);
  },
);

const asSvix = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace("webhook-", "svix-"), value]));

longTest("the older names of the headers are the same, and are never mixed with the newer", async () => {
  const body = JSON.stringify(created);
  const ofSvix = asSvix(signed(body, {}));
  const post = async (headers: Record<string, string>) =>
    (await ask("users", {}, { method: "POST", headers, body })).status;
  expect(await post(ofSvix)).toBe(200);
  expect(await send(created), "a repeat under the newer names").toEqual(started);
  const { "webhook-id": id = "", ...withoutId } = signed(body, { id: "msg_7" });
  const { "svix-id": _, ...svixWithoutId } = asSvix(signed(body, { id: "msg_7" }));
  for (const mixed of [
    { ...withoutId, "svix-id": id },
    { ...svixWithoutId, "webhook-id": id },
  ])
    expect(await post(mixed)).toBe(401);
  const forged = { ...signed(body, { id: "msg_7" }), "webhook-signature": "v1,AAAA" };
  expect(
    await post({ ...forged, ...asSvix(signed(body, { id: "msg_7" })) }),
    "a wrong signature beside a right one",
  ).toBe(401);
});

shortTest("what is not its sender's, or not of now, is refused and starts nothing", async () => {
  const refused = { status: 401, body: { error: { code: "unauthenticated" } } };
  const body = JSON.stringify(created);
  for (const [why, sent] of Object.entries({
    "another body": { tampered: body.replace("user-1", "user-9") },
    "another id": { headers: { "webhook-id": "msg_9" } },
    "another time": { headers: { "webhook-timestamp": String(Math.floor(Date.now() / 1_000) + 60) } },
    "another secret": { key: secretText(crypto.getRandomValues(new Uint8Array(32))) },
    "no signature": { headers: { "webhook-signature": "" } },
    "no id": { headers: { "webhook-id": "" } },
    "no time": { headers: { "webhook-timestamp": "" } },
    "a time that is none": { headers: { "webhook-timestamp": "now" } },
    "six minutes old": { atMs: Date.now() - 360_000 },
    "six minutes ahead": { atMs: Date.now() + 360_000 },
  } satisfies Record<string, Sent>))
    expect(await send(created, sent), why).toMatchObject(refused);
  expect(await walletIds()).toEqual([]);
});

shortTest(
  "a captured message that is replayed later is refused, and one that is replayed at once starts nothing",
  async () => {
    const sent = { headers: signed(JSON.stringify(created), {}) };
    expect(await send(created, sent)).toEqual(started);
    expect(await send(created, sent)).toEqual(started);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 360_000 });
    expect(await send(created, sent)).toMatchObject({ status: 401 });
    expect(await walletIds()).toHaveLength(1);
  },
);

shortTest(
  "an id with another body is 409; a name without a secret or a table is 404; another method is 405",
  async () => {
    expect(await send(created)).toEqual(started);
    const other = { ...created, data: { id: "user-2" } };
    expect(await send(other)).toMatchObject({ status: 409, body: { error: { code: "idempotency_conflict" } } });
    for (const name of ["nothing", "orders", "constructor", "__proto__"])
      expect(await send(created, { name }), name).toMatchObject({ status: 404 });
    expect((await ask("users")).status).toBe(405);
    expect(await walletIds()).toHaveLength(1);
  },
);

shortTest(
  "a body that is not an event is 400, one that is too long 413, and an event that nobody waits for is accepted",
  async () => {
    for (const [id, message] of ["not JSON", "[]", "{}", { type: 7 }, { type: "" }].entries())
      expect(await send(message, { id: `bad_${id}` }), JSON.stringify(message)).toMatchObject({ status: 400 });
    for (const [id, data] of [undefined, null, {}, { id: 7 }, { id: "" }, { id: "with spaces" }].entries())
      expect(await send({ type: "user.created", data }, { id: `data_${id}` })).toMatchObject({ status: 400 });
    expect(await send({ ...created, filler: "x".repeat(70_000) }, { id: "long" })).toMatchObject({ status: 413 });
    for (const type of ["user.deleted", "constructor", "__proto__"])
      expect(await send({ type, data: {} }, { id: type })).toEqual({ status: 200, body: { started: [] } });
    expect(await walletIds()).toEqual([]);
  },
);

longTest("a workflow that fails is started again by its sender's next attempt", async () => {
  const broken = { vars: { FLOWS_SECRET: "" } };
  const failed = { status: 503, body: { error: { code: "not_configured", retryable: true } } };
  expect(await send(created, broken)).toMatchObject(failed);
  expect(await send(created, broken)).toMatchObject(failed);
  expect(await send(created)).toEqual(started);
  expect(await walletIds()).toHaveLength(1);
});

longTest(
  "what a limit of the service's refuses, and the app does not, is started again by its sender's next attempt",
  async () => {
    const transactions = await onAptos();
    const funds = z.object({ items: z.array(z.object({ id: z.string() })).length(1) });
    const { items } = funds.parse(await admin("GET", `/projects/${app.projectId}/funds`));
    const limit = (maxSpendPerDay: string | null) =>
      admin("PATCH", `/funds/${items[0]?.id}`, { policy: { maxSpendPerDay } });
    await limit("1");
    expect(await send(created)).toMatchObject({
      status: 403,
      body: { error: { code: "policy_refused", message: expect.stringContaining("maxSpendPerDay"), retryable: true } },
    });
    await limit(null);
    expect(await send(created)).toEqual(started);
    expect(await transactions()).toBe(1);
  },
);

longTest(
  "a workflow that was cut off is started again once its time is over, and its effect is there once",
  async () => {
    const transactions = await onAptos();
    const begun = await env.WEBHOOK_INBOX.getByName("users").begin({
      id: "msg_1",
      fingerprint: await fingerprintOf(JSON.stringify(created)),
    });
    expect(begun).toEqual({ state: "begun" });
    expect(await send(created)).toMatchObject({
      status: 409,
      body: { error: { code: "in_progress", retryable: true } },
    });
    await runInDurableObject(env.WEBHOOK_INBOX.getByName("users"), (_, { storage }) => {
      storage.sql.exec("UPDATE message SET lease_until_ms = ?", Date.now() - 1);
    });
    expect(await send(created)).toEqual(started);
    expect(await transactions()).toBe(1);
  },
);

longTest("ids are forgotten after four days, and not before", async () => {
  stopClock();
  const inbox = env.WEBHOOK_INBOX.getByName("users");
  const message = { id: "msg_1", fingerprint: "f" };
  await inbox.begin(message);
  await inbox.finish("msg_1", "{}");
  const day = 86_400_000;
  for (const [days, state] of [
    [3.9, "answered"],
    [0.2, "begun"],
  ] as const) {
    vi.setSystemTime(Date.now() + days * day);
    await runDurableObjectAlarm(inbox);
    expect((await inbox.begin(message)).state).toBe(state);
  }
});

longTest(
  "the four days of an id begin with its answer, so that a late attempt is not followed by another effect",
  async () => {
    stopClock();
    const inbox = env.WEBHOOK_INBOX.getByName("users");
    const message = { id: "msg_1", fingerprint: "f" };
    const day = 86_400_000;
    await inbox.begin(message);
    await inbox.release("msg_1");
    vi.setSystemTime(Date.now() + 3 * day);
    expect((await inbox.begin(message)).state).toBe("begun");
    await inbox.finish("msg_1", "{}");
    vi.setSystemTime(Date.now() + 3.9 * day);
    await runDurableObjectAlarm(inbox);
    expect((await inbox.begin(message)).state).toBe("answered");
  },
);

longTest("an account that is made on chain is told once: wallet.created, then wallet.initialized", async () => {
  await onAptos();
  const events = ["wallet.created", "wallet.initialized"];
  const webhook = await newWebhook(app.projectId, "https://hooks.example.com/", events);
  vi.spyOn(console, "log").mockImplementation(() => {});
  expect(await send(created)).toEqual(started);
  const [walletId = ""] = await walletIds();
  const wallet = env.WALLET.getByName(walletName({ projectId: app.projectId, chain: "aptos", walletId }));
  await vi.waitFor(
    async () => {
      await runDurableObjectAlarm(wallet);
      const types = (await deliveriesOf(webhook)).map(({ type }) => type);
      expect(types.toReversed()).toEqual(events);
    },
    { timeout: 30_000, interval: 500 },
  );
  expect(await runDurableObjectAlarm(wallet), "nothing is left to do").toBe(false);
});

async function fingerprintOf(body: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
  return Buffer.from(digest).toString("base64url");
}

longTest(
  "a full inbox refuses new ids for a later try, answers those that it knows, and takes new ones once there is room",
  async () => {
    const refused = { status: 503, body: { error: { code: "storage_budget", retryable: true } } };
    const nothing = { type: "nothing.to.start", data: {} };
    const first = await send(nothing, { id: "known" });
    await setDatabaseSize(env.WEBHOOK_INBOX.getByName("users"), 0.9 * 256 * 1_024 ** 2);
    expect(await send(nothing, { id: "new" })).toMatchObject(refused);
    expect(await send(nothing, { id: "known" })).toEqual(first);
    await setDatabaseSize(env.WEBHOOK_INBOX.getByName("users"), 1);
    expect(await send(nothing, { id: "new" })).toMatchObject({ status: 200 });
  },
);
