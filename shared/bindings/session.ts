import type { Outcome } from "../errors.ts";

/** The `Session` object, as its callers see it. */
export interface SessionObject {
  /** Keeps a half until `expiresAtMs`. @returns `overloaded` if this shard is full. */
  put(key: string, value: Uint8Array, expiresAtMs: number): Promise<Outcome<null>>;

  /** Returns null if it was never kept here, has expired, or was lost with an earlier instance. */
  get(key: string): Promise<Uint8Array | null>;
}
