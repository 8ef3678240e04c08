import { aptosGetWallet } from "../../../shared/api/aptos-wallet.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { getWallet } from "../calls/wallet.ts";

/** Answers with the address of a wallet. Needs no session. */
export const wal_getWallet = handler(aptosGetWallet, async ({ walletId }, context) => {
  const address = await getWallet(walletId, context);
  return address.ok ? done({ accountAddress: address.value }) : address;
});
