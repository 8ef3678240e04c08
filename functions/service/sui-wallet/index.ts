import { deployedSuiKey, deployedSuiWallet, suiWallet } from "../../../shared/api/sui-wallet.ts";
import type { Service } from "../service.ts";
import { svc_key_createSession } from "./svc_key_createSession.ts";
import { svc_wal_createWallet } from "./svc_wal_createWallet.ts";
import { svc_wal_exportWallet } from "./svc_wal_exportWallet.ts";
import { svc_wal_getWallet } from "./svc_wal_getWallet.ts";
import { svc_wal_importWallet } from "./svc_wal_importWallet.ts";
import { svc_wal_signPersonalMessage } from "./svc_wal_signPersonalMessage.ts";
import { svc_wal_signTransaction } from "./svc_wal_signTransaction.ts";
import { svc_wal_signTransactionBlock } from "./svc_wal_signTransactionBlock.ts";

export const suiWalletService: Service = {
  contract: suiWallet,
  handlers: [
    svc_key_createSession,
    svc_wal_createWallet,
    svc_wal_getWallet,
    svc_wal_signTransaction,
    svc_wal_exportWallet,
    svc_wal_importWallet,
  ],
};

export const deployedSuiKeyService: Service = { contract: deployedSuiKey, handlers: [svc_key_createSession] };

export const deployedSuiWalletService: Service = {
  contract: deployedSuiWallet,
  handlers: [svc_wal_createWallet, svc_wal_getWallet, svc_wal_signTransactionBlock, svc_wal_signPersonalMessage],
};
