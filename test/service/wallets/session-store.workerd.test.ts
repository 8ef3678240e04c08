import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { Project } from "../../../shared/project/object.ts";
import { Session } from "../../../shared/wallet/session/object.ts";
import { apps, call, newKey, newProject, newSession, refusal, requestAt, SECRET } from "../../support/wallets.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

async function callWithoutKv(key: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const down = () => Promise.reject(new Error("KV GET failed: 503 Service Unavailable"));
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  };
  const bindings = { ...env, KV: { get: down, put: down } };
  const response = await requestAt(apps.kv, `/wallet/v1/${key}`, init, bindings);
  return response.json();
}

/** A client takes a bad token for a reason to make another, and an internal error for one to give up. */
test("while KV does not answer, calls with and for a token are to be sent again later", async () => {
  const key = await newKey(await newProject());
  const token = await newSession(key);
  for (const [method, params] of [
    ["svc_key_createSession", [SECRET]],
    ["svc_wal_createWallet", ["user-1", token]],
    ["svc_wal_signTransaction", ["user-1", token, "AAAA"]],
  ] as const)
    expect(await callWithoutKv(key, method, params)).toMatchObject({ error: refusal(-32016, "overloaded") });
});

test("a session that has opened here opens no more without its half in the store", async () => {
  const key = await newKey(await newProject());
  const token = await newSession(key);
  expect(await call(key, "svc_wal_createWallet", ["user-1", token])).toMatch(/^0x/);
  const signed = await callWithoutKv(key, "svc_wal_signTransaction", ["user-1", token, "AAAA"]);
  expect(signed).toMatchObject({ error: refusal(-32016, "overloaded") });
});

test("a session in an object of this isolate opens without a call of the object, and not without its half", async () => {
  const key = await newKey(await newProject());
  const get = vi.spyOn(Session.prototype, "get");
  const token = await newSession(key, SECRET, { store: "object" });
  expect(await call(key, "svc_wal_createWallet", ["user-1", token], { store: "object" })).toMatch(/^0x/);
  expect(get).not.toHaveBeenCalled();
  const elsewhere = await newSession(key, SECRET, { store: "kv" });
  const refused = await call(key, "svc_wal_createWallet", ["user-1", elsewhere], { store: "object" });
  expect(refused).toMatchObject({ data: { details: "Bad session token" } });
  expect(get).toHaveBeenCalledTimes(1);
});

test("once an object in this isolate is awake, it keeps further sessions without a call", async () => {
  const key = await newKey(await newProject());
  const put = vi.spyOn(Session.prototype, "put");
  const shards = 16;
  let token = "";
  for (let session = 0; session <= shards; session += 1) token = await newSession(key, SECRET, { store: "object" });
  expect(put.mock.calls.length).toBeLessThanOrEqual(shards);
  expect(await call(key, "svc_wal_createWallet", ["user-1", token], { store: "object" })).toMatch(/^0x/);
});

test("a project is called once for the terms of its derivation", async () => {
  const key = await newKey(await newProject());
  const terms = vi.spyOn(Project.prototype, "derivationTerms");
  for (let session = 0; session < 3; session += 1) expect(await newSession(key)).toMatch(/^ivs_/);
  expect(terms).toHaveBeenCalledTimes(1);
});
