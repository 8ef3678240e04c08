import {
  aptosCreateSession,
  aptosCreateWalletOnChain,
  aptosGetWallet,
  aptosInitializeWalletOnChain,
  aptosKey,
  aptosWallet,
} from "../api/aptos-wallet.ts";
import { suiCreateSession, suiCreateWallet, suiGetWallet } from "../api/sui-wallet.ts";
import { SUI_WALLET_PATH } from "../api/sui-wallet-names.ts";
import { createRpcClient, type RpcClientOptions } from "./rpc-client.ts";

/** Clients of the wallet interfaces, for Workers and Node. As `createGasClient`. */

export function createAptosWalletClient(options: RpcClientOptions) {
  const sessions = createRpcClient(aptosKey.path, options);
  const wallets = createRpcClient(aptosWallet.path, options);
  return {
    createSession: sessions(aptosCreateSession),
    createWalletOnChain: wallets(aptosCreateWalletOnChain),
    initializeWalletOnChain: wallets(aptosInitializeWalletOnChain),
    getWallet: wallets(aptosGetWallet),
  };
}

export function createSuiWalletClient(options: RpcClientOptions) {
  const method = createRpcClient(SUI_WALLET_PATH, options);
  return {
    createSession: method(suiCreateSession),
    createWallet: method(suiCreateWallet),
    getWallet: method(suiGetWallet),
  };
}
