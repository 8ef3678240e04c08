import type * as z from "zod";
import type { suiSponsorTransactionBlock } from "../../../shared/api/sui-gas.ts";
import type { SuiTransactionResponse } from "../../../shared/chain/sui/json-rpc/response-schema.ts";
import { transactionResponse } from "../../../shared/chain/sui/json-rpc/transaction-response.ts";
import { done, type Outcome, refuse } from "../../../shared/errors.ts";
import type { Executed, ExecuteInput } from "../../../shared/fund/sui/engine/execution.ts";
import { mayHaveSubmitted } from "../../../shared/rpc/faults.ts";
import type { CallContext, FundCallContext } from "../../../shared/rpc/handler.ts";
import { callFund } from "./fund.ts";

/** Returns the key with its policy, the request, and the call's time, for a call of the fund. */
export function onBehalfOf({ caller, idempotency, deadline, arrivedAtMs, requestId }: CallContext) {
  const key = { keyId: caller.keyId, keyPolicy: caller.policy };
  return { ...key, idempotency, leftMs: deadline.leftMs(), arrivedAtMs, requestId };
}

/** Returns the fund's input for sponsoring and preparing, without the key: the same params, for the same caller. */
export function sponsorInput(
  params: z.output<typeof suiSponsorTransactionBlock.params>,
  { idempotency, deadline, arrivedAtMs }: FundCallContext,
) {
  return {
    idempotency,
    leftMs: deadline.leftMs(),
    arrivedAtMs,
    kindBytes: params.transactionBytes,
    sender: params.sender,
    gasBudgetMist: params.gasBudget ?? null,
    gasPriceMist: params.gasPrice ?? null,
    maxGasBudgetMist: null,
    lastEpoch: null,
  };
}

/** Returns Unix seconds, rounded down. A caller must not believe in a gas object for longer than it is assigned. */
export function unixSeconds(atMs: number): number {
  return Math.floor(atMs / 1000);
}

/** An execution in its shown form, with the optional parts of the answer. */
export interface SponsoredExecution extends Pick<Executed, "execution" | "signatures" | "rawEffects"> {
  readonly response: SuiTransactionResponse;
}

/** Has the fund sign and submit a sponsorship that its sender has signed. */
export async function executeSponsored(
  input: Omit<ExecuteInput, "idempotency" | "leftMs">,
  context: FundCallContext,
): Promise<Outcome<SponsoredExecution>> {
  const { idempotency, deadline } = context;
  const executed = await execute({ ...input, idempotency, leftMs: deadline.leftMs() }, context);
  if (!executed.ok) return executed;
  const { execution, sender, confirmedLocalExecution, signatures, rawEffects } = executed.value;
  const response = transactionResponse(execution, sender, confirmedLocalExecution);
  return done({ response, execution, signatures, rawEffects });
}

/** Executes at the fund. A fund that failed or was lost may have submitted already: then only the chain knows. */
async function execute(input: ExecuteInput, context: FundCallContext): Promise<Outcome<Executed>> {
  try {
    return await callFund(context, "execute", input);
  } catch (error) {
    if (!mayHaveSubmitted(error)) throw error;
    const { digest } = input;
    context.deps.log("fund.execution_reset", { fund: context.caller.fundId, digest, error: String(error) });
    return refuse("outcome_unknown", "the service was interrupted: look the digest up, or repeat the call", { digest });
  }
}
