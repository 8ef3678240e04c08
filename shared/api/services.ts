import { aptosGas } from "./aptos-gas.ts";
import { aptosKey, aptosWallet } from "./aptos-wallet.ts";
import type { ServiceContract } from "./contract.ts";
import { suiGas } from "./sui-gas.ts";
import { suiWalletServices } from "./sui-wallet-names.ts";

/** Every JSON-RPC interface of the service. */
export const services: readonly ServiceContract[] = [suiGas, ...suiWalletServices, aptosKey, aptosWallet, aptosGas];
