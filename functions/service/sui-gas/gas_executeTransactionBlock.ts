import { suiExecuteTransactionBlock } from "../../../shared/api/sui-gas.ts";
import { done } from "../../../shared/errors.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";
import { executeSponsored } from "../calls/sui-fund.ts";

/** Has the fund sign a sponsorship that its sender has signed, and executes it. */
export const gas_executeTransactionBlock = fundHandler(suiExecuteTransactionBlock, async (params, context) => {
  const input = {
    arrivedAtMs: context.arrivedAtMs,
    digest: params.txDigest,
    senderSignature: params.senderSignature,
    waitForLocalExecution: params.requestType === "WaitForLocalExecution",
  };
  const executed = await executeSponsored(input, context);
  return executed.ok ? done(executed.value.response) : executed;
});
