import type { GasLimit } from "../bindings/workflow-user.ts";
import { equalBytes } from "../bytes.ts";
import { readCommands } from "../chain/sui/commands.ts";
import type { SuiExecution } from "../chain/sui/execution.ts";
import { transactionResponse } from "../chain/sui/json-rpc/transaction-response.ts";
import type { InspectedKind } from "../chain/sui/kind.ts";
import type { SuiNode } from "../chain/sui/node.ts";
import { lookUpOutcome } from "../chain/sui/outcome.ts";
import { readSponsoredBytes } from "../chain/sui/read-sponsored-bytes.ts";
import { transactionDigest, wrapKind } from "../chain/sui/transaction.ts";
import { createSuiGasClient, type SuiGasClient } from "../client/gas-client.ts";
import { type ClientError, isRefused } from "../client/rpc-client.ts";
import { Deadline } from "../deadline.ts";
import { done, type Outcome, type Refusal, refuse } from "../errors.ts";
import type { SuiNetwork } from "../networks.ts";
import type { Simulation } from "../policy/request.ts";
import { gasBudgetCeiling, judge } from "../policy/rules.ts";
import type { WorkflowOutcome } from "./errors.ts";
import {
  isMissingMethod,
  outcomeUnknown,
  overCap,
  policyRefused,
  type WorkflowFailure,
  type WorkflowResult,
  workflowFailed,
  workflowFailureOf,
} from "./errors.ts";
import type { WorkflowContext } from "./handler.ts";
import type { ReservationResult } from "./limits.ts";
import type { ServiceAccess } from "./service.ts";
import { openSponsorSignature, sealSponsorSignature } from "./user/sealed-signature.ts";

type SuiWorkflowContext = Omit<WorkflowContext<unknown>, "input">;

/** A transaction that the fund pays for, as the user is to sign it. */
export interface SponsoredTransaction {
  readonly txBytes: Uint8Array;
  readonly txDigest: string;
  readonly gasBudgetMist: bigint;
  readonly expiresAtMs: number;
  /** The fund's signature, sealed: from a service that does not execute by itself. Null: the service keeps it. */
  readonly sponsorship: string | null;
}

interface SponsorshipRequest {
  readonly action: "sponsor" | "execute";
  readonly kind: InspectedKind;
  readonly sender: string;
  readonly gasBudgetMist: bigint | undefined;
}

const MS_PER_SECOND = 1_000;
/** Nobody's. */
const ANY_PAYER = `0x${"fe".repeat(32)}`;

/** Asks the app's policy twice: before anything is held, and once the gas budget is known. */
export async function sponsorOnSui(
  { action, kind, sender, gasBudgetMist }: SponsorshipRequest,
  { network, options }: ServiceAccess<SuiNetwork>,
  caller: SuiWorkflowContext,
): Promise<WorkflowResult<SponsoredTransaction>> {
  const { policy, user } = caller;
  const commands = readCommands(kind.bytes);
  const askPolicy = (budgetAtoms: bigint | null, simulation: Simulation | null = null) =>
    judge(policy, {
      ...{ user, action, chain: "sui", network, sender, commands },
      gas: { budgetAtoms, payer: "fund" },
      ...(simulation !== null && { simulation }),
    });
  const first = askPolicy(gasBudgetMist ?? null);
  if (!first.allowed) return policyRefused(first);

  const gasAtoms = gasBudgetMist ?? null;
  const atMostAtoms = gasBudgetCeiling(policy, "sui")?.maxAtoms ?? null;
  const held = await caller.reserveSponsorship(
    { chain: "sui", gasAtoms, atMostAtoms, untilMs: null },
    (limit) => reserveGas({ kind, sender, gasBudgetMist }, limit, network, createSuiGasClient(options), caller),
    ({ txBytes, txDigest, expireAtTime }) => ({
      chain: "sui",
      digest: txDigest,
      untilMs: expireAtTime * MS_PER_SECOND,
      gasAtoms: readSponsoredBytes(txBytes)?.gasBudgetMist ?? gasAtoms ?? atMostAtoms ?? 0n,
    }),
  );
  if (!held.ok) return held;
  const { txBytes, txDigest, expireAtTime, signature, simulation } = held.value;
  const sponsored = readSponsoredBytes(txBytes);
  // The user is about to sign this: it must be what was asked for, and paid for by another, whoever the service is.
  if (
    sponsored === null ||
    sponsored.sender !== sender ||
    sponsored.gasOwner === sender ||
    !equalBytes(sponsored.kindBytes, kind.bytes) ||
    transactionDigest(txBytes) !== txDigest
  )
    return workflowFailed(503, "node_unavailable", "the service answered with another transaction than was asked for");
  const second = askPolicy(sponsored.gasBudgetMist, withoutPayer(simulation, sponsored.gasOwner));
  if (!second.allowed) return policyRefused(second);

  const sealed = signature === null ? ({ ok: true, value: null } as const) : await seal(signature, txDigest, caller);
  if (!sealed.ok) return sealed;
  const expiresAtMs = expireAtTime * MS_PER_SECOND;
  const { gasBudgetMist: budget } = sponsored;
  return { ok: true, value: { txBytes, txDigest, gasBudgetMist: budget, expiresAtMs, sponsorship: sealed.value } };
}

interface Reservation {
  readonly txBytes: Uint8Array;
  readonly txDigest: string;
  readonly expireAtTime: number;
  /** Null where the service signs in the end only. */
  readonly signature: string | null;
  /** Null: none was made, or the service does not tell what it says. */
  readonly simulation: Simulation | null;
}

function withoutPayer(simulation: Simulation | null, payer: string): Simulation | null {
  const others = simulation?.balanceChanges?.filter(({ address }) => address !== payer) ?? null;
  return simulation === null ? null : { ...simulation, balanceChanges: others };
}

async function reserveGas(
  { kind, sender, gasBudgetMist }: Omit<SponsorshipRequest, "action">,
  limit: GasLimit,
  network: SuiNetwork,
  gas: SuiGasClient,
  { policy, idempotencyKey, flowsSecret, deps }: SuiWorkflowContext,
): Promise<ReservationResult<Reservation>> {
  const request = { transactionBytes: kind.bytes, sender, gasBudget: gasBudgetMist };
  // With the limit, the service refuses what the policy would, before it holds a coin for it.
  const maxGasBudget = limit.maxGasAtoms ?? undefined;
  // A budget that the caller has set would be lent without a dry run, also for what is bound to fail. Without one there
  // is a dry run anyway, and the policy hears what it says.
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
    // It would be signed, and nobody could submit it.
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

/** As the service tells it. */
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

/** With a budget, such a service lends without a dry run. Null: nothing speaks against it. */
async function simulateBudget(
  node: SuiNode,
  sender: string,
  kind: InspectedKind,
  budgetMist: bigint,
): Promise<WorkflowFailure | null> {
  const facts = await node.chainFacts(0n);
  if (!facts.ok) return nodeFailed(facts.error);
  const { referenceGasPriceMist: priceMist, epoch } = facts.value;
  // The fund's address is known once it has lent: until then another one than the sender's stands for it.
  const gas = { owner: ANY_PAYER, payment: [], priceMist, budgetMist };
  const dryRun = await node.dryRun(wrapKind(kind.bytes, sender, gas, { kind: "epoch", epoch: epoch + 1n }));
  if (!dryRun.ok && dryRun.error.reason !== "dry_run_failed") return nodeFailed(dryRun.error);
  const failed = dryRun.ok ? !dryRun.value.success : true;
  const text = dryRun.ok ? dryRun.value.error : dryRun.error.details;
  return failed ? workflowFailed(422, "transaction_failed", text ?? "the dry run failed") : null;
}

function nodeFailed({ details }: Refusal): WorkflowFailure {
  return workflowFailed(503, "node_unavailable", details, { retryable: true });
}

function reservationFailure(error: ClientError): ReservationResult<never> {
  const failure = workflowFailureOf(error, "sui");
  return error.kind === "refused" ? failure : { ...failure, mayHold: true };
}

const NO_SECRET = workflowFailed(
  503,
  "not_configured",
  "FLOWS_SECRET is not set: the service at FLOWS_BASE_URL hands its signatures out, and they are sealed with it",
);

function noNodes(network: SuiNetwork): WorkflowFailure {
  const details = `${network}_NODES is not set: the service at FLOWS_BASE_URL executes nothing`;
  return workflowFailed(503, "not_configured", details);
}

async function seal(
  signature: string,
  digest: string,
  { flowsSecret, walletId, deps }: SuiWorkflowContext,
): Promise<WorkflowResult<string>> {
  if (flowsSecret === null) return NO_SECRET;
  const sealing = { flowsSecret, walletId, digest };
  return { ok: true, value: await sealSponsorSignature(signature, sealing, (length) => deps.randomBytes(length)) };
}

/** What the user has signed. */
export interface SignedByUser {
  readonly txBytes: Uint8Array;
  readonly signature: string;
  /** As `sponsorOnSui` gave it. */
  readonly sponsorship: string | null;
  /** Whether an earlier call of the attempt has sent it, or may have. */
  readonly wasSent: boolean;
}

/** Has the fund sign too, or opens the signature that it gave before, and has the transaction executed. */
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
    return isMissingMethod(executed.error) ? NO_SPONSORSHIP : workflowFailureOf(executed.error, "sui", { digest });
  }
  const { effects } = executed.value;
  return { ok: true, value: { digest, status: effects.status.status, effects } };
}

/** What the workflow's own nodes show of it: the fund behind a new access key knows nothing. Null: nothing. */
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
  return { ok: true, value: { digest, status: effects.status.status, effects } };
}

const NO_SPONSORSHIP = workflowFailed(
  400,
  "bad_request",
  "sponsorship: must be the one that sponsor answered, because the service at FLOWS_BASE_URL executes nothing",
);

/** To the workflow's own nodes: this service does not execute. */
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
    return workflowFailed(
      400,
      "bad_request",
      "sponsorship is not the one that sponsor gave this user with these txBytes",
    );
  if (deps.config.nodes[network].length === 0) return noNodes(network);
  const deadline = new Deadline();
  const node = deps.suiNode(network).within(deadline);
  const executed = (execution: SuiExecution) => executedOnSui(execution, digest, sponsored.sender);
  const outcome = await node.submit(txBytes, [signature, sponsor], digest);
  switch (outcome.kind) {
    case "executed":
      return executed(outcome.execution);
    case "refused": {
      // A node may refuse what it has executed before: its objects are spent.
      const before = await lookUpOutcome(deadline, () => lookUpExecution(digest, node));
      if (!before.ok) return outcomeUnknown(`${outcome.text}: look it up before anything else`, { digest });
      return before.value === null
        ? workflowFailed(422, "transaction_failed", `${outcome.status}: ${outcome.text}`)
        : executed(before.value);
    }
    case "unknown":
      return outcomeUnknown(`${outcome.text}: look it up before anything else`, { digest });
  }
}

/** One look-up. Null: nodes answer and do not show it. `node_unavailable`: none could tell. */
async function lookUpExecution(digest: string, node: SuiNode): Promise<Outcome<SuiExecution | null>> {
  const looked = await node.lookUp([digest], "full");
  if (!looked.ok) return looked;
  const [found = { kind: "missing" }] = looked.value.value;
  if (found.kind === "no_answer") return refuse("node_unavailable", "no node could answer about this digest");
  return done(found.kind === "executed" ? found.execution : null);
}
