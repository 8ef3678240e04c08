import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { parseAccessKey } from "../../../shared/access/key-format.ts";
import { admin, call, newProject, refusal, SECRET } from "../../support/wallets.ts";

const keySchema = z.object({ id: z.string(), key: z.string(), limits: z.looseObject({}) });

async function newKey(secretDerivation: string, limits?: object) {
  const projectId = await newProject({ secretDerivation });
  const fields = { name: "app", network: "SUI_TESTNET", rights: ["wallet"], ...(limits && { limits }) };
  return keySchema.parse(await admin("POST", `/projects/${projectId}/keys`, fields));
}

test.each([
  ["hkdf", 100],
  ["scrypt", 1],
])(
  "a key of a project with %s opens %d sessions a second unless it is told otherwise",
  async (derivation, expected) => {
    const { id, limits } = await newKey(derivation);
    expect(limits).toEqual({ qps: 100, cups: 1000, sessionsPerSecond: expected });
    expect((await newKey(derivation, { qps: 2, cups: 3 })).limits.sessionsPerSecond).toBe(expected);
    expect((await newKey(derivation, { qps: 2, cups: 3, sessionsPerSecond: 7 })).limits.sessionsPerSecond).toBe(7);
    await admin("PATCH", `/keys/${id}`, { limits: { qps: 2, cups: 3, sessionsPerSecond: 8 } });
    expect(await admin("PATCH", `/keys/${id}`, { limits: { qps: 5, cups: 6 } })).toMatchObject({
      limits: { qps: 5, cups: 6, sessionsPerSecond: 8 },
    });
    await evictDurableObject(env.ACCESS_KEY.getByName(id));
    expect(await admin("GET", `/keys/${id}`)).toMatchObject({ limits: { sessionsPerSecond: 8 } });
  },
);

test("a key from before there was this limit gets that of its project", async () => {
  const { key } = await newKey("hkdf");
  const object = env.ACCESS_KEY.getByName(parseAccessKey(key)?.keyId ?? "");
  await runInDurableObject(object, (_, { storage }) => {
    storage.sql.exec("UPDATE access_key SET sessions_per_second = NULL");
  });
  await evictDurableObject(object);
  const open = () => call(key, "svc_key_createSession", [SECRET]);
  const answers = await Promise.all(Array.from({ length: 30 }, open));
  expect(answers.filter((answer) => typeof answer !== "string")).toEqual([]);
});

test("a caller over the limit is told which one it is, and a time at which it holds", async () => {
  const { key } = await newKey("scrypt");
  const answers = [];
  // Refused before anything is derived.
  for (let times = 0; times < 6; times += 1) answers.push(await call(key, "svc_key_createSession", [""]));
  expect(answers[5]).toMatchObject(refusal(-32010, "rate_limited", { limit: "derivation" }));
});
