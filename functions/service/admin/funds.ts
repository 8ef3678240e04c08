import * as z from "zod";
import type { Env } from "../../../shared/env.ts";
import { CHAIN_RESET, type FundView } from "../../../shared/fund/views.ts";
import { suiNetworks } from "../../../shared/networks.ts";
import { auditEntry, audited } from "./audit.ts";
import { answer, noBody, noQuery, notFound, problem, type Route, route } from "./route.ts";
import {
  fund,
  fundSchema,
  hasField,
  mapPage,
  NO_FIELD,
  nameSchema,
  newId,
  objectsQuery,
  pageSchema,
  project,
  rowsQuery,
  showFund,
  showSponsorship,
  sponsorshipSchema,
} from "./schemas.ts";

const fundNetworkSchema = z.enum(suiNetworks, {
  error: `must be one of ${suiNetworks.join(", ")}: funds exist on Sui`,
});

async function listedFund(env: Env, fundId: string): Promise<FundView> {
  const view = await env.FUND.getByName(fundId).view();
  if (view === null) throw new Error(`${fundId} is listed and does not exist`);
  return view;
}

export const fundRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/projects/:id/funds",
    summary: "Create a fund: a key pair that pays gas, and the address to deposit to",
    resource: project,
    body: z.strictObject({
      name: nameSchema,
      network: fundNetworkSchema,
      createDepositAddress: z.boolean().default(true),
    }),
    query: noQuery,
    result: fundSchema,
    status: 201,
    handle: async ({ env, deps, id, body }) => {
      const owner = env.PROJECT.getByName(id);
      if ((await owner.view()) === null) return notFound("project");
      const fundId = newId("fund", deps);
      const { name, network, createDepositAddress } = body;
      const object = env.FUND.getByName(fundId);
      const created = await object.create({ fundId, projectId: id, name, network });
      await owner.addMember({ kind: "fund", id: fundId, network }, auditEntry("fund.create", fundId, body));
      // Only a listed fund gets an address: after a crash nobody can have deposited to one that is in no list.
      const view = createDepositAddress ? await object.createDepositAddress() : created;
      return view === null ? notFound("fund") : answer(showFund(view));
    },
  }),
  route({
    method: "GET",
    path: "/projects/:id/funds",
    summary: "List the funds of a project",
    resource: project,
    body: noBody,
    query: objectsQuery,
    result: pageSchema(fundSchema),
    status: 200,
    handle: async ({ env, id, query }) => {
      const page = await env.PROJECT.getByName(id).members("fund", query);
      if (page === null) return notFound("project");
      const items = await Promise.all(page.items.map((fundId) => listedFund(env, fundId)));
      return answer(mapPage({ ...page, items }, showFund));
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
      const view = await env.FUND.getByName(id).view();
      return view === null ? notFound("fund") : answer(showFund(view));
    },
  }),
  route({
    method: "PATCH",
    path: "/funds/:id",
    summary: "Rename a fund; pause it or let it sponsor again, from the next call",
    resource: fund,
    body: z
      .strictObject({ name: nameSchema.exactOptional(), paused: z.boolean().exactOptional() })
      .refine(hasField, NO_FIELD),
    query: noQuery,
    result: fundSchema,
    status: 200,
    handle: async ({ env, id, body }) => {
      const object = env.FUND.getByName(id);
      const current = await object.view();
      if (current === null) return notFound("fund");
      if (body.paused === false && current.pausedCause === CHAIN_RESET)
        return problem(422, "this fund belongs to a chain that is gone: make another fund");
      return audited(env, current.projectId, auditEntry("fund.update", id, body), async () => {
        const view = await object.update(body);
        return view === null ? notFound("fund") : answer(showFund(view));
      });
    },
  }),
  route({
    method: "POST",
    path: "/funds/:id/refresh",
    summary: "Read the fund's coins from the chain now",
    resource: fund,
    body: noBody,
    query: noQuery,
    result: fundSchema,
    status: 200,
    handle: async ({ env, id }) => {
      const refreshed = await env.FUND.getByName(id).refresh();
      if (refreshed === null) return notFound("fund");
      if (refreshed.ok) return answer(showFund(refreshed.value));
      const { reason, details } = refreshed.refusal;
      return problem(reason === "node_unavailable" ? 503 : 422, details);
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
    handle: async ({ env, id }) => {
      const object = env.FUND.getByName(id);
      const current = await object.view();
      if (current === null) return notFound("fund");
      return audited(env, current.projectId, auditEntry("fund.deposit-address", id, {}), async () => {
        const view = await object.createDepositAddress();
        return view === null ? notFound("fund") : answer(showFund(view));
      });
    },
  }),
  route({
    method: "GET",
    path: "/funds/:id/sponsorships",
    summary: "List the sponsorships of a fund",
    resource: fund,
    body: noBody,
    query: rowsQuery,
    result: pageSchema(sponsorshipSchema),
    status: 200,
    handle: async ({ env, id, query }) => {
      const page = await env.FUND.getByName(id).sponsorships(query);
      return page === null ? notFound("fund") : answer(mapPage(page, showSponsorship));
    },
  }),
];
