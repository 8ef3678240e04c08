import { aptosSignTransaction } from "../../../shared/api/aptos-wallet.ts";
import { ed25519Authenticator } from "../../../shared/chain/aptos/authenticator.ts";
import { transactionToSign } from "../../../shared/chain/aptos/wallet-signing.ts";
import { done } from "../../../shared/errors.ts";
import { isAptosNetwork } from "../../../shared/networks.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { getWallet, signWith } from "../calls/wallet.ts";

/** Signs a transaction as its sender with the wallet's key. Nothing is sent to the chain. */
export const wal_signTransaction = handler(
  aptosSignTransaction,
  async ({ walletId, sessionToken, ...request }, context) => {
    const { network } = context.caller;
    if (!isAptosNetwork(network)) throw new Error("this path admits keys of Aptos only");
    const signed = await signWith(walletId, sessionToken, context, async () => {
      const address = await getWallet(walletId, context);
      if (!address.ok) return address;
      const transaction = transactionToSign(request, address.value, network);
      return transaction.ok ? done(transaction.value.message) : transaction;
    });
    if (!signed.ok) return signed;
    const { publicKey, signature } = signed.value;
    return done({ signature: ed25519Authenticator(publicKey, signature) });
  },
);
