import type { AuditEntry, ProjectObject } from "../bindings/project.ts";

/**
 * Ends every session of a project. Returns once each access key has acknowledged it: no token from before is accepted
 * any more. The project tells them some at a time, each time in a call of its own.
 *
 * @returns the keys that acknowledged; null: never created. Throws where one could not be reached, after all others
 * have: to be repeated.
 */
export async function revokeSessions(project: ProjectObject, entry: AuditEntry): Promise<number | null> {
  if (!(await project.raiseSessionEpoch(entry))) return null;
  let keys = 0;
  let silent = 0;
  for (let cursor: string | null = null, more = true; more; ) {
    const announced = await project.announceSessionEpoch(cursor);
    keys += announced.keys;
    silent += announced.unreachable;
    cursor = announced.nextCursor;
    more = cursor !== null;
  }
  if (silent > 0) throw new Error(`${silent} of ${keys} access keys did not acknowledge the new session epoch`);
  return keys;
}
