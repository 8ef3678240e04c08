/** An object reports high storage from this part of its budget on, percent. */
const HIGH_PERCENT = 70;
/** High storage has recovered below this part, percent. The margin keeps the state from flapping. */
const RECOVERED_PERCENT = 60;
/** An object refuses new work from this part on, percent. The rest is room for work that has begun. */
const FULL_PERCENT = 90;

/** The use of an object's disk budget, in bytes. */
export interface StorageUse {
  readonly usedBytes: number;
  readonly budgetBytes: number;
}

/**
 * Reads the storage that an object uses. `databaseSize` counts the pages in use and leaves out the free pages of the
 * file. So it falls after a deletion, although SQLite does not shrink the file. It covers the transaction under way.
 */
export function readStorageUse({ databaseSize }: Pick<SqlStorage, "databaseSize">, budgetBytes: number): StorageUse {
  return { usedBytes: databaseSize, budgetBytes };
}

/** Returns true if an object's storage is high. @param wasHigh the answer before, for the margin. */
export function isStorageHigh({ usedBytes, budgetBytes }: StorageUse, wasHigh: boolean): boolean {
  return usedBytes * 100 >= budgetBytes * (wasHigh ? RECOVERED_PERCENT : HIGH_PERCENT);
}

/** Returns true if an object has to refuse new work. */
export function isStorageFull({ usedBytes, budgetBytes }: StorageUse): boolean {
  return usedBytes * 100 >= budgetBytes * FULL_PERCENT;
}
