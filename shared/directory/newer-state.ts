/** The newest schema version of each class of objects that this build knows: one for each of its migrations. */
export const SCHEMA_VERSIONS: Readonly<Record<string, number>> = {
  AccessKey: 8,
  Directory: 4,
  Fund: 10,
  FundArchive: 1,
  Project: 9,
  Wallet: 4,
  WebhookInbox: 1,
  WorkflowUser: 3,
};

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

/** Tells whether an object of a newer build has refused to start. The call then had no effect. */
export function isNewerState(error: unknown): boolean {
  return error instanceof Error && NEWER_STATE.test(error.message);
}

/** Returns the text for operators. @param newer empty if it is only known that an object has refused. */
export function newerBuildText(newer: readonly NewerSchema[]): string {
  const named = newer.map(({ object, version }) => {
    const known = SCHEMA_VERSIONS[object];
    return `${object} at schema ${version}, this build knows ${known ?? "no such objects"}`;
  });
  const which = named.length === 0 ? "" : ` (${named.join("; ")})`;
  return `a newer build has run with this state${which}: this one refuses what that one has opened. Deploy that build again, or a newer one`;
}
