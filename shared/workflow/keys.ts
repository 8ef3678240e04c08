import { parseAccessKey } from "../access/key-format.ts";
import type { Deps } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import { FLOWS_KEY_VARIABLES, type FlowsConfig } from "../config/workflows.ts";
import { chains } from "../networks.ts";
import { isSameList, keyMoveTargets } from "../policy/key-policy.ts";
import type { Rule } from "../policy/rule.ts";

/**
 * Compares the workflows' access keys with the app's policy, if the service is part of this deployment.
 *
 * @returns null if each key allows what the policy may allow, and no other Move call. Otherwise it returns the remedy,
 * for people.
 */
async function keyDifference(
  { accessKeys, baseUrl }: FlowsConfig,
  rules: readonly Rule[],
  env: Pick<Env, "ACCESS_KEY">,
): Promise<string | null> {
  if (baseUrl !== null) return null;
  const compared = await Promise.all(
    chains.map(async (chain) => {
      const key = parseAccessKey(accessKeys[chain] ?? "");
      const view = key === null ? null : await env.ACCESS_KEY.getByName(key.keyId).view();
      const differs = view !== null && !isSameList(view.policy.moveTargets.allow, keyMoveTargets(rules, view.network));
      return differs ? [FLOWS_KEY_VARIABLES[chain]] : [];
    }),
  );
  const differing = compared.flat();
  return differing.length === 0
    ? null
    : `${differing.join(" and ")}: other Move calls than functions/policy.ts allows. npm run self-host, and npm run deploy -- --url <where it answers>, set them with --set-key-policy`;
}

/** Anybody may ask for the health. The keys are compared about once in this time, for all callers. */
const KEYS_KEPT_MS = 10_000;

/** Checks that the workflows' access keys match the app's policy. */
export class WorkflowKeys {
  readonly #deps: Deps;
  readonly #policy: readonly Rule[];
  #compared: { readonly verdict: string | null; readonly untilMs: number } | null = null;

  constructor(deps: Deps, policy: readonly Rule[]) {
    this.#deps = deps;
    this.#policy = policy;
  }

  /** Returns the remedy. Null if the keys match, or if they cannot be read. */
  async verdict(env: Env): Promise<string | null> {
    const { config, clock } = this.#deps;
    const { flows, service } = config;
    if (flows === null || service === null) return null;
    const nowMs = clock.nowMs();
    if (this.#compared === null || nowMs >= this.#compared.untilMs)
      this.#compared = { verdict: await this.#compare(flows, env), untilMs: nowMs + KEYS_KEPT_MS };
    return this.#compared.verdict;
  }

  async #compare(flows: FlowsConfig, env: Env): Promise<string | null> {
    try {
      return await keyDifference(flows, this.#policy, env);
    } catch (error) {
      this.#deps.log("flow.keys_unread", { error: String(error) });
      return null;
    }
  }
}
