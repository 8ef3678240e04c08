import { suiGetSponsoredTransactionBlockStatus } from "../../../shared/api/sui-gas.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";
import { callFund } from "../calls/fund.ts";

/** Answers with the status of a sponsorship of the key's fund. */
export const gas_getSponsoredTransactionBlockStatus = fundHandler(
  suiGetSponsoredTransactionBlockStatus,
  (params, context) =>
    callFund(context, "status", { digest: params.transactionDigest, leftMs: context.deadline.leftMs() }),
);
