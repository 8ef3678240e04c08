import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, vi } from "vitest";
import * as z from "zod";
import type { Env } from "../../shared/bindings/env.ts";
import { alterReplies } from "../byzantine-node/altered-sui-node.ts";
import { stopClock, until, withOurTime } from "./sui-fund.ts";
import { admin, newProject } from "./wallets.ts";
import { type Received, Receivers } from "./webhook-receivers.ts";

export const bindings: Env = env;
export { newProject };

const madeSchema = z.object({ id: z.string(), secret: z.string() });
const deliveriesSchema = z.object({
  items: z.array(
    z.looseObject({
      eventId: z.string(),
      type: z.string(),
      state: z.string(),
      attempts: z.int(),
      nextAttemptAt: z.string().nullable(),
      lastStatus: z.int().nullable(),
      lastError: z.string().nullable(),
    }),
  ),
});

export interface TestWebhook {
  readonly projectId: string;
  readonly id: string;
  readonly secret: string;
  readonly path: string;
}

/** For every test of a file: receivers of its own, and a clock that stands still, ahead of the platform's alarms. */
export function useReceivers(): () => Receivers {
  let receivers: Receivers | null = null;
  beforeEach(() => {
    stopClock();
    alterReplies(withOurTime);
    receivers = new Receivers();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  return () => {
    if (receivers === null) throw new Error("receivers are for tests");
    return receivers;
  };
}

export async function newWebhook(
  projectId: string,
  url: string,
  events: readonly string[] = ["quota.reached"],
  format?: "chat",
): Promise<TestWebhook> {
  const fields = { url, events, ...(format && { format }) };
  const made = madeSchema.parse(await admin("POST", `/projects/${projectId}/webhooks`, fields));
  return { ...made, projectId, path: `/projects/${projectId}/webhooks/${made.id}` };
}

export async function deliveriesOf({ path }: Pick<TestWebhook, "path">) {
  return deliveriesSchema.parse(await admin("GET", `${path}/deliveries`)).items;
}

/** As their receiver would, with the library; it knows the time by its own clock. Throws for another's signature. */
export function verified({ secret }: Pick<TestWebhook, "secret">, { body, headers }: Received): unknown {
  return new Webhook(secret).verify(body, headers);
}

/** Raises `quota.reached`, which a project tells of itself. */
export async function raise(projectId: string): Promise<void> {
  await admin("PATCH", `/projects/${projectId}`, { walletsPerMonth: 0 });
  await runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) => {
    storage.sql.exec("DELETE FROM quota_told");
  });
  const entry = { name: "a wallet", chain: "sui", walletId: "a wallet" } as const;
  expect(
    await bindings.PROJECT.getByName(projectId).admitWallet(entry, { masterKeyVersion: 1, scope: null, address: null }),
  ).toMatchObject({ ok: false });
}

/** Begins what is due by now; attempts go on by themselves. */
export async function runAlarm(projectId: string): Promise<void> {
  await runDurableObjectAlarm(env.PROJECT.getByName(projectId));
}

/** Begins what is due, and waits until so many attempts at the newest delivery have ended. */
export async function attempt(webhook: TestWebhook, attempts: number): Promise<void> {
  await runAlarm(webhook.projectId);
  await until(async () => (await deliveriesOf(webhook))[0]?.attempts === attempts);
}

/** The state of each delivery, newest first. */
export async function statesOf(webhook: TestWebhook): Promise<readonly string[]> {
  return (await deliveriesOf(webhook)).map(({ state }) => state);
}

export async function auditActions(projectId: string): Promise<readonly string[]> {
  const page = await bindings.PROJECT.getByName(projectId).audit({ limit: 100, cursor: null });
  return page?.items.map(({ action }) => action) ?? [];
}
