import type { ArrivingPart, StoredPart, TransferTerms } from "../../bindings/transfer.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { oneOf } from "../sql.ts";
import { movedError, refuseArriving, refuseMoved } from "./moved.ts";
import { readTables, type TablePosition, writeTables } from "./tables.ts";

/** Part of an object's storage that can move to another service. */
export const TRANSFER_MIGRATION = `
  CREATE TABLE transfer (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    state TEXT NOT NULL,
    transfer_id TEXT NOT NULL,
    destination TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    next_frame INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE transfer_seen (transfer_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;

/** `closed`: the object has stopped, and may be read. `arriving`: its rows come in. `arrived`: it works here. */
export const transferStates = ["closed", "arriving", "arrived"] as const;
/** A state of a transfer. */
export type TransferState = (typeof transferStates)[number];

/** The last transfer of an object, out of this service or into it. */
export interface TransferRecord extends TransferTerms {
  readonly state: TransferState;
  /** The time of the close, or of the arrival's begin. */
  readonly atMs: number;
  /** The number of the frame that is to come next. Only the project counts them. */
  readonly nextFrame: number;
}

/** Bytes of one part, about. One row may exceed them. */
export const PART_BYTES = 192 * 1024;

/** Tables that are not copied: each service has its own. */
const LOCAL: ReadonlySet<string> = new Set(["schema_version", "transfer", "transfer_seen"]);

type Row = Record<string, SqlStorageValue> & {
  state: string;
  transfer_id: string;
  destination: string;
  at_ms: number;
  next_frame: number;
};

/** Reads a part of an object's rows. Omits the platform's own tables and the tables of this place. */
export function readStored(sql: SqlStorage, from: TablePosition | null): StoredPart {
  const { version } = sql.exec<{ version: number }>("SELECT MAX(version) AS version FROM schema_version").one();
  return { schemaVersion: version, ...readTables(sql, LOCAL, from, PART_BYTES) };
}

/**
 * Writes a part of an object's rows. To call within a commit.
 *
 * @returns `bad_params` if the part has another schema version.
 */
export function writeStored(sql: SqlStorage, { schemaVersion, tables, isFirst }: ArrivingPart): Outcome<null> {
  const { version } = sql.exec<{ version: number }>("SELECT MAX(version) AS version FROM schema_version").one();
  if (version !== schemaVersion)
    return refuse(
      "bad_params",
      `the object has schema ${schemaVersion}, this service has ${version}: run the same build on both`,
    );
  writeTables(sql, LOCAL, tables, isFirst);
  return done(null);
}

/** Keeps whether an object works here, has left, or is arriving. The state is held in memory beside storage. */
export class Transfer {
  readonly #storage: DurableObjectStorage;
  #record: TransferRecord | null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#record = this.#load();
  }

  /** Runs a change and its state in one storage transaction. Reads the state again if it fails. */
  commit<T>(change: () => T): T {
    try {
      return this.#storage.transactionSync(change);
    } catch (error) {
      this.#record = this.#load();
      throw error;
    }
  }

  /** The last transfer. Null if there was none. */
  get record(): TransferRecord | null {
    return this.#record;
  }

  /** True if the object works here. */
  get isOpen(): boolean {
    return this.#record === null || this.#record.state === "arrived";
  }

  /** Refuses with `project_moved` unless the object works here. */
  refusal(): Outcome<null> {
    const record = this.#record;
    if (record === null || record.state === "arrived") return done(null);
    return record.state === "closed" ? refuseMoved(record.destination) : refuseArriving();
  }

  /** @throws Error whose text the caller's edge knows, unless the object works here. */
  requireOpen(): void {
    const open = this.refusal();
    if (!open.ok) throw movedError(open.error);
  }

  /** Closes an object that works here. Keeps the state of one that is closed or arriving. */
  close({ transferId, destination }: TransferTerms, nowMs: number): void {
    if (!this.isOpen) return;
    this.#see(transferId);
    this.#save({ state: "closed", transferId, destination, atMs: nowMs, nextFrame: 0 });
  }

  /** Opens an object that this transfer has closed. */
  reopen(transferId: string): void {
    if (this.#record?.state !== "closed" || this.#record.transferId !== transferId) return;
    this.#storage.sql.exec("DELETE FROM transfer");
    this.#record = null;
  }

  /**
   * Begins an arrival, or continues it. A new arrival replaces one that was called off.
   *
   * @param isUsed true if the object holds rows of its own.
   * @returns `bad_params` if rows of its own work here. Also if this service has closed or opened this transfer before,
   * because its rows are then too old.
   */
  arrive({ transferId, destination }: TransferTerms, isUsed: boolean, nowMs: number): Outcome<null> {
    const record = this.#record;
    if (record?.state === "arriving" && record.transferId === transferId) return done(null);
    if (this.#hasSeen(transferId))
      return refuse(
        "bad_params",
        `transfer ${transferId} was closed or imported here before, so its copy is old: make a new copy`,
      );
    if (this.isOpen && isUsed)
      return refuse("bad_params", "this object exists here already: move the project to another service");
    this.#save({ state: "arriving", transferId, destination, atMs: nowMs, nextFrame: 0 });
    return done(null);
  }

  /** Counts a frame of the arrival. To call within a commit. */
  countFrame(nextFrame: number): void {
    if (this.#record !== null) this.#save({ ...this.#record, nextFrame });
  }

  /** Opens an object that has arrived whole. */
  complete(transferId: string): void {
    if (this.#record?.state !== "arriving" || this.#record.transferId !== transferId) return;
    this.#see(transferId);
    this.#save({ ...this.#record, state: "arrived" });
  }

  /** Remembers a transfer permanently, so that its copy never replaces newer rows. */
  #see(transferId: string): void {
    this.#storage.sql.exec("INSERT OR IGNORE INTO transfer_seen (transfer_id) VALUES (?)", transferId);
  }

  #hasSeen(transferId: string): boolean {
    return this.#storage.sql.exec("SELECT 1 FROM transfer_seen WHERE transfer_id = ?", transferId).toArray().length > 0;
  }

  #load(): TransferRecord | null {
    const [row] = this.#storage.sql.exec<Row>("SELECT * FROM transfer").toArray();
    if (row === undefined) return null;
    const { transfer_id: transferId, destination, at_ms: atMs, next_frame: nextFrame } = row;
    return { state: oneOf(row.state, transferStates), transferId, destination, atMs, nextFrame };
  }

  #save(record: TransferRecord): void {
    this.#storage.sql.exec(
      `INSERT OR REPLACE INTO transfer (only_row, state, transfer_id, destination, at_ms, next_frame)
       VALUES (1, ?, ?, ?, ?, ?)`,
      record.state,
      record.transferId,
      record.destination,
      record.atMs,
      record.nextFrame,
    );
    this.#record = record;
  }
}
