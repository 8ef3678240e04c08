import {
  executeTransactionBlock,
  getFund,
  getSponsoredTransactionBlockStatus,
  prepareTransactionBlock,
  sponsorTransactionBlock,
  suiGas,
} from "../api/sui-gas.ts";
import { createRpcClient, type RpcClientOptions } from "./rpc-client.ts";

export type GasClient = ReturnType<typeof createGasClient>;

/**
 * A client of the Sui gas interface for Workers and Node. Params are named; transaction bytes are bytes, amounts
 * bigint. Every method answers `{ ok: true, value }` or `{ ok: false, error }` and never rejects.
 *
 * A `txBytes` that comes back is what the service says: compare kind and sender before a user signs it.
 */
export function createGasClient(options: RpcClientOptions) {
  const method = createRpcClient(suiGas.path, options);
  return {
    sponsorTransactionBlock: method(sponsorTransactionBlock),
    getSponsoredTransactionBlockStatus: method(getSponsoredTransactionBlockStatus),
    getFund: method(getFund),
    prepareTransactionBlock: method(prepareTransactionBlock),
    executeTransactionBlock: method(executeTransactionBlock),
  };
}
