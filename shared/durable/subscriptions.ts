import type { EventType } from "../observe/events.ts";
import { eventTypeSchema } from "../observe/events.ts";

/** Creates the table of the event types that a project subscribes to. */
export const SUBSCRIBED_EVENTS_MIGRATION = `
  CREATE TABLE listeners (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    version INTEGER NOT NULL,
    types TEXT NOT NULL
  ) STRICT;
`;

/** Events that some webhook of the project wants. */
export interface EventSubscriptions {
  /** Ascending with each change. */
  readonly version: number;
  readonly types: readonly EventType[];
}

/** The subscriptions of a project without webhooks. */
export const NO_SUBSCRIPTIONS: EventSubscriptions = { version: 0, types: [] };

/** Keeps the project's subscriptions in a fund. So an event that no webhook wants costs one look-up in memory. */
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

  /** Stores the project's subscriptions, unless a newer version is stored. */
  set({ version, types }: EventSubscriptions): void {
    this.#sql.exec(
      `INSERT INTO listeners (only_row, version, types) VALUES (1, ?, ?) ON CONFLICT (only_row)
       DO UPDATE SET version = excluded.version, types = excluded.types WHERE excluded.version > version`,
      version,
      types.join(" "),
    );
    this.#known = null;
  }

  /** Forgets its memory, after the stored rows were replaced. */
  forget(): void {
    this.#known = null;
  }

  #load(): EventSubscriptions {
    const [row] = this.#sql.exec<{ version: number; types: string }>("SELECT version, types FROM listeners").toArray();
    return row === undefined ? NO_SUBSCRIPTIONS : { version: row.version, types: parseTypes(row.types) };
  }
}

/** Parses stored event types, separated by spaces. @throws ZodError for an unknown one. */
export function parseTypes(text: string): readonly EventType[] {
  return text === "" ? [] : text.split(" ").map((type) => eventTypeSchema.parse(type));
}
