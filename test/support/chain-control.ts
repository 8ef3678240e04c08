import { chainUrl } from "../harness/harness.ts";
import { chainOrders } from "./chain-orders.ts";

export const EXECUTE = "TransactionExecutionService/ExecuteTransaction";
export const SIMULATE = "TransactionExecutionService/SimulateTransaction";
export const LOOK_UP = "LedgerService/BatchGetTransactions";

/** Orders to the chain of this worker's service. */
export const {
  calls: upstreamCalls,
  clearCalls: clearUpstreamCalls,
  orderFault,
  clearFaults,
  orderLag,
  nextEpoch,
  holdConsensus,
} = chainOrders(chainUrl);
