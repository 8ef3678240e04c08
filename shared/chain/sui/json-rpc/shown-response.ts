import type { ResponseOptions, ShownTransactionResponse } from "./response-options.ts";
import type { SuiTransactionResponse } from "./response-schema.ts";
import { type ParametersOf, rawTransaction, transactionBlock } from "./transaction-block.ts";

/**
 * Derives the request type from the options, as a full node's JSON-RPC did (sui-json-rpc-types,
 * `default_execution_request_type`).
 */
export function requestTypeFor(options: ResponseOptions): "WaitForEffectsCert" | "WaitForLocalExecution" {
  const { showEffects, showEvents, showObjectChanges, showBalanceChanges, showRawEffects } = options;
  return showEffects || showEvents || showObjectChanges || showBalanceChanges || showRawEffects
    ? "WaitForLocalExecution"
    : "WaitForEffectsCert";
}

/** Removes the additions of this service. */
function nodeStatus({ abort: _, ...status }: SuiTransactionResponse["effects"]["status"]) {
  return status;
}

/** An executed transaction, with the parts that the options request. */
export interface ExecutedInput {
  /** BCS of the transaction data. */
  readonly txBytes: Uint8Array;
  readonly signatures: readonly string[] | null;
  readonly rawEffects: Uint8Array | null;
  /** The parameters of the functions that it calls. Absent if none is known. */
  readonly parametersOf?: ParametersOf;
}

/** Returns the input of a transaction if the options request it. */
function shownInput(input: ExecutedInput, { showInput, showRawInput }: ResponseOptions) {
  const { txBytes, signatures, parametersOf } = input;
  const transaction = showInput && signatures !== null ? transactionBlock(txBytes, signatures, parametersOf) : null;
  const raw = showRawInput && signatures !== null ? rawTransaction(txBytes, signatures) : null;
  return { ...(transaction && { transaction }), ...(raw !== null && { rawTransaction: raw }) };
}

/** Shows the parts that the options request, and those that are always shown. */
export function shownResponse(
  { effects, events, objectChanges, balanceChanges, ...always }: SuiTransactionResponse,
  input: ExecutedInput,
  options: ResponseOptions,
): ShownTransactionResponse {
  return {
    ...always,
    ...shownInput(input, options),
    ...(options.showRawEffects && input.rawEffects !== null && { rawEffects: [...input.rawEffects] }),
    ...(options.showEffects && { effects: { ...effects, status: nodeStatus(effects.status) } }),
    ...(options.showEvents && { events }),
    ...(options.showObjectChanges && { objectChanges }),
    ...(options.showBalanceChanges && { balanceChanges }),
  };
}
