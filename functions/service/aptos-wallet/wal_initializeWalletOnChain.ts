import { aptosInitializeWalletOnChain } from "../../../shared/api/aptos-wallet.ts";
import { done, refuse } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { walletOf, withSession } from "../calls/wallet.ts";
import { initializeOnChain } from "./initialize.ts";

/** Makes the wallet's account on chain. Refuses with `already_initialized` if it exists. */
export const wal_initializeWalletOnChain = handler(
  aptosInitializeWalletOnChain,
  ({ walletId, sessionToken }, context) =>
    withSession(sessionToken, context, async (secret) => {
      const { ref, stub } = walletOf(walletId, context);
      const opened = await stub.verifySecret({ wallet: ref, secret, keyId: context.caller.keyId });
      if (!opened.ok) return opened;
      const address = opened.value;
      const initialized = await initializeOnChain({ walletId, address, secret }, context);
      if (!initialized.ok) return initialized;
      return initialized.value === "initialized"
        ? refuse("already_initialized", "the wallet is on the chain already: use it")
        : done({ accountAddress: address });
    }),
);
