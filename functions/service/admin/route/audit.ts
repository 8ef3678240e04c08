import { REFUSED } from "../../../../shared/audit/chain.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import type { AuditActor } from "../../../../shared/bindings/operator.ts";
import type { AuditEntry } from "../../../../shared/bindings/project.ts";
import { sha256Base64url } from "../../../../shared/crypto/sha256.ts";
import type { Answer } from "./route.ts";

/** Writes amounts as the API shows them: decimal strings. */
function amountAsText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/** Builds an audit entry. @param detail the request in the API's own fields. Never a key, a token or a secret. */
export function auditEntry(by: AuditActor, action: string, target: string, detail: object): AuditEntry {
  return { action, target, detailJson: JSON.stringify(detail, amountAsText), by };
}

const REQUEST_CHARACTERS = 16;

/**
 * Builds the entry of a change under an Idempotency-Key. A repeat with the same detail adds no second row. The row has a part of the hash of
 * the key, and not the key.
 */
export function auditEntryOnce(
  by: AuditActor,
  action: string,
  target: string,
  detail: object,
  idempotencyKey: string,
): AuditEntry {
  const request = sha256Base64url(idempotencyKey).slice(0, REQUEST_CHARACTERS);
  return { ...auditEntry(by, action, target, { ...detail, request }), request };
}

/**
 * Makes a change in an object other than the project's own. The audit row is written first, so that no crash leaves a
 * change without one. If the change is then refused, a second row records that.
 */
export async function audited<T>(
  env: Env,
  projectId: string,
  entry: AuditEntry,
  change: () => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const owner = env.PROJECT.getByName(projectId);
  await owner.record(entry);
  const changed = await change();
  if (!changed.ok) {
    const { action, request } = entry;
    // One key may have been sent with several payments. The row names the refused one.
    const asked: object = request === undefined ? {} : JSON.parse(entry.detailJson);
    const detailJson = JSON.stringify({ ...asked, detail: changed.error.detail });
    await owner.record({ ...entry, action: action + REFUSED, detailJson });
  }
  return changed;
}
