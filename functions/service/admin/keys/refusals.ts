import * as z from "zod";
import { countQuery, daysOf, refusalCountSchema, word } from "../funds/refusals.ts";
import { key, mapPage } from "../route/fields.ts";
import { listRoute } from "../route/list.ts";
import { answer, notFound, type Route } from "../route/route.ts";

const DAY_MS = 86_400_000;

/** Lists the counters of the calls that an access key's object has not admitted. */
export const keyRefusalsRoute: Route = listRoute({
  path: "/keys/:id/refusal-counts",
  summary:
    "Count the calls of an access key that were not admitted, by day, reason and rule, the newest day first. Its fund counts those that it did not admit itself",
  resource: key,
  query: countQuery.extend({ reason: word }),
  item: z.object({ ...refusalCountSchema.shape, keyId: key.idSchema }),
  handle: async ({ env, deps, id, query: { from, to, ...query } }) => {
    const days = daysOf({ from, to }, deps.clock.nowMs());
    const page = await env.ACCESS_KEY.getByName(id).refusalCounts({ ...query, ...days });
    if (page === null) return notFound("key");
    const items = mapPage(page, ({ day, ...count }: (typeof page.items)[number]) => ({
      day: new Date(day * DAY_MS).toISOString().slice(0, 10),
      keyId: id,
      ...count,
    }));
    return answer(items);
  },
});
