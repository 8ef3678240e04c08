import { aptosImportWallet } from "../../../shared/api/aptos-wallet.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { importWallet } from "../calls/wallet.ts";

/** Creates a wallet from an export. */
export const wal_importWallet = handler(aptosImportWallet, async ({ walletId, ...exported }, context) => {
  const address = await importWallet(walletId, exported, context);
  return address.ok ? done({ accountAddress: address.value }) : address;
});
