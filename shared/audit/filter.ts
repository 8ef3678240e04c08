import type { TimeSpan } from "../durable/scan.ts";

/** Selects rows of the audit log. They have to fit all fields. Null: any. */
export interface AuditFilter extends TimeSpan {
  readonly action: string | null;
  readonly target: string | null;
  /** The name of the operator's token. */
  readonly actor: string | null;
}
