import type { Outcome, Reason, Refusal } from "../../errors.ts";
import type { Page } from "../../paging.ts";
import { type AskedCall, MAX_REFUSED_CALLS, type RefusedCall, refusedCall, rowsToDrop } from "./refused-call.ts";
import {
  countOf,
  type RefusalCount,
  type RefusalCountQuery,
  type RefusalQuery,
  SqliteRefusedCalls,
} from "./sqlite-refused-calls.ts";

/** The time for which refused calls wait for others. A crash loses the waiting ones. */
const GATHER_MS = 1_000;
/** The rows of one commit. It takes a few milliseconds, so that no other call waits long. */
const ROWS_AT_ONCE = 100;
/** The rows that may wait. Memory then holds twice as many for a moment. */
const MAX_WAITING = MAX_REFUSED_CALLS;

/** The outside of a refusal log. */
export interface RefusalLogPorts {
  readonly nowMs: () => number;
  /** Runs a function in one commit of the fund. Does not run it if the disk is full or the fund has moved. */
  readonly commit: (transition: () => void) => void;
  readonly logFailure: (error: unknown) => void;
}

/**
 * Keeps the refused calls of one fund. Memory holds a refusal first, so its caller does not wait. Once a second all are
 * written together, so that a flood of refusals costs the fund little.
 */
export class RefusalLog {
  readonly #table: SqliteRefusedCalls;
  readonly #ports: RefusalLogPorts;
  #waiting: RefusedCall[] = [];
  readonly #counts = new Map<string, RefusalCount>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(sql: SqlStorage, ports: RefusalLogPorts) {
    this.#table = new SqliteRefusedCalls(sql);
    this.#ports = ports;
  }

  /** Records the outcome if it is a refusal. Returns the outcome. */
  note<T>(outcome: Outcome<T>, askedOf: (reason: Reason) => AskedCall): Outcome<T> {
    if (!outcome.ok) this.refused(askedOf, outcome.error);
    return outcome;
  }

  /** Records a refused call. Never throws, so that it changes no answer. */
  refused(askedOf: (reason: Reason) => AskedCall, refusal: Refusal): void {
    try {
      const call = refusedCall(askedOf(refusal.reason), refusal, this.#ports.nowMs());
      this.#waiting.push(call);
      const count = countOf(call);
      const name = JSON.stringify([count.day, count.keyId, count.reason, count.rule]);
      this.#counts.set(name, { ...count, calls: (this.#counts.get(name)?.calls ?? 0) + 1 });
      if (this.#waiting.length >= 2 * MAX_WAITING) this.#dropWaiting();
      if (this.#timer === null) this.#timer = setTimeout(() => this.#write(), GATHER_MS);
    } catch (error) {
      this.#ports.logFailure(error);
    }
  }

  /** Lists refused calls, newest first. */
  list(query: RefusalQuery): Page<RefusedCall> {
    this.#writeAll();
    return this.#table.list(query);
  }

  /** Lists counters, the newest day first. */
  counts(query: RefusalCountQuery): Page<RefusalCount> {
    this.#writeAll();
    return this.#table.counts(query);
  }

  #writeAll(): void {
    while (this.#waiting.length > 0 && this.#writeSome());
  }

  #write(): void {
    this.#timer = null;
    if (this.#waiting.length > MAX_WAITING) this.#dropWaiting();
    if (!this.#writeSome()) return;
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#write(), 0);
  }

  /** Writes some rows and all counters. Returns false if that failed. They are then lost. */
  #writeSome(): boolean {
    const calls = this.#waiting.splice(0, ROWS_AT_ONCE);
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    if (calls.length === 0 && counts.length === 0) return true;
    try {
      this.#ports.commit(() => {
        this.#table.add(calls);
        for (const count of counts) this.#table.count(count);
      });
      return true;
    } catch (error) {
      this.#ports.logFailure(error);
      return false;
    }
  }

  /** Drops rows that would not stay. Keeps their counters. */
  #dropWaiting(): void {
    const ofKeys = Map.groupBy(this.#waiting, ({ keyId }) => keyId);
    const left = new Map(rowsToDrop(new Map([...ofKeys].map(([keyId, calls]) => [keyId, calls.length])), MAX_WAITING));
    this.#waiting = this.#waiting.filter(({ keyId }) => {
      const toDrop = left.get(keyId) ?? 0;
      if (toDrop > 0) left.set(keyId, toDrop - 1);
      return toDrop === 0;
    });
  }
}
