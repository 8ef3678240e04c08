import { prepareTransactionBlock } from "../../../shared/api/sui-gas.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { unixSeconds, withFund } from "./fund.ts";

export const gas_prepareTransactionBlock = handler(prepareTransactionBlock, (params, context) =>
  withFund(context, async (fund) => {
    const prepared = await fund.prepare({
      keyId: context.caller.keyId,
      kindBytes: params.transactionBytes,
      sender: params.sender,
      gasBudgetMist: params.gasBudget ?? null,
      gasPriceMist: params.gasPrice ?? null,
    });
    if (!prepared.ok) return prepared;
    const { txBytes, digest, expiresAtMs } = prepared.value;
    return done({ txBytes, txDigest: digest, expireAtTime: unixSeconds(expiresAtMs) });
  }),
);
