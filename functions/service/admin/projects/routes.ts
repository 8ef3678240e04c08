import * as z from "zod";
import { DIRECTORY_NAME } from "../../../../shared/bindings/directory.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import type { ProjectView } from "../../../../shared/bindings/project.ts";
import { chains } from "../../../../shared/networks.ts";
import { revokeSessions } from "../../../../shared/project/revoke-sessions.ts";
import { MAX_WALLET_ID_BYTES, walletName } from "../../../../shared/wallet/context.ts";
import { secretDerivations } from "../../../../shared/wallet/derivation.ts";
import { auditEntry } from "../route/audit.ts";
import { hasField, mapPage, NO_FIELD, nameSchema, objectsQuery, project, rowsQuery } from "../route/fields.ts";
import {
  addressSchema,
  checkedFilter,
  filteredAnswer,
  isInSpan,
  optional,
  spanOf,
  spanQuery,
} from "../route/filters.ts";
import { idForCreation } from "../route/idempotent-id.ts";
import { listRoute, readEach } from "../route/list.ts";
import { answer, noBody, noQuery, notFound, type Route, route } from "../route/route.ts";
import { projectSchema, showProject, showWallet, walletSchema, walletsPerMonthSchema } from "../schemas.ts";

async function listedProject(env: Env, projectId: string): Promise<ProjectView> {
  const view = await env.PROJECT.getByName(projectId).view();
  if (view === null) throw new Error(`${projectId} is listed and does not exist`);
  return view;
}

/** The routes of projects, and of their wallets. */
export const projectRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/projects",
    summary: "Create a project",
    resource: null,
    body: z.strictObject({
      name: nameSchema,
      secretDerivation: z.enum(secretDerivations).default("scrypt"),
      walletsPerMonth: walletsPerMonthSchema.default(null),
    }),
    query: noQuery,
    result: projectSchema,
    status: 201,
    idempotent: "honoured",
    handle: async (call) => {
      const { env, actor, body } = call;
      const named = await idForCreation("prj", call);
      if (!named.ok) return named;
      const projectId = named.value;
      const entry = auditEntry(actor, "project.create", projectId, body);
      const view = await env.PROJECT.getByName(projectId).create({ projectId, ...body }, entry);
      await env.DIRECTORY.getByName(DIRECTORY_NAME).add(projectId);
      return answer(showProject(view));
    },
  }),
  listRoute({
    path: "/projects",
    summary: "List the projects",
    resource: null,
    query: objectsQuery.extend(spanQuery),
    item: projectSchema,
    ofObjects: true,
    handle: async ({ env, deps, query: { limit, cursor, from, to } }) => {
      const span = checkedFilter(spanOf({ from, to }));
      if (!span.ok) return span;
      const page = await env.DIRECTORY.getByName(DIRECTORY_NAME).projects({ limit, cursor });
      const read = await readEach(page, deps, (id) => listedProject(env, id));
      const items = read.items.filter(({ createdAtMs }) => span.value === null || isInSpan(createdAtMs, span.value));
      return answer(mapPage({ ...read, items }, showProject));
    },
  }),
  route({
    method: "GET",
    path: "/projects/:id",
    summary: "Read a project",
    resource: project,
    body: noBody,
    query: noQuery,
    result: projectSchema,
    status: 200,
    handle: async ({ env, id }) => {
      const view = await env.PROJECT.getByName(id).view();
      return view === null ? notFound("project") : answer(showProject(view));
    },
  }),
  route({
    method: "PATCH",
    path: "/projects/:id",
    summary: "Change a project",
    resource: project,
    body: z
      .strictObject({
        name: nameSchema.exactOptional(),
        walletsPerMonth: walletsPerMonthSchema.exactOptional(),
        exportEnabled: z.boolean().exactOptional(),
      })
      .refine(hasField, NO_FIELD),
    query: noQuery,
    result: projectSchema,
    status: 200,
    handle: async ({ env, actor, id, body }) => {
      const view = await env.PROJECT.getByName(id).update(body, auditEntry(actor, "project.update", id, body));
      return view === null ? notFound("project") : answer(showProject(view));
    },
  }),
  listRoute({
    path: "/projects/:id/wallets",
    summary: "List the wallets of a project, in the order of their creation",
    resource: project,
    query: rowsQuery.extend({
      ...spanQuery,
      chain: optional(z.enum(chains)),
      address: optional(addressSchema),
      walletId: optional(z.string().min(1).max(MAX_WALLET_ID_BYTES)),
    }),
    item: walletSchema,
    handle: async ({ env, id, query: { limit, cursor, from, to, chain, address, walletId } }) => {
      const span = spanOf({ from, to });
      const names = walletId && { names: chains.map((each) => walletName({ projectId: id, chain: each, walletId })) };
      const filter = checkedFilter({ ...span, chain, address, ...names });
      if (!filter.ok) return filter;
      const page = await env.PROJECT.getByName(id).wallets({ limit, cursor, filter: filter.value });
      if (page === null) return notFound("project");
      // Names are looked up alone, and an object of an earlier build does not know them.
      const items = page.items.filter(
        (row) =>
          walletId === null ||
          (row.walletId === walletId &&
            (chain === null || row.chain === chain) &&
            (address === null || row.address === address) &&
            isInSpan(row.createdAtMs, span)),
      );
      return filteredAnswer(mapPage({ ...page, items }, showWallet), filter.value);
    },
  }),
  route({
    method: "POST",
    path: "/projects/:id/revoke-sessions",
    summary: "End all sessions of a project. The answer comes once every access key of the project refuses them",
    resource: project,
    body: noBody,
    query: noQuery,
    result: z.object({ keys: z.int().describe("access keys that refuse the sessions from now on") }),
    status: 200,
    handle: async ({ env, actor, id }) => {
      const keys = await revokeSessions(
        env.PROJECT.getByName(id),
        auditEntry(actor, "project.revoke_sessions", id, {}),
      );
      return keys === null ? notFound("project") : answer({ keys });
    },
  }),
];
