import { open, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";

const MIB = 1024 * 1024;

export interface DiskLimits {
  /** Below this nothing new is made: wallets, funds, keys, projects. */
  readonly lowBytes: number;
  /** Below this nothing is promised any more, and the reserve is given up to what was promised before. */
  readonly fullBytes: number;
  readonly reserveBytes: number;
}

export const DISK_LIMITS: DiskLimits = { lowBytes: 256 * MIB, fullBytes: 32 * MIB, reserveBytes: 64 * MIB };

export type DiskState = "ok" | "low" | "full";

/** A state ends only once there is clearly more room, so that it does not flap. What was given up counts as room again. */
export function nextDiskState(state: DiskState, freeBytes: number, limits: DiskLimits): DiskState {
  if (freeBytes < limits.fullBytes) return "full";
  const isEnough = freeBytes >= limits.lowBytes + limits.reserveBytes;
  if (state === "full") return isEnough ? "ok" : "full";
  if (freeBytes < limits.lowBytes) return "low";
  return state === "low" && !isEnough ? "low" : "ok";
}

/** What a request must not do on a disk with so little room: makes objects, or promises what has to be settled later. */
const MAKES_OBJECTS =
  /"method"\s*:\s*"[a-z_]*(createWallet(OnChain)?|importWallet)"|^\/admin\/v1\/projects(\/[^/]+\/(funds|keys|webhooks))?$|^\/flows\/create-wallet-on-chain$/;
const PROMISES =
  /"method"\s*:\s*"([a-z_]*(createSession|executeGasless[A-Za-z]*|initializeWallet[A-Za-z]*)|gas_(sponsor|prepare|encode)[A-Za-z]*)"|^\/flows\/(sponsor|execute-sponsored)/;

/** @param text the path, or the body. */
export function isRefusedOn(state: DiskState, method: string, text: string): boolean {
  if (state === "ok" || method === "GET") return false;
  return MAKES_OBJECTS.test(text) || (state === "full" && PROMISES.test(text));
}

/** Looks at the disk of the objects, and keeps a file there whose room is given up when there is no other. */
export class DiskWatch {
  readonly #directory: string;
  readonly #reservePath: string;
  readonly #limits: DiskLimits;
  readonly #changed: (state: DiskState, freeBytes: number) => void;
  #state: DiskState = "ok";

  constructor(directory: string, changed: (state: DiskState, freeBytes: number) => void, limits = DISK_LIMITS) {
    this.#directory = directory;
    this.#reservePath = join(directory, "reserve");
    this.#changed = changed;
    this.#limits = limits;
  }

  /** Never rejects: a disk that cannot be asked stays what it was. */
  async look(): Promise<void> {
    const disk = await statfs(this.#directory).catch(() => null);
    if (disk === null) return;
    const freeBytes = disk.bavail * disk.bsize;
    const state = nextDiskState(this.#state, freeBytes, this.#limits);
    if (state === "full") await rm(this.#reservePath, { force: true }).catch(() => undefined);
    if (state === "ok" && freeBytes >= this.#limits.lowBytes + this.#limits.reserveBytes) await this.#reserve();
    if (state === this.#state) return;
    this.#state = state;
    this.#changed(state, freeBytes);
  }

  /** Written, because a file with holes reserves nothing. */
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
