import { suiWalletContracts as contracts } from "../../../shared/api/sui-wallet-aliases.ts";
import type { JsonRpcApi } from "../json-rpc-api.ts";
import { svc_key_createSession } from "./svc_key_createSession.ts";
import { svc_wal_createWallet } from "./svc_wal_createWallet.ts";
import { svc_wal_executeGaslessTransaction } from "./svc_wal_executeGaslessTransaction.ts";
import { svc_wal_executeGaslessTransactionBlock } from "./svc_wal_executeGaslessTransactionBlock.ts";
import { svc_wal_executeGaslessTransactionV2 } from "./svc_wal_executeGaslessTransactionV2.ts";
import { svc_wal_exportWallet } from "./svc_wal_exportWallet.ts";
import { svc_wal_getWallet } from "./svc_wal_getWallet.ts";
import { svc_wal_importWallet } from "./svc_wal_importWallet.ts";
import { svc_wal_signPersonalMessage } from "./svc_wal_signPersonalMessage.ts";
import { svc_wal_signTransaction } from "./svc_wal_signTransaction.ts";
import { svc_wal_signTransactionBlock } from "./svc_wal_signTransactionBlock.ts";

const handlers = [
  svc_key_createSession,
  svc_wal_createWallet,
  svc_wal_getWallet,
  svc_wal_signTransaction,
  svc_wal_signTransactionBlock,
  svc_wal_signPersonalMessage,
  svc_wal_executeGaslessTransaction,
  svc_wal_executeGaslessTransactionBlock,
  svc_wal_executeGaslessTransactionV2,
  svc_wal_exportWallet,
  svc_wal_importWallet,
];

/** Every path has the same handlers. The table of names decides which of them answer on a path. */
export const suiWalletApis: readonly JsonRpcApi[] = contracts.map((contract) => ({
  contract,
  handlers: handlers.filter((handler) => contract.methods.includes(handler.contract)),
}));
