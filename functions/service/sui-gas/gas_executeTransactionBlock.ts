import { executeTransactionBlock } from "../../../shared/api/sui-gas.ts";
import { transactionResponse } from "../../../shared/chain/sui/transaction-response.ts";
import { done, type Outcome, refuse } from "../../../shared/errors.ts";
import type { Executed, ExecuteInput } from "../../../shared/objects/sui-fund/execution.ts";
import { isReset } from "../../../shared/rpc/faults.ts";
import { type CallContext, handler } from "../../../shared/rpc/handler.ts";
import { withFund } from "../fund.ts";

export const gas_executeTransactionBlock = handler(executeTransactionBlock, async (params, context) => {
  const executed = await execute(context, {
    digest: params.txDigest,
    senderSignature: params.senderSignature,
    waitForLocalExecution: params.requestType === "WaitForLocalExecution",
    idempotency: context.idempotency,
  });
  if (!executed.ok) return executed;
  const { execution, sender, confirmedLocalExecution } = executed.value;
  return done(transactionResponse(execution, sender, confirmedLocalExecution));
});

/** A fund that was reset meanwhile, for whatever reason, may have submitted already: then only the chain knows. */
async function execute(context: CallContext, input: ExecuteInput): Promise<Outcome<Executed>> {
  try {
    return await withFund(context, (fund) => fund.execute(input));
  } catch (error) {
    if (!isReset(error)) throw error;
    const { digest } = input;
    context.deps.log("fund.execution_reset", { fund: context.caller.fundId, digest, error: String(error) });
    return refuse("outcome_unknown", "the service was interrupted: look the digest up, or repeat the call", { digest });
  }
}
