import type { Deps } from "../bindings/deps.ts";
import type { ProjectObject } from "../bindings/project.ts";
import { eventTypeSchema, messageBody, newEventId, type OutboxEvent, type RaisedEvent } from "../observe/events.ts";
import type { DueTable } from "./due-table.ts";
import { limitedTo } from "./sql.ts";

const DUE_KIND = "events";
/** Events of about the same time are handed over together. */
const GATHER_MS = 500;
const EVENTS_PER_CALL = 250;
const CALLS_PER_ALARM = 8;
/** Limit for one object. Further events are counted and not kept, so that an unresponsive project fills no disk. */
export const MAX_OUTBOX_EVENTS = 20_000;
const FIRST_RETRY_MS = 15_000;
const LONGEST_RETRY_MS = 600_000;

/** The longest time until a hand-over is due. */
export const OUTBOX_INTERVALS = { [DUE_KIND]: LONGEST_RETRY_MS } as const;

/** Creates the tables of the outbox. */
export const OUTBOX_MIGRATION = `
  CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE TABLE outbox_dropped (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    total INTEGER NOT NULL
  ) STRICT;
`;

/** Returns the event as stored and sent. */
export function composeEvent(event: RaisedEvent, atMs: number, randomBytes: (length: number) => Uint8Array) {
  return { id: newEventId(randomBytes), type: event.type, atMs, body: messageBody(event, atMs) };
}

/**
 * Keeps events that an object has raised and its project has not taken yet. Each is written in the commit of its fact.
 * The alarm hands them over in order. It deletes them here once the project has committed them. A repeated hand-over
 * changes nothing there. At most `MAX_OUTBOX_EVENTS` wait. Further events are lost, and the project gets their number.
 */
export class Outbox {
  readonly #sql: SqlStorage;
  readonly #due: DueTable;
  readonly #deps: Deps;
  #failures = 0;

  constructor(sql: SqlStorage, due: DueTable, deps: Deps) {
    this.#sql = sql;
    this.#due = due;
    this.#deps = deps;
  }

  /** Adds an event. It is called within the commit of the fact. */
  raise(event: RaisedEvent): void {
    const nowMs = this.#deps.clock.nowMs();
    // A pending hand-over is not made earlier: it may wait for a project that does not answer.
    if (this.#due.dueAt(DUE_KIND, "") === null) this.#due.set(DUE_KIND, "", nowMs + GATHER_MS);
    if (this.#waiting() >= MAX_OUTBOX_EVENTS) {
      this.#sql.exec(
        `INSERT INTO outbox_dropped (only_row, total) VALUES (1, 1)
         ON CONFLICT (only_row) DO UPDATE SET total = total + 1`,
      );
      return;
    }
    const { id, type, atMs, body } = composeEvent(event, nowMs, this.#deps.randomBytes);
    this.#sql.exec("INSERT INTO outbox (id, type, at_ms, body) VALUES (?, ?, ?, ?)", id, type, atMs, body);
  }

  /** Counts the waiting rows. They leave only from the front, so their numbers give the count. */
  #waiting(): number {
    const { first, last } = this.#sql
      .exec<{ first: number | null; last: number | null }>(
        "SELECT (SELECT MIN(seq) FROM outbox) AS first, (SELECT MAX(seq) FROM outbox) AS last",
      )
      .one();
    return first === null || last === null ? 0 : last - first + 1;
  }

  /** Hands over due events. Never throws. A failed hand-over is tried again later. */
  async runDue(source: string, project: ProjectObject): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    if (this.#due.listDue(DUE_KIND, nowMs, 1).length === 0) return;
    try {
      await this.#handOver(source, project);
      this.#failures = 0;
      this.#due.set(DUE_KIND, "", this.#waiting() === 0 ? null : this.#deps.clock.nowMs());
    } catch (error) {
      this.#failures += 1;
      const retryMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.#failures - 1, 20), LONGEST_RETRY_MS);
      this.#due.set(DUE_KIND, "", this.#deps.clock.nowMs() + retryMs);
      this.#deps.log("events.hand_over_failed", { source, waiting: this.#waiting(), error: String(error) });
    }
  }

  async #handOver(source: string, project: ProjectObject): Promise<void> {
    for (let call = 0; call < CALLS_PER_ALARM; call++) {
      const events = this.#next();
      const last = events.at(-1);
      if (last === undefined) return;
      await project.takeEvents({ source, events, dropped: this.#dropped() });
      this.#sql.exec("DELETE FROM outbox WHERE seq <= ?", last.seq);
    }
  }

  #next(): readonly OutboxEvent[] {
    return this.#sql
      .exec<{ seq: number; id: string; type: string; at_ms: number; body: string }>(
        `SELECT * FROM outbox ORDER BY seq ${limitedTo(EVENTS_PER_CALL)}`,
      )
      .toArray()
      .map(({ at_ms, type, ...row }) => ({ ...row, type: eventTypeSchema.parse(type), atMs: at_ms }));
  }

  #dropped(): number {
    const [row] = this.#sql.exec<{ total: number }>("SELECT total FROM outbox_dropped").toArray();
    return row?.total ?? 0;
  }
}
