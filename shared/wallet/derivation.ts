/**
 * From an app's wallet secret to the 32 bytes S that open the app's wallets:
 *
 *     pre = HMAC-SHA-256(project salt(32), "ivw1/secret" ‖ secret)
 *     S   = scrypt(pre, "ivw1/kdf" ‖ 2 ‖ project salt, N = 2^14, r = 8, p = 5, 32)      derivation 2, `scrypt`
 *           HKDF-SHA-256(pre, "ivw1/kdf" ‖ 3 ‖ project salt, "ivw1/kdf", 32)            derivation 3, `hkdf`
 *
 * The secret is 1 to 1024 bytes of UTF-8, taken as they are. Salt and derivation are a project's own and never change:
 * S depends on nothing else, so that a session can be made before it is known which wallet it is for.
 *
 * scrypt (RFC 7914) with these parameters costs a guess 16 MiB and about 0.2 s; OWASP lists them as equal to N = 2^17,
 * p = 1, which workerd does not allow (N·r·p may be at most 2^20). HKDF (RFC 5869) costs nothing, and is for secrets
 * that nobody can guess.
 */
import { Buffer } from "node:buffer";
import { scrypt } from "node:crypto";
import { concatBytes, utf8 } from "../bytes.ts";
import { hkdfBytes, hmacSha256 } from "../crypto/hkdf.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import type { Throttle } from "./throttle.ts";

/** How wallet secrets become keys: memory-hard for any secret, or one hash for secrets that are random already. */
export const secretDerivations = ["scrypt", "hkdf"] as const;
export type SecretDerivation = (typeof secretDerivations)[number];

/** The longest secret that is taken, in UTF-8. */
export const MAX_SECRET_BYTES = 1024;
/** Random, made with the project: equal secrets of two projects derive differently. */
export const PROJECT_SALT_BYTES = 32;
/** What either derivation makes of a secret. */
export const DERIVED_SECRET_BYTES = 32;
/** What a secret must hold where it is not stretched. */
const MIN_RANDOM_BYTES = 32;

/** RFC 7914; 16 MiB, and the cost that OWASP's Password Storage Cheat Sheet gives for that memory. */
export const SCRYPT_COST = { N: 2 ** 14, r: 8, p: 5 } as const;

/**
 * Each takes 16 MiB of an isolate's 128, and all of a thread for about 0.2 s. With this rest derivations have at most a
 * third of the thread, so that a flood of them, refusals included, leaves everybody else more than half: about 1.7 a
 * second. 16 others of a project take 9 s, and twice that beside another project that derives as fast as it can.
 */
export const DERIVATION_LIMITS = {
  maxConcurrent: 2,
  restFactor: 5,
  maxQueued: 16,
  maxWaitMs: 15_000,
  leaseMs: 10_000,
} as const;

/** As stored and sealed. 1 is not used. */
const derivationIds = { scrypt: 2, hkdf: 3 } as const satisfies Record<SecretDerivation, number>;

/** What a project fixes for all of its wallets. */
export interface ProjectDerivation {
  readonly derivation: SecretDerivation;
  /** 32 bytes. */
  readonly salt: Uint8Array;
}

/** As good as the app's secret. Whoever holds it overwrites `bytes` when done. */
export interface DerivedSecret {
  readonly derivation: SecretDerivation;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/** The refusals are `bad_params` (of the secret) and `overloaded`. Their texts never contain the secret. */
export type SecretDeriver = (
  secret: string,
  project: ProjectDerivation,
  /** The project that asks: projects take turns. */
  tenant?: string,
) => Promise<Outcome<DerivedSecret>>;

/** The byte that stands for it in what is stored and sealed. */
export function derivationId(derivation: SecretDerivation): number {
  return derivationIds[derivation];
}

/** Null: no derivation of ours. */
export function derivationOfId(id: number | undefined): SecretDerivation | null {
  return secretDerivations.find((derivation) => derivationIds[derivation] === id) ?? null;
}

/** @param throttle what all scrypt calls of an isolate share, made with `DERIVATION_LIMITS`. */
export function createSecretDeriver(throttle: Throttle): SecretDeriver {
  return async (secret, { derivation, salt }, tenant) => {
    const problem = secretProblem(secret, derivation);
    if (problem !== null) return refuse("bad_params", problem);
    const id = Uint8Array.of(derivationId(derivation));
    const kdfSalt = concatBytes(utf8("ivw1/kdf"), id, salt);
    const pre = preparedSecret(secret, salt);
    try {
      if (derivation === "hkdf") return done({ derivation, bytes: hkdfOf(pre, kdfSalt) });
      const bytes = await throttle(() => scryptBytes(pre, kdfSalt, SCRYPT_COST, DERIVED_SECRET_BYTES), tenant);
      return bytes.ok ? done({ derivation, bytes: bytes.value }) : bytes;
    } finally {
      pre.fill(0);
    }
  };
}

/** Null: fit to be derived from. */
function secretProblem(secret: string, derivation: SecretDerivation): string | null {
  const bytes = secret.length > MAX_SECRET_BYTES ? Infinity : Buffer.byteLength(secret, "utf8");
  if (bytes < 1 || bytes > MAX_SECRET_BYTES) return `secret: must be 1 to ${MAX_SECRET_BYTES} bytes of UTF-8`;
  // Encoding would turn every unpaired surrogate into the same three bytes, and different secrets into one.
  if (!secret.isWellFormed()) return "secret: must be well-formed Unicode";
  if (derivation === "hkdf" && randomBytesIn(secret) < MIN_RANDOM_BYTES)
    return `secret: this project takes random secrets only: at least ${MIN_RANDOM_BYTES} bytes, written in hex or base64url`;
  if (derivation === "hkdf" && isPlainlyConstant(secret))
    return "secret: this project takes random secrets only, and this one repeats one byte";
  return null;
}

/** A placeholder such as 64 zeros: of 32 random bytes none looks so in the life of the universe. */
function isPlainlyConstant(secret: string): boolean {
  const isHex = /^[0-9a-fA-F]+$/.test(secret);
  const bytes = Buffer.from(secret, isHex ? "hex" : "base64url");
  return bytes.every((byte: number) => byte === bytes[0]);
}

/** How many bytes a text encodes; 0 for what is neither hex nor base64url. All hex digits count as hex, the lesser of the two. */
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

export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** scrypt (RFC 7914). */
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
