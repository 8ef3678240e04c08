// Sui only: no caller of a fund on Aptos names bounds of its own.

import { readCommands } from "../../chain/sui/commands.ts";
import { inspectKind } from "../../chain/sui/kind.ts";
import { type Refusal, refuse } from "../../errors.ts";
import type { SuiNetwork } from "../../networks.ts";
import { type CallLists, outsideLists } from "../../policy/call-lists.ts";
import type { FundPolicy } from "../../policy/fund-policy.ts";
import { targetMatcher } from "../../policy/move-targets.ts";
import type { Failure } from "../../result.ts";
import type { FundRecord } from "../record.ts";

/** The bounds that one call names. They narrow what the policies allow, and never widen it. */
export interface CallBounds extends CallLists {
  /** The network that the caller expects the fund to be on. */
  readonly network: SuiNetwork;
}

/** The parts of a request for gas that its bounds are compared with. */
export interface BoundedKind {
  /** BCS of the transaction kind. */
  readonly kindBytes: Uint8Array;
  readonly sender: string;
  /** The access key's own policy. */
  readonly keyPolicy: Pick<FundPolicy, "moveTargets">;
}

/**
 * Refuses a call whose transaction leaves the call's own bounds. Needs no dry run and no usage. Does not check the
 * policies.
 *
 * @returns null if the transaction keeps to the bounds. `wrong_network`, the refusals of `inspectKind`, or
 * `policy_refused` by the name of the list.
 */
export function boundsRefusal(
  { kindBytes, sender, keyPolicy }: BoundedKind,
  bounds: CallBounds,
  { network, policy }: Pick<FundRecord, "network" | "policy">,
): Failure<Refusal> | null {
  if (bounds.network !== network)
    return refuse(
      "wrong_network",
      `this access key is for ${network}, and the call names ${bounds.network}: use a key of that network`,
    );
  if (bounds.allowedAddresses === null && bounds.allowedMoveCallTargets === null) return null;
  const inspected = inspectKind(kindBytes);
  if (!inspected.ok) return inspected;
  const byKey = targetMatcher(keyPolicy.moveTargets.allow ?? []);
  const byFund = targetMatcher(policy.moveTargets.allow ?? []);
  const isTrusted = (target: string) => byKey(target) || byFund(target);
  const outside = outsideLists(readCommands(kindBytes), { sender, lists: bounds, isTrusted });
  return outside && refuse("policy_refused", `${outside.rule}: ${outside.details}`, { rule: outside.rule });
}
