/**
 * Derives the 32 bytes S, which open an app's wallets, from the app's wallet secret:
 *
 *     pre = HMAC-SHA-256(project salt(32), "ivw1/secret" ‖ secret)
 *     S   = scrypt(pre, "ivw1/kdf" ‖ 2 ‖ project salt, N = 2^14, r = 8, p = 5, 32)      derivation 2, `scrypt`
 *           HKDF-SHA-256(pre, "ivw1/kdf" ‖ 3 ‖ project salt, "ivw1/kdf", 32)            derivation 3, `hkdf`
 *
 * The secret is 1 to 1024 bytes of UTF-8, taken as they are. Salt and derivation belong to a project and never change.
 * S depends on nothing else, so that a session can be made before its wallet is known.
 *
 * scrypt (RFC 7914) with these parameters costs a guess 16 MiB and about 0.2 s. OWASP lists them as equal to N = 2^17,
 * p = 1. Workerd does not allow those (N·r·p may be at most 2^20). HKDF (RFC 5869) costs nothing. It is for secrets
 * that cannot be guessed.
 */
import { Buffer } from "node:buffer";
import { scrypt } from "node:crypto";
import { concatBytes, utf8 } from "../bytes.ts";
import { hkdfBytes, hmacSha256 } from "../crypto/hkdf.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import type { Throttle, Turn } from "./throttle.ts";

/** Derivations of wallet secrets: memory-hard for any secret, or one hash for secrets that are random already. */
export const secretDerivations = ["scrypt", "hkdf"] as const;
/** The name of a derivation. */
export type SecretDerivation = (typeof secretDerivations)[number];

/** The longest accepted secret, in bytes of UTF-8. */
export const MAX_SECRET_BYTES = 1024;
/** Length of the random salt of a project. Equal secrets of two projects derive differently. */
export const PROJECT_SALT_BYTES = 32;
/** Length of the result of either derivation. */
export const DERIVED_SECRET_BYTES = 32;
/** The least count of random bytes of a secret that is not stretched. */
const MIN_RANDOM_BYTES = 32;

/** Parameters of RFC 7914 for 16 MiB. OWASP's Password Storage Cheat Sheet gives this cost for that memory. */
export const SCRYPT_COST = { N: 2 ** 14, r: 8, p: 5 } as const;

/**
 * Each derivation takes 16 MiB of an isolate's 128, and all of a thread for about 0.2 s. The rest limits derivations to
 * a third of the thread. A flood of them, refusals included, leaves all other work more than half. The rate is about
 * 1.7 a second. 16 waiting calls of a project take 9 s. Beside another project that derives as fast as it can, they
 * take twice as long.
 */
export const DERIVATION_LIMITS = {
  maxConcurrent: 2,
  restFactor: 5,
  maxQueued: 16,
  maxWaitMs: 15_000,
  leaseMs: 10_000,
  retryAfterMs: 3_000,
} as const;

/** The byte as stored and sealed. 1 is not used. */
const derivationIds = { scrypt: 2, hkdf: 3 } as const satisfies Record<SecretDerivation, number>;

/** The settings that a project fixes for all of its wallets. */
export interface ProjectDerivation {
  readonly derivation: SecretDerivation;
  /** 32 bytes. */
  readonly salt: Uint8Array;
}

/** The derived S, as valuable as the app's secret. Its holder overwrites `bytes` after use. */
export interface DerivedSecret {
  readonly derivation: SecretDerivation;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/**
 * Derives S. Refuses with `bad_params` (of the secret) and `rate_limited` (of the queue). Their texts never contain the
 * secret.
 */
export type SecretDeriver = (
  secret: string,
  project: ProjectDerivation,
  /** The tenant is the project of the caller. Projects take turns. */
  turn?: Turn,
) => Promise<Outcome<DerivedSecret>>;

/** Returns the byte of a derivation in stored and sealed values. */
export function derivationId(derivation: SecretDerivation): number {
  return derivationIds[derivation];
}

/** Returns the derivation of a byte. Null if the byte names none. */
export function derivationOfId(id: number | undefined): SecretDerivation | null {
  return secretDerivations.find((derivation) => derivationIds[derivation] === id) ?? null;
}

/**
 * Creates the deriver of an isolate. @param throttle shared by all scrypt calls of it, made with `DERIVATION_LIMITS`.
 */
export function createSecretDeriver(throttle: Throttle): SecretDeriver {
  return async (secret, { derivation, salt }, turn) => {
    const problem = secretProblem(secret, derivation);
    if (problem !== null) return refuse("bad_params", problem);
    const id = Uint8Array.of(derivationId(derivation));
    const kdfSalt = concatBytes(utf8("ivw1/kdf"), id, salt);
    const pre = preparedSecret(secret, salt);
    try {
      if (derivation === "hkdf") return done({ derivation, bytes: hkdfOf(pre, kdfSalt) });
      const bytes = await throttle(() => scryptBytes(pre, kdfSalt, SCRYPT_COST, DERIVED_SECRET_BYTES), turn);
      return bytes.ok ? done({ derivation, bytes: bytes.value }) : bytes;
    } finally {
      pre.fill(0);
    }
  };
}

/** Returns the problem of a secret. Null if it may be derived from. */
function secretProblem(secret: string, derivation: SecretDerivation): string | null {
  const bytes = secret.length > MAX_SECRET_BYTES ? Infinity : Buffer.byteLength(secret, "utf8");
  if (bytes < 1 || bytes > MAX_SECRET_BYTES) return `secret: must be 1 to ${MAX_SECRET_BYTES} bytes of UTF-8`;
  // Encoding would turn every unpaired surrogate into the same three bytes, and different secrets into one.
  if (!secret.isWellFormed()) return "secret: must be well-formed Unicode";
  if (derivation === "hkdf" && randomBytesIn(secret) < MIN_RANDOM_BYTES)
    return `secret: this project takes random secrets only: at least ${MIN_RANDOM_BYTES} bytes, written in hex or base64url`;
  if (derivation === "hkdf" && isPlainlyConstant(secret))
    return "secret: this project takes random secrets only, and this one repeats one byte: send another";
  return null;
}

/** Detects a placeholder such as 64 zeros. 32 random bytes practically never match. */
function isPlainlyConstant(secret: string): boolean {
  const isHex = /^[0-9a-fA-F]+$/.test(secret);
  const bytes = Buffer.from(secret, isHex ? "hex" : "base64url");
  return bytes.every((byte: number) => byte === bytes[0]);
}

/**
 * Returns the count of bytes that a text encodes. 0 if it is neither hex nor base64url. A text of hex digits counts as
 * hex, which gives the lower count.
 */
function randomBytesIn(text: string): number {
  if (/^[0-9a-fA-F]+$/.test(text)) return text.length % 2 === 0 ? text.length / 2 : 0;
  const [, digits, padding] = /^([A-Za-z0-9_-]+)(={0,2})$/.exec(text) ?? [];
  if (digits === undefined || digits.length % 4 === 1) return 0;
  if (padding !== "" && text.length % 4 !== 0) return 0;
  return Math.floor((digits.length * 3) / 4);
}

function preparedSecret(secret: string, salt: Uint8Array): Uint8Array {
  const encoded = utf8(secret);
  const message = concatBytes(utf8("ivw1/secret"), encoded);
  try {
    return hmacSha256(salt, message);
  } finally {
    encoded.fill(0);
    message.fill(0);
  }
}

function hkdfOf(pre: Uint8Array, salt: Uint8Array): Uint8Array {
  return hkdfBytes(pre, { salt, info: utf8("ivw1/kdf") }, DERIVED_SECRET_BYTES);
}

/** Parameters of scrypt (RFC 7914). */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** Derives bytes by scrypt (RFC 7914). */
export function scryptBytes(
  password: Uint8Array,
  salt: Uint8Array,
  cost: ScryptCost,
  length: number,
): Promise<Uint8Array> {
  // The working memory is 128·r·(N + p) bytes; the platforms' default limit is meant for smaller costs.
  const maxmem = 2 * 128 * cost.r * (cost.N + cost.p);
  return new Promise((resolve, reject) =>
    scrypt(password, salt, length, { ...cost, maxmem }, (error, key) => {
      if (error !== null) return reject(error);
      resolve(Uint8Array.from(key));
      key.fill(0);
    }),
  );
}
