import { equalBytes } from "../bytes.ts";
import { readCommands } from "../chain/sui/commands.ts";
import { readSponsoredBytes } from "../chain/sui/read-sponsored-bytes.ts";
import { transactionDigest } from "../chain/sui/transaction.ts";
import { createSuiGasClient } from "../client/gas-client.ts";
import type { SuiNetwork } from "../networks.ts";
import { gasBudgetCeiling, judge } from "../policy/evaluate.ts";
import type { Simulation } from "../policy/request.ts";
import { policyRefused, type WorkflowResult, workflowFailed } from "./errors.ts";
import type { ServiceAccess } from "./service.ts";
import { NO_SECRET, type SponsorshipRequest, type SuiWorkflowContext } from "./sui-context.ts";
import { reserveGas } from "./sui-reserve.ts";
import { sealSponsorSignature } from "./user/sealed-signature.ts";

/** A transaction that the fund pays for, ready for the user's signature. */
export interface SponsoredTransaction {
  readonly txBytes: Uint8Array;
  readonly txDigest: string;
  readonly gasBudgetMist: bigint;
  readonly expiresAtMs: number;
  /** The fund's sealed signature, from a service that does not execute by itself. Null if the service keeps it. */
  readonly sponsorship: string | null;
}

const MS_PER_SECOND = 1_000;

/**
 * Has a transaction kind sponsored. The app's policy judges it twice: before anything is held, and once the gas budget
 * is known.
 */
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
  // The user is about to sign this transaction. It must be the requested one, and another address must pay, whichever
  // service answered.
  if (
    sponsored === null ||
    sponsored.sender !== sender ||
    sponsored.gasOwner === sender ||
    !equalBytes(sponsored.kindBytes, kind.bytes) ||
    transactionDigest(txBytes) !== txDigest
  )
    return workflowFailed(
      503,
      "node_unavailable",
      "the service answered with another transaction than the requested one: check FLOWS_BASE_URL",
    );
  const second = askPolicy(sponsored.gasBudgetMist, withoutPayer(simulation, sponsored.gasOwner));
  if (!second.allowed) return policyRefused(second);

  const sealed = signature === null ? ({ ok: true, value: null } as const) : await seal(signature, txDigest, caller);
  if (!sealed.ok) return sealed;
  const expiresAtMs = expireAtTime * MS_PER_SECOND;
  const { gasBudgetMist: budget } = sponsored;
  return { ok: true, value: { txBytes, txDigest, gasBudgetMist: budget, expiresAtMs, sponsorship: sealed.value } };
}

function withoutPayer(simulation: Simulation | null, payer: string): Simulation | null {
  const others = simulation?.balanceChanges?.filter(({ address }) => address !== payer) ?? null;
  return simulation === null ? null : { ...simulation, balanceChanges: others };
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
