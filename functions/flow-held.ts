import type { ObjectStub } from "../shared/env.ts";
import type { NamedHold } from "../shared/objects/held-gas.ts";
import type { WorkflowUser } from "../shared/objects/workflow-user.ts";
import { lowestUserCap, type Rule } from "../shared/policy/rules.ts";
import type { Log } from "../shared/ports.ts";
import { type FlowResult, overCap } from "./flow-failure.ts";

/**
 * Asks for gas to be held for a user.
 *
 * @param ask what the service holds for how long, and whatever else it says.
 */
export type HoldGas = <Value>(
  ask: () => Promise<FlowResult<Value>>,
  named: (value: Value) => NamedHold,
) => Promise<FlowResult<Value>>;

/** Within what the policy lets be held for one user at once: nobody is to have all that the fund can lend. */
export function holdGasFor(
  user: ObjectStub<WorkflowUser>,
  { policy, log }: { readonly policy: readonly Rule[]; readonly log: Log },
): HoldGas {
  return async (ask, named) => {
    const { heldAtOnce } = lowestUserCap(policy, "sui");
    if (heldAtOnce === null) return ask();
    const taken = await user.hold(heldAtOnce);
    if (taken.kind === "over_cap") return overCap(taken);
    let held: NamedHold | null = null;
    try {
      const asked = await ask();
      if (asked.ok) held = named(asked.value);
      return asked;
    } finally {
      // Not in the way of what the service has answered: a place that is never settled is free again in a minute.
      await user
        .settle(taken.place, held)
        .catch((error: unknown) => log("flow.settle_failed", { error: String(error) }));
    }
  };
}
