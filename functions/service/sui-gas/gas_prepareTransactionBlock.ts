import { prepareTransactionBlock } from "../../../shared/api/sui-gas.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { withFund } from "../fund.ts";
import { sponsorInput, unixSeconds } from "../sui-fund.ts";

export const gas_prepareTransactionBlock = handler(prepareTransactionBlock, (params, context) =>
  withFund(context, async (fund) => {
    const prepared = await fund.prepare({
      ...sponsorInput(params, context),
      maxGasBudgetMist: params.maxGasBudget ?? null,
      simulate: params.simulate ?? false,
    });
    if (!prepared.ok) return prepared;
    const { txBytes, digest, expiresAtMs } = prepared.value;
    return done({ txBytes, txDigest: digest, expireAtTime: unixSeconds(expiresAtMs) });
  }),
);
