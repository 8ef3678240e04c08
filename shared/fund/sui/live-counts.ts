import { LAST_LIVE, states } from "./sponsorship-rows.ts";

/** Counts live sponsorships by state. Those of version 5 that have not moved yet are left out. */
export function liveCounts(sql: SqlStorage): Readonly<Record<string, number>> {
  const rows = sql.exec<{ state: number; count: number }>(
    `SELECT state, COUNT(*) AS count FROM sponsorship_row WHERE state <= ${LAST_LIVE} GROUP BY state`,
  );
  return Object.fromEntries(rows.toArray().map(({ state, count }) => [states.wordOf(state), count]));
}
