import { addCounts, type DailyCounts, NOTHING_COUNTED } from "./daily.ts";
import type { SqliteDaily } from "./sqlite-daily.ts";

/** The days before today that a clock set back may still change. */
const OPEN_DAYS = 2;
const FIRST_DAY = 0;

/** Sums a fund's daily counters over all days. Older days are read once a day, because they do not change any more. */
export class DailyTotal {
  readonly #daily: SqliteDaily;
  #older: { readonly beforeDay: number; readonly counts: DailyCounts } | null = null;

  constructor(daily: SqliteDaily) {
    this.#daily = daily;
  }

  /** @param today days since 1970, UTC. */
  read(today: number): DailyCounts {
    const beforeDay = today - OPEN_DAYS;
    if (this.#older?.beforeDay !== beforeDay) this.#older = { beforeDay, counts: this.#sum(FIRST_DAY, beforeDay - 1) };
    return addCounts(this.#older.counts, this.#sum(beforeDay, Number.MAX_SAFE_INTEGER));
  }

  #sum(fromDay: number, toDay: number): DailyCounts {
    return this.#daily.days(fromDay, toDay).reduce<DailyCounts>(addCounts, NOTHING_COUNTED);
  }
}
