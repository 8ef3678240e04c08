import { suiGas } from "../../../shared/api/sui-gas.ts";
import type { JsonRpcApi } from "../json-rpc-api.ts";
import { gas_executeTransactionBlock } from "./gas_executeTransactionBlock.ts";
import { gas_getFund } from "./gas_getFund.ts";
import { gas_getSponsoredTransactionBlockStatus } from "./gas_getSponsoredTransactionBlockStatus.ts";
import { gas_prepareTransactionBlock } from "./gas_prepareTransactionBlock.ts";
import { gas_sponsorTransactionBlock } from "./gas_sponsorTransactionBlock.ts";

const handlers = [
  gas_sponsorTransactionBlock,
  gas_getSponsoredTransactionBlockStatus,
  gas_getFund,
  gas_prepareTransactionBlock,
  gas_executeTransactionBlock,
];

/** The gas interface of Sui, with its handlers. */
export const suiGasApi: JsonRpcApi = {
  contract: suiGas,
  handlers,
  atFund: handlers,
};
