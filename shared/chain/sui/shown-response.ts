import type { SuiTransactionResponse } from "../../api/sui-transaction-response.ts";
import type { ResponseOptions, ShownTransactionResponse } from "../../api/sui-wallet.ts";

/** As a full node's JSON-RPC took the options (sui-json-rpc-types, `default_execution_request_type`). */
export function requestTypeFor(options: ResponseOptions): "WaitForEffectsCert" | "WaitForLocalExecution" {
  const { showEffects, showEvents, showObjectChanges, showBalanceChanges, showRawEffects } = options;
  return showEffects || showEvents || showObjectChanges || showBalanceChanges || showRawEffects
    ? "WaitForLocalExecution"
    : "WaitForEffectsCert";
}

/** What the options ask for, and what is always there. */
export function shownResponse(
  { effects, events, objectChanges, balanceChanges, ...always }: SuiTransactionResponse,
  options: ResponseOptions,
): ShownTransactionResponse {
  return {
    ...always,
    ...(options.showEffects && { effects }),
    ...(options.showEvents && { events }),
    ...(options.showObjectChanges && { objectChanges }),
    ...(options.showBalanceChanges && { balanceChanges }),
  };
}
