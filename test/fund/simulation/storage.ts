import type { StorageUse } from "../../../shared/durable/storage-budget.ts";

/** A fund's storage without rows. */
export const EMPTY_STORAGE: StorageUse = { usedBytes: 0, budgetBytes: 1_000 };

/** A fund's storage that has just reached the part of its budget at which it sponsors nothing new. */
export const FULL_STORAGE: StorageUse = { usedBytes: 900, budgetBytes: 1_000 };
