import { createHash } from "node:crypto";

/** The first row of a chain has this value in the place of the hash before it. */
export const GENESIS_HASH = "0".repeat(64);

/** The end of the action of a row that records a refusal. */
export const REFUSED = ".refused";

/** The action of the first chained row of a log that had rows before there was a chain. */
export const CHAIN_BEGINS = "audit.chain_begins";

/** Keeps these hashes apart from every other use of the hash. */
const DOMAIN = "gasworks/audit/v1";

/** The fields of a row that its hash covers. */
export interface HashedRow {
  readonly seq: number;
  readonly atMs: number;
  readonly action: string;
  readonly target: string;
  /** The change as `JSON.stringify` writes it. */
  readonly detailJson: string;
  readonly actor: string | null;
  readonly actorTokenId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** The hash of the row before. Null for a row from before there was a chain. */
  readonly previousHash: string | null;
}

/**
 * Returns the SHA-256 of a row in hex. The input is the UTF-8 text of a JSON array of the domain and the row's fields.
 * So no two rows have one text.
 */
export function rowHash(row: HashedRow): string {
  const { previousHash, seq, atMs, action, target, detailJson, actor, actorTokenId, ip, userAgent } = row;
  const text = [DOMAIN, previousHash, seq, atMs, action, target, detailJson, actor, actorTokenId, ip, userAgent];
  return createHash("sha256").update(JSON.stringify(text), "utf8").digest("hex");
}

/** The detail of the row `CHAIN_BEGINS`. */
export interface ChainBeginning {
  /** The number of the last row from before the chain. The first one has 1. */
  readonly lastSeqBefore: number;
  /** Proves all those rows. */
  readonly hashBefore: string;
}

/**
 * Returns the detail of the first chained row, for the rows from before the chain, in their order. The hash is the one
 * that the last of them would have if they were chained.
 */
export function chainBeginning(before: Iterable<HashedRow>): ChainBeginning {
  let [lastSeqBefore, hashBefore] = [0, GENESIS_HASH];
  for (const row of before) {
    hashBefore = rowHash({ ...row, previousHash: hashBefore });
    lastSeqBefore = row.seq;
  }
  return { lastSeqBefore, hashBefore };
}

/** The newest row of a chain, by its number and hash. Whoever keeps it elsewhere can prove a later change of the log. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}
