import { suiCreateWallet } from "../../../shared/api/sui-wallet.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { createWallet } from "../calls/wallet.ts";

/** Creates a wallet. Nothing is sent to the chain. */
export const svc_wal_createWallet = handler(suiCreateWallet, ({ wallet_id, session_token }, context) =>
  createWallet(wallet_id, session_token, context),
);
