import {
  aptosEncodeAndSponsor,
  aptosGas,
  aptosGetFund,
  aptosSponsorAndSubmit,
  aptosSponsorTransaction,
} from "../api/aptos-gas.ts";
import {
  suiExecuteTransactionBlock,
  suiGas,
  suiGetFund,
  suiGetSponsoredTransactionBlockStatus,
  suiPrepareTransactionBlock,
  suiSponsorTransactionBlock,
} from "../api/sui-gas.ts";
import { bind, methodsAt } from "./bind.ts";
import type { RpcClientOptions } from "./rpc-client.ts";

/** The methods of the Sui gas interface. */
export const suiGasMethods = methodsAt(suiGas.path, {
  sponsorTransactionBlock: suiSponsorTransactionBlock,
  getSponsoredTransactionBlockStatus: suiGetSponsoredTransactionBlockStatus,
  getFund: suiGetFund,
  prepareTransactionBlock: suiPrepareTransactionBlock,
  executeTransactionBlock: suiExecuteTransactionBlock,
});

/** The methods of the Aptos gas interface. */
export const aptosGasMethods = methodsAt(aptosGas.path, {
  sponsorTransaction: aptosSponsorTransaction,
  encodeAndSponsorTransaction: aptosEncodeAndSponsor,
  sponsorAndSubmitSignedTransaction: aptosSponsorAndSubmit,
  getFund: aptosGetFund,
});

/** A client of the Sui gas interface. */
export type SuiGasClient = ReturnType<typeof createSuiGasClient>;
/** A client of the Aptos gas interface. */
export type AptosGasClient = ReturnType<typeof createAptosGasClient>;

/**
 * Creates a client of the Sui gas interface for Workers and Node. Params are named. Transaction bytes are bytes and
 * amounts are bigint. Every method returns `{ ok: true, value }` or `{ ok: false, error }` and never rejects.
 *
 * Does not verify a returned `txBytes`. Compare kind and sender before a user signs it.
 */
export function createSuiGasClient(options: RpcClientOptions) {
  return bind(suiGasMethods, options);
}

/** Creates a client of the Aptos gas interface, which works as `createSuiGasClient`. */
export function createAptosGasClient(options: RpcClientOptions) {
  return bind(aptosGasMethods, options);
}
