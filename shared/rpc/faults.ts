import { keyServiceRefusal } from "../crypto/key-service.ts";
import { isNewerState } from "../directory/newer-state.ts";
import { isDiskFault } from "../durable/disk-fault.ts";
import { refusalOfMoved } from "../durable/transfer/moved.ts";
import { ARCHIVE_SILENT, type Refusal, STORAGE_FAILED } from "../errors.ts";
import { refuseOverloaded } from "../http/overload.ts";

function flagged(error: unknown, flag: "overloaded" | "remote" | "durableObjectReset"): boolean {
  return error instanceof Error && Reflect.get(error, flag) === true;
}

/**
 * Returns whether the platform turned a call away before it started. An error that the object's own code threw is
 * marked `remote`. After such an error something may have happened.
 */
function isOverloaded(error: unknown): boolean {
  return flagged(error, "overloaded") && !flagged(error, "remote");
}

/**
 * Returns whether an object could not store. An object's error arrives unchanged. If it aborts itself with an error,
 * workerd puts `Error: ` in front.
 */
function isStorageFailure(error: unknown): boolean {
  return error instanceof Error && error.message.replace(/^Error: /, "").startsWith(STORAGE_FAILED);
}

/** Returns whether a list needed an archive that did not answer. */
function isArchiveSilent(error: unknown): boolean {
  return error instanceof Error && error.message === ARCHIVE_SILENT;
}

/**
 * Returns whether the object was reset while the call was under way: it aborted itself, crashed, or got new code. An
 * abort has one reason for all of an object's calls. A call that had committed and submitted before gets that reason,
 * too.
 */
function isReset(error: unknown): boolean {
  return flagged(error, "durableObjectReset");
}

/**
 * Returns whether a failed call that submits may have submitted. Three failures exclude that. The call was turned away
 * before it began. It could not store its first record. Its object is of a newer build. A connection that was lost on
 * the way excludes nothing, and has no flag of its own.
 */
export function mayHaveSubmitted(error: unknown): boolean {
  const couldNotStore = isStorageFailure(error) && !isReset(error);
  return !isOverloaded(error) && !couldNotStore && !isNewerState(error);
}

/**
 * Translates a fault for the caller. It shows whether the call may safely be sent again. Of the cause it shows only what
 * has a text for callers, such as the move of a project or the key service's failure. The rest is in the log.
 */
export function refusalOfFault(error: unknown): Refusal {
  if (isOverloaded(error)) return refuseOverloaded().error;
  if (isArchiveSilent(error)) return { reason: "storage", details: `${ARCHIVE_SILENT}: send the call again` };
  const told = refusalOfMoved(error) ?? keyServiceRefusal(error);
  if (told !== null) return told;
  if (isStorageFailure(error) || isDiskFault(error))
    return { reason: "storage", details: "the service could not store the call: nothing was sent, send it again" };
  return {
    reason: "internal",
    details: "internal error: search the log for the x-request-id of this response",
  };
}
