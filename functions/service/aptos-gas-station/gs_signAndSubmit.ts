import { aptosSignAndSubmit } from "../../../shared/api/aptos-gas-station.ts";
import { decodeUnsignedTransaction } from "../../../shared/chain/aptos/unsigned-transaction.ts";
import { done, refuse } from "../../../shared/errors.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";
import { executeAsFeePayer } from "../calls/aptos-fund.ts";

/** Has the fund sign a transaction of the SDK as fee payer, and submits it with all signatures. */
export const gs_signAndSubmit = fundHandler(
  aptosSignAndSubmit,
  async ({ transactionBytes, senderAuth, additionalSignersAuth = [] }, context) => {
    const decoded = decodeUnsignedTransaction(transactionBytes);
    if (!decoded.ok) return decoded;
    const { rawTransaction, secondaryAddresses, feePayer } = decoded.value;
    if (feePayer === null)
      return refuse("unsupported_transaction", "the transaction has no fee payer: build it with withFeePayer: true");
    const signed = {
      rawTransaction,
      secondaryAddresses,
      senderAuthenticator: senderAuth,
      secondaryAuthenticators: additionalSignersAuth,
      namedFeePayer: feePayer,
    };
    const executed = await executeAsFeePayer(signed, context, context.arrivedAtMs);
    if (!executed.ok) return executed;
    const { pendingTransaction } = executed.value;
    return done({ transactionHash: pendingTransaction.hash, pendingTransaction });
  },
);
