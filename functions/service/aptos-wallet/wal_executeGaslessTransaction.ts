import { aptosExecuteGaslessTransaction } from "../../../shared/api/aptos-wallet.ts";
import { decodeRawTransaction } from "../../../shared/chain/aptos/raw-transaction.ts";
import { refuseOtherSender } from "../../../shared/chain/aptos/wallet-signing.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { onBehalfOf } from "../calls/aptos-fund.ts";
import { withFund } from "../calls/fund.ts";
import { walletOf, withSession } from "../calls/wallet.ts";
import { signAndExecute } from "./initialize.ts";

/** Executes a wallet's transaction. Everything that the fund would refuse is refused before the wallet signs. */
export const wal_executeGaslessTransaction = handler(
  aptosExecuteGaslessTransaction,
  async ({ walletId, sessionToken, rawTransaction, secondarySigners = [] }, context) => {
    const decoded = decodeRawTransaction(rawTransaction);
    if (!decoded.ok) return decoded;
    return withSession(sessionToken, context, async (secret) => {
      const { ref, stub } = walletOf(walletId, context);
      const opened = await stub.verifySecret({ wallet: ref, secret, keyId: context.caller.keyId });
      if (!opened.ok) return opened;
      const address = opened.value;
      const otherSender = refuseOtherSender(decoded.value, address);
      if (otherSender !== null) return otherSender;
      const secondaryAddresses = secondarySigners.map((signer) => signer.address);
      const terms = { ...onBehalfOf(context), rawTransaction, secondaryAddresses };
      const screened = await withFund(context, (fund) => fund.aptosScreen(terms));
      if (!screened.ok) return screened;
      const { feePayerAddress } = screened.value;
      const transaction = { rawTransaction, secondarySigners, feePayerAddress };
      return signAndExecute(transaction, { walletId, address, secret }, context);
    });
  },
);
