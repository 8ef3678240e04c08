import { aptosSponsorAndSubmit } from "../../../shared/api/aptos-gas.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";
import { executeAsFeePayer, secondaryOf } from "../calls/aptos-fund.ts";

/** Has the fund sign a transaction as fee payer, and submits it with all signatures. */
export const gas_sponsorAndSubmitSignedTransaction = fundHandler(
  aptosSponsorAndSubmit,
  ({ rawTransaction, senderAuthenticator, secondarySigners = [] }, context) =>
    executeAsFeePayer(
      { rawTransaction, senderAuthenticator, ...secondaryOf(secondarySigners) },
      context,
      context.arrivedAtMs,
    ),
);
