/** Objects of a class that a newer build has run with. */
export interface NewerSchema {
  readonly object: string;
  readonly version: number;
}

const NEWER_STATE = /storage is at schema version [0-9]+, this build knows [0-9]+/;

/** Returns the error text of an object that a newer build has run with. */
export function newerStateText(version: number, known: number): string {
  return `storage is at schema version ${version}, this build knows ${known}: roll forward, not back`;
}

/** Returns true if an object of a newer build has refused to start. The call then had no effect. */
export function isNewerState(error: unknown): boolean {
  return error instanceof Error && NEWER_STATE.test(error.message);
}
