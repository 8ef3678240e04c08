import { statSync } from "node:fs";
import type { WorkerdProcess } from "../../shared/cli/workerd.ts";
import { sleep } from "../support/random.ts";

const PATIENCE_MS = 60_000;
const FAR_OFF_MS = 1;
/** A moment stays on the disk for some milliseconds. The service needs the CPU of this thread meanwhile. */
const NEAR_MS = 0.2;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Lets this thread sleep. A timer would take a millisecond at least. */
function rest(): void {
  Atomics.wait(never, 0, 0, NEAR_MS);
}

/** How many kills each scenario makes: `KILLS=3` for a quick look. */
export function killsOr(usual: number): number {
  return Number(process.env.KILLS ?? usual);
}

/**
 * Kills the service at a moment that the disk shows. Until `begins` tells that the moment is near, it looks each
 * millisecond. From then on it rests for a fifth of that between two looks, so that it comes in time.
 *
 * @throws if the moment does not come.
 */
export async function killOnce(
  service: WorkerdProcess,
  what: string,
  isNow: () => boolean,
  begins = () => true,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let isNear = begins(); !isNow(); isNear ||= begins()) {
    if (Date.now() > deadline) throw new Error(`it never came to this: ${what}`);
    if (isNear) rest();
    await (isNear ? new Promise(setImmediate) : sleep(FAR_OFF_MS));
  }
  await service.kill();
}

/** Tells once something was written to a database since now: maybe the first part of a commit. */
export function writingTo(path: string): () => boolean {
  const read = () => {
    const found = statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "" : `${found.size} ${found.mtimeNs}`;
  };
  const before = read();
  return () => read() !== before;
}

/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, this.count(name) + 1);
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  toString(): string {
    return [...this.#counts].map(([name, count]) => `${count} ${name}`).join(", ");
  }
}
