import type { Log } from "../bindings/ports.ts";
import type { GasLimit, WorkflowUserObject } from "../bindings/workflow-user.ts";
import { lowestUserCap, type Rule } from "../policy/rules.ts";
import type { Success } from "../result.ts";
import { overCap, type WorkflowFailure, type WorkflowResult } from "./errors.ts";
import type { OpenSponsorship, WantedSponsorship } from "./user/open-sponsorships.ts";

/**
 * Asks for gas to be held for a user.
 *
 * @param ask the service, which answers what it holds for how long, and whatever else it says. It must hold no more than
 *   the limit that is given.
 * @param named what is held from now on; null: nothing more.
 */
export type ReserveSponsorship = <Value>(
  wanted: WantedSponsorship,
  ask: (limit: GasLimit) => Promise<ReservationResult<Value>>,
  named: (value: Value) => OpenSponsorship | null,
) => Promise<WorkflowResult<Value>>;

/** `mayHold`: there was no answer, so gas may be held all the same. */
export type ReservationResult<Value> = Success<Value> | (WorkflowFailure & { readonly mayHold?: true });

/**
 * Within what the policy lets be held for one user at once: nobody is to have all that the fund can lend.
 *
 * @param key of the attempt; null: it has none.
 */
export function reserveSponsorshipFor(
  user: WorkflowUserObject,
  key: string | null,
  { policy, log }: { readonly policy: readonly Rule[]; readonly log: Log },
): ReserveSponsorship {
  return async (wanted, ask, named) => {
    const { heldAtOnce, heldGasAtoms } = lowestUserCap(policy, wanted.chain);
    if (heldAtOnce === null && heldGasAtoms === null)
      return ask({ maxGasAtoms: wanted.gasAtoms ?? wanted.atMostAtoms, overShare: null });
    const taken = await user.reserveSlot(wanted, { heldAtOnce, heldGasAtoms }, key);
    if (taken.kind === "over_cap") return overCap(taken);
    const asked = await ask(taken);
    // A refusal of a repeat says nothing of what an earlier call has had held.
    if (!asked.ok && (asked.mayHold === true || !taken.isNew)) return asked;
    const held = asked.ok ? named(asked.value) : null;
    // Not in the way of what the service has answered: a place that is not settled is free again by itself.
    await user
      .confirmSlot(taken.slot, held)
      .catch((error: unknown) => log("flow.settle_failed", { error: String(error) }));
    return asked;
  };
}
