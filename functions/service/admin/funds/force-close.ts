import * as z from "zod";
import { suiAddress } from "../../../../shared/api/sui-values.ts";
import { countedFund } from "../../../../shared/fund/calls.ts";
import { sponsorshipStates, treasuryStates } from "../../../../shared/fund/views.ts";
import { auditEntry, audited } from "../route/audit.ts";
import { atoms, fund } from "../route/fields.ts";
import { answer, noQuery, notFound, problem, problemFor, type Route, route } from "../route/route.ts";

const objectIdText = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/, "must be an object id: 0x and hex digits");

/** A digest on Sui. A hash, or the id of a sponsorship without one, on Aptos. */
const digestText = z
  .string()
  .regex(
    /^([1-9A-HJ-NP-Za-km-z]{32,44}|(0x)?[0-9a-f]{64})$/,
    "must be a digest in base58, or on Aptos a hash or an id of 64 hex digits",
  );

/** The routes with which an operator ends a single row that no node can show. */
export const forceCloseRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/funds/:id/force-close",
    summary:
      "Close a sponsorship or a transaction of a fund that no node can show, and that can never execute any more. The ledger notes a correction. A repeat changes nothing",
    resource: fund,
    body: z.strictObject({ digest: digestText }),
    query: noQuery,
    result: z.object({
      digest: z.string(),
      state: z
        .enum([...new Set([...sponsorshipStates, ...treasuryStates])])
        .describe("dead: closed. unresolvable: closed, and no node shows whether it was executed"),
    }),
    status: 200,
    handle: async ({ env, actor, id, body }) => {
      const object = countedFund(env.FUND.getByName(id));
      const current = await object.view();
      if (current === null) return notFound("fund");
      return audited(env, current.projectId, auditEntry(actor, "fund.force-close", id, body), async () => {
        const closed = await object.forceClose(body.digest);
        if (closed === null) return notFound("fund");
        if (!closed.ok) return problemFor(closed.error);
        return closed.value === null ? notFound("transaction of this fund") : answer(closed.value);
      });
    },
  }),
  route({
    method: "POST",
    path: "/funds/:id/drop-coin",
    summary:
      "Take a coin out of the books of a Sui fund that no node shows as the fund's. The ledger notes a correction. A repeat changes nothing",
    resource: fund,
    body: z.strictObject({ objectId: objectIdText }),
    query: noQuery,
    result: z.object({ objectId: z.string(), amount: atoms.describe("the amount that was booked for it") }),
    status: 200,
    handle: async ({ env, actor, id, body }) => {
      const object = countedFund(env.FUND.getByName(id));
      const current = await object.view();
      if (current === null) return notFound("fund");
      const objectId = suiAddress.safeParse(body.objectId).data;
      if (objectId === undefined) return problem(400, "objectId: must be an object id on Sui");
      return audited(env, current.projectId, auditEntry(actor, "fund.drop-coin", id, { objectId }), async () => {
        const dropped = await object.dropCoin(objectId);
        if (dropped === null) return notFound("fund");
        if (!dropped.ok) return problemFor(dropped.error);
        if (dropped.value === null) return notFound("coin of this fund");
        return answer({ objectId, amount: dropped.value.amountAtoms.toString() });
      });
    },
  }),
];
