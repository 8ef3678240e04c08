import type { MethodContract } from "../api/contract.ts";
import { sha256Base64url } from "../crypto/sha256.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY, type IdempotencyClaim } from "../idempotency.ts";
import type { DecodedParams } from "./handler.ts";
import { stringifyJson } from "./json.ts";
import { encodeParams } from "./params.ts";

/**
 * Params that are not part of the request's identity. A token is renewed every few minutes, and not even the hash of a secret is kept. A bound on what may be held now does not change what an earlier call has had held.
 */
const LEFT_OUT = ["sessionToken", "session_token", "secret", "maxGasBudget"];

/** The last param of its method. It is new for each call, and may be absent. A request without it is the same one. */
const CAPTCHA = "recaptchaToken";

/**
 * Returns the idempotency key of a request. Null if it has none, or if no method honours it. One key cannot name
 * several calls, so any batch with a key is refused.
 *
 * @param contracts one for each call of the request. Undefined for a method that does not exist.
 */
export function readIdempotencyKey(
  headers: Headers,
  contracts: readonly (MethodContract | undefined)[],
): Outcome<string | null> {
  const key = headers.get(IDEMPOTENCY_HEADER);
  if (key === null) return done(null);
  if (contracts.length > 1)
    return refuse("invalid_request", "a batch may not carry an Idempotency-Key: send its calls one by one");
  if (!contracts[0]?.idempotent) return done(null);
  return IDEMPOTENCY_KEY.test(key) ? done(key) : refuse("invalid_request", BAD_IDEMPOTENCY_KEY);
}

/**
 * Returns the claim that the handler of an idempotent method gets.
 *
 * @param caller.key as the caller sent it. It comes last in the scope, and no part before it holds a slash.
 */
export function claimOf(
  contract: MethodContract,
  params: DecodedParams,
  caller: { readonly keyId: string; readonly key: string },
): IdempotencyClaim {
  return {
    scope: `${caller.keyId}/${contract.name}/${caller.key}`,
    fingerprint: fingerprintOf(contract, params),
  };
}

/** Hashes the decoded params in their one encoded form, so it does not matter how the caller wrote them. */
function fingerprintOf(contract: MethodContract, params: DecodedParams): string {
  const encoded = encodeParams(contract, params);
  if (!encoded.ok) throw new Error(`${contract.name}: decoded params do not encode: ${encoded.error.details}`);
  const names = Object.keys(contract.params.shape);
  const asked = encoded.value.flatMap((value, index) => {
    const name = names[index] ?? "";
    if (name === CAPTCHA) return [];
    return [LEFT_OUT.includes(name) ? null : value];
  });
  return sha256Base64url(stringifyJson([contract.name, ...asked]));
}
