import type { Network } from "../networks.ts";
import { fullTarget } from "./move-targets.ts";
import type { Rule } from "./rule.ts";

/** Nobody's package: a key with this alone has nothing sponsored. An empty list would restrict nothing. */
export const NO_CALLS = fullTarget("0x0::*");

/**
 * Which Move calls the access key of the workflows may have sponsored on a network: those that the app's policy may
 * allow there. So whoever gets hold of the key, or around the policy, has no other call paid for.
 *
 * @returns the `moveTargets.allow` of the key; null: any call, because a rule allows what no list of calls can name.
 */
export function keyMoveTargets(rules: readonly Rule[], network: Network): readonly string[] | null {
  const reach = rules.flatMap(({ mayAllow }) => (mayAllow?.networks.includes(network) ? [mayAllow.targets] : []));
  const targets = new Set<string>();
  for (const listed of reach) {
    if (listed === "any") return null;
    // A key's list knows no types.
    for (const target of listed) targets.add(fullTarget(target).replace(/<.*$/, ""));
  }
  return targets.size === 0 ? [NO_CALLS] : [...targets].toSorted();
}

/** Tells whether a key's list names the same calls, in whatever order. An empty list counts as none. */
export function isSameList(one: readonly string[] | null, other: readonly string[] | null): boolean {
  const text = (list: readonly string[] | null) => JSON.stringify(list === null ? [] : [...new Set(list)].toSorted());
  return text(one) === text(other);
}
