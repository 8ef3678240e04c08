import { hasTable } from "../../durable/sql.ts";
import { type OldSponsorshipRow, oldSponsorshipOf, type SuiNumbered } from "./sponsorship-rows.ts";
import type { SuiSponsorship } from "./store.ts";

/** The table of version 5, whose rows move to `sponsorship_row`. */
export const SUI_OLD_SPONSORSHIPS = "sponsorship";

/** The sponsorships that version 5 has stored and that have not moved yet. */
export class OldSuiSponsorships {
  readonly #sql: SqlStorage;
  readonly #onRollback: (undo: () => void) => void;
  #isThere: boolean | null = null;
  /** True after this instance has found no live row any more. No row of this table ever becomes live. */
  #liveHaveMoved = false;

  /** @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back. */
  constructor(sql: SqlStorage, onRollback: (undo: () => void) => void) {
    this.#sql = sql;
    this.#onRollback = onRollback;
  }

  isThere(): boolean {
    this.#isThere ??= hasTable(this.#sql, SUI_OLD_SPONSORSHIPS);
    return this.#isThere;
  }

  /** Checks again whether the table exists, and whether it has live rows. */
  forget(): void {
    this.#isThere = null;
    this.#liveHaveMoved = false;
  }

  find(digest: string): SuiNumbered | null {
    return this.#read("WHERE digest = ?", digest)[0] ?? null;
  }

  /** Lists live rows, oldest first (-1: all). Exactly the live sponsorships of this table have a due row. */
  live(limit = -1): readonly SuiNumbered[] {
    if (this.#liveHaveMoved) return [];
    const rows = this.#read(
      `JOIN due ON due.kind = 'settle' AND due.reference = digest
       WHERE state NOT IN ('complete', 'dead') ORDER BY sponsorship.rowid LIMIT ?`,
      limit,
    );
    if (rows.length === 0) {
      this.#liveHaveMoved = true;
      this.#onRollback(() => this.forget());
    }
    return rows;
  }

  /** Lists live rows as `recyclable` of the store does. */
  recyclable(limit: number): readonly Pick<SuiSponsorship, "digest" | "expiresAtMs">[] {
    if (this.#liveHaveMoved) return [];
    return this.#read(
      `JOIN coin ON coin.object_id = gas_object_id
       WHERE sponsorship.state = 'expired' AND +coin.state = 'quarantined' AND coin.holder = sponsorship.digest
       ORDER BY expires_at_ms LIMIT ?`,
      limit,
    ).map(({ row }) => row);
  }

  /** Lists rows with numbers below `below`, highest first. */
  below(below: number, limit: number): readonly SuiNumbered[] {
    return this.#read("WHERE sponsorship.rowid < ? ORDER BY sponsorship.rowid DESC LIMIT ?", below, limit);
  }

  /** Lists the rows that move next: live ones, or else the oldest. */
  next(limit: number): readonly SuiNumbered[] {
    const live = this.live(limit);
    return live.length > 0 ? live : this.#read("ORDER BY sponsorship.rowid LIMIT ?", limit);
  }

  remove(number: number): void {
    this.#sql.exec("DELETE FROM sponsorship WHERE rowid = ?", number);
  }

  #read(where: string, ...bindings: SqlStorageValue[]): readonly SuiNumbered[] {
    if (!this.isThere()) return [];
    return this.#sql
      .exec<OldSponsorshipRow>(`SELECT sponsorship.rowid AS seq, sponsorship.* FROM sponsorship ${where}`, ...bindings)
      .toArray()
      .map(oldSponsorshipOf);
  }
}
