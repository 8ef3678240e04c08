import type { Comparison, RouteFigures, Spread } from "./comparison.ts";

const COLUMNS = [
  "",
  "CPU µs",
  "min–max",
  "service is",
  "min–max",
  "requests/s",
  "min–max",
  "service is",
  "min–max",
  "p50 ms",
  "p99 ms",
] as const;

/** Writes the least and the greatest value. */
export function range({ min, max }: Pick<Spread, "min" | "max">, digits: number): string {
  return `${min.toFixed(digits)}–${max.toFixed(digits)}`;
}

function row(figures: RouteFigures): readonly string[] {
  const { name, cpuMicros, requestsPerSecond, serviceCpu, serviceRequests, p50Ms, p99Ms } = figures;
  return [
    name,
    cpuMicros.median.toFixed(0),
    range(cpuMicros, 0),
    `${serviceCpu.median.toFixed(2)} ×`,
    range(serviceCpu, 2),
    requestsPerSecond.median.toFixed(0),
    range(requestsPerSecond, 0),
    `${serviceRequests.median.toFixed(2)} ×`,
    range(serviceRequests, 2),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
  ];
}

/** Lays out cells as text. The first column is aligned to the left. */
export function layOut(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => (cells[column] ?? "").length)));
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Writes a comparison as a table. */
export function tableOf({ method, callers, requests, rounds, routes }: Comparison): string {
  const head = `${method}, ${callers} callers, ${rounds} rounds of ${requests} requests`;
  return `${head}\n${layOut([COLUMNS, ...routes.map(row)])}`;
}
