import type { AuditEntry, ProjectObject } from "../bindings/project.ts";

/**
 * Ends every session of a project. Returns once each access key has acknowledged the new epoch, and so accepts no
 * earlier token. Each page of keys is a call of its own.
 *
 * @returns the number of keys. Null if the project was never created. Throws if a key did not answer, after all others
 *   have. The caller then repeats it.
 */
export async function revokeSessions(project: ProjectObject, entry: AuditEntry): Promise<number | null> {
  if (!(await project.raiseSessionEpoch(entry))) return null;
  let keys = 0;
  let silent = 0;
  for (let cursor: string | null = null, more = true; more; ) {
    const announced = await project.announceSessionEpoch(cursor);
    keys += announced.keys;
    silent += announced.silent;
    cursor = announced.nextCursor;
    more = cursor !== null;
  }
  if (silent > 0) throw new Error(`${silent} of ${keys} access keys did not acknowledge the new session epoch`);
  return keys;
}
