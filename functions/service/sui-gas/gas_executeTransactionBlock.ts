import { executeTransactionBlock } from "../../../shared/api/sui-gas.ts";
import { transactionResponse } from "../../../shared/chain/sui/transaction-response.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { withFund } from "./fund.ts";

export const gas_executeTransactionBlock = handler(executeTransactionBlock, (params, context) =>
  withFund(context, async (fund) => {
    const executed = await fund.execute({
      digest: params.txDigest,
      senderSignature: params.senderSignature,
      waitForLocalExecution: params.requestType === "WaitForLocalExecution",
    });
    if (!executed.ok) return executed;
    const { execution, sender, confirmedLocalExecution } = executed.value;
    return done(transactionResponse(execution, sender, confirmedLocalExecution));
  }),
);
