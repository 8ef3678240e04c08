import { batchesOf } from "../paging.ts";
import { type LedgerState, type Seen, seenIn } from "./one-reply.ts";

export type { LedgerState, Seen } from "./one-reply.ts";

/**
 * Reads another value from the same reply.
 *
 * @param read takes it from the reply's value alone.
 */
export function withValue<T, U, State extends LedgerState>(
  seen: Seen<T, State>,
  read: (value: T) => U,
): Seen<U, State> {
  return seenIn<U, State>(seen, read(seen.value));
}

/** Divides a list of one reply into parts of a bounded size. Each part belongs to that reply. */
export function partsOf<T, State extends LedgerState>(
  seen: Seen<readonly T[], State>,
  size: number,
): readonly Seen<readonly T[], State>[] {
  return [...batchesOf(seen.value, size)].map((part) => withValue(seen, () => part));
}
