/** An account's resource, whose type the chain defines. */
export const MAX_RESOURCE_REPLY_BYTES = 1024 * 1024;
/** A module comes with its bytecode in hex: a transaction's worth of it, or what several have published in parts. */
export const MAX_MODULE_REPLY_BYTES = 4 * 1024 * 1024;
/** A transaction that waits is what was submitted: 64 KiB in BCS, and its signatures. */
export const MAX_PENDING_REPLY_BYTES = 2 * 1024 * 1024;
/**
 * A simulation answers with all that the transaction would write. A larger one is not simulated, and so not paid for.
 */
export const MAX_SIMULATION_REPLY_BYTES = 4 * 1024 * 1024;
