import { aptosKey } from "../../../shared/api/aptos-wallet.ts";
import type { JsonRpcApi } from "../json-rpc-api.ts";
import { key_createSession } from "./key_createSession.ts";

/** The interface of sessions for Aptos wallets, with its handlers. */
export const aptosKeyApi: JsonRpcApi = { contract: aptosKey, handlers: [key_createSession] };
