import { timeText } from "../../../shared/fund/explain/words/readable.ts";
import { relativeText } from "./time-text.ts";

/** A time of a page, and the time at which the page was made. */
export interface TimeProps {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly nowMs: number;
}

/** Shows a time as seen from now. Its title has the time itself. */
export function Ago({ at, nowMs }: TimeProps) {
  return (
    <time datetime={at} title={timeText(at)}>
      {relativeText(Date.parse(at), nowMs)}
    </time>
  );
}

/** Shows a time as seen from now, and then the time itself. A phone shows no title. */
export function AgoAt({ at, nowMs }: TimeProps) {
  return (
    <time datetime={at}>
      {relativeText(Date.parse(at), nowMs)} <span class="nowrap">{timeText(at)}</span>
    </time>
  );
}

/** Shows a time in UTC, to the second. */
export function At({ at }: Pick<TimeProps, "at">) {
  return (
    <time datetime={at} class="nowrap">
      {timeText(at)}
    </time>
  );
}
