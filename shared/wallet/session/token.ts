/**
 * A session is the derived secret S of an app's wallets, for ten minutes, in two halves. The app keeps one half, the
 * token. The store keeps the other half and forgets it. Neither half opens without the other and the master key. Once
 * the store has forgotten its half, a leaked token opens nothing, whatever else leaks.
 *
 *     token       "ivs_" ‖ base64url(0x01 ‖ master key version(1) ‖ t(32 random bytes) ‖ check(4)), 55 characters
 *     names       HKDF-SHA-256(master key, t, "ivw1/session/names" ‖ LP(project id), 20) = store id(16) ‖ check(4)
 *     store key   "s1:" ‖ base64url(store id)
 *     key         HKDF-SHA-256(master key, t, "ivw1/session/key" ‖ LP(project id), 32)
 *     header      0x01 ‖ issued at(8) ‖ expires at(8), milliseconds since 1970, big-endian
 *     plaintext   derivation(1) ‖ S(32) ‖ access key id(10) ‖ session epoch(4)
 *     store value header ‖ nonce(12) ‖ AES-256-GCM(key, plaintext, additional data = header), 92 bytes
 *
 * The check keeps mistyped, made-up and other projects' tokens away from the store. It proves nothing. The proof is
 * that the value opens. The store id is derived and not stored. A copy of the store therefore cannot be matched with
 * tokens, and a look-up compares nothing that could be timed. The expiry is authenticated. Deletion by the store is
 * only tidiness.
 *
 * The master key is used as in `sealing.ts`. The format differs because only the token has the salt.
 */

import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { KEY_ID } from "../../access/key-format.ts";
import { concatBytes, lengthPrefixed, toHex, utf8 } from "../../bytes.ts";
import { hkdfAesKey, hkdfBytes, NONCE_BYTES, TAG_BYTES } from "../../crypto/hkdf.ts";
import type { MasterKeys } from "../../crypto/master-keys.ts";
import { masterKeyOf } from "../../crypto/sealing.ts";
import { BAD_SESSION_TOKEN, done, type Outcome, refuse } from "../../errors.ts";
import { DERIVED_SECRET_BYTES, type DerivedSecret, derivationId, derivationOfId } from "../derivation.ts";

/** Lifetime of a session, in ms. */
export const SESSION_LIFETIME_MS = 600_000;

/** The most by which the clocks of two machines differ. A session from further ahead was made by a wrong clock. */
const MAX_AHEAD_MS = 60_000;

const FORMAT_VERSION = 1;
const TOKEN_PREFIX = "ivs_";
const STORE_KEY_PREFIX = "s1:";
/** The last character has two spare bits, which are zero. So each token has one spelling. */
const TOKEN = /^ivs_[A-Za-z0-9_-]{50}[AEIMQUYcgkosw048]$/;
const RANDOM_BYTES = 32;
const RANDOM_END = 2 + RANDOM_BYTES;
/** A power of two. */
const SHARDS = 16;
const CHECK_BYTES = 4;
const STORE_ID_BYTES = 16;
const HEADER_BYTES = 1 + 8 + 8;
const NONCE_END = HEADER_BYTES + NONCE_BYTES;
const KEY_ID_PREFIX = "key_";
const KEY_ID_END = 1 + DERIVED_SECRET_BYTES + 10;
const PLAINTEXT_BYTES = KEY_ID_END + 4;
/** Length of a store value. */
export const STORE_VALUE_BYTES = NONCE_END + PLAINTEXT_BYTES + TAG_BYTES;

/** The contents of a session that begins. */
export interface NewSession {
  readonly secret: DerivedSecret;
  /** The access key that opened the session, `key_` and 20 hex digits. */
  readonly accessKeyId: string;
  /** The project's session epoch. Raising it ends all sessions of the project. */
  readonly epoch: number;
}

/** The contents of a session whose value has opened. */
export interface OpenedSession extends NewSession {
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** Both halves of a new session. */
export interface IssuedSession {
  readonly token: string;
  /** Key of the store value. The value is stored before the token is handed out, and deleted soon after the expiry. */
  readonly storeKey: string;
  readonly storeValue: Uint8Array;
  readonly expiresAtMs: number;
}

/** A token as the app sent it. */
export interface ParsedToken {
  /** Key of the other half in the store. */
  readonly storeKey: string;
  /**
   * Opens the session.
   *
   * @param storeValue null if the store has none.
   * @param now read after the look-up. `epoch` is the project's session epoch that the caller knows.
   * @returns `bad_session_token`, always the same, for an ended session and for one that never existed. The caller
   * overwrites the bytes of the session's secret after use.
   */
  open(
    storeValue: Uint8Array | null,
    now: { readonly nowMs: number; readonly epoch: number },
  ): Promise<Outcome<OpenedSession>>;
}

interface TokenNames {
  readonly storeKey: string;
  readonly check: Uint8Array;
}

function tokenNames(masterKey: Uint8Array, salt: Uint8Array, projectId: string): TokenNames {
  const info = concatBytes(utf8("ivw1/session/names"), lengthPrefixed(projectId));
  const names = hkdfBytes(masterKey, { salt, info }, STORE_ID_BYTES + CHECK_BYTES);
  return {
    storeKey: STORE_KEY_PREFIX + base64url(names.subarray(0, STORE_ID_BYTES)),
    check: names.subarray(STORE_ID_BYTES),
  };
}

/** Returns true if a session may be used now. A clock that was ahead must not extend it beyond its lifetime. */
export function isLive(expiresAtMs: number, nowMs: number): boolean {
  return nowMs < expiresAtMs && expiresAtMs <= nowMs + SESSION_LIFETIME_MS + MAX_AHEAD_MS;
}

/** Returns the shard of a session. Store ids are nearly random, so shards fill evenly. */
export function shardOfSession(storeKey: string): number {
  return Buffer.from(storeKey.slice(STORE_KEY_PREFIX.length), "base64url").readUInt8() % SHARDS;
}

function sessionKey(masterKey: Uint8Array, salt: Uint8Array, projectId: string): Promise<CryptoKey> {
  const info = concatBytes(utf8("ivw1/session/key"), lengthPrefixed(projectId));
  return hkdfAesKey(masterKey, { salt, info }, ["encrypt", "decrypt"]);
}

/** Makes the two halves of a session that begins now. */
export async function issueSession(
  session: NewSession,
  projectId: string,
  nowMs: number,
  masterKeys: MasterKeys,
  randomBytes: (length: number) => Uint8Array,
): Promise<IssuedSession> {
  const version = masterKeys.current;
  const salt = randomBytes(RANDOM_BYTES);
  const masterKey = await masterKeyOf(masterKeys, version);
  const { storeKey, check } = tokenNames(masterKey, salt, projectId);
  const token = TOKEN_PREFIX + base64url(concatBytes(Uint8Array.of(FORMAT_VERSION, version), salt, check));
  const expiresAtMs = nowMs + SESSION_LIFETIME_MS;
  const header = headerOf(nowMs, expiresAtMs);
  const nonce = randomBytes(NONCE_END - HEADER_BYTES);
  const key = await sessionKey(masterKey, salt, projectId);
  const plaintext = plaintextOf(session);
  try {
    const cipher = { name: "AES-GCM", iv: nonce, additionalData: header };
    const sealed = new Uint8Array(await crypto.subtle.encrypt(cipher, key, plaintext));
    return { token, storeKey, storeValue: concatBytes(header, nonce, sealed), expiresAtMs };
  } finally {
    plaintext.fill(0);
  }
}

/**
 * Reads a token, without the store. Refuses with `bad_session_token` if it is not a token of this project, or if its
 * master key is not configured.
 *
 * @throws KeyServiceError as `MasterKeys.bytesOf`.
 */
export async function parseToken(
  token: string,
  projectId: string,
  masterKeys: MasterKeys,
): Promise<Outcome<ParsedToken>> {
  if (!TOKEN.test(token)) return badSessionToken();
  const raw = Buffer.from(token.slice(TOKEN_PREFIX.length), "base64url");
  const [format, version] = raw;
  if (format !== FORMAT_VERSION || version === undefined) return badSessionToken();
  const masterKey = await masterKeys.bytesOf(version);
  if (masterKey === null) return badSessionToken();
  const salt = raw.subarray(2, RANDOM_END);
  const { storeKey, check } = tokenNames(masterKey, salt, projectId);
  if (!timingSafeEqual(check, raw.subarray(RANDOM_END))) return badSessionToken();
  return done({
    storeKey,
    async open(storeValue, { nowMs, epoch }) {
      const session =
        storeValue === null ? null : await openValue(storeValue, await sessionKey(masterKey, salt, projectId));
      if (session === null) return badSessionToken();
      // A newer epoch than the caller's is valid, because the caller may not have read the new one yet.
      if (isLive(session.expiresAtMs, nowMs) && session.epoch >= epoch) return done(session);
      session.secret.bytes.fill(0);
      return badSessionToken();
    },
  });
}

/** Returns null if the value was not sealed by this service for this token. */
async function openValue(storeValue: Uint8Array, key: CryptoKey): Promise<OpenedSession | null> {
  if (storeValue.length !== STORE_VALUE_BYTES || storeValue[0] !== FORMAT_VERSION) return null;
  const header = storeValue.subarray(0, HEADER_BYTES);
  const cipher = { name: "AES-GCM", iv: storeValue.subarray(HEADER_BYTES, NONCE_END), additionalData: header };
  const opened = await crypto.subtle.decrypt(cipher, key, storeValue.subarray(NONCE_END)).catch(() => null);
  if (opened === null) return null;
  const plaintext = new Uint8Array(opened);
  try {
    const derivation = derivationOfId(plaintext[0]);
    if (derivation === null) return null;
    const times = new DataView(header.buffer, header.byteOffset);
    return {
      secret: { derivation, bytes: plaintext.slice(1, 1 + DERIVED_SECRET_BYTES) },
      accessKeyId: KEY_ID_PREFIX + toHex(plaintext.subarray(1 + DERIVED_SECRET_BYTES, KEY_ID_END)),
      epoch: new DataView(opened).getUint32(KEY_ID_END),
      issuedAtMs: Number(times.getBigUint64(1)),
      expiresAtMs: Number(times.getBigUint64(9)),
    };
  } finally {
    plaintext.fill(0);
  }
}

function headerOf(issuedAtMs: number, expiresAtMs: number): Uint8Array {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  header.setUint8(0, FORMAT_VERSION);
  header.setBigUint64(1, BigInt(issuedAtMs));
  header.setBigUint64(9, BigInt(expiresAtMs));
  return new Uint8Array(header.buffer);
}

function plaintextOf({ secret, accessKeyId, epoch }: NewSession): Uint8Array {
  if (!KEY_ID.test(accessKeyId)) throw new Error("a session belongs to an access key");
  const plaintext = new Uint8Array(PLAINTEXT_BYTES);
  plaintext[0] = derivationId(secret.derivation);
  plaintext.set(secret.bytes, 1);
  plaintext.set(Buffer.from(accessKeyId.slice(KEY_ID_PREFIX.length), "hex"), 1 + DERIVED_SECRET_BYTES);
  new DataView(plaintext.buffer).setUint32(KEY_ID_END, epoch);
  return plaintext;
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64url");
}

function badSessionToken(): ReturnType<typeof refuse> {
  return refuse("bad_session_token", BAD_SESSION_TOKEN);
}
