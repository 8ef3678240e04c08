/** Interfaces of the platform. They are handed in and never imported, so that tests can choose them. */

export type { Fetch } from "../http/fetch.ts";

/** The clock of the service, which tests replace. */
export interface Clock {
  nowMs(): number;
  /** Returns the time to pass to `setAlarm` for a time of this clock. The platform fires alarms by its own clock. */
  alarmAtMs(atMs: number): number;
}

/** The key `event` is reserved for the line's own name. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>> & {
  readonly event?: never;
};
/** Writes one line of the log. No field may hold a secret. */
export type Log = (event: string, fields?: LogFields) => void;
