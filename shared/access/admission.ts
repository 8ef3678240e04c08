import { type Deps, serviceSecrets } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { hashKeySecret, hasValidCheck, type ParsedAccessKey, parseAccessKey } from "./key-format.ts";
import { type AdmissionRequest, type Admitted, badKey } from "./record.ts";

export type { Admitted };

/** Returns the access keys of a request: header `X-Api-Key`, and the last path segment if there is one. */
export function keysOfRequest(request: Request, pathKey: string | null): readonly string[] {
  return [request.headers.get("X-Api-Key"), pathKey].flatMap((key) => key || []);
}

/**
 * Verifies a request's keys without I/O. Refuses in this order: no key, or two different ones (`bad_key`); a key of
 * another region (`wrong_region`); a forged one (`bad_key`).
 */
export function verifyKey(deps: Deps, keys: readonly string[]): Outcome<ParsedAccessKey> {
  const [text, another] = new Set(keys);
  if (text === undefined) return refuse("bad_key", "no access key: send it in the X-Api-Key header");
  if (another !== undefined) return refuse("bad_key", "two different access keys in one request: send one");
  const key = parseAccessKey(text);
  if (key === null) return badKey();
  const { region } = deps.config;
  if (key.region !== region)
    return refuse(
      "wrong_region",
      `this access key belongs to region ${key.region}, this service is ${region}: call the service of that region`,
    );
  return hasValidCheck(key, serviceSecrets(deps).keyPeppers) ? done(key) : badKey();
}

/**
 * Admits a request. First come the refusals of `genuineKey`. One call to the key's object then refuses two cases. They
 * are an unknown or disabled key (`bad_key`) and a path of another chain (`wrong_network`). Refusals that can differ
 * within a batch are returned for each call: `missing_right`, then `rate_limited` with `data.retryAfterMs`.
 *
 * @param request.calls for each call of the batch, the rights that its method needs.
 */
export async function admit(
  env: Env,
  deps: Deps,
  { keys, ...request }: Omit<AdmissionRequest, "secretHash"> & { readonly keys: readonly string[] },
): Promise<Outcome<Admitted>> {
  const key = verifyKey(deps, keys);
  if (!key.ok) return key;
  const { keyId, secret } = key.value;
  return env.ACCESS_KEY.getByName(keyId).admit({ ...request, secretHash: hashKeySecret(secret) });
}
