import type { TimeSpan } from "../durable/scan.ts";

/** Selects rows of the audit log. They must match all fields. Null matches any value. */
export interface AuditFilter extends TimeSpan {
  readonly action: string | null;
  readonly target: string | null;
  /** The name of the operator's token. */
  readonly actor: string | null;
}
