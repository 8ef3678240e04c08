/**
 * Versions of an archive's storage. Append-only: deployed objects have run these.
 * An index holds only the first characters of a name. They identify nearly every row, and take a third of the space.
 */
export const migrations = [
  `CREATE TABLE sponsorship (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sponsorship_by_name ON sponsorship (substr(name, 1, 12));
  CREATE INDEX sponsorship_by_hash ON sponsorship (substr(hash, 1, 12)) WHERE hash IS NOT NULL;
  CREATE TABLE ledger (
    number INTEGER PRIMARY KEY,
    record TEXT NOT NULL
  ) STRICT;
  CREATE TABLE treasury (
    name TEXT PRIMARY KEY,
    record TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;`,
] as const;
