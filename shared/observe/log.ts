import type { Log, LogFields } from "../bindings/ports.ts";
import { errorEvents, informationEvents } from "./levels.ts";

/** The levels of log lines, the gravest first. */
export const logLevels = ["error", "warn", "info", "debug"] as const;

/** The level of a log line. */
export type LogLevel = (typeof logLevels)[number];

const FIRST_SERVER_ERROR = 500;

/** Returns the level of an event. A request takes the level of its answer. An ungraded event is a warning. */
export function levelOf(event: string, { status }: LogFields): LogLevel {
  if (event === "request") return typeof status === "number" && status >= FIRST_SERVER_ERROR ? "error" : "info";
  if (errorEvents.has(event)) return "error";
  return informationEvents.has(event) ? "info" : "warn";
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
