/** A busy machine can keep a node from answering in time. More of such refusals than this are a fault. */
const MOST_LATE_NODES = 3;

/**
 * Creates the check of one caller's refusals. It returns true for a refusal that a crash, or a busy machine, excuses.
 * Each of them says that nothing was sent, or that the outcome is unknown, and the caller asks again.
 *
 * @param honest the reasons that are always excused.
 */
export function excuses(honest: ReadonlySet<string | null>): (reason: string | null) => boolean {
  let lateNodes = 0;
  return (reason) => {
    if (reason === "node_unavailable") lateNodes += 1;
    return honest.has(reason) || (reason === "node_unavailable" && lateNodes <= MOST_LATE_NODES);
  };
}
