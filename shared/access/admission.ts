import type { Right } from "../api/contract.ts";
import { type Deps, serviceSecrets } from "../deps.ts";
import type { Env } from "../env.ts";
import { type Outcome, refuse } from "../errors.ts";
import type { Chain } from "../networks.ts";
import { type Admitted, badKey } from "./access-key.ts";
import { hashKeySecret, isGenuine, parseAccessKey } from "./key-format.ts";

export type { Admitted };

/** The access keys that a request shows: header `X-Api-Key`, and the last path segment where there is one. */
export function keysOfRequest(request: Request, pathKey: string | null): readonly string[] {
  return [request.headers.get("X-Api-Key"), pathKey].flatMap((key) => key || []);
}

/**
 * Lets a request in. Refused in this order: no key, or two different ones (`bad_key`), a key of another region
 * (`wrong_region`), a forged one (`bad_key`), all without I/O; then, in one call to the key's object, an unknown or
 * disabled key (`bad_key`) and a path of another chain (`wrong_network`). What can differ from call to call of a batch
 * (`missing_right`, then `rate_limited` with `data.retryAfterMs`) is answered call by call.
 *
 * @param request.calls for each call of the batch, the rights that its method needs.
 */
export async function admit(
  env: Env,
  deps: Deps,
  request: {
    readonly keys: readonly string[];
    readonly chain: Chain;
    readonly calls: readonly (readonly Right[])[];
    /** How many keys each of the calls derives from a secret; absent: none. */
    readonly derivations?: readonly number[];
  },
): Promise<Outcome<Admitted>> {
  const [text, another] = new Set(request.keys);
  if (text === undefined)
    return refuse("bad_key", "no access key: send it in the X-Api-Key header or as the last path segment");
  if (another !== undefined) return refuse("bad_key", "two different access keys in one request");
  const key = parseAccessKey(text);
  if (key === null) return badKey();
  const { region } = deps.config;
  if (key.region !== region)
    return refuse("wrong_region", `this access key belongs to region ${key.region}, this service is ${region}`);
  if (!isGenuine(key, serviceSecrets(deps).keyPeppers)) return badKey();
  return env.ACCESS_KEY.getByName(key.keyId).admit({
    secretHash: hashKeySecret(key.secret),
    chain: request.chain,
    calls: request.calls,
    ...(request.derivations && { derivations: request.derivations }),
  });
}
