import { aptosExecuteGaslessTransaction } from "../../../shared/api/aptos-wallet.ts";
import { decodeRawTransaction } from "../../../shared/chain/aptos/raw-transaction.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { onBehalfOf } from "../calls/aptos-fund.ts";
import { withFund } from "../calls/fund.ts";
import { withSession } from "../calls/wallet.ts";
import { signAndExecute } from "./initialize.ts";

/**
 * Executes a wallet's transaction. Everything that the fund would refuse is refused before the wallet signs. The wallet
 * itself compares the sender, in the call that signs: a call more would cost every execution its time.
 */
export const wal_executeGaslessTransaction = handler(
  aptosExecuteGaslessTransaction,
  async ({ walletId, sessionToken, rawTransaction, secondarySigners = [] }, context) => {
    const decoded = decodeRawTransaction(rawTransaction);
    if (!decoded.ok) return decoded;
    const { sender, sequenceNumber } = decoded.value;
    return withSession(sessionToken, context, async (secret) => {
      const secondaryAddresses = secondarySigners.map((signer) => signer.address);
      const terms = { ...onBehalfOf(context), rawTransaction, secondaryAddresses };
      const screened = await withFund(context, (fund) => fund.aptosScreen(terms));
      if (!screened.ok) return screened;
      const { feePayerAddress } = screened.value;
      const transaction = { rawTransaction, sender, sequenceNumber, secondarySigners, feePayerAddress };
      return signAndExecute(transaction, { walletId, secret }, context);
    });
  },
);
