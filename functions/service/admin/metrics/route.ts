import * as z from "zod";
import type { Deps } from "../../../../shared/bindings/deps.ts";
import { metricsOf } from "../../../../shared/observe/metrics.ts";
import { METRICS_TYPES, type MetricFamily, writeMetrics } from "../../../../shared/observe/open-metrics.ts";
import { project } from "../route/fields.ts";
import { answer, noBody, type Route, route } from "../route/route.ts";
import { scrape } from "./scrape.ts";
import { SharedScrapes } from "./shared-scrapes.ts";

const familiesSchema = z.array(
  z.object({
    name: z.string(),
    type: z.enum(["counter", "gauge"]),
    help: z.string(),
    samples: z
      .array(z.object({ labels: z.record(z.string(), z.string()), value: z.union([z.number(), z.bigint()]) }))
      .readonly(),
  }),
);

/** Returns whether a scraper takes the older text format, and not OpenMetrics. Everybody else gets OpenMetrics. */
function wantsText(accept: string | null): boolean {
  return accept !== null && /\btext\/plain\b/.test(accept) && !/\bapplication\/openmetrics-text\b/.test(accept);
}

/** The scrapes of each service in this isolate. Only a test has several. */
const scrapesOf = new WeakMap<Deps, SharedScrapes<readonly MetricFamily[]>>();

function sharedScrapes(deps: Deps): SharedScrapes<readonly MetricFamily[]> {
  const known = scrapesOf.get(deps) ?? new SharedScrapes(() => deps.clock.nowMs());
  scrapesOf.set(deps, known);
  return known;
}

/** Shows the metrics of the whole service, for Prometheus and what understands its formats. */
export const metricsRoute: Route = {
  ...route({
    method: "GET",
    path: "/metrics",
    summary:
      "Read the metrics of the service, in OpenMetrics, or in the older text format if Accept names only that. /metrics shows the same. An object that gives no answer in two seconds is counted and left out. An answer is kept for three seconds",
    resource: null,
    body: noBody,
    query: z.strictObject({
      project: project.idSchema.optional().describe("the only project to read; all of them unless given"),
    }),
    result: familiesSchema,
    status: 200,
    handle: async ({ env, deps, query: { project: only = null } }) => {
      const collect = async () => metricsOf(await scrape(env, deps, only));
      return answer([...(await sharedScrapes(deps).read(only ?? "", collect))]);
    },
  }),
  text: {
    types: Object.values(METRICS_TYPES),
    write: (value, headers) => {
      const format = wantsText(headers.get("accept")) ? "text" : "open";
      const text = writeMetrics(familiesSchema.parse(value), format);
      return new Response(text, { headers: { "content-type": METRICS_TYPES[format] } });
    },
  },
};
