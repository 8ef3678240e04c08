import type { AuditRow } from "../../../../shared/bindings/project.ts";

const REVOKING: ReadonlySet<string> = new Set(["key.revoke", "fund.revoke"]);

type Change = Pick<AuditRow, "action" | "target" | "atMs" | "detailJson">;

/**
 * Returns the revocations that made given signatures worthless. Others only disable a key or pause a fund. The row of a
 * change is written before the change. A refused change has a later row that reports the refusal.
 *
 * @param changes rows of an audit log, newest first.
 */
export function withdrawals<Row extends Change>(changes: readonly Row[]): readonly Row[] {
  const refused = new Map<string, number>();
  const found: Row[] = [];
  for (const change of changes) {
    const { action, target } = change;
    const name = `${target} ${action.replace(/\.refused$/, "")}`;
    const waiting = refused.get(name) ?? 0;
    if (action.endsWith(".refused")) refused.set(name, waiting + 1);
    else if (waiting > 0) refused.set(name, waiting - 1);
    else if (REVOKING.has(action) && isOutstanding(change)) found.push(change);
  }
  return found;
}

function isOutstanding({ detailJson }: Change): boolean {
  const detail: unknown = JSON.parse(detailJson);
  return typeof detail === "object" && detail !== null && "outstanding" in detail && detail.outstanding === true;
}
