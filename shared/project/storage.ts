import { isStorageFull, isStorageHigh, readStorageUse, type StorageUse } from "../durable/storage-budget.ts";
import type { RaisedEvent } from "../observe/events.ts";
import type { ProjectParts } from "./parts.ts";

/**
 * The disk budget of a project, 8 GiB. The wallet index and the audit log stay for ever. 90 % of it is below the 10 GB
 * that the platform gives an object.
 */
const PROJECT_BYTES = 8 * 1_024 ** 3;

/** Part of version 7 of a project's storage: whether the storage was high at the last check. */
export const STORAGE_HIGH_MIGRATION = `
  CREATE TABLE storage_high (only_row INTEGER PRIMARY KEY CHECK (only_row = 1)) STRICT;
`;

/** Compares a project's storage with its disk budget. */
export class ProjectStorage {
  readonly #parts: ProjectParts;

  constructor(parts: ProjectParts) {
    this.#parts = parts;
  }

  use(): StorageUse {
    return readStorageUse(this.#parts.sql, PROJECT_BYTES);
  }

  /** True if the project accepts nothing new. */
  isFull(): boolean {
    return isStorageFull(this.use());
  }

  /** True if the storage was high at the last check. */
  isHigh(): boolean {
    return this.#parts.sql.exec("SELECT 1 FROM storage_high").toArray().length > 0;
  }

  /**
   * Raises and logs `project.storage_high` or `project.storage_recovered` once the storage has crossed its threshold.
   *
   * @param raise writes an event of the project. Called within a commit.
   */
  report(raise: (event: RaisedEvent) => void): void {
    const { sql, storage, deps } = this.#parts;
    const use = this.use();
    const wasHigh = this.isHigh();
    const isHigh = isStorageHigh(use, wasHigh);
    if (isHigh === wasHigh) return;
    const type = isHigh ? "project.storage_high" : "project.storage_recovered";
    const data = { ...use, wallets: this.#count("wallet"), auditRows: this.#count("audit") };
    storage.transactionSync(() => {
      sql.exec(isHigh ? "INSERT INTO storage_high (only_row) VALUES (1)" : "DELETE FROM storage_high");
      raise({ type, data });
    });
    deps.log(type, { ...data });
  }

  /** Counts the rows of a table that keeps its rows for ever. Slow for many, so only a crossing counts them. */
  #count(table: "wallet" | "audit"): number {
    return this.#parts.sql.exec<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`).one().count;
  }
}
