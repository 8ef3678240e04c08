import { suiSponsorTransactionBlock } from "../../../shared/api/sui-gas.ts";
import { done } from "../../../shared/errors.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";
import { callFund } from "../calls/fund.ts";
import { sponsorInput, unixSeconds } from "../calls/sui-fund.ts";

/** Reserves gas for a transaction kind, and has the fund sign as sponsor. */
export const gas_sponsorTransactionBlock = fundHandler(suiSponsorTransactionBlock, async (params, context) => {
  const sponsored = await callFund(context, "sponsor", sponsorInput(params, context));
  if (!sponsored.ok) return sponsored;
  const { txBytes, digest, signature, expiresAtMs } = sponsored.value;
  return done({ txBytes, txDigest: digest, signature, expireAtTime: unixSeconds(expiresAtMs) });
});
