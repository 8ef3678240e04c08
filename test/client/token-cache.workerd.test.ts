import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Chain } from "../../shared/networks.ts";
import { SESSION_LIFETIME_MS } from "../../shared/wallet/session/token.ts";
import { tokenCacheIn } from "../../shared/workflow/token-cache.ts";

const { KV } = env;
const TOKEN = `ivs_${"a".repeat(51)}`;
const START_MS = 1_800_000_000_000;

interface Changed {
  readonly kv?: KVNamespace;
  readonly secretByte?: number;
  readonly chain?: Chain;
  readonly walletId?: string;
  readonly afterMs?: number;
}

const logged: string[] = [];

function cache({ kv = KV, secretByte = 1, chain = "aptos", walletId = "ada", afterMs = 0 }: Changed = {}) {
  return tokenCacheIn(
    {
      kv,
      desk: null,
      flowsSecret: new Uint8Array(32).fill(secretByte),
      clock: { nowMs: () => START_MS + afterMs, alarmAtMs: (atMs) => atMs },
      log: (event) => void logged.push(event),
      randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    },
    chain,
    walletId,
  );
}

async function stored(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { keys } = await KV.list({ prefix: "f1:" });
  const entries = keys.map(async ({ name }): Promise<[string, Uint8Array]> => {
    const value = await KV.get(name, "arrayBuffer");
    return [name, new Uint8Array(value ?? new ArrayBuffer())];
  });
  return new Map(await Promise.all(entries));
}

describe("a session token that an app keeps", () => {
  test("is found again, for its wallet and chain, with the same secret of the app", async () => {
    await cache().put(TOKEN);
    expect(await cache().get()).toBe(TOKEN);
    for (const other of [{ walletId: "bob" }, { chain: "sui" as const }, { secretByte: 2 }])
      expect(await cache(other).get()).toBe(null);
  });

  test("is forgotten before the token ends, by the sealed time and by the store", async () => {
    await cache().put(TOKEN);
    expect(await cache({ afterMs: SESSION_LIFETIME_MS - 60_001 }).get()).toBe(TOKEN);
    expect(await cache({ afterMs: SESSION_LIFETIME_MS - 60_000 }).get()).toBe(null);
    const { keys } = await KV.list({ prefix: "f1:" });
    for (const { expiration } of keys)
      expect(expiration).toBeLessThan(Date.now() / 1_000 + SESSION_LIFETIME_MS / 1_000);
  });

  test("shows the store neither the token nor whose it is", async () => {
    await cache({ walletId: "ada-lovelace" }).put(TOKEN);
    for (const [name, value] of await stored()) {
      const text = name + new TextDecoder().decode(value);
      expect(text).not.toContain("ivs_");
      expect(text).not.toContain("ada");
    }
  });

  test("that was changed, or put in another's place, is as good as none", async () => {
    await cache().put(TOKEN);
    await cache({ walletId: "bob" }).put(TOKEN);
    const entries = [...(await stored())];
    for (const [name, value] of entries)
      for (const other of [
        new Uint8Array(),
        value.slice(0, 8),
        value.slice(0, -1),
        value.with(1, 1),
        value.with(30, 0),
      ])
        if (other.join() !== value.join()) {
          await KV.put(name, other);
          expect([await cache().get(), await cache({ walletId: "bob" }).get()]).toContain(null);
          await KV.put(name, value);
        }
    const swapped = entries.map(([name], index) => [name, entries.at(index - 1)?.[1] ?? new Uint8Array()] as const);
    for (const [name, value] of swapped) await KV.put(name, value);
    expect(await cache().get()).toBe(null);
  });

  test("is no loss where the store fails, which is logged", async () => {
    const down = () => Promise.reject(new Error("KV failed: 503 Service Unavailable"));
    const kv: KVNamespace = { ...KV, get: down, put: down };
    logged.length = 0;
    await cache({ kv }).put(TOKEN);
    expect(await cache({ kv }).get()).toBe(null);
    expect(logged).toEqual(["flow.token_cache_failed", "flow.token_cache_failed"]);
  });
});
