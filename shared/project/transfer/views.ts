/** Kinds of objects that a project's own tables name. */
export type TransferKind = "wallet" | "fund" | "key";
/** Kinds of objects with work of their own, which stops and starts. */
export type MemberKind = Exclude<TransferKind, "wallet">;

/** Names of some objects of one kind, in the order of their creation. */
export interface TransferNames {
  readonly names: readonly string[];
  /** The number of each, ascending. */
  readonly numbers: readonly number[];
  /** The number of the last one, to continue after. Null if no more follow. */
  readonly next: number | null;
}

/** A step of a transfer over the funds and keys of a project. Each of them has an object of its own. */
export type MemberStep = "close" | "reopen" | "complete" | "complete_and_recover";

/** The names of the members of a page that cannot move yet. */
export interface UnreadyMembers {
  readonly unready: readonly string[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}
