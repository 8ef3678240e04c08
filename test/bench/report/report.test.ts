import { expect, test } from "vitest";
import { type Comparison, figuresOf, joined, spreadOf, totalRatioOf } from "./comparison.ts";
import { goalTable } from "./goals.ts";
import { svgOf } from "./svg.ts";
import { layOut, tableOf } from "./table.ts";
import { TARGETS, targetTable } from "./targets.ts";

function rounds(cpuMicros: readonly number[], requestsPerSecond: readonly number[]) {
  return cpuMicros.map((cpu, index) => ({
    requests: 100,
    cpuMicros: cpu,
    requestsPerSecond: requestsPerSecond[index] ?? Number.NaN,
    p50Ms: 10,
    p99Ms: 20,
  }));
}

const ROUTES = figuresOf([
  { name: "service", rounds: rounds([400, 500, 900], [1000, 900, 500]) },
  { name: "floor & <bare>", rounds: rounds([200, 250, 450], [2000, 1800, 1000]) },
  { name: "elsewhere", rounds: rounds([Number.NaN, Number.NaN, Number.NaN], [100, 100, 100]) },
]);
const COMPARISON: Comparison = { method: "sponsor", callers: 64, requests: 100, rounds: 3, routes: ROUTES };

/** Counts the tags of each element that are not closed, and fails at a tag that closes another one. */
function openTags(svg: string): readonly string[] {
  const open: string[] = [];
  for (const [, closing, name = "", rest = ""] of svg.matchAll(/<(\/?)([a-z]+)([^>]*)>/g)) {
    if (closing === "/") expect(open.pop()).toBe(name);
    else if (!rest.endsWith("/")) open.push(name);
  }
  return open;
}

test("a ratio is taken within each round, so that a machine that slows down does not change it", () => {
  const [service, floor] = ROUTES;
  expect(floor?.serviceCpu).toMatchObject({ median: 2, min: 2, max: 2 });
  expect(floor?.serviceRequests).toMatchObject({ median: 0.5, min: 0.5, max: 0.5 });
  expect(service?.cpuMicros).toMatchObject({ median: 500, min: 400, max: 900 });
});

test("a ratio of sums weighs each round by its length, and its interval gets narrower with more rounds", () => {
  expect(
    totalRatioOf([
      [1, 2],
      [6, 2],
    ]),
  ).toMatchObject({ ratio: 7 / 4 });
  const pairs = (count: number) =>
    Array.from({ length: count }, (_, index): [number, number] => (index % 2 === 0 ? [1, 1] : [3, 1]));
  const [few, many] = [totalRatioOf(pairs(4)), totalRatioOf(pairs(400))];
  expect([few.ratio, many.ratio]).toEqual([2, 2]);
  // 1.96 standard errors of the mean of a sample with a standard deviation of 1.
  expect(few.to - few.ratio).toBeCloseTo(1.96 / Math.sqrt(3), 10);
  expect(many.ratio - many.from).toBeCloseTo(1.96 / Math.sqrt(399), 10);
});

test("two processes of one build count as one, each round beside that of the other build", () => {
  const of = (name: string, cpuMicros: readonly number[]) => ({ name, rounds: rounds(cpuMicros, cpuMicros) });
  const processes = [of("service", [4, 6]), of("blind", [2, 3]), of("service", [20]), of("blind", [10])];
  const [service, blind, ...more] = figuresOf(joined(processes));
  expect(more).toEqual([]);
  expect(service?.cpuMicros).toMatchObject({ median: 6, min: 4, max: 20 });
  expect(blind?.totalCpu).toMatchObject({ ratio: 2, from: 2, to: 2 });
  expect(blind?.totalRequests.ratio).toBeCloseTo(2, 10);
});

test("a goal is of all rounds, in requests and in CPU, and what exceeds it is marked", () => {
  const goals = { leastRequests: 0.5, mostCpu: 1.9 };
  const [head = "", line, ...more] = goalTable([COMPARISON], goals).split("\n");
  expect(head).toMatch(/≥ 0\.5 .* ≤ 1\.9$/);
  expect(line).toMatch(
    /^sponsor, 64 callers, 3 rounds +900 and 1800 +0\.50 +0\.50–0\.50 +kept +500 and 250 +2\.00 +2\.00–2\.00 +EXCEEDED$/,
  );
  expect(more).toEqual([]);
  const unmeasured = figuresOf([ROUTES[0], ROUTES[2]].map((route) => ({ name: route?.name ?? "", rounds: [] })));
  expect(goalTable([{ ...COMPARISON, routes: unmeasured }], goals).match(/EXCEEDED/g)).toHaveLength(2);
});

test("a target is of the median, and one that a run has not measured names its part", () => {
  const bare = {
    ...COMPARISON,
    routes: ROUTES.map((route, index) => (index === 1 ? { ...route, name: "bare" } : route)),
  };
  const figures = [{ name: "settled on Sui/s", spread: spreadOf([1_000]) } as const];
  const lines = targetTable({ comparisons: [bare], figures }).split("\n");
  expect(lines).toHaveLength(1 + TARGETS.length);
  const lineOf = (start: string) => lines.find((line) => line.startsWith(start));
  expect(lineOf("sponsor, 64 callers: CPU / bare")).toMatch(/ 2\.00 × +2\.00–2\.00 +≤ 1\.1 × +EXCEEDED$/);
  expect(lineOf("settled on Sui")).toMatch(/ 1000 \/s +1000–1000 +≥ 1000 \/s +kept$/);
  expect(lineOf("sponsor, 64 callers: requests / floor")).toMatch(/ ≥ 1\.1 × +not measured: calls$/);
  expect(lineOf("sponsor, 8 callers")).toMatch(/not measured: calls$/);
});

test("a goal in µs is also judged by the bare route of the same run, so a slow machine changes no verdict", () => {
  const run = (slowness: number) => {
    const cpus = (...micros: readonly number[]) =>
      rounds(
        micros.map((cpu) => cpu * slowness),
        [1, 1, 1],
      );
    const routes = figuresOf([
      { name: "service", rounds: cpus(2_080, 2_200, 2_300) },
      { name: "bare", rounds: cpus(400, 416, 500) },
    ]);
    const comparisons = ["sponsor", "prepare and execute"].map((method) => ({ ...COMPARISON, method, routes }));
    const figures = [{ name: "unused sponsorship, CPU µs", spread: spreadOf([1_300 * slowness]) } as const];
    return targetTable({ comparisons, figures });
  };
  expect(run(1)).toMatch(/300 a second with look-ups: CPU +1300 µs +1300–1300 +≤ 1300 µs +kept/);
  expect(run(1)).toMatch(/prepare and execute, 64 callers: CPU +2200 µs +2080–2300 +≤ 2200 µs +kept/);
  expect(run(3)).toMatch(/300 a second with look-ups: CPU +3900 µs +3900–3900 +≤ 1300 µs +EXCEEDED/);
  expect(run(3)).toMatch(/prepare and execute, 64 callers: CPU +6600 µs +6240–6900 +≤ 2200 µs +EXCEEDED/);
  for (const slowness of [1, 3]) {
    expect(run(slowness)).toMatch(/300 a second with look-ups: CPU \/ bare +3\.13 × +2\.60–3\.25 +≤ 3\.13 × +kept/);
    expect(run(slowness)).toMatch(
      /prepare and execute, 64 callers: CPU \/ bare +5\.20 × +4\.60–5\.29 +≤ 5\.29 × +kept/,
    );
  }
  expect(targetTable({ comparisons: [], figures: [] })).toMatch(/CPU \/ bare +≤ 3\.13 × +not measured: calls settle/);
});

test("a spread keeps the least and the greatest round", () => {
  expect(spreadOf([3, 1, 2])).toMatchObject({ median: 2, min: 1, max: 3 });
});

test("a table has a line for each route, with medians, spreads and ratios, and its columns are aligned", () => {
  const [head = "", ...lines] = tableOf(COMPARISON).split("\n");
  expect(head).toBe("sponsor, 64 callers, 3 rounds of 100 requests");
  expect(lines).toHaveLength(1 + ROUTES.length);
  const columns = lines.map((line) => line.trim().split(/ {2,}/).length);
  // The head has no name in its first column.
  expect(columns).toEqual([10, 11, 11, 11]);
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect(lines[2]).toMatch(
    /^floor & <bare> +250 +200–450 +2\.00 × +2\.00–2\.00 +1800 +1000–2000 +0\.50 × .* 10\.0 +20\.0$/,
  );
  expect(
    layOut([
      ["a", "1"],
      ["bcd", "23"],
    ]),
  ).toBe("a     1\nbcd  23");
});

test("a drawing is well-formed, has both colour schemes, and escapes the names", () => {
  const svg = svgOf([COMPARISON, { ...COMPARISON, callers: 8 }], "a & b");
  expect(openTags(svg)).toEqual([]);
  expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="title desc">/);
  expect(svg).toContain("prefers-color-scheme: dark");
  expect(svg).toContain("floor &#38; &#60;bare&#62;");
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  expect(svg.match(/sponsor, (64|8) callers/g)).toHaveLength(2);
});

test("a drawing has two bars a route with lengths in proportion, and names what was not measured", () => {
  const svg = svgOf([COMPARISON], "");
  const bars = [...svg.matchAll(/<rect x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="14"/g)].map(([, width]) =>
    Number(width),
  );
  // The service's and the floor's CPU and requests, and the requests of the route without a CPU figure.
  expect(bars).toHaveLength(5);
  const [serviceCpu = 0, , floorCpu = 0] = bars;
  expect(serviceCpu / floorCpu).toBeCloseTo(2, 1);
  // A bar ends at the median. Its line goes from the least to the greatest round.
  const [, left = 0, from = 0, to = 0] = (
    /<rect x="([\d.]+)" y="[\d.]+" width="[\d.]+" height="14".*?<line x1="([\d.]+)" x2="([\d.]+)"/.exec(svg) ?? []
  ).map(Number);
  expect(serviceCpu / (to - left)).toBeCloseTo(500 / 900, 2);
  expect((from - left) / (to - left)).toBeCloseTo(400 / 900, 2);
  expect(svg.match(/not measured/g)).toHaveLength(1);
});

test("nothing of a drawing lies outside of its view box", () => {
  const svg = svgOf([COMPARISON], "");
  const [, width = 0, height = 0] = (/viewBox="0 0 (\d+) ([\d.]+)"/.exec(svg) ?? []).map(Number);
  for (const [, x = ""] of svg.matchAll(/ x[12]?="([\d.]+)"/g)) expect(Number(x)).toBeLessThan(width);
  for (const [, y = ""] of svg.matchAll(/ y[12]?="([\d.]+)"/g)) expect(Number(y)).toBeLessThan(height);
  for (const [, x = "", length = ""] of svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g))
    expect(Number(x) + Number(length)).toBeLessThan(width);
});
