import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { build } from "../local/build.ts";
import { type AdminAccess, createKey, createProject, rpcCall, rpcResult } from "../local/clients.ts";
import { type ServicePlatform, startService } from "../local/platform.ts";
import { randomSecrets } from "../local/secrets.ts";
import { type SelfHosted, startSelfHosted } from "../local/self-hosted.ts";

/** In real time, because what is proved is what the platforms do while nobody calls: an idle object is ended after 10 s. */
const TOKEN_MS = 600_000;
const SECRET = "correct horse battery staple";
const { FLOWS_CALLER_SECRET: _, ...secrets } = randomSecrets();

const embedded: ServicePlatform[] = [];
let selfHosted: SelfHosted | null = null;
const services: Record<string, AdminAccess> = {};

beforeAll(async () => {
  const service = await build("service");
  for (const SESSION_STORE of ["kv", "object"]) {
    const platform = await startService({ service, serviceVars: { ...secrets, SESSION_STORE } });
    embedded.push(platform);
    services[`embedded, ${SESSION_STORE}`] = { serviceUrl: platform.serviceUrl, adminToken: secrets.ADMIN_TOKEN };
  }
  selfHosted = await startSelfHosted();
  services["self-hosted workerd"] = selfHosted;
});

afterAll(async () => {
  await Promise.all([...embedded, selfHosted].map((running) => running?.stop()));
});

function until(atMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, atMs - Date.now()));
}

test.concurrent.each(["embedded, kv", "embedded, object", "self-hosted workerd"])(
  "a token works at 0 s and, after nothing but silence, at 599 s; not at 600 s: %s",
  { timeout: TOKEN_MS + 30_000 },
  async (name) => {
    const access = services[name];
    if (access === undefined) throw new Error(`${name} does not run`);
    const url = `${access.serviceUrl}/wallet/v1`;
    const project = await createProject(access, "silence");
    const { key } = await createKey(access, project, { name: "app", network: "SUI_TESTNET", rights: ["wallet"] });
    const beforeMs = Date.now();
    const token = await rpcResult(url, key, "svc_key_createSession", [SECRET], z.string());
    const afterMs = Date.now();
    await rpcResult(url, key, "svc_wal_createWallet", ["user-1", token], z.string());
    const sign = async () => (await rpcCall(url, key, "svc_wal_signTransaction", ["user-1", token, "AAAA"])).body;
    const first = await sign();
    expect(first).toMatchObject({ result: expect.any(String) });
    await until(beforeMs + TOKEN_MS - 1_000);
    expect(await sign()).toEqual(first);
    await until(afterMs + TOKEN_MS);
    expect(await sign()).toMatchObject({ error: { code: -32602, data: { details: "Bad session token" } } });
  },
);
