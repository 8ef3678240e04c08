import { aptosGas, aptosGetFund, aptosSponsorAndSubmit, aptosSponsorTransaction } from "../api/aptos-gas.ts";
import {
  suiExecuteTransactionBlock,
  suiGas,
  suiGetFund,
  suiGetSponsoredTransactionBlockStatus,
  suiPrepareTransactionBlock,
  suiSponsorTransactionBlock,
} from "../api/sui-gas.ts";
import { createRpcClient, type RpcClientOptions } from "./rpc-client.ts";

export type SuiGasClient = ReturnType<typeof createSuiGasClient>;
export type AptosGasClient = ReturnType<typeof createAptosGasClient>;

/**
 * A client of the Sui gas interface for Workers and Node. Params are named; transaction bytes are bytes, amounts
 * bigint. Every method answers `{ ok: true, value }` or `{ ok: false, error }` and never rejects.
 *
 * A `txBytes` that comes back is what the service says: compare kind and sender before a user signs it.
 */
export function createSuiGasClient(options: RpcClientOptions) {
  const method = createRpcClient(suiGas.path, options);
  return {
    sponsorTransactionBlock: method(suiSponsorTransactionBlock),
    getSponsoredTransactionBlockStatus: method(suiGetSponsoredTransactionBlockStatus),
    getFund: method(suiGetFund),
    prepareTransactionBlock: method(suiPrepareTransactionBlock),
    executeTransactionBlock: method(suiExecuteTransactionBlock),
  };
}

/** A client of the Aptos gas interface. As `createSuiGasClient`. */
export function createAptosGasClient(options: RpcClientOptions) {
  const method = createRpcClient(aptosGas.path, options);
  return {
    sponsorTransaction: method(aptosSponsorTransaction),
    sponsorAndSubmitSignedTransaction: method(aptosSponsorAndSubmit),
    getFund: method(aptosGetFund),
  };
}
