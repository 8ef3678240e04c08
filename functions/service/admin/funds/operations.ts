import * as z from "zod";
import { u64Text } from "../../../../shared/amounts.ts";
import { aptosAddress } from "../../../../shared/api/aptos-values.ts";
import { suiAddress } from "../../../../shared/api/sui-values.ts";
import { sha256Base64url } from "../../../../shared/crypto/sha256.ts";
import { countedFund } from "../../../../shared/fund/calls.ts";
import { treasuryStates } from "../../../../shared/fund/views.ts";
import { type Chain, chainOf } from "../../../../shared/networks.ts";
import { auditEntry, auditEntryOnce, audited } from "../route/audit.ts";
import { fund, key } from "../route/fields.ts";
import { answer, noBody, noQuery, notFound, problem, problemFor, type Route, route } from "../route/route.ts";
import { reconciliationSchema, revokedSchema, showReconciliation } from "./schema.ts";

/** The schema of a withdrawal. */
export const withdrawalSchema = z.object({
  digest: z
    .string()
    .describe("the digest, on Aptos the hash: look it up on the chain, or repeat the call with its key"),
  state: z
    .enum(treasuryStates)
    .describe(
      "pending: the fund settles it by itself. failed, dead: nothing was paid. unresolvable: no node shows how it ended, and it is never paid again; look it up in an explorer before you pay under a new key",
    ),
});

/**
 * Returns an address in full length. Null if it is no address of this chain. A short Aptos address is more likely a
 * truncated one (AIP-40).
 */
function addressOn(chain: Chain, text: string): string | null {
  return (chain === "sui" ? suiAddress : aptosAddress).safeParse(text).data ?? null;
}

const addressText = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/, "must be an address: 0x and hex digits");

/** The routes with which an operator moves a fund's money. Its settings have other routes. */
export const fundOperations: readonly Route[] = [
  route({
    method: "POST",
    path: "/funds/:id/withdraw",
    summary:
      "Pay out of a fund, at most the available amount. It needs an Idempotency-Key: a repeat is paid once. After failed or dead, use a new key",
    resource: fund,
    body: z.strictObject({
      to: addressText.describe("An address of the fund's chain"),
      amount: u64Text.refine((amount) => amount > 0n, "must be above 0"),
      from: z
        .enum(["available", "fees"])
        .default("available")
        .describe("fees: out of the earnings of sponsorships; available: out of the rest"),
      confirm: z
        .strictObject({ to: addressText, amount: u64Text })
        .optional()
        .describe("After a recovery: to and amount once more, for a payment that was not made before it"),
    }),
    query: noQuery,
    result: withdrawalSchema,
    status: 202,
    idempotent: "required",
    handle: async ({ env, actor, deps, id, body, idempotencyKey }) => {
      if (idempotencyKey === null)
        return problem(400, "send an Idempotency-Key: without one, a repeat after a lost answer would pay twice");
      const object = countedFund(env.FUND.getByName(id));
      const current = await object.view();
      if (current === null) return notFound("fund");
      const to = addressOn(chainOf(current.network), body.to);
      if (to === null) return problem(400, `to: must be an address on ${current.network}`);
      const allowed = deps.config.withdrawAddresses;
      if (allowed !== null && !allowed.includes(to))
        return problem(422, "WITHDRAW_ADDRESSES does not name this address: add it there, or use one that it names");
      const { amount: amountAtoms, from, confirm } = body;
      const confirmed = confirm && {
        to: addressOn(chainOf(current.network), confirm.to) ?? confirm.to,
        amountAtoms: confirm.amount,
      };
      const fingerprint = sha256Base64url(`${to} ${amountAtoms} ${from}`);
      const idempotency = { scope: `admin withdraw ${idempotencyKey}`, fingerprint };
      const entry = auditEntryOnce(actor, "fund.withdraw", id, { ...body, to }, idempotencyKey);
      return audited(env, current.projectId, entry, async () => {
        const withdrawn = await object.withdraw({
          to,
          amountAtoms,
          from,
          idempotency,
          ...(confirmed && { confirmed }),
        });
        if (withdrawn === null) return notFound("fund");
        return withdrawn.ok ? answer(withdrawn.value) : problemFor(withdrawn.error);
      });
    },
  }),
  route({
    method: "POST",
    path: "/funds/:id/revoke",
    summary: "Pause a fund. outstanding: true also makes every signature worthless that it has given out",
    resource: fund,
    body: z.strictObject({ outstanding: z.boolean() }),
    query: noQuery,
    result: revokedSchema,
    status: 200,
    handle: async ({ env, actor, id, body }) => {
      const object = countedFund(env.FUND.getByName(id));
      const current = await object.view();
      if (current === null) return notFound("fund");
      return audited(env, current.projectId, auditEntry(actor, "fund.revoke", id, body), async () => {
        if (!body.outstanding) {
          await object.update({ paused: true });
          return answer(NOTHING_REVOKED);
        }
        return answer((await object.revoke(null)) ?? NOTHING_REVOKED);
      });
    },
  }),
  route({
    method: "POST",
    path: "/keys/:id/revoke",
    summary: "Disable an access key. outstanding: true also makes every signature worthless that it was given",
    resource: key,
    body: z.strictObject({ outstanding: z.boolean() }),
    query: noQuery,
    result: revokedSchema,
    status: 200,
    handle: async ({ env, actor, id, body }) => {
      const object = env.ACCESS_KEY.getByName(id);
      const current = await object.view();
      if (current === null) return notFound("key");
      return audited(env, current.projectId, auditEntry(actor, "key.revoke", id, body), async () => {
        // The key is disabled first, so that it signs nothing new while outstanding sponsorships are withdrawn.
        await object.update({ status: "disabled" });
        if (!body.outstanding || current.fundId === null) return answer(NOTHING_REVOKED);
        return answer((await countedFund(env.FUND.getByName(current.fundId)).revoke(id)) ?? NOTHING_REVOKED);
      });
    },
  }),
  route({
    method: "POST",
    path: "/funds/:id/reconcile",
    summary: "Settle open sponsorships, and compare the fund's books with the chain",
    resource: fund,
    body: noBody,
    query: noQuery,
    result: reconciliationSchema,
    status: 200,
    handle: async ({ env, id }) => {
      const compared = await countedFund(env.FUND.getByName(id)).reconcile();
      if (compared === null) return notFound("fund");
      return compared.ok ? answer(showReconciliation(compared.value)) : problemFor(compared.error);
    },
  }),
];

const NOTHING_REVOKED = { revoked: 0, tooLate: 0, irrevocable: 0, pending: 0 };
