import type { NewerSchema } from "./newer-state.ts";
import { SCHEMA_VERSIONS } from "./schema-versions.ts";

/** Keeps the newest schema of each class of objects that any build has run with. */
export class NewestSchemas {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Returns the schemas that are newer than those of this build. */
  newer(): readonly NewerSchema[] {
    return this.#list().filter(({ object, version }) => version > (SCHEMA_VERSIONS[object] ?? 0));
  }

  /** Records the schemas of this build. Writes only newer ones, because the disk may be read-only. */
  record(): void {
    const newest = new Map(this.#list().map(({ object, version }) => [object, version]));
    for (const [object, version] of Object.entries(SCHEMA_VERSIONS))
      if (version > (newest.get(object) ?? 0))
        this.#sql.exec(
          "INSERT INTO newest_schema (object, version) VALUES (?, ?) ON CONFLICT DO UPDATE SET version = excluded.version",
          object,
          version,
        );
  }

  #list(): readonly NewerSchema[] {
    return this.#sql.exec<{ object: string; version: number }>("SELECT object, version FROM newest_schema").toArray();
  }
}
