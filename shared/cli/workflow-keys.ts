import * as z from "zod";
import { parseAccessKey } from "../access/key-format.ts";
import { FLOWS_KEY_VARIABLES } from "../config/workflows.ts";
import { chains, type Network, networks } from "../networks.ts";
import { isSameList, keyMoveTargets, NO_CALLS } from "../policy/key-policy.ts";
import type { Rule } from "../policy/rule.ts";
import { adminAddress } from "./admin-address.ts";
import { type AdminAccess, adminCall } from "./client/admin.ts";
import { expectAnswer, UnexpectedAnswer } from "./client/http.ts";
import type { Variables } from "./platform.ts";

const viewSchema = z.object({
  status: z.string(),
  policy: z.object({ moveTargets: z.object({ allow: z.array(z.string()).nullable() }) }),
});

/** Reads a key's settings. Null if the service has no such key. */
export async function readKey(access: AdminAccess, keyId: string): Promise<z.output<typeof viewSchema> | null> {
  const answer = await adminCall(access, "GET", `/keys/${keyId}`);
  return answer.status === 404 ? null : expectAnswer(`reading the access key ${keyId}`, answer, viewSchema);
}

/**
 * Makes a key allow these Move calls, null for any. @returns whether it changed. Null if the service has no such key.
 */
export async function setMoveTargets(
  access: AdminAccess,
  keyId: string,
  allow: readonly string[] | null,
): Promise<boolean | null> {
  const view = await readKey(access, keyId);
  if (view === null) return null;
  if (isSameList(view.policy.moveTargets.allow, allow)) return false;
  const patched = await adminCall(access, "PATCH", `/keys/${keyId}`, { policy: { moveTargets: { allow } } });
  expectAnswer(`changing the access key ${keyId}`, patched, viewSchema);
  return true;
}

/** Returns the policy's allowance of a key, for people. */
export function allowedText(allow: readonly string[] | null, network: Network): string {
  if (isSameList(allow, [NO_CALLS]))
    return `nothing on ${network}: no rule of functions/policy.ts allows a Move call there, so this key has no transaction sponsored`;
  return allow === null
    ? `any Move call on ${network}: a rule of functions/policy.ts allows what no list of calls can name`
    : `what functions/policy.ts allows on ${network}`;
}

function listText(allow: readonly string[] | null): string {
  if (allow === null || allow.length === 0) return "any call";
  return isSameList(allow, [NO_CALLS]) ? "no call" : allow.join(", ");
}

interface ConfiguredKey {
  readonly variable: string;
  readonly keyId: string;
  readonly network: Network;
}

/** Returns the configured keys of this kind of service. Keys of another kind have no list. */
function configuredKeys(vars: Variables): readonly ConfiguredKey[] {
  return chains.flatMap((chain) => {
    const variable = FLOWS_KEY_VARIABLES[chain];
    const key = parseAccessKey(vars[variable] ?? "");
    return key === null ? [] : [{ variable, keyId: key.keyId, network: key.network }];
  });
}

/** Settings of the comparison of the workflows' access keys with the policy. */
export interface Alignment {
  readonly rules: readonly Rule[];
  /** True if keys that differ are changed. An operator's key may serve others, or have been closed by hand. */
  readonly mayChange: boolean;
  /** FLOWS_ADMIN_TOKEN, which opens the service at FLOWS_BASE_URL. */
  readonly adminToken: string | undefined;
  /** Prints a line for people. */
  readonly tell: (line: string) => void;
  /** Prints a line about calls that will be refused, or allowances that stay too wide. */
  readonly warn: (line: string) => void;
}

/**
 * Compares the workflows' access keys with the policy, through the admin API of the service that made them. Changes
 * those that differ if it may. Their deny lists stay as they are.
 *
 * @param vars variables and secrets of the deployment.
 * @param serviceUrl address of this deployment. Null if it is unknown.
 * @returns false if a key could not be read or changed. `warn` gets the reason.
 */
export async function alignWorkflowKeys(
  vars: Variables,
  serviceUrl: string | null,
  alignment: Alignment,
): Promise<boolean> {
  const keys = configuredKeys(vars);
  const address = adminAddress(vars, serviceUrl, alignment.adminToken);
  let isAligned = true;
  for (const key of keys) {
    if (address.ok) isAligned = (await alignKey(address.value, key, alignment)) && isAligned;
    else
      alignment.warn(`${nameOf(key)} ${uncomparedText(keyMoveTargets(alignment.rules, key.network), address.error)}`);
  }
  return isAligned;
}

function uncomparedText(allow: readonly string[] | null, missing: string): string {
  return `was not compared with functions/policy.ts: that takes ${missing}. If its moveTargets.allow leaves out any of these calls, they are refused: ${listText(allow)}.`;
}

/** Returns the caveat of a deployment without its secrets about the workflows' access keys, for people. */
export function uncomparedKeysText(rules: readonly Rule[]): string {
  const needed = networks.flatMap((network) => {
    const allow = keyMoveTargets(rules, network);
    return isSameList(allow, [NO_CALLS]) ? [] : [`\n  ${network}: ${listText(allow)}`];
  });
  return `the workflows' access keys were not compared with functions/policy.ts. What their moveTargets.allow leaves out of these calls is refused:${needed.join("")}`;
}

/** Returns true if the operator lets keys be changed, by the option or SET_KEY_POLICY=1. */
export function maySetKeyPolicy(
  option: boolean | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  return option === true || env.SET_KEY_POLICY === "1";
}

function nameOf({ variable, keyId }: ConfiguredKey): string {
  return `${variable} (${keyId})`;
}

async function alignKey(access: AdminAccess, key: ConfiguredKey, { rules, mayChange, tell, warn }: Alignment) {
  const allow = keyMoveTargets(rules, key.network);
  const by = nameOf(key);
  try {
    const view = await readKey(access, key.keyId);
    if (view === null) {
      warn(`${by} is none of the access keys at ${access.serviceUrl}`);
      return false;
    }
    const before = view.policy.moveTargets.allow;
    if (isSameList(before, allow)) {
      tell(`${by} allows, as before, ${allowedText(allow, key.network)}.`);
      return true;
    }
    const change = `from ${listText(before)} to ${listText(allow)}`;
    if (!mayChange) {
      warn(`${by} differs from functions/policy.ts, and stays as it is. --set-key-policy changes it ${change}.`);
      return true;
    }
    await setMoveTargets(access, key.keyId, allow);
    tell(`${by} allows from now on ${allowedText(allow, key.network)}. It was changed ${change}.`);
    return true;
  } catch (error) {
    const why =
      error instanceof UnexpectedAnswer ? error.message : `${access.serviceUrl} does not answer (${String(error)})`;
    warn(`${by} could not be compared with functions/policy.ts: ${why}`);
    return false;
  }
}
