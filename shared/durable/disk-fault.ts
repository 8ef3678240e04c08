import { refuse } from "../errors.ts";

/** Result codes of a disk that takes no more (sqlite.org/rescode.html). The texts serve errors without the code. */
const DISK_FAULT =
  /\bSQLITE_(FULL|IOERR|READONLY|CANTOPEN)|database or disk is full|disk I\/O error|attempt to write a readonly database/;

/**
 * Returns true if a statement failed because of the disk. The writes of its transaction are rolled back, so nothing is
 * stored. If the disk undoes more than that, the platform ends the object by itself.
 */
export function isDiskFault(error: unknown): boolean {
  return error instanceof Error && DISK_FAULT.test(error.message);
}

/** Refuses a call whose commit failed. */
export function refuseStorage() {
  return refuse("storage", "the service could not store the call: nothing was sent, send it again");
}
