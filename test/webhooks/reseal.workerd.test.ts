import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { createDeps, serviceMasterKeys } from "../../shared/bindings/deps.ts";
import { concatBytes, lengthPrefixed } from "../../shared/bytes.ts";
import { masterKeyVersionOf, openBytes, sealBytes } from "../../shared/crypto/sealing.ts";
import { parseSecret, secretText } from "../../shared/webhooks/sign.ts";
import { randomBytes } from "../support/custody.ts";
import { admin } from "../support/wallets.ts";
import { newProject, newWebhook, type TestWebhook } from "../support/webhooks.ts";

const masterKeys = serviceMasterKeys(createDeps(env));
const older = { ...masterKeys, current: 1 };

function contextOf({ projectId, id }: TestWebhook) {
  return { label: "webhook-secret", boundTo: concatBytes(lengthPrefixed(projectId), lengthPrefixed(id)) };
}

const rowSchema = z.object({
  sealed_secret: z.instanceof(ArrayBuffer).transform((bytes) => new Uint8Array(bytes)),
  previous_secret: z
    .instanceof(ArrayBuffer)
    .transform((bytes) => new Uint8Array(bytes))
    .nullable(),
});

function stored({ projectId, id }: TestWebhook) {
  return runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) =>
    rowSchema.parse(storage.sql.exec("SELECT sealed_secret, previous_secret FROM webhook WHERE id = ?", id).one()),
  );
}

/** A webhook with a secret and one before it, both sealed while version 1 was the current one. */
async function oldWebhook(): Promise<TestWebhook & { readonly newSecret: string }> {
  const webhook = await newWebhook(await newProject(), "https://hooks.example.com/");
  const { secret: newSecret } = z
    .object({ secret: z.string() })
    .parse(await admin("POST", `${webhook.path}/rotate-secret`));
  const seal = async (secret: string) =>
    sealBytes(parseSecret(secret) ?? new Uint8Array(), older, contextOf(webhook), randomBytes);
  const [current, previous] = [await seal(newSecret), await seal(webhook.secret)];
  await runInDurableObject(env.PROJECT.getByName(webhook.projectId), (_, { storage }) => {
    storage.sql.exec("UPDATE webhook SET sealed_secret = ?, previous_secret = ?", current, previous);
    storage.sql.exec("UPDATE sealed SET master_key_version = 1");
  });
  return { ...webhook, newSecret };
}

const progress = () => admin("GET", "/master-key");
const idle = {
  current: masterKeys.current,
  remaining: 0,
  failing: 0,
  unopenable: 0,
  wrong: [],
  undecided: [],
  checks: expect.any(Array),
};

test("the secrets of a webhook are re-sealed with everything else, the one before too, and stay what they are", async () => {
  const webhook = await oldWebhook();
  expect(await progress()).toEqual({ ...idle, remaining: 1 });
  await admin("POST", "/master-key/rewrap");
  await vi.waitFor(async () => expect(await progress()).toEqual(idle), 30_000);
  const { sealed_secret: current, previous_secret: previous } = await stored(webhook);
  const { current: version, bytesOf } = masterKeys;
  const newest = { ...masterKeys, bytesOf: async (asked: number) => (asked === version ? bytesOf(asked) : null) };
  const opened = await Promise.all(
    [current, previous].map((sealed) => openBytes(sealed ?? new Uint8Array(), newest, contextOf(webhook))),
  );
  expect(opened.map(secretText)).toEqual([webhook.newSecret, webhook.secret]);
});

test("a rotation while a re-seal is under way loses neither secret, and leaves nothing under the older version", async () => {
  const webhook = await oldWebhook();
  const order = admin("POST", "/master-key/rewrap");
  const rotations = await Promise.all(
    Array.from(
      { length: 3 },
      async () => z.object({ secret: z.string() }).parse(await admin("POST", `${webhook.path}/rotate-secret`)).secret,
    ),
  );
  await order;
  // One that a rotation got ahead of is tried again.
  await admin("POST", "/master-key/rewrap");
  await vi.waitFor(async () => expect(await progress()).toEqual(idle), 30_000);
  const { sealed_secret: current, previous_secret: previous } = await stored(webhook);
  for (const sealed of [current, previous]) {
    expect(masterKeyVersionOf(sealed ?? new Uint8Array())).toBe(masterKeys.current);
    const secret = secretText(await openBytes(sealed ?? new Uint8Array(), masterKeys, contextOf(webhook)));
    expect(rotations).toContain(secret);
  }
});

test("a sealed secret that is moved to another webhook does not open", async () => {
  const [webhook, other] = [await oldWebhook(), await oldWebhook()];
  const { sealed_secret: sealed } = await stored(webhook);
  await expect(openBytes(sealed, masterKeys, contextOf(other))).rejects.toThrow();
});
