import { Buffer } from "node:buffer";
import type { Clock, Log } from "../bindings/ports.ts";
import { concatBytes, lengthPrefixed, utf8 } from "../bytes.ts";
import type { TokenCache } from "../client/session.ts";
import { hkdfAesKey, hmacSha256, NONCE_BYTES } from "../crypto/hkdf.ts";
import type { Chain } from "../networks.ts";

/**
 * Session tokens that an app keeps between requests, sealed in KV, so that not every request derives a secret anew:
 *
 *     KV key  "f1:" ‖ base64url(HMAC-SHA-256(app secret, "session" ‖ LP(chain) ‖ LP(wallet id)))
 *     key     HKDF-SHA-256(app secret, no salt, "gasworks/flows/session/v1" ‖ LP(chain) ‖ LP(wallet id), 32)
 *     header  0x01 ‖ expires at(8), milliseconds since 1970, big-endian
 *     value   header ‖ nonce(12) ‖ AES-256-GCM(key, token, additional data = header)
 *
 * The store shows neither the users nor the content of its tokens. An unreadable token counts as none.
 */
const FORMAT_VERSION = 1;
const HEADER_BYTES = 1 + 8;

/** The lifetime is less than the ten minutes of a token, by the longest time that a request may take. */
const CACHED_SECONDS = 540;

/**
 * The meeting point of one user's calls: one of them makes a token, and the others wait for it. It sees sealed tokens
 * only.
 */
export interface TokenDesk {
  /**
   * Takes a token.
   *
   * @param refused a value that is no longer valid. Null without one.
   * @returns null if the caller is to make a token, and to `put` it.
   */
  take(refused: Uint8Array | null): Promise<Uint8Array | null>;
  /** Stores a token. @param value null if none could be made. */
  put(value: Uint8Array | null): Promise<void>;
}

/** The places that keep tokens, and the means to seal them. */
export interface TokenCacheOptions {
  /** Null if tokens are kept at the desk alone. */
  readonly kv: KVNamespace | null;
  /** Null if each call makes its own token. */
  readonly desk: TokenDesk | null;
  /** 32 bytes. */
  readonly flowsSecret: Uint8Array;
  readonly clock: Clock;
  readonly log: Log;
  randomBytes(length: number): Uint8Array;
}

/**
 * Returns the cache for the token of one wallet, for one call. A failure of the store is logged, and does not fail the
 * call.
 */
export function tokenCacheIn(options: TokenCacheOptions, chain: Chain, walletId: string): TokenCache {
  const { kv, desk, flowsSecret, clock, log } = options;
  const wallet = concatBytes(lengthPrefixed(chain), lengthPrefixed(walletId));
  const name = hmacSha256(flowsSecret, concatBytes(utf8("session"), wallet));
  const storeKey = `f1:${Buffer.from(name).toString("base64url")}`;
  const info = concatBytes(utf8("gasworks/flows/session/v1"), wallet);
  const sealingKey = () => hkdfAesKey(flowsSecret, { salt: new Uint8Array(), info }, ["encrypt", "decrypt"]);
  /** The sealed value of the last `get`, as it is at the desk. */
  let got: Uint8Array | null = null;

  async function attempted<Value>(work: () => Promise<Value>): Promise<Value | null> {
    try {
      return await work();
    } catch (error) {
      log("flow.token_cache_failed", { error: String(error) });
      return null;
    }
  }
  async function read(sealed: Uint8Array | null): Promise<string | null> {
    if (sealed === null) return null;
    return attempted(async () => open(sealed, await sealingKey(), clock.nowMs()));
  }
  async function fromDesk(): Promise<string | null> {
    for (;;) {
      const sealed = desk === null ? null : await attempted(() => desk.take(got));
      if (sealed === null) return null;
      got = sealed;
      const token = await read(sealed);
      if (token !== null) return token;
    }
  }
  async function fromKv(): Promise<string | null> {
    if (kv === null) return null;
    const stored = await attempted(() => kv.get(storeKey, "arrayBuffer"));
    const sealed = stored && new Uint8Array(stored);
    const token = await read(sealed);
    if (token === null) return null;
    got = sealed;
    if (desk !== null) await attempted(() => desk.put(sealed));
    return token;
  }

  return {
    get: async (refused) => (await fromDesk()) ?? (refused === undefined ? await fromKv() : null),
    async put(token) {
      const sealed = await attempted(async () => {
        const header = headerOf(clock.nowMs() + CACHED_SECONDS * 1_000);
        const nonce = new Uint8Array(options.randomBytes(NONCE_BYTES));
        const cipher = { name: "AES-GCM", iv: nonce, additionalData: header };
        const ciphertext = await crypto.subtle.encrypt(cipher, await sealingKey(), utf8(token));
        return concatBytes(header, nonce, new Uint8Array(ciphertext));
      });
      if (desk !== null) await attempted(() => desk.put(sealed));
      if (kv !== null && sealed !== null)
        await attempted(() => kv.put(storeKey, sealed, { expirationTtl: CACHED_SECONDS }));
    },
    async giveUp() {
      if (desk !== null) await attempted(() => desk.put(null));
    },
  };
}

function headerOf(expiresAtMs: number): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  header[0] = FORMAT_VERSION;
  new DataView(header.buffer).setBigUint64(1, BigInt(expiresAtMs));
  return header;
}

/** Opens a sealed token. Null if it has expired. Throws if it was not sealed with this key. */
async function open(value: Uint8Array, key: CryptoKey, nowMs: number): Promise<string | null> {
  const header = value.slice(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header[0] !== FORMAT_VERSION) return null;
  const nonce = value.slice(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
  const cipher = { name: "AES-GCM", iv: nonce, additionalData: header };
  const token = await crypto.subtle.decrypt(cipher, key, value.slice(HEADER_BYTES + NONCE_BYTES));
  const expiresAtMs = new DataView(header.buffer).getBigUint64(1);
  return expiresAtMs > BigInt(nowMs) ? new TextDecoder().decode(token) : null;
}
