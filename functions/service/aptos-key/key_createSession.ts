import { aptosCreateSession } from "../../../shared/api/aptos-wallet.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { createSession } from "../calls/wallet.ts";

/** Exchanges a wallet's secret for a session token. */
export const key_createSession = handler(aptosCreateSession, ({ secret }, context) => createSession(secret, context));
