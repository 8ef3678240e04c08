import type { InspectedKind } from "../chain/sui/kind.ts";
import type { SuiNetwork } from "../networks.ts";
import { type WorkflowFailure, workflowFailed } from "./errors.ts";
import type { WorkflowContext } from "./handler.ts";

/** A workflow's context, whatever its input. */
export type SuiWorkflowContext = Omit<WorkflowContext<unknown>, "input">;

/** A transaction kind that a sender wants the fund to pay for. */
export interface SponsorshipRequest {
  readonly action: "sponsor" | "execute";
  readonly kind: InspectedKind;
  readonly sender: string;
  /** Undefined if a dry run sets it. */
  readonly gasBudgetMist: bigint | undefined;
}

/**
 * Refuses because FLOWS_SECRET is not set, although the service hands its signatures out. FLOWS_SECRET would seal them.
 */
export const NO_SECRET = workflowFailed(
  503,
  "not_configured",
  "FLOWS_SECRET is not set: set it, because it seals the signatures of FLOWS_BASE_URL",
);

/** Refuses because the service executes nothing, and the workflows have no nodes of their own. */
export function noNodes(network: SuiNetwork): WorkflowFailure {
  const details = `${network}_NODES is not set: set it, the service at FLOWS_BASE_URL executes nothing`;
  return workflowFailed(503, "not_configured", details);
}
