import type { Deps } from "../bindings/deps.ts";
import { DIRECTORY_NAME } from "../bindings/directory.ts";
import type { Env } from "../bindings/env.ts";
import {
  type CheckedSecret,
  checksOf,
  knownChecksOf,
  type SecretCheck,
  type SecretsVerdict,
  undecidedSecretsText,
  wrongSecretsText,
} from "../crypto/key-check.ts";
import { orKeyServiceRefusal } from "../crypto/key-service.ts";
import { done, type Outcome, refuse } from "../errors.ts";

/** The secrets that the service seals and opens with. */
const SERVICE_KEYS: readonly CheckedSecret[] = ["MASTER_KEYS", "KEY_PEPPERS"];

/** Check values that the directory has reported to this isolate. The directory never withdraws one. */
const right = new Set<string>();
/** Lists of secrets that are all right, by the check values of a configuration. They are read before each call. */
const allRight = new WeakMap<readonly SecretCheck[], Set<string>>();
const ALL_RIGHT: SecretsVerdict = { wrong: [], undecided: [] };
const nameOf = ({ secret, version, value }: SecretCheck) => `${secret} ${version} ${value}`;

/**
 * Returns the configured secrets that differ from those of this deployment's first use, and the undecided ones. If all
 * are right, calls the directory once in an isolate. While one is undecided, calls it each time.
 *
 * @throws if the directory does not answer; KeyServiceError if a master key could not be read.
 */
export async function secretsVerdict(
  env: Pick<Env, "DIRECTORY">,
  deps: Pick<Deps, "config" | "masterKeys">,
  secrets: readonly CheckedSecret[],
): Promise<SecretsVerdict> {
  const checks = await checksOf(deps);
  const asking = secrets.join(" ");
  if (allRight.get(checks)?.has(asking) === true) return ALL_RIGHT;
  const unknown = checks.filter((check) => secrets.includes(check.secret) && !right.has(nameOf(check)));
  if (unknown.length === 0) {
    allRight.set(checks, (allRight.get(checks) ?? new Set()).add(asking));
    return ALL_RIGHT;
  }
  // A secret is recorded only after the master keys beside it.
  const asked = checks.filter((check) => check.secret === "MASTER_KEYS" || unknown.includes(check));
  const verdict = await env.DIRECTORY.getByName(DIRECTORY_NAME).compareSecrets(asked);
  const isIn = (list: SecretsVerdict["wrong"], check: SecretCheck) =>
    list.some(({ secret, version }) => secret === check.secret && version === check.version);
  for (const check of asked)
    if (!isIn(verdict.wrong, check) && !isIn(verdict.undecided, check)) right.add(nameOf(check));
  const asksFor = ({ secret }: { readonly secret: CheckedSecret }) => secrets.includes(secret);
  return { wrong: verdict.wrong.filter(asksFor), undecided: verdict.undecided.filter(asksFor) };
}

/** Returns true if this isolate already knows that all secrets are right. If not, call `withRightKeys`. */
export function areKnownToBeRight(deps: Pick<Deps, "config">): boolean {
  const checks = knownChecksOf(deps);
  return checks !== null && allRight.get(checks)?.has(SERVICE_KEYS.join(" ")) === true;
}

/**
 * Checks the secrets after a failed opening, and before a value is opened for a caller.
 *
 * @returns `wrong_master_key` or `key_service`. Throws if the directory does not answer.
 */
export async function withRightKeys(
  env: Pick<Env, "DIRECTORY">,
  deps: Pick<Deps, "config" | "masterKeys">,
): Promise<Outcome<null>> {
  const verdict = await orKeyServiceRefusal(secretsVerdict(env, deps, SERVICE_KEYS));
  if (!verdict.ok) return verdict;
  const { wrong } = verdict.value;
  return wrong.length === 0 ? done(null) : refuse("wrong_master_key", wrongSecretsText(wrong));
}

/**
 * Checks the secrets before a permanent seal. A new wallet or fund under a wrong key would be lost once the right one
 * is back. So the current master key must be known to be right.
 *
 * @returns as `withRightKeys`.
 */
export async function mayBeSealed(
  env: Pick<Env, "DIRECTORY">,
  deps: Pick<Deps, "config" | "masterKeys">,
): Promise<Outcome<null>> {
  const verdict = await orKeyServiceRefusal(secretsVerdict(env, deps, SERVICE_KEYS));
  if (!verdict.ok) return verdict;
  const { wrong, undecided } = verdict.value;
  if (wrong.length > 0) return refuse("wrong_master_key", wrongSecretsText(wrong));
  const current = deps.config.service?.masterKeys.current ?? null;
  const unproved = undecided.filter(({ secret, version }) => secret === "MASTER_KEYS" && version === current);
  return unproved.length === 0 ? done(null) : refuse("wrong_master_key", undecidedSecretsText(unproved));
}

/** Runs `mayBeSealed` for callers that cannot return a refusal. @throws as `mayBeSealed`, and for its refusals. */
export async function requireRightKeys(
  env: Pick<Env, "DIRECTORY">,
  deps: Pick<Deps, "config" | "masterKeys">,
): Promise<void> {
  const keys = await mayBeSealed(env, deps);
  if (!keys.ok) throw new Error(keys.error.details);
}
