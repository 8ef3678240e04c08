import { type Spread, spreadOf } from "../report/comparison.ts";
import { layOut } from "../report/table.ts";
import type { Route } from "../route.ts";

/** The figures of one call on a service of one size. */
export interface GrowthRow {
  readonly size: number;
  readonly call: string;
  readonly cpuMicros: Spread;
  /** CPU as a multiple of that of the least size, in the same rounds. */
  readonly cpuToLeast: Spread;
  readonly p50Ms: number;
  readonly residentMib: number;
  /** Bytes of all files of these objects, divided by the size. */
  readonly diskBytesEach: number;
}

/** Sums up rounds of the same call on services of different sizes, the least first. */
export function growthRow(
  { name, rounds }: Pick<Route, "name" | "rounds">,
  least: Pick<Route, "rounds">,
  state: Pick<GrowthRow, "size" | "residentMib" | "diskBytesEach">,
): GrowthRow {
  const toLeast = rounds.flatMap(({ cpuMicros }, index) => {
    const other = least.rounds[index];
    return other === undefined ? [] : [cpuMicros / other.cpuMicros];
  });
  return {
    ...state,
    call: name,
    cpuMicros: spreadOf(rounds.map(({ cpuMicros }) => cpuMicros)),
    cpuToLeast: spreadOf(toLeast),
    p50Ms: spreadOf(rounds.map(({ p50Ms }) => p50Ms)).median,
  };
}

const COLUMNS = ["", "call", "CPU µs", "× least", "min–max", "p50 ms", "MiB", "bytes on disk each"];

/** Writes the rows of all axes as one table. */
export function growthTable(rows: readonly { readonly axis: string; readonly row: GrowthRow }[]): string {
  const cells = rows.map(({ axis, row }) => [
    `${axis}: ${row.size}`,
    row.call,
    row.cpuMicros.median.toFixed(0),
    row.cpuToLeast.median.toFixed(2),
    `${row.cpuToLeast.min.toFixed(2)}–${row.cpuToLeast.max.toFixed(2)}`,
    row.p50Ms.toFixed(1),
    row.residentMib.toFixed(0),
    row.diskBytesEach.toFixed(0),
  ]);
  return layOut([COLUMNS, ...cells]);
}
