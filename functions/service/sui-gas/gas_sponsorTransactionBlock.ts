import { suiSponsorTransactionBlock } from "../../../shared/api/sui-gas.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { withFund } from "../calls/fund.ts";
import { sponsorInput, unixSeconds } from "../calls/sui-fund.ts";

/** Reserves gas for a transaction kind, and has the fund sign as sponsor. */
export const gas_sponsorTransactionBlock = handler(suiSponsorTransactionBlock, (params, context) =>
  withFund(context, async (fund) => {
    const sponsored = await fund.sponsor(sponsorInput(params, context));
    if (!sponsored.ok) return sponsored;
    const { txBytes, digest, signature, expiresAtMs } = sponsored.value;
    return done({ txBytes, txDigest: digest, signature, expireAtTime: unixSeconds(expiresAtMs) });
  }),
);
