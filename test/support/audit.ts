import { env } from "cloudflare:workers";
import { expect } from "vitest";
import * as z from "zod";
import type { createAdminApp } from "../../functions/service/admin/app.ts";
import type { AuditHead } from "../../shared/audit/chain.ts";
import { type ListedAuditRow, type VerifiedAudit, verifyAudit } from "../../shared/audit/verify.ts";
import { authorization } from "./admin-access.ts";

const text = z.string().nullable();
const rowSchema = z.strictObject({
  seq: z.int(),
  at: z.string(),
  action: z.string(),
  target: z.string(),
  detail: z.unknown(),
  actor: text,
  actorTokenId: text,
  ip: text,
  userAgent: text,
  previousHash: text,
});
const pageSchema = z.object({ items: z.array(rowSchema), nextCursor: text });
const headSchema = z.object({ seq: z.int(), hash: z.string() });

async function read(app: ReturnType<typeof createAdminApp>, path: string): Promise<unknown> {
  const response = await app.request(path, { headers: { authorization } }, env);
  expect(response.status, path).toBe(200);
  return response.json();
}

/** Downloads a log, page by page, newest first. @param of `/projects/:id`, or nothing for the log of no project. */
export async function auditRows(app: ReturnType<typeof createAdminApp>, of = ""): Promise<readonly ListedAuditRow[]> {
  const rows: ListedAuditRow[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `${of}/audit?limit=3${cursor === null ? "" : `&cursor=${cursor}`}`;
    const page: z.output<typeof pageSchema> = pageSchema.parse(await read(app, path));
    rows.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

/** The newest row's number and hash, to keep elsewhere. */
export async function auditHead(app: ReturnType<typeof createAdminApp>, of = ""): Promise<AuditHead> {
  return headSchema.parse(await read(app, `${of}/audit/head`));
}

/** Downloads a log that must follow its own hashes, and a head that was kept. */
export async function verifiedAudit(
  app: ReturnType<typeof createAdminApp>,
  of = "",
  kept: AuditHead | null = null,
): Promise<VerifiedAudit> {
  const verified = verifyAudit(await auditRows(app, of), kept);
  expect(verified).toMatchObject({ ok: true, value: { head: await auditHead(app, of), isWhole: true } });
  if (!verified.ok) throw new Error(verified.error.fault);
  return verified.value;
}
