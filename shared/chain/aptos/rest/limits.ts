/** The bound of an account's resource, whose type the chain defines. */
export const MAX_RESOURCE_REPLY_BYTES = 1024 * 1024;
/**
 * The bound of a module with its bytecode in hex. The bytecode fits a transaction, or several that have published it in
 * parts.
 */
export const MAX_MODULE_REPLY_BYTES = 4 * 1024 * 1024;
/** The bound of a waiting transaction: 64 KiB in BCS, and its signatures. */
export const MAX_PENDING_REPLY_BYTES = 2 * 1024 * 1024;
/**
 * The bound of a simulation, which shows all writes of the transaction. A larger one is not simulated, so it is not
 * sponsored.
 */
export const MAX_SIMULATION_REPLY_BYTES = 4 * 1024 * 1024;
