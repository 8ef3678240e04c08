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

/** A client of the Sui gas interface. */
export type SuiGasClient = ReturnType<typeof createSuiGasClient>;
/** A client of the Aptos gas interface. */
export type AptosGasClient = ReturnType<typeof createAptosGasClient>;

/**
 * Creates a client of the Sui gas interface for Workers and Node. Params are named. Transaction bytes are bytes and
 * amounts are bigint. Every method returns `{ ok: true, value }` or `{ ok: false, error }` and never rejects.
 *
 * The client does not verify a returned `txBytes`. Compare kind and sender before a user signs it.
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

/** Creates a client of the Aptos gas interface. It behaves as `createSuiGasClient`. */
export function createAptosGasClient(options: RpcClientOptions) {
  const method = createRpcClient(aptosGas.path, options);
  return {
    sponsorTransaction: method(aptosSponsorTransaction),
    sponsorAndSubmitSignedTransaction: method(aptosSponsorAndSubmit),
    getFund: method(aptosGetFund),
  };
}
