import { isBelow } from "../http/path.ts";
import { aptosGas } from "./aptos-gas.ts";
import { aptosKey, aptosWallet } from "./aptos-wallet.ts";
import type { ServiceContract } from "./contract.ts";
import { suiGas } from "./sui-gas.ts";
import { suiWalletServices } from "./sui-wallet-names.ts";

/** Every JSON-RPC interface of the service. */
export const services: readonly ServiceContract[] = [suiGas, ...suiWalletServices, aptosKey, aptosWallet, aptosGas];

/** Finds the JSON-RPC interface of a path, also by an old path. Undefined: the path belongs to none. */
export function serviceAt(path: string): ServiceContract | undefined {
  return services.find(
    (service) => isBelow(path, service.path) || (service.oldPath !== undefined && isBelow(path, service.oldPath)),
  );
}
