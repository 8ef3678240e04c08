import { sha3_256 } from "@noble/hashes/sha3.js";
import { type BlockClock, epochOf, type LedgerView } from "./clock.ts";
import { toHex } from "./hex.ts";

/** Every block starts with its metadata and ends with its epilogue, and users' transactions are between them. */
const SYSTEM_TRANSACTIONS = 2;
const US_PER_MS = 1_000n;

/** A transaction of a user: its version, its block, and the how manieth of all such transactions it is, from 1. */
export interface UserPlace {
  readonly version: number;
  readonly block: number;
  readonly ordinal: number;
}

export interface UserPlaces {
  /** The last one in or before a block. */
  lastInBlock(height: number): UserPlace | undefined;
  /** The last one at or before a version. */
  lastAtVersion(version: number): UserPlace | undefined;
}

export type Kind = "genesis" | "metadata" | "user" | "epilogue";

/** Which version is in which block; all of it follows from the clock and the users' transactions. */
export function createBlocks(clock: BlockClock, places: UserPlaces) {
  /** The last version of a block. Genesis is version 0, and block 0 by itself. */
  function lastVersion(height: number): number {
    return SYSTEM_TRANSACTIONS * height + (places.lastInBlock(height)?.ordinal ?? 0);
  }

  return {
    lastVersion,

    firstVersion: (height: number) => (height === 0 ? 0 : lastVersion(height - 1) + 1),

    timestampUs: (height: number) => BigInt(clock.timeMs(height)) * US_PER_MS,

    view: (height: number): LedgerView => ({
      height,
      version: lastVersion(height),
      timestampUs: BigInt(clock.timeMs(height)) * US_PER_MS,
      epoch: epochOf(height),
    }),

    /** Where the next transaction of a user in this block goes. */
    nextPlace(block: number): UserPlace {
      const before = places.lastInBlock(block);
      const ordinal = (before?.ordinal ?? 0) + 1;
      return { block, ordinal, version: SYSTEM_TRANSACTIONS * block - 1 + ordinal };
    },

    /** What is at a version, and in which block. */
    locate(version: number): { readonly block: number; readonly kind: Kind } {
      if (version === 0) return { block: 0, kind: "genesis" };
      const user = places.lastAtVersion(version);
      if (user?.version === version) return { block: user.block, kind: "user" };
      const end = user === undefined ? 0 : lastVersion(user.block);
      if (user !== undefined && version <= end) return { block: user.block, kind: "epilogue" };
      const beyond = version - end;
      const block = (user?.block ?? 0) + Math.ceil(beyond / SYSTEM_TRANSACTIONS);
      return { block, kind: beyond % SYSTEM_TRANSACTIONS === 1 ? "metadata" : "epilogue" };
    },
  };
}

export type Blocks = ReturnType<typeof createBlocks>;

/** A hash for what has no bytes here: blocks, their own transactions, state changes. Modelled. */
export function modelledHash(chain: string, what: string): string {
  return `0x${toHex(sha3_256(new TextEncoder().encode(`${chain}/${what}`)))}`;
}
