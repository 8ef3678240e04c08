import { expect, test } from "vitest";
import { type MetricFamily, writeMetrics } from "../../shared/observe/open-metrics.ts";

const counter: MetricFamily = {
  name: "gasworks_checks",
  type: "counter",
  help: 'a "quoted" text,\nand \\ a backslash',
  samples: [
    { labels: { endpoint: 'a"b\\c\nd' }, value: 7 },
    { labels: {}, value: 18_446_744_073_709_551_615n },
  ],
};
const gauge: MetricFamily = { name: "gasworks_lag", type: "gauge", help: "lag", samples: [{ labels: {}, value: 0.5 }] };
const empty: MetricFamily = { ...gauge, name: "gasworks_empty", samples: [] };

test("OpenMetrics names a counter without its suffix, escapes, and ends with # EOF", () => {
  expect(writeMetrics([counter, empty, gauge], "open")).toBe(
    [
      '# HELP gasworks_checks a \\"quoted\\" text,\\nand \\\\ a backslash',
      "# TYPE gasworks_checks counter",
      'gasworks_checks_total{endpoint="a\\"b\\\\c\\nd"} 7',
      "gasworks_checks_total 18446744073709551615",
      "# HELP gasworks_lag lag",
      "# TYPE gasworks_lag gauge",
      "gasworks_lag 0.5",
      "# EOF",
      "",
    ].join("\n"),
  );
});

test("the older format names a counter with its suffix, and leaves quotes in a help text", () => {
  expect(writeMetrics([counter], "text").split("\n").slice(0, 2)).toEqual([
    '# HELP gasworks_checks_total a "quoted" text,\\nand \\\\ a backslash',
    "# TYPE gasworks_checks_total counter",
  ]);
  expect(writeMetrics([], "text")).toBe("");
});

test("a name that the format does not allow is a fault", () => {
  for (const name of ["gasworks_total", "9", "a-b", ""])
    expect(() => writeMetrics([{ ...gauge, name }], "open")).toThrow("is no name of a metric");
  const badLabel = [{ labels: { "a-b": "" }, value: 1 }];
  expect(() => writeMetrics([{ ...gauge, samples: badLabel }], "open")).toThrow("is no name of a label");
});
