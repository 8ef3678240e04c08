import { suiExportWallet } from "../../../shared/api/sui-wallet.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { exportWallet } from "../calls/wallet.ts";

/** Exports a wallet, if the project allows exports. */
export const svc_wal_exportWallet = handler(suiExportWallet, ({ wallet_id, session_token }, context) =>
  exportWallet(wallet_id, session_token, context),
);
