import type { Log } from "../bindings/ports.ts";
import type { GasLimit, WorkflowUserObject } from "../bindings/workflow-user.ts";
import { lowestUserCap } from "../policy/evaluate.ts";
import type { Rule } from "../policy/rule.ts";
import { overCap, type WorkflowResult } from "./errors.ts";
import type { OpenSponsorship, WantedSponsorship } from "./user/open-sponsorships.ts";

/**
 * Reserves gas for a user within the policy's caps of open sponsorships.
 *
 * @param reserve reserves at the service, at most the given limit.
 * @param openedBy returns the sponsorship that withholds gas from now on. Null: none does.
 */
export type ReserveSponsorship = <Value>(
  wanted: WantedSponsorship,
  reserve: (limit: GasLimit) => Promise<WorkflowResult<Value>>,
  openedBy: (value: Value) => OpenSponsorship | null,
) => Promise<WorkflowResult<Value>>;

/**
 * Limits the open sponsorships of one user, so that one user cannot exhaust the fund.
 *
 * @param key names the attempt. Null if the caller sent no Idempotency-Key.
 */
export function reserveSponsorshipFor(
  user: WorkflowUserObject,
  key: string | null,
  { policy, log }: { readonly policy: readonly Rule[]; readonly log: Log },
): ReserveSponsorship {
  return async (wanted, reserve, openedBy) => {
    const { heldAtOnce, heldGasAtoms } = lowestUserCap(policy, wanted.chain);
    if (heldAtOnce === null && heldGasAtoms === null)
      return reserve({ maxGasAtoms: wanted.gasAtoms ?? wanted.atMostAtoms, overShare: null });
    const taken = await user.reserveSlot(wanted, { heldAtOnce, heldGasAtoms }, key);
    if (taken.kind === "over_cap") return overCap(taken);
    const reserved = await reserve(taken);
    // A repeat may be refused while an earlier call still holds gas: keep its slot.
    if (!reserved.ok && (reserved.error.mayWithholdGas === true || !taken.isNew)) return reserved;
    const held = reserved.ok ? openedBy(reserved.value) : null;
    // Only log this failure: an unconfirmed slot becomes free again by itself.
    await user
      .confirmSlot(taken.slot, held)
      .catch((error: unknown) => log("flow.settle_failed", { error: String(error) }));
    return reserved;
  };
}
