import type { Deps } from "../../bindings/deps.ts";
import type { Env } from "../../bindings/env.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { halvesHere } from "./halves.ts";
import { SESSION_LIFETIME_MS, shardOfSession } from "./token.ts";

/** KV deletes an entry shortly after the token expires. Until then the expiry inside the sealed value decides. */
const KV_TTL_SECONDS = SESSION_LIFETIME_MS / 1_000 + 60;

/**
 * A store of the service's halves of session tokens. They are sealed, kept for ten minutes, and never on an object's
 * disk.
 */
export interface SessionStore {
  put(key: string, value: Uint8Array, expiresAtMs: number): Promise<Outcome<null>>;
  /**
   * Returns null if there is no value, or no longer. `overloaded` if the store does not answer, which proves nothing
   * about the token.
   */
  get(key: string): Promise<Outcome<Uint8Array | null>>;
}

/**
 * Returns KV if it is bound and not switched off by SESSION_STORE=object. Otherwise returns the memory of sharded
 * objects.
 */
export function sessionStoreOf(env: Env, { config, log, clock }: Deps): SessionStore {
  const { KV } = env;
  return KV === undefined || config.sessionStore === "object" ? inObjects(env, clock) : inKv(KV, log);
}

function inKv(kv: KVNamespace, log: Deps["log"]): SessionStore {
  async function answered<T>(asked: Promise<T>): Promise<Outcome<T>> {
    try {
      return done(await asked);
    } catch (error) {
      log("session.store_failed", { error: String(error) });
      return refuse("overloaded", "the session store did not answer: try again later");
    }
  }
  return {
    put: async (key, value) => {
      const put = await answered(kv.put(key, value, { expirationTtl: KV_TTL_SECONDS }));
      return put.ok ? done(null) : put;
    },
    get: async (key) => {
      const got = await answered(kv.get(key, "arrayBuffer"));
      return got.ok ? done(got.value && new Uint8Array(got.value)) : got;
    },
  };
}

function inObjects(env: Env, clock: Deps["clock"]): SessionStore {
  const objectOf = (shard: number) => env.SESSION.getByName(String(shard));
  return {
    put: async (key, value, expiresAtMs) => {
      const shard = shardOfSession(key);
      const nowMs = clock.nowMs();
      const halves = halvesHere(shard);
      const isKept = halves?.isKeptAlive(nowMs) && halves.keep(key, value, expiresAtMs, nowMs);
      return isKept ? done(null) : objectOf(shard).put(key, value, expiresAtMs);
    },
    get: async (key) => {
      const shard = shardOfSession(key);
      return done(halvesHere(shard)?.find(key, clock.nowMs()) ?? (await objectOf(shard).get(key)));
    },
  };
}
