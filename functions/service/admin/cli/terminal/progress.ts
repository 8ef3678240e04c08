import { inert } from "./inert.ts";
import type { Screen } from "./screen.ts";
import { fitted } from "./width.ts";

/** A line on the standard error that shows how far long work is. Nothing is shown if that is no terminal. */
export interface Progress {
  /** Shows a text in place of the one before. */
  show(text: string): void;
  /** Clears the line. */
  end(): void;
}

const TICK_MS = 1_000;
const MS_PER_SECOND = 1_000;
const CLEAR = "\r\u001b[K";
/** Texts that come faster are drawn by the next one, or by the next tick. */
const LEAST_REDRAW_MS = 100;
/** The time after which a wait is worth a line. */
const QUIET_MS = 700;

/** Begins a line of progress. Its seconds count from now. */
export function startProgress({ err }: Pick<Screen, "err">, text: string, now: () => number): Progress {
  if (!err.isTerminal) return { show: () => undefined, end: () => undefined };
  const begunAtMs = now();
  let [shown, isDrawn, drawnAtMs] = [text, false, 0];
  const draw = () => {
    const elapsedMs = now() - begunAtMs;
    if (elapsedMs < QUIET_MS) return;
    const line = `${inert(shown)} · ${Math.floor(elapsedMs / MS_PER_SECOND)} s`;
    err.write(CLEAR + fitted(line, err.columns() - 1));
    [isDrawn, drawnAtMs] = [true, now()];
  };
  const ticking = setInterval(draw, TICK_MS);
  ticking.unref();
  return {
    show: (next) => {
      shown = next;
      if (now() - drawnAtMs >= LEAST_REDRAW_MS) draw();
    },
    end: () => {
      clearInterval(ticking);
      if (isDrawn) err.write(CLEAR);
    },
  };
}
