import * as z from "zod";
import { parseAccessKey } from "../../shared/access/key-format.ts";
import { FLOWS_KEY_VARIABLES } from "../../shared/config/workflows.ts";
import { chains, type Network } from "../../shared/networks.ts";
import { isSameList, keyMoveTargets } from "../../shared/policy/key-policy.ts";
import type { Rule } from "../../shared/policy/rules.ts";
import { type AdminAccess, adminCall, expectAnswer, UnexpectedAnswer } from "./clients.ts";
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

/** What a key allows from now on, for people. */
export function allowedText(allow: readonly string[] | null, network: Network): string {
  return allow === null
    ? `any Move call on ${network}: a rule of functions/policy.ts allows what no list of calls can name`
    : `what functions/policy.ts allows on ${network}`;
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

/**
 * Brings the workflows' access keys to what the policy says, through the admin API of the service that has made them.
 *
 * @param vars variables and secrets of the deployment: its ADMIN_TOKEN, and FLOWS_BASE_URL where that is elsewhere.
 * @param serviceUrl where this deployment answers; null: nobody knows.
 * @param tell a line for people.
 * @returns false where a key could not be brought there; `tell` has heard why.
 */
export async function alignWorkflowKeys(
  vars: Variables,
  serviceUrl: string | null,
  rules: readonly Rule[],
  tell: (line: string) => void,
): Promise<boolean> {
  const keys = configuredKeys(vars);
  if (keys.length === 0) return true;
  const url = vars.FLOWS_BASE_URL ?? serviceUrl;
  const adminToken = vars.ADMIN_TOKEN ?? process.env.ADMIN_TOKEN;
  let isAligned = true;
  for (const { variable, keyId, network } of keys) {
    const allow = keyMoveTargets(rules, network);
    const by = `${variable} (${keyId})`;
    if (url === null || adminToken === undefined) {
      const missing =
        url === null ? "--url https://<where it answers>" : "ADMIN_TOKEN of the service in the environment";
      tell(`${by} was not compared with functions/policy.ts: that takes ${missing}.`);
      continue;
    }
    try {
      const changed = await setMoveTargets({ serviceUrl: url.replace(/\/+$/, ""), adminToken }, keyId, allow);
      if (changed === null) tell(`${by} is none of the access keys at ${url}`);
      else tell(`${by} ${changed ? "allows from now on" : "allows, as before,"} ${allowedText(allow, network)}.`);
      isAligned &&= changed !== null;
    } catch (error) {
      isAligned = false;
      const why = error instanceof UnexpectedAnswer ? error.message : `${url} does not answer (${String(error)})`;
      tell(`${by} could not be brought to functions/policy.ts: ${why}`);
    }
  }
  return isAligned;
}
