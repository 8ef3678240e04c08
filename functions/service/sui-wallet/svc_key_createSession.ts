import { suiCreateSession } from "../../../shared/api/sui-wallet.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { createSession } from "../calls/wallet.ts";

/** Exchanges a wallet's secret for a session token. */
export const svc_key_createSession = handler(suiCreateSession, ({ secret }, context) => createSession(secret, context));
