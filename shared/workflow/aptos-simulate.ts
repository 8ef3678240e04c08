import type { Deps } from "../bindings/deps.ts";
import type { AptosNode } from "../chain/aptos/node.ts";
import { Deadline } from "../deadline.ts";
import type { AptosNetwork } from "../networks.ts";
import { nodeFailed, sequenceConflict, type WorkflowFailure, type WorkflowResult, workflowFailed } from "./errors.ts";

/**
 * Simulations refuse a transaction that would abort, before the fund pays for it. A chain charges for an abort as for a
 * success.
 */

const OUT_OF_TURN = /SEQUENCE_NUMBER_TOO_(OLD|NEW)/;

/**
 * Simulates a transaction that a workflow has made.
 *
 * @param isUnderWay returns whether another transaction of the sender may still be executed before this one. A
 * simulation does not include that transaction, so a failure of the simulation proves nothing.
 */
export async function simulateBuilt(
  rawTransaction: Uint8Array,
  node: AptosNode,
  isUnderWay: () => Promise<boolean>,
): Promise<WorkflowResult<{ readonly gasUsedUnits: bigint }>> {
  const simulated = await node.simulate(rawTransaction);
  if (!simulated.ok) return nodeFailed(simulated.error);
  const { value } = simulated;
  if (value.kind === "executed" && value.success) return { ok: true, value };
  if (OUT_OF_TURN.test(value.vmStatus) || (await isUnderWay())) return sequenceConflict();
  return simulationFailed(value.vmStatus);
}

function simulationFailed(vmStatus: string): WorkflowFailure {
  return workflowFailed(422, "transaction_failed", `the simulation failed: ${vmStatus}`);
}

/**
 * Simulates a transaction that a user has signed.
 *
 * @returns null if it succeeds, or if no block would take it: the service refuses the latter by itself.
 */
export async function simulateSigned(
  rawTransaction: Uint8Array,
  network: AptosNetwork,
  { config, aptosNode }: Pick<Deps, "config" | "aptosNode">,
): Promise<WorkflowFailure | null> {
  if (config.nodes[network].length === 0) return noNodes(network);
  const simulated = await aptosNode(network).within(new Deadline()).simulate(rawTransaction);
  if (!simulated.ok) return nodeFailed(simulated.error);
  const { value } = simulated;
  return value.kind === "executed" && !value.success ? simulationFailed(value.vmStatus) : null;
}

/** Refuses because no node of the network is configured. */
export function noNodes(network: AptosNetwork): WorkflowFailure {
  const why = "The workflow needs a node to build transactions";
  return workflowFailed(503, "not_configured", `${network}_NODES is not set: set it. ${why}`);
}
