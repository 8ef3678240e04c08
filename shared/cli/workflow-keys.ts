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

/** A key's settings; null: the service has no such key. */
export async function readKey(access: AdminAccess, keyId: string): Promise<z.output<typeof viewSchema> | null> {
  const answer = await adminCall(access, "GET", `/keys/${keyId}`);
  return answer.status === 404 ? null : expectAnswer(`reading the access key ${keyId}`, answer, viewSchema);
}

/** Has a key allow these Move calls, null any. @returns whether it did not before; null: the service has no such key. */
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

/** What a key allows as the policy says, for people. */
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

/** Of this kind of service. What another one has made has no list. */
function configuredKeys(vars: Variables): readonly ConfiguredKey[] {
  return chains.flatMap((chain) => {
    const variable = FLOWS_KEY_VARIABLES[chain];
    const key = parseAccessKey(vars[variable] ?? "");
    return key === null ? [] : [{ variable, keyId: key.keyId, network: key.network }];
  });
}

/** How the workflows' access keys are compared with the policy, and whom it is told. */
export interface Alignment {
  readonly rules: readonly Rule[];
  /** Whether keys that differ are changed. An operator's key may serve others, or have been closed by hand. */
  readonly mayChange: boolean;
  /** FLOWS_ADMIN_TOKEN: opens the service at FLOWS_BASE_URL. */
  readonly adminToken: string | undefined;
  /** A line for people. */
  readonly tell: (line: string) => void;
  /** A line about what will be refused, or stays too wide. */
  readonly warn: (line: string) => void;
}

/**
 * Compares the workflows' access keys with what the policy says, through the admin API of the service that has made
 * them, and changes those that differ if it may. What their lists deny stays as it is.
 *
 * @param vars variables and secrets of the deployment.
 * @param serviceUrl where this deployment answers; null: nobody knows.
 * @returns false where a key could not be read or changed; `warn` has heard why.
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

/** What a deployment without its secrets cannot know of the workflows' access keys, for people. */
export function uncomparedKeysText(rules: readonly Rule[]): string {
  const needed = networks.flatMap((network) => {
    const allow = keyMoveTargets(rules, network);
    return isSameList(allow, [NO_CALLS]) ? [] : [`\n  ${network}: ${listText(allow)}`];
  });
  return `the workflows' access keys were not compared with functions/policy.ts. What their moveTargets.allow leaves out of these calls is refused:${needed.join("")}`;
}

/** Whether the operator lets keys be changed: the option, or SET_KEY_POLICY=1. */
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
