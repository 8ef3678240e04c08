import type { Network } from "../networks.ts";
import { fullTarget } from "./move-targets.ts";
import type { Rule } from "./rule.ts";

/**
 * A target in a package that does not exist. A key with this entry alone has nothing sponsored. An empty list would
 * restrict nothing.
 */
export const NO_CALLS = fullTarget("0x0::*");

/**
 * Lists the Move calls that the workflows' access key may have sponsored on a network. They are the calls that the
 * app's policy may allow there. A thief of the key, or a way around the policy, has no other call paid for.
 *
 * @returns the `moveTargets.allow` of the key. Null if a rule allows transactions that no list of calls can name, so
 * any call passes.
 */
export function keyMoveTargets(rules: readonly Rule[], network: Network): readonly string[] | null {
  const reach = rules.flatMap(({ mayAllow }) => (mayAllow?.networks.includes(network) ? [mayAllow.targets] : []));
  const targets = new Set<string>();
  for (const listed of reach) {
    if (listed === "any") return null;
    // The list of a key knows no types.
    for (const target of listed) targets.add(fullTarget(target).replace(/<.*$/, ""));
  }
  return targets.size === 0 ? [NO_CALLS] : [...targets].toSorted();
}

/** Returns whether a key's list names the same calls, in any order. An empty list counts as none. */
export function isSameList(one: readonly string[] | null, other: readonly string[] | null): boolean {
  const text = (list: readonly string[] | null) => JSON.stringify(list === null ? [] : [...new Set(list)].toSorted());
  return text(one) === text(other);
}
