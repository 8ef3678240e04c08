import * as z from "zod";
import { type Network, networkSchema } from "../networks.ts";

/** Part of version 3: the result of the last round. */
export const SERVICE_REPORT_MIGRATION_3 = `
  CREATE TABLE service_report (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    at_ms INTEGER NOT NULL,
    report TEXT NOT NULL
  ) STRICT;
`;

const count = z.int().min(0);
/** Counts of one round over every project and fund. */
const reportSchema = z.object({
  /** The networks that a fund or key uses. */
  networks: z.array(networkSchema).readonly(),
  projects: count,
  funds: count,
  /** Projects and funds that did not answer. */
  unreadable: count,
  /** Projects and funds that accept nothing new, because their disk budget is used up. */
  storageFull: count,
  /** Projects and funds with work that should have been done long ago. */
  overdue: count,
  /** True if the counts belong to the first part of a round. The platform may have ended the rest. */
  isCut: z.boolean().optional(),
});

/** Counts of one round over every project and fund. */
export type ServiceReport = z.output<typeof reportSchema>;

/** Work of an object that is so much too late counts as overdue. Its longest back-off after faults is five minutes. */
export const OVERDUE_MS = 900_000;

/** Keeps the result of the last round. */
export class ServiceReports {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Stores a report. One of a cut round may have missed a network, so the known ones stay in use. */
  put(given: ServiceReport, nowMs: number): void {
    const known = given.isCut === true ? this.networksInUse() : [];
    const report = { ...given, networks: [...new Set([...known, ...given.networks])] };
    this.#sql.exec(
      "INSERT OR REPLACE INTO service_report (only_row, at_ms, report) VALUES (1, ?, ?)",
      nowMs,
      JSON.stringify(reportSchema.parse(report)),
    );
  }

  /** Returns the last report and its time. Null if there was none. */
  last(): { readonly report: ServiceReport; readonly atMs: number } | null {
    const [row] = this.#sql
      .exec<{ at_ms: number; report: string }>("SELECT at_ms, report FROM service_report")
      .toArray();
    return row === undefined ? null : { report: reportSchema.parse(JSON.parse(row.report)), atMs: row.at_ms };
  }

  /** Returns the networks that a fund or key uses, by the last round. */
  networksInUse(): ReadonlySet<Network> {
    return new Set(this.last()?.report.networks);
  }
}
