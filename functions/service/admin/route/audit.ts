import type { Env } from "../../../../shared/bindings/env.ts";
import type { AuditActor } from "../../../../shared/bindings/operator.ts";
import type { AuditEntry } from "../../../../shared/bindings/project.ts";
import type { Answer } from "./route.ts";

/** Writes amounts as the API shows them: decimal strings. */
function amountAsText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/** Builds an audit entry. @param detail the request in the API's own fields. Never a key, a token or a secret. */
export function auditEntry(by: AuditActor, action: string, target: string, detail: object): AuditEntry {
  return { action, target, detailJson: JSON.stringify(detail, amountAsText), by };
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
    const detailJson = JSON.stringify({ detail: changed.error.detail });
    await owner.record({ ...entry, action: `${entry.action}.refused`, detailJson });
  }
  return changed;
}
