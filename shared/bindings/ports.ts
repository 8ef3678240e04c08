/** What the platform does for us. Handed in, never imported, so that tests can choose it. */

export interface Clock {
  nowMs(): number;
  /** The platform fires alarms by its own clock: what to hand to `setAlarm` for an instant of ours. */
  alarmAtMs(atMs: number): number;
}

/** Not `event`: that is the line's own name. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>> & {
  readonly event?: never;
};
export type Log = (event: string, fields?: LogFields) => void;
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
