import type { SuiExecution } from "../chain/sui/execution.ts";
import { transactionResponse } from "../chain/sui/json-rpc/transaction-response.ts";
import type { SuiNode } from "../chain/sui/node.ts";
import { lookUpOutcome } from "../chain/sui/outcome.ts";
import { readSponsoredBytes } from "../chain/sui/read-sponsored-bytes.ts";
import { transactionDigest } from "../chain/sui/transaction.ts";
import type { SuiExecuted } from "../client/flows/wire.ts";
import { createSuiGasClient } from "../client/gas-client.ts";
import { isRefused } from "../client/rpc-client.ts";
import { Deadline } from "../deadline.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import type { SuiNetwork } from "../networks.ts";
import { isMissingMethod, outcomeUnknown, type WorkflowOutcome, workflowFailed, workflowFailureOf } from "./errors.ts";
import type { ServiceAccess } from "./service.ts";
import { NO_SECRET, noNodes, type SuiWorkflowContext } from "./sui-context.ts";
import { openSponsorSignature } from "./user/sealed-signature.ts";

/** A transaction that the user has signed. */
export interface SignedByUser {
  readonly txBytes: Uint8Array;
  readonly signature: string;
  /** The value that `sponsorOnSui` returned. */
  readonly sponsorship: string | null;
  /** True if an earlier call of the attempt has sent the transaction, or may have. */
  readonly wasSent: boolean;
}

/** Has the fund sign too, or opens its earlier signature, and has the transaction executed. */
export async function executeOnSui(
  signed: SignedByUser,
  { network, options }: ServiceAccess<SuiNetwork>,
  caller: SuiWorkflowContext,
): Promise<WorkflowOutcome> {
  const { txBytes, signature, sponsorship, wasSent } = signed;
  const digest = transactionDigest(txBytes);
  if (sponsorship !== null) return submit({ ...signed, sponsorship }, digest, network, caller);
  const { idempotencyKey } = caller;
  const request = { txDigest: digest, senderSignature: signature };
  const executed = await createSuiGasClient(options).executeTransactionBlock(request, { idempotencyKey });
  if (!executed.ok) {
    const isUnknown = wasSent && isRefused(executed, "unknown_sponsorship");
    const before = isUnknown ? await executedBefore(txBytes, digest, network, caller) : null;
    if (before !== null) return before;
    // An older service calls that final, although nothing takes such a signature back.
    if (isRefused(executed, "node_refused") && readSponsoredBytes(txBytes)?.hasCoins === false)
      return mayExecuteYet(executed.error.details, digest);
    return isMissingMethod(executed.error) ? NO_SPONSORSHIP : workflowFailureOf(executed.error, "sui", { digest });
  }
  const { effects } = executed.value;
  return { ok: true, value: { digest, status: effects.status.status, effects } satisfies SuiExecuted };
}

/**
 * Looks the execution up at the workflow's own nodes. The fund behind a new access key does not know it. Null if the
 * nodes show none.
 */
async function executedBefore(
  txBytes: Uint8Array,
  digest: string,
  network: SuiNetwork,
  { deps }: SuiWorkflowContext,
): Promise<WorkflowOutcome | null> {
  const sponsored = readSponsoredBytes(txBytes);
  if (sponsored === null || deps.config.nodes[network].length === 0) return null;
  const looked = await lookUpExecution(digest, deps.suiNode(network).within(new Deadline()));
  return looked.ok && looked.value !== null ? executedOnSui(looked.value, digest, sponsored.sender) : null;
}

function executedOnSui(execution: SuiExecution, digest: string, sender: string): WorkflowOutcome {
  const { effects } = transactionResponse(execution, sender, false);
  return { ok: true, value: { digest, status: effects.status.status, effects } satisfies SuiExecuted };
}

const NO_SPONSORSHIP = workflowFailed(
  400,
  "bad_request",
  "sponsorship: must be the one that sponsor answered, because the service at FLOWS_BASE_URL executes nothing",
);

/** Submits to the workflow's own nodes, because this service does not execute. */
async function submit(
  { txBytes, signature, sponsorship }: SignedByUser & { readonly sponsorship: string },
  digest: string,
  network: SuiNetwork,
  { flowsSecret, walletId, deps }: SuiWorkflowContext,
): Promise<WorkflowOutcome> {
  if (flowsSecret === null) return NO_SECRET;
  const sponsor = await openSponsorSignature(sponsorship, { flowsSecret, walletId, digest });
  const sponsored = readSponsoredBytes(txBytes);
  if (sponsor === null || sponsored === null)
    return workflowFailed(400, "bad_request", "sponsorship does not match this user and txBytes: send both unchanged");
  if (deps.config.nodes[network].length === 0) return noNodes(network);
  const deadline = new Deadline();
  const node = deps.suiNode(network).within(deadline);
  const executed = (execution: SuiExecution) => executedOnSui(execution, digest, sponsored.sender);
  const outcome = await node.submit(txBytes, [signature, sponsor], digest);
  switch (outcome.kind) {
    case "executed":
      return executed(outcome.execution);
    case "refused": {
      // A node may refuse a transaction that it has executed before, because its objects are spent.
      const before = await lookUpOutcome(deadline, () => lookUpExecution(digest, node));
      if (!before.ok) return outcomeUnknown(`${outcome.text}: look it up before you retry`, { digest });
      if (before.value !== null) return executed(before.value);
      const text = `${outcome.status}: ${outcome.text}`;
      // Nobody here can make that service's signature worthless. Only its last epoch ends it.
      return (await hasEnded(digest, sponsored.lastEpoch, node))
        ? workflowFailed(422, "transaction_failed", text)
        : mayExecuteYet(text, digest);
    }
    case "unknown":
      return outcomeUnknown(`${outcome.text}: look it up before you retry`, { digest });
  }
}

/** Answers for a transaction that a node has refused, and that another one may execute yet. */
function mayExecuteYet(text: string, digest: string): WorkflowOutcome {
  return outcomeUnknown(`a node refused it (${text}), but it may still execute: repeat the call`, { digest });
}

/** Returns whether one reply shows both that the last epoch is over and that the transaction was not executed. */
async function hasEnded(digest: string, lastEpoch: bigint | null, node: SuiNode): Promise<boolean> {
  if (lastEpoch === null) return false;
  const looked = await node.lookUp([digest], "full");
  return looked.ok && looked.value.epoch > lastEpoch && looked.value.value[0]?.kind === "missing";
}

/** Looks an execution up once. Null if nodes answer and do not show it. `node_unavailable` if no node could answer. */
async function lookUpExecution(digest: string, node: SuiNode): Promise<Outcome<SuiExecution | null>> {
  const looked = await node.lookUp([digest], "full");
  if (!looked.ok) return looked;
  const [found = { kind: "missing" }] = looked.value.value;
  if (found.kind === "no_answer")
    return refuse("node_unavailable", "no node answered about this digest: repeat the call");
  return done(found.kind === "executed" ? found.execution : null);
}
