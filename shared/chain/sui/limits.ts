import { MIST_PER_SUI } from "../../amounts.ts";

/** Bounds of Sui's protocol configuration (`sui-protocol-config`), each under the name that it has there. */

/** `max_tx_size_bytes`: validators refuse longer transactions. */
export const MAX_TRANSACTION_BYTES = 131_072;
/** `max_gas_payment_objects`. */
export const MAX_GAS_PAYMENT_OBJECTS = 256;
/** `base_tx_cost_fixed`: validators refuse a budget below this many gas units at the transaction's price. */
export const MIN_BUDGET_UNITS = 1_000n;
/** `max_tx_gas`. */
export const MAX_GAS_BUDGET_MIST = 50_000n * MIST_PER_SUI;
/** The budget of a dry run, far above the cost of a sponsored transaction. The SDK simulates with the same. */
export const DRY_RUN_BUDGET_MIST = 50n * MIST_PER_SUI;
