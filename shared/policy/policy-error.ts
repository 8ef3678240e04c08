import * as z from "zod";
import { networks } from "../networks.ts";
import { fullTarget } from "./move-targets.ts";

/**
 * Reports a policy that cannot be intended as written. Thrown while the policy is loaded, so that such a policy is
 * neither started nor deployed.
 */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
}

const IDENTIFIER = "[A-Za-z_$][A-Za-z0-9_$]{0,127}";
const TARGET = new RegExp(`^(0x[0-9a-fA-F]{1,64})::(\\*|${IDENTIFIER}::(\\*|${IDENTIFIER}(<[\\w:<>,\\s$]+>)?))$`);
const ADDRESS = /^0x[0-9a-fA-F]{1,64}$/;
const HASH = /^0x[0-9a-f]{64}$/;
/**
 * The limit on digits of a short address. Published packages have full addresses. Those of the frameworks are short,
 * and Aptos leaves out leading zeros.
 */
const MAX_SHORT_DIGITS = 4;
const MIN_LONG_DIGITS = 60;

/** A file and a line of the repository, as a stack trace names them if code runs from its sources. */
const PLACE = /([^\s/(]+\/[^\s/(]+\.ts):(\d+):\d+/;

const OWN_FILES = ["policy/policy-error.ts", "policy/rules.ts"];
/** The launcher checks the policy after it is loaded. At that time no line of the policy runs. */
const LAUNCHER = "cli/policy.ts";

/** Returns the place at which the policy calls the rule, `functions/policy.ts:24`. Null if the code was bundled. */
function placeOf(stack: string | undefined): string | null {
  for (const line of stack?.split("\n") ?? []) {
    const [, file, number] = PLACE.exec(line) ?? [];
    if (file === LAUNCHER) return null;
    if (file !== undefined && !OWN_FILES.includes(file)) return `${file}:${number}`;
  }
  return null;
}

function fail(rule: string, what: string): never {
  const error = new PolicyError();
  const place = placeOf(error.stack) ?? "functions/policy.ts";
  error.message = `${place}: ${rule}: ${what}`;
  throw error;
}

function checkAddress(rule: string, address: string, text: string): void {
  const digits = address.length - "0x".length;
  if (digits > MAX_SHORT_DIGITS && digits < MIN_LONG_DIGITS)
    fail(rule, `${JSON.stringify(text)} has an address that is cut short: write all of its digits`);
}

function refusePlaceholder(rule: string, text: string): void {
  if (/^0x<[^:]*>|\.\.\.|…/.test(text))
    fail(rule, `${JSON.stringify(text)} is a placeholder: put what your app has in its place`);
}

/** Returns the networks of a rule. @throws PolicyError if the rule has none, or one does not exist. */
export function checkNetworks<Name extends string>(rule: string, names: readonly Name[]): readonly Name[] {
  if (names.length === 0) fail(rule, "names no network: name at least one");
  const known: readonly string[] = networks;
  for (const name of names)
    if (!known.includes(name))
      fail(rule, `${JSON.stringify(name)} is not a network: use one of ${networks.join(", ")}`);
  return names;
}

/** Returns targets in full length. @throws PolicyError if one could never be a Move call. */
export function checkTargets(rule: string, targets: readonly string[]): readonly string[] {
  if (targets.length === 0) fail(rule, "names no Move call: name at least one");
  return targets.map((target) => {
    refusePlaceholder(rule, target);
    const [, address] = TARGET.exec(target) ?? [];
    if (address === undefined)
      fail(rule, `${JSON.stringify(target)} must be 0x…::module::function, 0x…::module::* or 0x…::*`);
    checkAddress(rule, address, target);
    return fullTarget(target);
  });
}

/** Returns addresses in full length. @throws PolicyError if one is not an address. */
export function checkAddresses(rule: string, addresses: readonly string[]): readonly string[] {
  return addresses.map((address) => {
    refusePlaceholder(rule, address);
    if (!ADDRESS.test(address)) fail(rule, `${JSON.stringify(address)} must be an address, 0x and its digits`);
    checkAddress(rule, address, address);
    return fullTarget(address);
  });
}

/** Returns the hashes of a rule. @throws PolicyError if the rule has none, or one is not a SHA3-256. */
export function checkHashes(rule: string, hashes: readonly string[]): readonly string[] {
  if (hashes.length === 0) fail(rule, "names no script: name at least one");
  for (const hash of hashes) {
    refusePlaceholder(rule, hash);
    if (!HASH.test(hash)) fail(rule, `${JSON.stringify(hash)} must be the SHA3-256 of a script, 0x and 64 digits`);
  }
  return hashes;
}

/** Checks a limit. Null means no limit. @throws PolicyError if it is negative or not a whole number. */
export function checkLimit(rule: string, name: string, limit: number | bigint | null): void {
  const isWhole = limit === null || typeof limit === "bigint" || Number.isSafeInteger(limit);
  if (!isWhole || (limit !== null && limit < 0)) fail(rule, `${name} must be a whole number, 0 or more`);
}

const reachSchema = z
  .object({ networks: z.array(z.string()), targets: z.union([z.literal("any"), z.array(z.string())]) })
  .nullable();

/**
 * Checks the `mayAllow` of a rule, as `allowMoveCalls` checks its own. A rule without `mayAllow` might allow a
 * transaction that the workflows' access key then refuses.
 *
 * @throws PolicyError if a rule has no `mayAllow`, or one that cannot be intended.
 */
export function checkMayAllow(name: string, mayAllow: unknown): void {
  if (mayAllow === undefined)
    fail(
      name,
      "has no mayAllow: name what it may allow, { networks: [...], targets: [...] }, or say null if it never allows a transaction",
    );
  const reach = reachSchema.safeParse(mayAllow);
  if (!reach.success) fail(name, 'mayAllow must be { networks: [...], targets: [...] or "any" }, or null');
  if (reach.data === null) return;
  checkNetworks(name, reach.data.networks);
  if (reach.data.targets !== "any") checkTargets(name, reach.data.targets);
}
