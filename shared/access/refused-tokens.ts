import { toHex } from "../bytes.ts";

/** The time after which a refused token is looked up again. */
const REMEMBERED_MS = 30_000;
/** Limit of remembered tokens. The oldest leave first. Only tokens that this service once issued get here. */
const MOST_TOKENS = 1_000;

/** A token by its id and the hash of its secret. */
export interface HashedToken {
  readonly tokenId: string;
  readonly secretHash: Uint8Array;
}

function nameOf({ tokenId, secretHash }: HashedToken): string {
  return `${tokenId} ${toHex(secretHash)}`;
}

/**
 * Remembers tokens that were deleted or have ended, in memory, so that their repeats cost no call of the directory.
 * Deletion and end are final. So a right token is never among them, unless a backup brings it back.
 */
export class RefusedTokens {
  /** The oldest first. */
  readonly #untilMs = new Map<string, number>();

  has(token: HashedToken, nowMs: number): boolean {
    return (this.#untilMs.get(nameOf(token)) ?? 0) > nowMs;
  }

  add(token: HashedToken, nowMs: number): void {
    const name = nameOf(token);
    this.#untilMs.delete(name);
    this.#untilMs.set(name, nowMs + REMEMBERED_MS);
    const [oldest] = this.#untilMs.keys();
    if (oldest !== undefined && this.#untilMs.size > MOST_TOKENS) this.#untilMs.delete(oldest);
  }
}
