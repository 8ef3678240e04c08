import type { GasLimit } from "../bindings/workflow-user.ts";
import type { InspectedKind } from "../chain/sui/kind.ts";
import type { SuiNode } from "../chain/sui/node.ts";
import { wrapKind } from "../chain/sui/transaction.ts";
import type { SuiGasClient } from "../client/gas-client.ts";
import type { ClientError } from "../client/rpc-client.ts";
import type { SuiNetwork } from "../networks.ts";
import { gasBudgetCeiling } from "../policy/evaluate.ts";
import type { Simulation } from "../policy/request.ts";
import {
  isMissingMethod,
  nodeFailed,
  overCap,
  policyRefused,
  type WorkflowFailure,
  type WorkflowResult,
  workflowFailed,
  workflowFailureOf,
} from "./errors.ts";
import { NO_SECRET, noNodes, type SponsorshipRequest, type SuiWorkflowContext } from "./sui-context.ts";

/** An address without an owner. */
const ANY_PAYER = `0x${"fe".repeat(32)}`;

interface Reservation {
  readonly txBytes: Uint8Array;
  readonly txDigest: string;
  readonly expireAtTime: number;
  /** Null if the service signs only at the execution. */
  readonly signature: string | null;
  /** Null if none was made, or the service does not return its result. */
  readonly simulation: Simulation | null;
}

/** Reserves gas at the service for a transaction kind. A service that only sponsors gives its signature at once. */
export async function reserveGas(
  { kind, sender, gasBudgetMist }: Omit<SponsorshipRequest, "action">,
  limit: GasLimit,
  network: SuiNetwork,
  gas: SuiGasClient,
  { policy, idempotencyKey, flowsSecret, deps }: SuiWorkflowContext,
): Promise<WorkflowResult<Reservation>> {
  const request = { transactionBytes: kind.bytes, sender, gasBudget: gasBudgetMist };
  // This limit lets the service refuse by the policy's cap before it holds a coin.
  const maxGasBudget = limit.maxGasAtoms ?? undefined;
  // The service would lend a budget of the caller without a dry run, even to a transaction bound to fail. Without such
  // a budget there is a dry run anyway. The policy judges its result.
  const asked = { ...request, maxGasBudget, simulate: true };
  const prepared = await gas.prepareTransactionBlock(asked, { idempotencyKey });
  if (prepared.ok)
    return {
      ok: true,
      value: { ...prepared.value, signature: null, simulation: decodeSimulation(prepared.value.simulation) },
    };
  const { error } = prepared;
  if (isMissingMethod(error)) {
    if (flowsSecret === null) return NO_SECRET;
    // The service would sign the transaction, but no node is configured to submit it.
    if (deps.config.nodes[network].length === 0) return noNodes(network);
    const failure =
      gasBudgetMist === undefined
        ? null
        : await simulateBudget(deps.suiNode(network), request.sender, kind, gasBudgetMist);
    if (failure !== null) return failure;
    const sponsored = await gas.sponsorTransactionBlock(request, { idempotencyKey });
    return sponsored.ok
      ? { ok: true, value: { ...sponsored.value, simulation: null } }
      : reservationFailure(sponsored.error);
  }
  const isOverCap =
    error.kind === "refused" && error.reason === "gas_budget_out_of_range" && gasBudgetMist === undefined;
  if (!isOverCap) return reservationFailure(error);
  if (limit.overShare !== null) return overCap(limit.overShare);
  const ceiling = gasBudgetCeiling(policy, "sui");
  return ceiling === null ? reservationFailure(error) : policyRefused({ rule: ceiling.rule, why: error.details });
}

/** A simulation in the service's wire form. */
interface WireSimulation {
  readonly gasUsed: string;
  readonly balanceChanges:
    | readonly { readonly address: string; readonly coinType: string; readonly amount: string }[]
    | null;
}

function decodeSimulation(told: WireSimulation | undefined): Simulation | null {
  if (told === undefined) return null;
  const changes = told.balanceChanges?.map((change) => ({ ...change, amount: BigInt(change.amount) })) ?? null;
  return { gasUsedAtoms: BigInt(told.gasUsed), balanceChanges: changes };
}

/**
 * Simulates a transaction with a set budget, which such a service lends without a dry run. Null if nothing refuses it.
 */
async function simulateBudget(
  node: SuiNode,
  sender: string,
  kind: InspectedKind,
  budgetMist: bigint,
): Promise<WorkflowFailure | null> {
  const facts = await node.chainFacts(0n);
  if (!facts.ok) return nodeFailed(facts.error);
  const { value, epoch } = facts.value;
  const { referenceGasPriceMist: priceMist } = value;
  // The fund's address is known only after the reservation. Until then an address other than the sender's replaces it.
  const gas = { owner: ANY_PAYER, payment: [], priceMist, budgetMist };
  const dryRun = await node.dryRun(wrapKind(kind.bytes, sender, gas, { kind: "epoch", epoch: epoch + 1n }));
  if (!dryRun.ok && dryRun.error.reason !== "dry_run_failed") return nodeFailed(dryRun.error);
  const failed = dryRun.ok ? !dryRun.value.success : true;
  const text = dryRun.ok ? dryRun.value.error : dryRun.error.details;
  return failed
    ? workflowFailed(
        422,
        "transaction_failed",
        text ?? "the dry run failed, and the node gives no reason: check the transaction",
      )
    : null;
}

function reservationFailure(error: ClientError): WorkflowResult<never> {
  const failure = workflowFailureOf(error, "sui");
  return error.kind === "refused" ? failure : { ok: false, error: { ...failure.error, mayWithholdGas: true } };
}
