import { aptosExecuteGaslessTransaction } from "../../../shared/api/aptos-wallet.ts";
import { decodeRawTransaction, type RawTransaction } from "../../../shared/chain/aptos/raw-transaction.ts";
import { refuseOtherSender } from "../../../shared/chain/aptos/wallet-signing.ts";
import type { Outcome } from "../../../shared/errors.ts";
import { type CallContext, handler } from "../../../shared/rpc/handler.ts";
import { onBehalfOf } from "../calls/aptos-fund.ts";
import { withFund } from "../calls/fund.ts";
import { walletOf, withSession } from "../calls/wallet.ts";
import { type SessionWallet, signAndExecute } from "./initialize.ts";

/**
 * Executes a wallet's transaction. The fund screens it before the wallet signs, and holds nothing before. The refusals
 * of the wallet come before those of the fund.
 */
export const wal_executeGaslessTransaction = handler(
  aptosExecuteGaslessTransaction,
  async ({ walletId, sessionToken, rawTransaction, secondarySigners = [] }, context) => {
    const decoded = decodeRawTransaction(rawTransaction);
    if (!decoded.ok) return decoded;
    return withSession(sessionToken, context, async (secret) => {
      const secondaryAddresses = secondarySigners.map((signer) => signer.address);
      const terms = { ...onBehalfOf(context), rawTransaction, secondaryAddresses };
      const screened = await withFund(context, (fund) => fund.aptosScreen(terms));
      if (!screened.ok) return (await walletRefusal(decoded.value, { walletId, secret }, context)) ?? screened;
      const { feePayerAddress } = screened.value;
      const { sender, sequenceNumber } = decoded.value;
      const transaction = { rawTransaction, secondarySigners, feePayerAddress, isFirst: sequenceNumber === 0n };
      return signAndExecute(transaction, { walletId, address: sender, secret }, context);
    });
  },
);

/** Returns what the wallet refuses before it would sign. Null if it would sign. */
async function walletRefusal(
  transaction: RawTransaction,
  { walletId, secret }: Pick<SessionWallet, "walletId" | "secret">,
  context: CallContext,
): Promise<Outcome<never> | null> {
  const { ref, stub } = walletOf(walletId, context);
  const opened = await stub.verifySecret({ wallet: ref, secret, keyId: context.caller.keyId });
  return opened.ok ? refuseOtherSender(transaction, opened.value) : opened;
}
