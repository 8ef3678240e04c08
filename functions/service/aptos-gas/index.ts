import { aptosGas } from "../../../shared/api/aptos-gas.ts";
import type { JsonRpcApi } from "../json-rpc-api.ts";
import { gas_encodeAndSponsorTransaction } from "./gas_encodeAndSponsorTransaction.ts";
import { gas_getFund } from "./gas_getFund.ts";
import { gas_sponsorAndSubmitSignedTransaction } from "./gas_sponsorAndSubmitSignedTransaction.ts";
import { gas_sponsorTransaction } from "./gas_sponsorTransaction.ts";

/** A method outside this list calls a node before the fund, so the access key has to admit it first. */
const atFund = [gas_sponsorTransaction, gas_sponsorAndSubmitSignedTransaction, gas_getFund];

/** The gas interface of Aptos, with its handlers. */
export const aptosGasApi: JsonRpcApi = {
  contract: aptosGas,
  handlers: [...atFund, gas_encodeAndSponsorTransaction],
  atFund,
};
