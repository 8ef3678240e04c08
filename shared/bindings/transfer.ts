import type { TablePosition, TableRows, TablesPart } from "../durable/transfer/tables.ts";
import type { Outcome } from "../errors.ts";

/** The other place of a project's move. The id is the same at both services. */
export interface TransferTerms {
  /** `trf_` and 20 hex digits. */
  readonly transferId: string;
  /** The place that callers receive, such as the URL of the other service. */
  readonly destination: string;
}

/** Some rows of an object, with the schema version that they have. */
export interface StoredPart extends TablesPart {
  readonly schemaVersion: number;
}

/** Rows to store in an object of a project that arrives. */
export interface ArrivingPart {
  readonly transferId: string;
  readonly schemaVersion: number;
  readonly tables: readonly TableRows[];
  /** True for the first part of an object, which empties it before. */
  readonly isFirst: boolean;
}

/** Objects whose rows can be read whole. */
export interface ReadableObject {
  /**
   * Reads rows from a place on. Null starts at the first row. The object must not change between two readings.
   *
   * @throws if the object still works.
   */
  readStored(from: TablePosition | null): Promise<StoredPart>;
}

/** Objects whose rows can be read and written whole. */
export interface CopiedObject extends ReadableObject {
  /**
   * Stores rows of another service's object. A repeat changes nothing.
   *
   * @returns `bad_params` if this object holds something of its own, or the schema versions differ.
   */
  writeStored(part: ArrivingPart): Promise<Outcome<null>>;
}

/** Objects that stop working while their project moves. */
export interface MovingObject extends CopiedObject {
  /** Returns true if the object can move now. A fund cannot while its rows of an older build are still being moved. */
  mayMove(): Promise<boolean>;

  /** Stops the object's work. Every later call is refused, and the alarm does nothing. A repeat changes nothing. */
  closeForTransfer(terms: TransferTerms): Promise<void>;

  /** Takes up the work of a closed object again. A repeat changes nothing. */
  reopen(transferId: string): Promise<void>;

  /** Takes up the work of an object that has arrived whole. A repeat changes nothing. */
  completeTransfer(transferId: string): Promise<void>;
}
