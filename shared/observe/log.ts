import type { Log, LogFields } from "../bindings/ports.ts";

/** The levels of log lines, the gravest first. */
export const logLevels = ["error", "warn", "info", "debug"] as const;

/** The level of a log line. */
export type LogLevel = (typeof logLevels)[number];

/** Events after which somebody has to do something. */
const ERRORS: ReadonlySet<string> = new Set([
  "fault",
  "fund.books_disagree",
  "fund.failed",
  "fund.state_behind_chain",
  "fund.storage_failed",
  "fund.unresolvable",
  "object.unreadable",
  "security.service_secret_mismatch",
  "storage.failed",
  "storage.newer",
  "wallet.corrupt_record",
  "wallet.master_key_missing",
]);
/** Endings of events that the service gets over by itself. */
const WARNING =
  /(failed|refused|mismatch|unconfirmed|unhealthy|silent|doubted|disagree|high|low_balance|untold|waits)$/;
const FIRST_SERVER_ERROR = 500;

/** Returns the level of an event. A request is graver if its answer is. */
export function levelOf(event: string, { status }: LogFields): LogLevel {
  if (event === "request") return typeof status === "number" && status >= FIRST_SERVER_ERROR ? "error" : "info";
  if (ERRORS.has(event)) return "error";
  return WARNING.test(event) ? "warn" : "info";
}

/**
 * Creates a log that writes one JSON object a line, with time, level and event first. Bodies, secrets, tokens and keys
 * are never fields.
 *
 * @param least the level of the least grave lines that are written.
 */
export function createLog(least: LogLevel, nowMs: () => number, write: (line: string) => void): Log {
  const shown = logLevels.indexOf(least);
  return (event, fields = {}) => {
    const level = levelOf(event, fields);
    if (logLevels.indexOf(level) > shown) return;
    write(JSON.stringify({ time: new Date(nowMs()).toISOString(), level, event, ...fields }));
  };
}
