import { Buffer } from "node:buffer";
import { concatBytes, lengthPrefixed, utf8 } from "../bytes.ts";
import { hkdfAesKey, hmacSha256, NONCE_BYTES } from "../custody/hkdf.ts";
import type { Chain } from "../networks.ts";
import type { Clock, Log } from "../ports.ts";

/**
 * Session tokens that an app keeps between requests, sealed in KV, so that not every request derives a secret anew:
 *
 *     KV key  "f1:" ‖ base64url(HMAC-SHA-256(app secret, "session" ‖ LP(chain) ‖ LP(wallet id)))
 *     key     HKDF-SHA-256(app secret, no salt, "gasworks/flows/session/v1" ‖ LP(chain) ‖ LP(wallet id), 32)
 *     header  0x01 ‖ expires at(8), milliseconds since 1970, big-endian
 *     value   header ‖ nonce(12) ‖ AES-256-GCM(key, token, additional data = header)
 *
 * The store shows neither whose tokens it has nor what they are. One that cannot be read is as good as none.
 */
const FORMAT_VERSION = 1;
const HEADER_BYTES = 1 + 8;

/** Less than the ten minutes of a token, by as much as a request may take. */
const CACHED_SECONDS = 540;

export interface TokenCache {
  /** Null: none that still holds. */
  get(): Promise<string | null>;
  put(token: string): Promise<void>;
}

/** Keeps nothing: where no KV is bound. */
export const NO_TOKEN_CACHE: TokenCache = { get: async () => null, put: async () => {} };

export interface TokenCacheOptions {
  readonly kv: KVNamespace;
  /** 32 bytes. */
  readonly appSecret: Uint8Array;
  readonly clock: Clock;
  readonly log: Log;
  randomBytes(length: number): Uint8Array;
}

/** The cache for the token of one wallet. A store that fails is logged, and never in the way. */
export function tokenCacheIn(options: TokenCacheOptions, chain: Chain, walletId: string): TokenCache {
  const { kv, appSecret, clock, log } = options;
  const wallet = concatBytes(lengthPrefixed(chain), lengthPrefixed(walletId));
  const name = hmacSha256(appSecret, concatBytes(utf8("session"), wallet));
  const storeKey = `f1:${Buffer.from(name).toString("base64url")}`;
  const info = concatBytes(utf8("gasworks/flows/session/v1"), wallet);
  const sealingKey = () => hkdfAesKey(appSecret, { salt: new Uint8Array(), info }, ["encrypt", "decrypt"]);
  return {
    async get() {
      try {
        const stored = await kv.get(storeKey, "arrayBuffer");
        return stored === null ? null : await open(new Uint8Array(stored), await sealingKey(), clock.nowMs());
      } catch (error) {
        log("flow.token_cache_failed", { error: String(error) });
        return null;
      }
    },
    async put(token) {
      const header = headerOf(clock.nowMs() + CACHED_SECONDS * 1_000);
      const nonce = new Uint8Array(options.randomBytes(NONCE_BYTES));
      try {
        const cipher = { name: "AES-GCM", iv: nonce, additionalData: header };
        const sealed = await crypto.subtle.encrypt(cipher, await sealingKey(), utf8(token));
        const value = concatBytes(header, nonce, new Uint8Array(sealed));
        await kv.put(storeKey, value, { expirationTtl: CACHED_SECONDS });
      } catch (error) {
        log("flow.token_cache_failed", { error: String(error) });
      }
    },
  };
}

function headerOf(expiresAtMs: number): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  header[0] = FORMAT_VERSION;
  new DataView(header.buffer).setBigUint64(1, BigInt(expiresAtMs));
  return header;
}

/** Throws for what was not sealed with this key. */
async function open(value: Uint8Array, key: CryptoKey, nowMs: number): Promise<string | null> {
  const header = value.slice(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header[0] !== FORMAT_VERSION) return null;
  const nonce = value.slice(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
  const cipher = { name: "AES-GCM", iv: nonce, additionalData: header };
  const token = await crypto.subtle.decrypt(cipher, key, value.slice(HEADER_BYTES + NONCE_BYTES));
  const expiresAtMs = new DataView(header.buffer).getBigUint64(1);
  return expiresAtMs > BigInt(nowMs) ? new TextDecoder().decode(token) : null;
}
