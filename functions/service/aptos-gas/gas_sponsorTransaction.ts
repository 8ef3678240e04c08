import { aptosSponsorTransaction } from "../../../shared/api/aptos-gas.ts";
import { done } from "../../../shared/errors.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";
import { callFund } from "../calls/fund.ts";

/** Has the fund sign a transaction as fee payer. The caller submits it. */
export const gas_sponsorTransaction = fundHandler(
  aptosSponsorTransaction,
  async ({ rawTransaction, secondaryAddresses = [] }, context) => {
    const { idempotency, arrivedAtMs } = context;
    const terms = { idempotency, arrivedAtMs, rawTransaction, secondaryAddresses };
    const sponsored = await callFund(context, "aptosSponsor", terms);
    if (!sponsored.ok) return sponsored;
    const { feePayerAddress, authenticator } = sponsored.value;
    return done({ feePayer: { address: feePayerAddress, signature: authenticator } });
  },
);
