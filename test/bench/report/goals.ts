import type { Comparison, TotalRatio } from "./comparison.ts";
import { layOut, range } from "./table.ts";

/** The limits of a service against the second route of a comparison, over all rounds. */
export interface Goals {
  readonly leastRequests: number;
  readonly mostCpu: number;
}

/** Says whether a figure keeps its goal. A figure that was not measured keeps none. */
export function verdict(isKept: boolean): string {
  return isKept ? "kept" : "EXCEEDED";
}

function shown({ ratio, from: min, to: max }: TotalRatio): readonly string[] {
  return [ratio.toFixed(2), range({ min, max }, 2)];
}

/** Writes the service against the second route of each comparison, in requests and in CPU, and marks what exceeds. */
export function goalTable(comparisons: readonly Comparison[], { leastRequests, mostCpu }: Goals): string {
  const rows = comparisons.flatMap(({ method, callers, rounds, routes: [service, other] }) => {
    if (service === undefined || other === undefined) return [];
    const { totalRequests, totalCpu } = other;
    const figures = (pick: "requestsPerSecond" | "cpuMicros") =>
      `${service[pick].median.toFixed(0)} and ${other[pick].median.toFixed(0)}`;
    return [
      [
        `${method}, ${callers} callers, ${rounds} rounds`,
        figures("requestsPerSecond"),
        ...shown(totalRequests),
        verdict(totalRequests.ratio >= leastRequests),
        figures("cpuMicros"),
        ...shown(totalCpu),
        verdict(totalCpu.ratio <= mostCpu),
      ],
    ];
  });
  const head = ["", "requests/s", "ratio", "95 %", `≥ ${leastRequests}`, "CPU µs", "ratio", "95 %", `≤ ${mostCpu}`];
  return layOut([head, ...rows]);
}
