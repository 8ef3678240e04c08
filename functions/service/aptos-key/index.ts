import { aptosKey } from "../../../shared/api/aptos-wallet.ts";
import type { Service } from "../service.ts";
import { key_createSession } from "./key_createSession.ts";

export const aptosKeyService: Service = { contract: aptosKey, handlers: [key_createSession] };
