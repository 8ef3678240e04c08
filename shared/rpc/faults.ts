import { isNewerState } from "../directory/newer-state.ts";
import { isDiskFault } from "../durable/disk-fault.ts";
import { type Refusal, STORAGE_FAILED } from "../errors.ts";
import { refuseOverloaded } from "../http/overload.ts";

function flagged(error: unknown, flag: "overloaded" | "remote" | "durableObjectReset"): boolean {
  return error instanceof Error && Reflect.get(error, flag) === true;
}

/**
 * Only the platform turns a call away before it starts: an error that the object's own code threw is marked `remote`,
 * and then something may have happened.
 */
function isOverloaded(error: unknown): boolean {
  return flagged(error, "overloaded") && !flagged(error, "remote");
}

/** What an object throws arrives as it is. Where it aborts itself with an error, workerd puts `Error: ` in front. */
function isStorageFailure(error: unknown): boolean {
  return error instanceof Error && error.message.replace(/^Error: /, "").startsWith(STORAGE_FAILED);
}

/**
 * The object was reset while the call was under way: it aborted itself, crashed, or got new code. An abort has one
 * reason for all of an object's calls, also for one that had committed and submitted before.
 */
function isReset(error: unknown): boolean {
  return flagged(error, "durableObjectReset");
}

/**
 * Whether a call that submits may have submitted before it failed: always, but where it was turned away before it began,
 * could not store what it must store first, or its object is of a newer build. A connection that was lost on the way says nothing of either, and has no
 * flag of its own.
 */
export function mayHaveSubmitted(error: unknown): boolean {
  const couldNotStore = isStorageFailure(error) && !isReset(error);
  return !isOverloaded(error) && !couldNotStore && !isNewerState(error);
}

/** What a caller is told of a fault: whether it may safely send the call again, and nothing of the cause. */
export function refusalOfFault(error: unknown): Refusal {
  if (isOverloaded(error)) return refuseOverloaded().error;
  if (isStorageFailure(error) || isDiskFault(error))
    return { reason: "storage", details: "the service could not store the call: nothing was sent, send it again" };
  return {
    reason: "internal",
    details: "the service failed; its log has the fault under the x-request-id of this answer",
  };
}
