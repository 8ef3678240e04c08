import type { Network } from "../networks.ts";
import { fullTarget } from "./move-targets.ts";
import type { Rule } from "./rule.ts";

/**
 * A target in a package that does not exist. A key with only this entry sponsors nothing. An empty list would restrict
 * nothing.
 */
export const NO_CALLS = fullTarget("0x0::*");

/**
 * Lists the Move calls that the workflows' access key may sponsor on a network. The app's policy may allow the same
 * calls there. So a stolen key, or a way around the policy, sponsors no other call.
 *
 * @returns the `moveTargets.allow` of the key. Null if a rule allows transactions that no list of calls can name, so
 * any call passes.
 */
export function keyMoveTargets(rules: readonly Rule[], network: Network): readonly string[] | null {
  const reach = rules.flatMap(({ mayAllow }) => (mayAllow?.networks.includes(network) ? [mayAllow.targets] : []));
  const targets = new Set<string>();
  for (const listed of reach) {
    if (listed === "any") return null;
    // The list of a key has no types.
    for (const target of listed) targets.add(fullTarget(target).replace(/<.*$/, ""));
  }
  return targets.size === 0 ? [NO_CALLS] : [...targets].toSorted();
}

/** Returns true if a key's list names the same calls, in any order. An empty list counts as none. */
export function isSameList(one: readonly string[] | null, other: readonly string[] | null): boolean {
  const text = (list: readonly string[] | null) => JSON.stringify(list === null ? [] : [...new Set(list)].toSorted());
  return text(one) === text(other);
}
