import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { networks } from "../networks.ts";
import { keyMoveTargets } from "../policy/key-policy.ts";
import { checkMayAllow } from "../policy/policy-error.ts";
import { MAX_LIST_ENTRIES } from "../policy/policy-schema.ts";
import type { Rule } from "../policy/rule.ts";
import { root } from "./root.ts";
import { LaunchError } from "./terminal.ts";

/**
 * Loads the app's policy from its source, before it is started or deployed. Refuses a policy that cannot work as
 * written, and a rule without its allowance. Refuses more calls than an access key takes.
 *
 * @throws LaunchError that names the rule, and the line if a rule was made there.
 */
export async function loadPolicy(path = join(root, "functions/policy.ts")): Promise<readonly Rule[]> {
  const { policy }: { readonly policy: readonly Rule[] } = await importPolicy(path);
  for (const rule of policy) forPerson(() => checkMayAllow(rule.name, rule.mayAllow));
  for (const network of networks) {
    const count = keyMoveTargets(policy, network)?.length ?? 0;
    if (count > MAX_LIST_ENTRIES)
      throw new LaunchError(
        `functions/policy.ts names ${count} Move calls on ${network}, and an access key takes ${MAX_LIST_ENTRIES}: name modules, 0x…::module::*`,
      );
  }
  return policy;
}

async function importPolicy(path: string) {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    throw readable(error);
  }
}

function forPerson(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw readable(error);
  }
}

function readable(error: unknown): unknown {
  return error instanceof Error && error.name === "PolicyError" ? new LaunchError(error.message) : error;
}
