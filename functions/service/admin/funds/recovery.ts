import * as z from "zod";
import { countedFund } from "../../../../shared/fund/calls.ts";
import type { RecoveryView } from "../../../../shared/fund/views.ts";
import { auditEntry, audited } from "../route/audit.ts";
import { atoms, fund, instant, iso, signedAtoms } from "../route/fields.ts";
import { answer, noQuery, notFound, problemFor, type Route, route } from "../route/route.ts";

/** The schema of a fund's recovery, as an operator sees it. */
export const recoverySchema = z.object({
  state: z
    .enum(["needed", "running", "waiting", "done"])
    .describe(
      "needed: the fund has found that its stored state is older than the chain, run recover. waiting: forgotten signatures may still execute until closedUntil",
    ),
  startedAt: instant,
  closedUntil: instant
    .nullable()
    .describe("the fund stays closed until the chain's own clock shows this time; null if no such time is fixed"),
  evidence: z.string().nullable().describe("why the fund has found its state too old; null if it has not"),
  waitingFor: z
    .string()
    .nullable()
    .describe('what it waits for, as "the end of epoch 7"; null if it does not wait, as far as is known'),
  openReferences: z.int().describe("rows without a known end, at the last step"),
  corrections: signedAtoms.describe("the sum of what the recovery has booked as corrections so far"),
  withdrawals: z
    .enum(["unconfirmed", "confirmed"])
    .describe("unconfirmed: a withdrawal under a key that the fund does not know needs confirm"),
  forgottenPayments: z
    .array(z.string())
    .describe("the fund's own payments that its state has forgotten, as far as the chain shows them"),
  forgottenTransactions: z
    .array(
      z.object({
        digest: z.string(),
        amount: atoms.nullable().describe("paid out, beside gas; 0: it stayed with the fund; null: not known"),
        to: z.string().nullable().describe("the address that got it; null: none, or not known"),
      }),
    )
    .describe("the same, and forgotten splits and merges of a Sui fund's coins, with their amounts"),
  forgottenComplete: z
    .boolean()
    .nullable()
    .describe("true: these lists have all; false: they may lack some, look at the fund's address; null: not known"),
});

/** Returns a recovery in the form of the admin API. */
export function showRecovery(view: RecoveryView): z.input<typeof recoverySchema> {
  return {
    state: view.state,
    startedAt: iso(view.startedAtMs),
    closedUntil: view.closedUntilMs === null ? null : iso(view.closedUntilMs),
    evidence: view.evidence,
    waitingFor: view.waitingFor,
    openReferences: view.openReferences,
    corrections: view.correctionAtoms.toString(),
    withdrawals: view.withdrawals,
    forgottenPayments: [...view.forgottenPayments],
    forgottenTransactions: (view.forgottenTransactions ?? []).map(({ digest, amountAtoms, to }) => ({
      digest,
      amount: amountAtoms?.toString() ?? null,
      to,
    })),
    forgottenComplete: view.isForgottenComplete ?? null,
  };
}

/** The routes with which an operator repairs a fund's state. */
export const recoveryRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/funds/:id/recover",
    summary:
      "Bring a fund whose stored state may be older than the chain up to the chain: after a backup was put back. A repeat continues. Afterwards, end the confirmation of single withdrawals",
    resource: fund,
    body: z.strictObject({
      withdrawals: z
        .literal("confirmed")
        .optional()
        .describe(
          "After a recovery: withdrawals need no confirm any more, since no key from before it will be used again",
        ),
    }),
    query: noQuery,
    result: recoverySchema,
    status: 202,
    handle: async ({ env, actor, id, body }) => {
      const object = countedFund(env.FUND.getByName(id));
      const current = await object.view();
      if (current === null) return notFound("fund");
      return audited(env, current.projectId, auditEntry(actor, "fund.recover", id, body), async () => {
        const recovered = await (body.withdrawals === undefined ? object.recover() : object.confirmWithdrawals());
        if (recovered === null) return notFound("fund");
        return recovered.ok ? answer(showRecovery(recovered.value)) : problemFor(recovered.error);
      });
    },
  }),
];
