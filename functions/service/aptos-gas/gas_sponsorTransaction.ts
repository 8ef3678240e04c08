import { aptosSponsorTransaction } from "../../../shared/api/aptos-gas.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { onBehalfOf } from "../calls/aptos-fund.ts";
import { withFund } from "../calls/fund.ts";

/** Has the fund sign a transaction as fee payer. The caller submits it. */
export const gas_sponsorTransaction = handler(
  aptosSponsorTransaction,
  ({ rawTransaction, secondaryAddresses = [] }, context) =>
    withFund(context, async (fund) => {
      const { idempotency, arrivedAtMs } = context;
      const terms = { ...onBehalfOf(context), idempotency, arrivedAtMs, rawTransaction, secondaryAddresses };
      const sponsored = await fund.aptosSponsor(terms);
      if (!sponsored.ok) return sponsored;
      const { feePayerAddress, authenticator } = sponsored.value;
      return done({ feePayer: { address: feePayerAddress, signature: authenticator } });
    }),
);
