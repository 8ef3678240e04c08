import { createLocalJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import * as z from "zod";
import type { Clock, Fetch, Log } from "../bindings/ports.ts";
import { readBoundedText } from "../rpc/json.ts";
import { unlessAborted } from "../timing.ts";

/** The issuer of the users' tokens, their audience, and the address of its public keys. */
export interface JwtConfig {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
}

/** The reason why a token is refused. */
export type JwtReason =
  | "bad_token"
  | "bad_signature"
  | "unknown_key"
  | "wrong_issuer"
  | "wrong_audience"
  | "token_expired"
  | "token_not_yet_valid"
  | "no_subject";

/** The result of a verification. */
export type VerifiedJwt =
  | {
      readonly kind: "verified";
      readonly subject: string;
      /** All claims of the token, `sub` included. Each is only vouched for by the issuer. */
      readonly claims: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "refused"; readonly reason: JwtReason; readonly details: string }
  /** Nothing is known about the token: the issuer's keys could not be read. */
  | { readonly kind: "unavailable"; readonly details: string };

/** Verifies the token of an app's user. */
export type JwtVerifier = (token: string) => Promise<VerifiedJwt>;

/** Only signatures by a public key. `none`, or an HMAC over a public key, would let anybody issue tokens. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA", "Ed25519"];
const CLOCK_SKEW_SECONDS = 60;
const MAX_TOKEN_CHARACTERS = 8_192;
const MAX_SUBJECT_CHARACTERS = 255;
/** The wallet follows from the subject. It must be text with one form in UTF-8, and no value that converts to text. */
const subject = z
  .string()
  .min(1)
  .max(MAX_SUBJECT_CHARACTERS)
  .refine((text) => text.isWellFormed());

const MAX_KEYS = 100;
const MAX_JWKS_BYTES = 262_144;
const FETCH_TIMEOUT_MS = 5_000;
/** Keys are read again after this time, so that a key that the issuer withdrew stops counting. */
const MAX_AGE_MS = 600_000;
/** The last keys count for this long while the issuer does not answer. */
const MAX_STALE_MS = 3_600_000;
/** Limits requests to the issuer while callers send tokens of keys that do not exist. */
const MIN_REFETCH_MS = 10_000;
/** Limits requests to an issuer that is down while none of its keys are known. */
const MIN_RETRY_MS = 1_000;
const UNREADABLE = "the keys at JWT_JWKS_URL could not be read: repeat later";

const jwksSchema = z.object({
  keys: z.array(z.looseObject({ kty: z.string() })).max(MAX_KEYS),
});

/** The means with which a verifier reads the issuer's keys. */
export interface JwtVerifierOptions {
  readonly fetch: Fetch;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
}

interface KeySet {
  readonly keyOf: JWTVerifyGetKey;
  readonly readAtMs: number;
}

async function readKeys({ jwksUrl }: JwtConfig, fetch: Fetch): Promise<JWTVerifyGetKey> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
  const ask = async () => {
    const response = await fetch(jwksUrl, { headers: { accept: "application/json" }, redirect: "manual", signal });
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    return readBoundedText(response.body, MAX_JWKS_BYTES);
  };
  const text = await unlessAborted(signal, ask());
  if (text === null) throw new Error(`the key set exceeds ${MAX_JWKS_BYTES} bytes`);
  return createLocalJWKSet(jwksSchema.parse(JSON.parse(text)));
}

/** A request does not wait for another request's reading. On Workers, none may depend on another one's I/O. */
type Keys = { readonly keyOf: JWTVerifyGetKey } | { readonly unavailable: string };

function keySource(terms: JwtConfig, { fetch, clock, log }: JwtVerifierOptions) {
  let known: KeySet | null = null;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let asking = 0;

  async function ask(): Promise<string | null> {
    askedAtMs = clock.nowMs();
    asking += 1;
    try {
      known = { keyOf: await readKeys(terms, fetch), readAtMs: clock.nowMs() };
      return null;
    } catch (error) {
      failedAtMs = clock.nowMs();
      log("flow.jwks_failed", { error: String(error) });
      return UNREADABLE;
    } finally {
      asking -= 1;
    }
  }

  /** A clock that was set back must neither keep old keys nor delay a reading until its earlier time. */
  const passedMs = (sinceMs: number) => Math.abs(clock.nowMs() - sinceMs);
  const mayAsk = () => passedMs(askedAtMs) >= MIN_REFETCH_MS;

  return {
    async current(): Promise<Keys> {
      if (known === null && passedMs(failedAtMs) < MIN_RETRY_MS) return { unavailable: UNREADABLE };
      const ageMs = known === null ? Number.POSITIVE_INFINITY : passedMs(known.readAtMs);
      const failure = known === null || (ageMs >= MAX_AGE_MS && mayAsk()) ? await ask() : null;
      if (known === null || passedMs(known.readAtMs) >= MAX_STALE_MS)
        return { unavailable: failure ?? "the keys at JWT_JWKS_URL are being read: repeat the call" };
      return known;
    },
    /** Reads newer keys after a token whose key is unknown. Null if the known ones are as new as they may be. */
    async newer(): Promise<Keys | null> {
      if (!mayAsk())
        return asking > 0 ? { unavailable: "the keys at JWT_JWKS_URL are being read: repeat the call" } : null;
      const failure = await ask();
      return failure === null ? known : { unavailable: failure };
    },
  };
}

function refused(reason: JwtReason, details: string): VerifiedJwt {
  return { kind: "refused", reason, details };
}

const UNKNOWN_KEY = refused(
  "unknown_key",
  "no key of the issuer has the token's key id and algorithm: get a new token, or check JWT_JWKS_URL",
);

function refusalOf(error: unknown): VerifiedJwt {
  if (error instanceof errors.JWTExpired) return refused("token_expired", "the token has expired: get a new one");
  if (error instanceof errors.JWTClaimValidationFailed) {
    switch (error.claim) {
      case "iss":
        return refused("wrong_issuer", "the token is not from JWT_ISSUER: send one whose iss is that");
      case "aud":
        return refused("wrong_audience", "the token is not for JWT_AUDIENCE: send one whose aud has that");
      case "nbf":
        return refused("token_not_yet_valid", "the token is not valid yet: repeat later");
      case "sub":
        return refused("no_subject", "the token names no user: its issuer must set sub");
      default:
        return refused("bad_token", `the token's ${error.claim} is missing or malformed: its issuer must set it`);
    }
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return refused("bad_signature", "the token's signature does not verify: get a new token from JWT_ISSUER");
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return refused("unknown_key", "the token does not name the issuer's key: its issuer must set kid");
  if (error instanceof errors.JWKSNoMatchingKey) return UNKNOWN_KEY;
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return refused("bad_token", `the token must be signed with one of ${ALGORITHMS.join(", ")}`);
  return refused("bad_token", "the token is not a readable JWT: send a signed one of JWT_ISSUER");
}

/**
 * Creates a verifier of the tokens of an app's users. It checks the signature by a key of the issuer (RFC 7515, RFC
 * 7517). It checks issuer, audience, `exp`, `nbf` and `sub` (RFC 7519), with a minute for clocks that differ. `exp`
 * and `sub` are required. The keys are kept in memory. A token of an unknown key makes it read them again, because
 * issuers rotate.
 */
export function createJwtVerifier(terms: JwtConfig, options: JwtVerifierOptions): JwtVerifier {
  const keys = keySource(terms, options);

  async function verify(token: string, { keyOf }: { readonly keyOf: JWTVerifyGetKey }): Promise<VerifiedJwt> {
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: ALGORITHMS,
      issuer: terms.issuer,
      audience: terms.audience,
      requiredClaims: ["exp", "sub"],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(options.clock.nowMs()),
    });
    const sub = subject.safeParse(payload.sub);
    return sub.success
      ? { kind: "verified", subject: sub.data, claims: payload }
      : refused("no_subject", `the token's sub must be text of 1 to ${MAX_SUBJECT_CHARACTERS} characters`);
  }

  return async (token) => {
    if (token.length > MAX_TOKEN_CHARACTERS)
      return refused("bad_token", `the token must have at most ${MAX_TOKEN_CHARACTERS} characters`);
    const current = await keys.current();
    if ("unavailable" in current) return { kind: "unavailable", details: current.unavailable };
    try {
      return await verify(token, current);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) return refusalOf(error);
    }
    const newer = await keys.newer();
    if (newer === null) return UNKNOWN_KEY;
    if ("unavailable" in newer) return { kind: "unavailable", details: newer.unavailable };
    try {
      return await verify(token, newer);
    } catch (error) {
      return refusalOf(error);
    }
  };
}
