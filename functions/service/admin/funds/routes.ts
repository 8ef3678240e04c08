import * as z from "zod";
import { u64Text } from "../../../../shared/amounts.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import { countedFund } from "../../../../shared/fund/calls.ts";
import { fundLimitsPatchSchema } from "../../../../shared/fund/fund-limits.ts";
import {
  anyFundModes,
  CHAIN_RESET,
  FUNGIBLE_STORE,
  type FundView,
  RECOVERING,
  STATE_BEHIND_CHAIN,
} from "../../../../shared/fund/views.ts";
import { chainOf, isSuiNetwork, networkSchema } from "../../../../shared/networks.ts";
import { defaultFundPolicy } from "../../../../shared/policy/fund-policy-defaults.ts";
import {
  newPolicySchema,
  patchPolicy,
  policyPatchSchema,
  showPolicy,
} from "../../../../shared/policy/policy-schema.ts";
import { auditEntry, audited } from "../route/audit.ts";
import { fund, hasField, mapPage, NO_FIELD, nameSchema, objectsQuery, project } from "../route/fields.ts";
import { optional } from "../route/filters.ts";
import { idForCreation } from "../route/idempotent-id.ts";
import { listRoute, readEach } from "../route/list.ts";
import { answer, noBody, noQuery, notFound, problem, problemFor, type Route, route } from "../route/route.ts";
import { fundSchema, showFund } from "./schema.ts";

async function listedFund(env: Env, fundId: string): Promise<FundView> {
  const view = await countedFund(env.FUND.getByName(fundId)).view();
  if (view === null) throw new Error(`${fundId} is listed and does not exist`);
  return view;
}

/** Explains why a fund that was to resume is still paused. Null if it has resumed. */
function stillPausedText({ fundId, pausedCause }: FundView): string | null {
  switch (pausedCause) {
    case CHAIN_RESET:
      return "the node answers for another chain than this fund's: if that chain is gone, make another fund";
    case STATE_BEHIND_CHAIN:
      return `the fund's stored state is older than its chain: run POST /admin/v1/funds/${fundId}/recover`;
    case RECOVERING:
      return "the fund opens by itself once its recovery is done, unless an operator has paused it: recovery of GET shows how far it is";
    default:
      return null;
  }
}

/** The routes of funds. */
export const fundRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/projects/:id/funds",
    summary: "Create a fund: a key pair that pays gas, and the address to deposit to",
    resource: project,
    body: z.strictObject({
      name: nameSchema,
      network: networkSchema,
      createDepositAddress: z.boolean().default(true),
      mode: z
        .enum(anyFundModes)
        .optional()
        .describe(
          "On Sui coin (the default: each sponsorship locks a coin and can be revoked) or address_balance (no coins, no revocation), on Aptos fungible_store",
        ),
      sponsorshipFee: u64Text.prefault("0").describe("MIST or octas, earned by each completed sponsorship"),
      lowBalance: u64Text.nullable().default(null).describe("the available MIST or octas below which the fund is low"),
      policy: newPolicySchema,
      limits: fundLimitsPatchSchema.default({}),
    }),
    query: noQuery,
    result: fundSchema,
    status: 201,
    idempotent: "honoured",
    handle: async (call) => {
      const { env, actor, id, body } = call;
      const owner = env.PROJECT.getByName(id);
      if ((await owner.view()) === null) return notFound("project");
      const named = await idForCreation("fund", call);
      if (!named.ok) return named;
      const fundId = named.value;
      const { name, network, createDepositAddress } = body;
      const mode = body.mode ?? (isSuiNetwork(network) ? "coin" : FUNGIBLE_STORE);
      const object = countedFund(env.FUND.getByName(fundId));
      const { sponsorshipFee: sponsorshipFeeAtoms, lowBalance: lowBalanceAtoms, limits } = body;
      const policy = patchPolicy(defaultFundPolicy(chainOf(network)), body.policy);
      const settings = { name, policy, sponsorshipFeeAtoms, lowBalanceAtoms, limits };
      const created = await object.create({ fundId, projectId: id, network, mode, ...settings });
      if (!created.ok) return problemFor(created.error);
      const entry = auditEntry(actor, "fund.create", fundId, { ...body, mode, policy: showPolicy(policy) });
      await owner.addResource({ kind: "fund", id: fundId, network }, entry);
      // Only a listed fund gets an address. After a crash, no deposit can have gone to an unlisted fund.
      const view = createDepositAddress ? await object.createDepositAddress() : created.value;
      return view === null ? notFound("fund") : answer(showFund(view));
    },
  }),
  listRoute({
    path: "/projects/:id/funds",
    summary: "List the funds of a project",
    resource: project,
    query: objectsQuery.extend({
      network: optional(networkSchema),
      paused: optional(z.enum(["true", "false"])),
    }),
    item: fundSchema,
    ofObjects: true,
    handle: async ({ env, deps, id, query: { limit, cursor, network, paused } }) => {
      const page = await env.PROJECT.getByName(id).resources("fund", { limit, cursor });
      if (page === null) return notFound("project");
      const read = await readEach(page, deps, (fundId) => listedFund(env, fundId));
      const items = read.items.filter(
        (each) =>
          (network === null || each.network === network) &&
          (paused === null || String(each.pausedCause !== null) === paused),
      );
      return answer(mapPage({ ...read, items }, showFund));
    },
  }),
  route({
    method: "GET",
    path: "/funds/:id",
    summary: "Read a fund",
    resource: fund,
    body: noBody,
    query: noQuery,
    result: fundSchema,
    status: 200,
    handle: async ({ env, id }) => {
      const view = await countedFund(env.FUND.getByName(id)).view();
      return view === null ? notFound("fund") : answer(showFund(view));
    },
  }),
  route({
    method: "PATCH",
    path: "/funds/:id",
    summary: "Change a fund's settings; pause it or let it sponsor again, from the next call",
    resource: fund,
    body: z
      .strictObject({
        name: nameSchema.exactOptional(),
        paused: z.boolean().exactOptional(),
        lowBalance: u64Text.nullable().exactOptional(),
        sponsorshipFee: u64Text.exactOptional(),
        policy: policyPatchSchema.refine(hasField, NO_FIELD).exactOptional(),
        limits: fundLimitsPatchSchema.refine(hasField, NO_FIELD).exactOptional(),
      })
      .refine(hasField, NO_FIELD),
    query: noQuery,
    result: fundSchema,
    status: 200,
    handle: async ({ env, actor, id, body }) => {
      const object = countedFund(env.FUND.getByName(id));
      const current = await object.view();
      if (current === null) return notFound("fund");
      return audited(env, current.projectId, auditEntry(actor, "fund.update", id, body), async () => {
        const { sponsorshipFee, lowBalance, ...rest } = body;
        const view = await object.update({
          ...rest,
          ...(sponsorshipFee !== undefined && { sponsorshipFeeAtoms: sponsorshipFee }),
          ...(lowBalance !== undefined && { lowBalanceAtoms: lowBalance }),
        });
        if (view === null) return notFound("fund");
        const stillPaused = body.paused === false ? stillPausedText(view) : null;
        return stillPaused === null ? answer(showFund(view)) : problem(422, stillPaused);
      });
    },
  }),
  route({
    method: "POST",
    path: "/funds/:id/refresh",
    summary: "Read the fund's money from the chain now",
    resource: fund,
    body: noBody,
    query: noQuery,
    result: fundSchema,
    status: 200,
    handle: async ({ env, id }) => {
      const refreshed = await countedFund(env.FUND.getByName(id)).refresh();
      if (refreshed === null) return notFound("fund");
      return refreshed.ok ? answer(showFund(refreshed.value)) : problemFor(refreshed.error);
    },
  }),
  route({
    method: "POST",
    path: "/funds/:id/deposit-address",
    summary: "Show the deposit address of a fund that was made without one",
    resource: fund,
    body: noBody,
    query: noQuery,
    result: fundSchema,
    status: 200,
    handle: async ({ env, actor, id }) => {
      const object = countedFund(env.FUND.getByName(id));
      const current = await object.view();
      if (current === null) return notFound("fund");
      return audited(env, current.projectId, auditEntry(actor, "fund.deposit-address", id, {}), async () => {
        const view = await object.createDepositAddress();
        return view === null ? notFound("fund") : answer(showFund(view));
      });
    },
  }),
];
