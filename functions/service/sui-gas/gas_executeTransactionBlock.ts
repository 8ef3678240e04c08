import { executeTransactionBlock } from "../../../shared/api/sui-gas.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { executeSponsored } from "../sui-fund.ts";

export const gas_executeTransactionBlock = handler(executeTransactionBlock, (params, context) =>
  executeSponsored(
    {
      digest: params.txDigest,
      senderSignature: params.senderSignature,
      waitForLocalExecution: params.requestType === "WaitForLocalExecution",
    },
    context,
  ),
);
