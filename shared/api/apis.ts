import { isBelow } from "../http/path.ts";
import { aptosGas } from "./aptos-gas.ts";
import { aptosGasStation } from "./aptos-gas-station.ts";
import { aptosKey, aptosWallet } from "./aptos-wallet.ts";
import type { ApiContract } from "./contract.ts";
import { enoki } from "./enoki.ts";
import type { RestContract } from "./rest.ts";
import { suiGas } from "./sui-gas.ts";
import { suiWalletContracts } from "./sui-wallet-aliases.ts";

/** Every JSON-RPC interface of the service. */
export const apiContracts: readonly ApiContract[] = [suiGas, ...suiWalletContracts, aptosKey, aptosWallet, aptosGas];

/** Finds the JSON-RPC interface of a path, also by an old path. Undefined: the path belongs to none. */
export function apiAt(path: string): ApiContract | undefined {
  return apiContracts.find(
    (api) => isBelow(path, api.path) || (api.oldPath !== undefined && isBelow(path, api.oldPath)),
  );
}

/** Every REST interface in the forms of another service's stock client. */
export const restContracts: readonly RestContract[] = [enoki, aptosGasStation];

/** Finds the REST interface of a path. Undefined: the path belongs to none. */
export function restAt(path: string): RestContract | undefined {
  return restContracts.find((one) => isBelow(path, one.path));
}
