import { suiGetWallet } from "../../../shared/api/sui-wallet.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { getWallet } from "../calls/wallet.ts";

/** Answers with the address of a wallet. Needs no session. */
export const svc_wal_getWallet = handler(suiGetWallet, ({ wallet_id }, context) => getWallet(wallet_id, context));
