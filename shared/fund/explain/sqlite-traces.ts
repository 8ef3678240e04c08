import { Buffer } from "node:buffer";
import type { Row } from "../../durable/sql.ts";
import { endingNumbers, endings } from "../endings.ts";
import { TextNumbers } from "../ledger/text-numbers.ts";
import { packUuid, unpackUuid } from "../packed.ts";
import { commandBits, commandsOf, failureOf, failureSchema, storedFailure, type Trace } from "./trace.ts";
import { boundedCheckpoint, boundedEntry, boundedTimeMs } from "./trace-bounds.ts";
import { readNumbers, writeNumbers } from "./varints.ts";

/**
 * Part of version 10. The content and the end of a sponsorship. Hosts and targets have numbers, so that a finished row
 * takes some 35 bytes more. A row of an earlier version has no trace.
 */
export const TRACE_MIGRATION_10 = ["sponsorship_row", "aptos_sponsorship_row"]
  .flatMap((table) =>
    ["request_id ANY", "ending INTEGER", "targets ANY", "trace BLOB"].map(
      (column) => `ALTER TABLE ${table} ADD COLUMN ${column};`,
    ),
  )
  .concat("CREATE TABLE trace_text (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;")
  .join("\n");

/** The columns of a trace in a table of sponsorships. */
export const TRACE_COLUMNS = ["request_id", "ending", "targets", "trace"] as const;

/** The columns of a trace, as SQLite returns them. */
export type TraceRow = Row<{
  request_id: ArrayBuffer | string | null;
  ending: number | null;
  targets: number | string | null;
  trace: ArrayBuffer | null;
}>;

/** The bytes that a row grows by at its end. A failure takes more. */
export const TRACE_ROOM_BYTES = 10;

/** The most targets that get a number. Rows name further ones in full. */
const MAX_NUMBERED_TARGETS = 1_000;

/** The most characters of unnumbered targets in a dead row. The row cost its caller nothing, so it must stay small. */
const MAX_DEAD_CHARACTERS = 200;

/** The time of a row, and on Sui the chain's checkpoint at that time. Neither changes while a trace is kept. */
interface Origin {
  readonly createdAtMs: number;
  readonly sinceCheckpoint?: bigint | null;
}

function checkpointOf({ sinceCheckpoint = null }: Origin): number {
  return boundedCheckpoint(sinceCheckpoint) ?? 0;
}

/** Reads and writes the columns of traces. */
export class SqliteTraces {
  readonly #texts: TextNumbers;

  /** @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back. */
  constructor(sql: SqlStorage, onRollback: (undo: () => void) => void) {
    this.#texts = new TextNumbers(sql, { name: "trace_text", column: "text" }, onRollback);
  }

  /**
   * Returns the values of `TRACE_COLUMNS`.
   *
   * @param from the row's time and checkpoint. The execution's time and checkpoint are stored as differences, which are
   * small.
   */
  values(trace: Trace | undefined, from: Origin): readonly unknown[] {
    if (trace === undefined) return [null, null, null, null];
    const { requestId, ending, targets } = trace;
    return [
      requestId === null ? null : packUuid(requestId),
      ending === null ? null : endingNumbers.numberOf(ending),
      targets === null ? null : this.#targets(targets, trace),
      this.#rest(trace, from),
    ];
  }

  /**
   * Reads a trace. Undefined for a row of an earlier version, or if the columns are unreadable. No decision depends on a
   * trace, so it must not make its row unreadable.
   */
  read(row: TraceRow, from: Origin): Trace | undefined {
    try {
      return this.#read(row, from);
    } catch {
      return;
    }
  }

  #read({ request_id, ending, targets, trace }: TraceRow, from: Origin): Trace | undefined {
    if (trace === null) return;
    const { numbers, rest } = readNumbers(new Uint8Array(trace), 6);
    const [reserveEntry = null, endAfter = null, bits = null, endpoint = null, later = null, afterMs = null] = numbers;
    const failure = failureSchema.parse(rest.length === 0 ? null : JSON.parse(Buffer.from(rest).toString()));
    return {
      requestId: request_id === null ? null : unpackUuid(request_id),
      reserveEntry: boundedEntry(reserveEntry),
      endEntry: endAfter === null ? null : boundedEntry(endAfter + (reserveEntry ?? 0)),
      ending: ending === null ? null : endingNumbers.wordOf(ending),
      targets: targets === null ? null : this.#targetsOf(targets),
      commands: bits === null ? null : commandsOf(bits),
      endpoint: endpoint === null ? null : this.#texts.textOf(endpoint),
      checkpoint: later === null ? null : boundedCheckpoint(later + checkpointOf(from)),
      executedAtMs: afterMs === null ? null : boundedTimeMs(afterMs + from.createdAtMs),
      ...failureOf(failure),
    };
  }

  #rest(trace: Trace, from: Origin): Uint8Array {
    const { reserveEntry, endEntry, commands, endpoint, checkpoint, executedAtMs } = trace;
    const failure = storedFailure(trace);
    return writeNumbers(
      [
        reserveEntry,
        endEntry === null ? null : endEntry - (reserveEntry ?? 0),
        commands === null ? null : commandBits(commands),
        endpoint === null ? null : this.#texts.numberOf(endpoint),
        checkpoint === null ? null : checkpoint - checkpointOf(from),
        executedAtMs === null ? null : Math.trunc(executedAtMs - from.createdAtMs),
      ],
      failure === null ? new Uint8Array() : Buffer.from(JSON.stringify(failure)),
    );
  }

  /** Writes one numbered target as its number, and others as a JSON list. `json_each` reads both. */
  #targets(targets: readonly string[], trace: Trace): number | string {
    const all = targets.map((target) => this.#nameOf(target, isPaid(trace)));
    const named = isDead(trace) ? fewTexts(all) : all;
    const [only] = named;
    return named.length === 1 && typeof only === "number" ? only : JSON.stringify(named);
  }

  /** Only a transaction with a payer makes a new number, so that strangers cannot use all of them. */
  #nameOf(target: string, isPaid: boolean): number | string {
    const known = this.#texts.find(target);
    if (known !== null) return known;
    return isPaid && this.#texts.count() < MAX_NUMBERED_TARGETS ? this.#texts.numberOf(target) : target;
  }

  #targetsOf(stored: number | string): readonly string[] {
    const named: unknown = JSON.parse(String(stored));
    return [named].flat().map((name) => (typeof name === "number" ? this.#texts.textOf(name) : String(name)));
  }
}

function isPaid({ ending }: Trace): boolean {
  return ending === "succeeded" || ending === "aborted" || ending === "out_of_gas" || ending === "failed";
}

function isDead({ ending }: Trace): boolean {
  return ending !== null && endings[ending] === "dead";
}

/** Keeps all numbers, and the texts up to the bound. Cuts the last text. */
function fewTexts(names: readonly (number | string)[]): readonly (number | string)[] {
  let left = MAX_DEAD_CHARACTERS;
  return names.flatMap((name) => {
    if (typeof name === "number") return name;
    const kept = name.slice(0, left);
    left -= kept.length;
    return kept === "" ? [] : kept;
  });
}
