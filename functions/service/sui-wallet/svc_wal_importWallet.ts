import { suiImportWallet } from "../../../shared/api/sui-wallet.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { importWallet } from "../calls/wallet.ts";

/** Creates a wallet from an export. */
export const svc_wal_importWallet = handler(suiImportWallet, ({ wallet_id, ...exported }, context) =>
  importWallet(wallet_id, exported, context),
);
