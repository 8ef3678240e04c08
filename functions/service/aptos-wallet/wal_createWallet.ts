import { aptosCreateWallet } from "../../../shared/api/aptos-wallet.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { createWallet } from "../calls/wallet.ts";

/** Creates a wallet. Nothing is sent to the chain. */
export const wal_createWallet = handler(aptosCreateWallet, async ({ walletId, sessionToken }, context) => {
  const address = await createWallet(walletId, sessionToken, context);
  return address.ok ? done({ accountAddress: address.value }) : address;
});
