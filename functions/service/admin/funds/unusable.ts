import * as z from "zod";
import { type UnusableView, unusableKinds, unusableOwners } from "../../../../shared/fund/sui/unusable.ts";
import { UNUSABLE_CURSOR } from "../../../../shared/fund/sui/unusable-place.ts";
import { fund, MAX_PAGE, mapPage, pageQuery } from "../route/fields.ts";
import { listRoute } from "../route/list.ts";
import { answer, notFound, problem, problemFor } from "../route/route.ts";

/** The schema of equal things at a fund's address that the fund cannot use. */
export const unusableSchema = z.object({
  kind: z.enum(unusableKinds).describe("unreadable: the node's reply about it makes no sense"),
  type: z.string().describe("the type of the object, coin or balance; its first 500 characters"),
  owner: z
    .enum(unusableOwners)
    .nullable()
    .describe("address: the fund owns it alone; consensus: the fund owns it as a party, and consensus orders its use"),
  objects: z.int().describe("the number of equal objects that this page has added up; 0 for a balance"),
  amount: z
    .string()
    .regex(/^(0|[1-9][0-9]*)$/)
    .nullable()
    .describe("their sum in the type's smallest unit; null: they are no coins"),
  objectId: z.string().nullable().describe("one of them"),
  cause: z.string().describe("the reason why the fund cannot use it"),
});

function showUnusable({ amountAtoms, ...view }: UnusableView): z.input<typeof unusableSchema> {
  return { ...view, amount: amountAtoms?.toString() ?? null };
}

/** Lists the deposits of strangers at a fund's address that the fund cannot use. */
export const unusableRoute = listRoute({
  path: "/funds/:id/unusable",
  summary:
    "Read from a node the objects and balances at a Sui fund's address that the fund cannot use. A page adds up equal ones. A page may be empty and have a next one",
  resource: fund,
  query: pageQuery(MAX_PAGE, UNUSABLE_CURSOR),
  item: unusableSchema,
  isStreamed: false,
  handle: async ({ env, id, query }) => {
    const listed = await env.FUND.getByName(id).unusable(query);
    if (listed === null) return notFound("fund");
    if (listed.ok) return answer(mapPage(listed.value, showUnusable));
    const { reason, details } = listed.error;
    return reason === "bad_params"
      ? problem(400, "the query has invalid fields: see errors", [{ path: "cursor", message: details }])
      : problemFor(listed.error);
  },
});
