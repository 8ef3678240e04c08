import type { EventType } from "../observe/events.ts";
import { eventTypeSchema } from "../observe/events.ts";

export const SUBSCRIBED_EVENTS_MIGRATION = `
  CREATE TABLE listeners (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    version INTEGER NOT NULL,
    types TEXT NOT NULL
  ) STRICT;
`;

/** Which events some webhook of the project wants. */
export interface EventSubscriptions {
  /** Ascending with each change. */
  readonly version: number;
  readonly types: readonly EventType[];
}

export const NO_SUBSCRIPTIONS: EventSubscriptions = { version: 0, types: [] };

/** What an object that raises many events knows of who wants them, so that one that nobody wants costs a look-up in memory. */
export class SubscribedEvents {
  readonly #sql: SqlStorage;
  #known: EventSubscriptions | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  wants(type: EventType): boolean {
    this.#known ??= this.#load();
    return this.#known.types.includes(type);
  }

  /** What the project says, unless it has said something newer already. */
  set({ version, types }: EventSubscriptions): void {
    this.#sql.exec(
      `INSERT INTO listeners (only_row, version, types) VALUES (1, ?, ?) ON CONFLICT (only_row)
       DO UPDATE SET version = excluded.version, types = excluded.types WHERE excluded.version > version`,
      version,
      types.join(" "),
    );
    this.#known = null;
  }

  #load(): EventSubscriptions {
    const [row] = this.#sql.exec<{ version: number; types: string }>("SELECT version, types FROM listeners").toArray();
    return row === undefined ? NO_SUBSCRIPTIONS : { version: row.version, types: parseTypes(row.types) };
  }
}

/** Event types as they are stored: with a space between. */
export function parseTypes(text: string): readonly EventType[] {
  return text === "" ? [] : text.split(" ").map((type) => eventTypeSchema.parse(type));
}
