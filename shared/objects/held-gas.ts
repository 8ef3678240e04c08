import * as z from "zod";
import { PREPARED_TTL_MS, SPONSORSHIP_TTL_MS } from "../fund/sui-fund.ts";

export const HELD_GAS_MIGRATION = `
  CREATE TABLE held_gas (
    place TEXT PRIMARY KEY,
    digest TEXT,
    until_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`;

const waitingRow = z.object({ places: z.number(), soonestMs: z.number().nullable() });

export interface NamedHold {
  /** Of the sponsorship. */
  readonly digest: string;
  readonly untilMs: number;
}

/** `isNew`: no earlier call of the attempt has taken it. `freeAtMs`: when one will be free, at the latest. */
export type TakenPlace =
  | { readonly kind: "taken"; readonly isNew: boolean }
  | { readonly kind: "none"; readonly freeAtMs: number };

/** What funds hold for one user: sponsorships that are neither executed nor over, and those that are being asked for. */
export class HeldGas {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Takes a place, where one of `limit` is free or it is taken by this name already. Whoever never tells what came of it
   * may have had gas held, so it stays taken for as long as that would be.
   */
  take(place: string, limit: number, nowMs: number): TakenPlace {
    this.forget(nowMs);
    const isKnown = this.#sql.exec("SELECT 1 FROM held_gas WHERE place = ?", place).toArray().length > 0;
    const { places, soonestMs } = this.#waiting();
    const untilMs = nowMs + PREPARED_TTL_MS;
    if (isKnown ? places > limit : places >= limit) return { kind: "none", freeAtMs: soonestMs ?? untilMs };
    if (!isKnown) this.#sql.exec("INSERT INTO held_gas (place, until_ms) VALUES (?, ?)", place, untilMs);
    return { kind: "taken", isNew: !isKnown };
  }

  /**
   * What came of it; null: nothing more is held than is known. The same sponsorship has one place, however often it was
   * asked for; another one that a service made of a repeat has one of its own. No service holds gas for longer than an
   * hour, whatever it says.
   */
  settle(place: string, held: NamedHold | null, nowMs: number): void {
    this.#sql.exec(
      "DELETE FROM held_gas WHERE (place = ? AND digest IS NULL) OR digest = ?",
      place,
      held?.digest ?? null,
    );
    if (held === null) return;
    const untilMs = Math.min(held.untilMs, nowMs + SPONSORSHIP_TTL_MS);
    const isOthers = this.#sql.exec("SELECT 1 FROM held_gas WHERE place = ?", place).toArray().length > 0;
    this.#sql.exec("INSERT INTO held_gas VALUES (?, ?, ?)", isOthers ? held.digest : place, held.digest, untilMs);
  }

  /** The sponsorship was executed, or may have been. */
  executed(digest: string): void {
    this.#sql.exec("DELETE FROM held_gas WHERE digest = ?", digest);
  }

  forget(nowMs: number): void {
    this.#sql.exec("DELETE FROM held_gas WHERE until_ms <= ?", nowMs);
  }

  /** Null: nothing is held. */
  soonestMs(): number | null {
    return this.#waiting().soonestMs;
  }

  #waiting() {
    return waitingRow.parse(
      this.#sql.exec("SELECT COUNT(*) AS places, MIN(until_ms) AS soonestMs FROM held_gas").one(),
    );
  }
}
