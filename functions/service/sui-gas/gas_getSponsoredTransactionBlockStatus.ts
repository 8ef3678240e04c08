import { suiGetSponsoredTransactionBlockStatus } from "../../../shared/api/sui-gas.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { withFund } from "../calls/fund.ts";

/** Answers with the status of a sponsorship of the key's fund. */
export const gas_getSponsoredTransactionBlockStatus = handler(
  suiGetSponsoredTransactionBlockStatus,
  (params, context) =>
    withFund(context, async (fund) => fund.status(params.transactionDigest, context.deadline.leftMs())),
);
