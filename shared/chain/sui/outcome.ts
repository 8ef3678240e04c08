import type { Deadline } from "../../deadline.ts";
import { type Outcome, refuse } from "../../errors.ts";
import { sleep } from "../../timing.ts";

/** Waits before each look-up, after the previous one. A node shows an execution 0.2 to 1 s later. */
const OUTCOME_LOOK_UPS_MS = [0, 250, 500, 1_000, 2_000] as const;

/**
 * Looks an outcome up until a node shows it.
 *
 * @param lookUp calls the nodes once. Null if they answer without showing it.
 * @returns the last answer. `node_unavailable` if the last call had no answer, or if the call's time was over before
 * the first one.
 */
export async function lookUpOutcome<T>(
  deadline: Deadline,
  lookUp: () => Promise<Outcome<T | null>>,
): Promise<Outcome<T | null>> {
  let last: Outcome<T | null> = refuse(
    "node_unavailable",
    "the call ran out of time before it reached a node: repeat the call",
  );
  for (const waitMs of OUTCOME_LOOK_UPS_MS) {
    if (waitMs >= deadline.leftMs()) break;
    if (waitMs > 0) await sleep(waitMs);
    last = await deadline.within(lookUp());
    if (last.ok && last.value !== null) break;
  }
  return last;
}
