import * as z from "zod";
import type { AuditHead } from "../../../../shared/audit/chain.ts";
import { DIRECTORY_NAME } from "../../../../shared/bindings/directory.ts";
import type { AuditRow } from "../../../../shared/bindings/project.ts";
import { instant, iso, mapPage, nameSchema, project, rowsQuery } from "../route/fields.ts";
import { checkedFilter, filteredAnswer, optional, spanOf, spanQuery, wordSchema } from "../route/filters.ts";
import { listRoute } from "../route/list.ts";
import { answer, noBody, noQuery, notFound, type Route, route } from "../route/route.ts";

/** The schema of a row of an audit log. */
export const auditRowSchema = z.object({
  seq: z.int().describe("the number of the row, ascending"),
  at: instant,
  action: z.string(),
  target: z.string(),
  detail: z.unknown(),
  actor: z
    .string()
    .nullable()
    .describe("the name of the token, or ADMIN_TOKEN. null: no operator made the change, or the row is from before"),
  actorTokenId: z.string().nullable().describe("null for ADMIN_TOKEN"),
  ip: z.string().nullable().describe("the caller's address as the platform reports it"),
  userAgent: z.string().nullable().describe("at most 200 characters"),
  previousHash: z
    .string()
    .nullable()
    .describe("the SHA-256 of the row before. null: the row is from before the log was chained"),
});

function showAuditRow({ atMs, detailJson, ...row }: AuditRow): z.input<typeof auditRowSchema> {
  // An object of an older build has rows without the later fields.
  const { seq, action, target, actor = null, actorTokenId = null, ip = null, userAgent = null } = row;
  const { previousHash = null } = row;
  const detail: unknown = JSON.parse(detailJson);
  return { seq, at: iso(atMs), action, target, detail, actor, actorTokenId, ip, userAgent, previousHash };
}

/** The schema of the newest hash of an audit log. */
export const headSchema = z.object({
  seq: z.int().describe("the number of the newest row. 0 if no row is chained yet"),
  hash: z.string().nullable().describe("its SHA-256, which the next row will have as previousHash"),
});

function showHead(head: AuditHead | null): z.input<typeof headSchema> {
  return head ?? { seq: 0, hash: null };
}

const auditQuery = rowsQuery.extend({
  ...spanQuery,
  action: optional(wordSchema),
  target: optional(wordSchema),
  actor: optional(nameSchema.describe("the name of the token, or ADMIN_TOKEN")),
});

function auditFilterOf({ from, to, action, target, actor }: z.output<typeof auditQuery>) {
  return checkedFilter({ ...spanOf({ from, to }), action, target, actor });
}

/** The routes of the audit logs: one of each project, and one of what belongs to none. */
export const auditRoutes: readonly Route[] = [
  listRoute({
    path: "/projects/:id/audit",
    summary: "List the changes made to a project, its funds and its keys, newest first",
    resource: project,
    query: auditQuery,
    item: auditRowSchema,
    handle: async ({ env, id, query }) => {
      const filter = auditFilterOf(query);
      if (!filter.ok) return filter;
      const { limit, cursor } = query;
      const page = await env.PROJECT.getByName(id).audit({ limit, cursor, filter: filter.value });
      return page === null ? notFound("project") : filteredAnswer(mapPage(page, showAuditRow), filter.value);
    },
  }),
  route({
    method: "GET",
    path: "/projects/:id/audit/head",
    summary: "Read the newest row's hash. Keep it elsewhere: it proves later that no row up to it was changed",
    resource: project,
    body: noBody,
    query: noQuery,
    result: headSchema,
    status: 200,
    handle: async ({ env, id }) => {
      const owner = env.PROJECT.getByName(id);
      return (await owner.view()) === null ? notFound("project") : answer(showHead(await owner.auditHead()));
    },
  }),
  listRoute({
    path: "/audit",
    summary: "List the changes that belong to no project, newest first: those of tokens",
    resource: null,
    query: auditQuery,
    item: auditRowSchema,
    handle: async ({ env, query }) => {
      const filter = auditFilterOf(query);
      if (!filter.ok) return filter;
      const { limit, cursor } = query;
      const page = await env.DIRECTORY.getByName(DIRECTORY_NAME).audit({ limit, cursor, filter: filter.value });
      return filteredAnswer(mapPage(page, showAuditRow), filter.value);
    },
  }),
  route({
    method: "GET",
    path: "/audit/head",
    summary: "Read the newest hash of the changes that belong to no project",
    resource: null,
    body: noBody,
    query: noQuery,
    result: headSchema,
    status: 200,
    handle: async ({ env }) => answer(showHead(await env.DIRECTORY.getByName(DIRECTORY_NAME).auditHead())),
  }),
];
