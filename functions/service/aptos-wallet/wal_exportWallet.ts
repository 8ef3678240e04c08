import { aptosExportWallet } from "../../../shared/api/aptos-wallet.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { exportWallet } from "../calls/wallet.ts";

/** Exports a wallet, if the project allows exports. */
export const wal_exportWallet = handler(aptosExportWallet, ({ walletId, sessionToken }, context) =>
  exportWallet(walletId, sessionToken, context),
);
