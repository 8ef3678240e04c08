import type { Scanned, TimeSpan } from "../durable/scan.ts";
import type { CopiedObject } from "./transfer.ts";

/** The two lists of a fund's rows. Each row has a number in its list, and never gets another. */
export type ArchivedList = "sponsorships" | "ledger";

/** A row as the fund has encoded it. Only the fund reads the record. */
export interface ArchivedRow {
  /** The row's number in its list. */
  readonly number: number;
  readonly record: string;
}

/** A sponsorship, with the names for its look-up. */
export interface ArchivedSponsorship extends ArchivedRow {
  /** The digest on Sui. On Aptos the id of the signed bytes. */
  readonly name: string;
  /** The hash of the committed transaction on Aptos. Null without one, and always on Sui. */
  readonly hash: string | null;
}

/** An ended treasury transaction. */
export interface ArchivedTreasury {
  /** The digest on Sui, the hash on Aptos. */
  readonly name: string;
  readonly record: string;
}

/** The rows that a fund moves in one step to the archive of one month. */
export interface ArchiveBatch {
  /** Numbers of sponsorships. The archive forgets each one that `sponsorships` does not hold. */
  readonly claimed: readonly number[];
  readonly sponsorships: readonly ArchivedSponsorship[];
  readonly ledger: readonly ArchivedRow[];
  readonly treasury: readonly ArchivedTreasury[];
}

/** A condition on a field of a record, which is a JSON list. Each part that is there has to hold. */
export interface ArchivedCondition {
  /** The place of the field in the list. */
  readonly place: number;
  readonly oneOf?: readonly string[];
  readonly atLeast?: number;
  readonly below?: number;
  /** A Move target that the list at this place names, or the package or module of one. An earlier build ignores it. */
  readonly target?: string;
}

/** The archived rows to examine: at most `examine` with numbers below `below`, highest first. */
export interface ArchiveScan {
  readonly list: ArchivedList;
  readonly where: readonly ArchivedCondition[];
  /** Bounds the rows to examine by the time at a place of the record. Absent from an older build. */
  readonly span?: TimeSpan & { readonly place: number };
  readonly below: number;
  readonly limit: number;
  readonly examine: number;
}

/** The `FundArchive` object: the ended rows of one fund that were made in one UTC month. */
export interface FundArchiveObject extends CopiedObject {
  /** Stores a batch and answers once it is on disk. A repeat stores the same rows again. */
  put(batch: ArchiveBatch): Promise<void>;

  /** Lists the rows with numbers below `below`, highest first. */
  list(list: ArchivedList, below: number, limit: number): Promise<readonly ArchivedRow[]>;

  /** Lists the rows that meet all conditions. It examines a bounded number of rows. */
  scan(scan: ArchiveScan): Promise<Scanned<ArchivedRow>>;

  /** Finds the newest sponsorship by its digest, id or hash. Null if this month has none. */
  sponsorship(name: string): Promise<ArchivedSponsorship | null>;

  /** The same for several names, in their order. */
  sponsorships(names: readonly string[]): Promise<readonly (ArchivedSponsorship | null)[]>;

  /** Finds a treasury transaction by its digest or hash. Null if this month has none. */
  treasury(name: string): Promise<ArchivedTreasury | null>;
}
