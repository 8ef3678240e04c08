import { open, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Stores } from "../api/contract.ts";

const MIB = 1024 * 1024;

const READ_ONLY_CODES: readonly string[] = ["EROFS", "EIO"];

/** The room on the disk, in bytes, below which a self-hosted service refuses. */
export interface DiskLimits {
  /** Wallets, funds, keys and projects are refused below this. */
  readonly lowBytes: number;
  /** New promises are refused below this. The reserve is then deleted, to make room for earlier promises. */
  readonly fullBytes: number;
  readonly reserveBytes: number;
}

/** The limits in use. */
export const DISK_LIMITS: DiskLimits = { lowBytes: 256 * MIB, fullBytes: 32 * MIB, reserveBytes: 64 * MIB };

/** The state of the disk. A read-only disk takes no writes; the kernel makes it so after errors of its device. */
export type DiskState = "ok" | "low" | "full" | "read_only";

/**
 * Returns the next state. A state ends only once there is clearly more room, so that it does not flap. A deleted
 * reserve counts as room.
 */
export function nextDiskState(
  state: Exclude<DiskState, "read_only">,
  freeBytes: number,
  limits: DiskLimits,
): Exclude<DiskState, "read_only"> {
  if (freeBytes < limits.fullBytes) return "full";
  const isEnough = freeBytes >= limits.lowBytes + limits.reserveBytes;
  if (state === "full") return isEnough ? "ok" : "full";
  if (freeBytes < limits.lowBytes) return "low";
  return state === "low" && !isEnough ? "low" : "ok";
}

/** Returns true if a call with this demand for disk space is refused in that state. */
export function isRefusedOn(state: DiskState, stores: Stores): boolean {
  if (stores === "promise") return state === "full" || state === "read_only";
  return stores === "objects" && state !== "ok";
}

/** Watches the disk of the objects. Keeps a reserve file there, and deletes it when there is no other room. */
export class DiskWatch {
  readonly #directory: string;
  readonly #reservePath: string;
  readonly #limits: DiskLimits;
  readonly #changed: (state: DiskState, freeBytes: number) => void;
  #state: DiskState = "ok";
  #looking: Promise<void> | null = null;

  constructor(directory: string, changed: (state: DiskState, freeBytes: number) => void, limits = DISK_LIMITS) {
    this.#directory = directory;
    this.#reservePath = join(directory, "reserve");
    this.#changed = changed;
    this.#limits = limits;
  }

  /**
   * Checks the disk, once at a time: on a slow disk the reserve takes longer to write than the interval. Never
   * rejects.
   */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (await this.#isReadOnly()) this.#become("read_only", 0);
    else await this.#lookForRoom();
  }

  #become(state: DiskState, freeBytes: number): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#changed(state, freeBytes);
  }

  /** Opens a file for writing. No other check suffices, because a kernel may still call a failed disk writable. */
  async #isReadOnly(): Promise<boolean> {
    try {
      // A deleted reserve stays deleted.
      const file = await open(this.#reservePath, this.#state === "full" ? "r+" : "a", 0o600);
      await file.close();
      return false;
    } catch (error) {
      return error instanceof Error && "code" in error && READ_ONLY_CODES.includes(String(error.code));
    }
  }

  /** Updates the state. A disk whose room cannot be read keeps its state. */
  async #lookForRoom(): Promise<void> {
    const disk = await statfs(this.#directory).catch(() => null);
    if (disk === null) return;
    const freeBytes = disk.bavail * disk.bsize;
    const before = this.#state === "read_only" ? "ok" : this.#state;
    const state = nextDiskState(before, freeBytes, this.#limits);
    if (state === "full") await rm(this.#reservePath, { force: true }).catch(() => undefined);
    if (state === "ok" && freeBytes >= this.#limits.lowBytes + this.#limits.reserveBytes) await this.#reserve();
    this.#become(state, freeBytes);
  }

  /** Writes the reserve, because a file with holes reserves nothing. */
  async #reserve(): Promise<void> {
    const { reserveBytes } = this.#limits;
    const kept = await stat(this.#reservePath).catch(() => null);
    if (kept?.size === reserveBytes) return;
    try {
      const file = await open(this.#reservePath, "w", 0o600);
      try {
        const zeros = Buffer.alloc(MIB);
        for (let written = 0; written < reserveBytes; written += zeros.length) await file.write(zeros);
      } finally {
        await file.close();
      }
    } catch {
      await rm(this.#reservePath, { force: true }).catch(() => undefined);
    }
  }
}
