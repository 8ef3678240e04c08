/** A series of a plot: one value a day. */
export interface Series {
  readonly name: string;
  /** Non-negative. Amounts are rounded to coins or base units by the caller. */
  readonly values: readonly number[];
}

/** A bar of a day and series, in units of the drawing. */
export interface Bar {
  readonly day: number;
  readonly series: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A line across the plot, and its label. */
export interface GridLine {
  readonly y: number;
  readonly value: number;
}

/** The drawing of a plot. */
export interface Geometry {
  readonly width: number;
  readonly height: number;
  /** The left edge of the bars. */
  readonly left: number;
  readonly bars: readonly Bar[];
  readonly grid: readonly GridLine[];
  /** The days that get a label, with the middle of their bars. */
  readonly labels: readonly { readonly day: number; readonly x: number }[];
  /** The left edge and the width of the column of each day. */
  readonly columns: readonly { readonly x: number; readonly width: number }[];
}

const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 60;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 24;
const GAP = 0.25;
const LINES = 3;
const LABELS = 5;
/** A value above zero is seen, however small it is. */
const MIN_BAR = 1;
/** A third of each is a round number, because `LINES` is three. */
const NICE = [1.5, 3, 6, 9, 15];
/** The least top of an axis of whole numbers, whose lines are whole numbers too. */
const LEAST_WHOLE_TOP = 3;

/** Returns the least round number that is at least as large as a value: the top of an axis. */
export function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = NICE.find((each) => each * power >= value) ?? 15;
  return Number((factor * power).toPrecision(3));
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Lays stacked bars out, one column a day. */
export function plotGeometry(days: number, series: readonly Series[]): Geometry {
  const sums = Array.from({ length: days }, (_, day) =>
    series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0),
  );
  const nice = niceTop(Math.max(0, ...sums));
  const top = sums.every(Number.isInteger) ? Math.max(nice, LEAST_WHOLE_TOP) : nice;
  const inner = HEIGHT - TOP - BOTTOM;
  const step = days === 0 ? 0 : (WIDTH - LEFT - RIGHT) / days;
  const bars: Bar[] = [];
  for (let day = 0; day < days; day += 1) {
    let y = HEIGHT - BOTTOM;
    for (const [index, { values }] of series.entries()) {
      const value = values[day] ?? 0;
      if (value <= 0) continue;
      const height = Math.max((value / top) * inner, MIN_BAR);
      y -= height;
      const x = LEFT + day * step + (step * GAP) / 2;
      bars.push({
        day,
        series: index,
        x: rounded(x),
        y: rounded(y),
        width: rounded(step * (1 - GAP)),
        height: rounded(height),
      });
    }
  }
  const grid = Array.from({ length: LINES + 1 }, (_, line) => ({
    y: rounded(HEIGHT - BOTTOM - (inner * line) / LINES),
    value: (top * line) / LINES,
  }));
  const every = Math.max(1, Math.ceil(days / LABELS));
  const labels = Array.from({ length: days }, (_, day) => day)
    .filter((day) => (days - 1 - day) % every === 0)
    .map((day) => ({ day, x: rounded(LEFT + (day + 0.5) * step) }));
  const columns = Array.from({ length: days }, (_, day) => ({ x: rounded(LEFT + day * step), width: rounded(step) }));
  return { width: WIDTH, height: HEIGHT, left: LEFT, bars, grid, labels, columns };
}
