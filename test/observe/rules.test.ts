import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { metricsOf } from "../../shared/observe/metrics.ts";

const FOLDER = join(import.meta.dirname, "../../shared/observe/prometheus");
const read = (name: string) => readFileSync(join(FOLDER, name), "utf8");

/** The names of all samples. A metric without samples has its name, too. */
const known = new Set(
  metricsOf({
    causes: [],
    nodes: [],
    projects: [],
    funds: [],
    silent: { projects: 0, funds: 0, keys: 0 },
    isTruncated: false,
  }).map(({ name, type }) => (type === "counter" ? `${name}_total` : name)),
);

test.each(["alerts.yml", "alerts.test.yml", "dashboard.json"])("%s names only metrics that exist", (file) => {
  const named = [...read(file).matchAll(/\bgasworks_[a-z_]+/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test("every alert has a unit test, and every panel of the dashboard a query", () => {
  const alerts = [...read("alerts.yml").matchAll(/alert: (\w+)/g)].map(([, name]) => name);
  const tested = new Set([...read("alerts.test.yml").matchAll(/alertname: (\w+)/g)].map(([, name]) => name));
  expect(alerts.filter((name) => name === undefined || !tested.has(name))).toEqual([]);
  const target = z.object({ expr: z.string().min(1), refId: z.string() });
  const panel = z.object({ id: z.int(), title: z.string(), targets: z.array(target).min(1) });
  const { panels } = z.object({ panels: z.array(panel).min(10) }).parse(JSON.parse(read("dashboard.json")));
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});
