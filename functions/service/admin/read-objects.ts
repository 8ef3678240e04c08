import { refusalOfMoved } from "../../../shared/durable/transfer/moved.ts";
import { inTime } from "../../../shared/timing.ts";

/** The values that objects have answered. An object that was never created has none. */
export interface ReadObjects<Value> {
  readonly values: readonly Value[];
  /** The objects that failed, or did not answer in time. */
  readonly unreadable: readonly string[];
}

/** The bounds of reading. */
interface Bounds {
  readonly atOnce: number;
  /** The time of one object. */
  readonly objectMs: number;
  /** The end of all reading, by `performance.now`. */
  readonly untilMs: number;
}

/** Logs that an object failed. */
export type LogFault = (object: string, error: string) => void;

/** Reads objects, a bounded number at a time. One that fails, or is slow, is named and stops none. */
export async function readObjects<Value>(
  ids: readonly string[],
  logFault: LogFault,
  { atOnce, objectMs, untilMs }: Bounds,
  read: (id: string) => Promise<Value | null>,
): Promise<ReadObjects<Value>> {
  const values: Value[] = [];
  const unreadable: string[] = [];
  const waiting = ids.values();
  const worker = async () => {
    for (const id of waiting) {
      const leftMs = Math.min(objectMs, untilMs - performance.now());
      try {
        const answered =
          leftMs <= 0
            ? null
            : await inTime(
                leftMs,
                read(id).then((value) => ({ value })),
              );
        if (answered === null) unreadable.push(id);
        else if (answered.value !== null) values.push(answered.value);
      } catch (error) {
        // A project that has moved to another service no longer belongs to this one.
        if (refusalOfMoved(error) !== null) continue;
        logFault(id, String(error));
        unreadable.push(id);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { values, unreadable };
}
