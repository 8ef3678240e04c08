import type { AuditEntry, AuditRow } from "../bindings/project.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import type { ProjectParts } from "./parts.ts";

/** Keeps the log of every change by an operator. Triggers in the database refuse to change or delete a row. */
export class AuditLog {
  readonly #parts: ProjectParts;

  constructor(parts: ProjectParts) {
    this.#parts = parts;
  }

  /** Appends a row. Called within the commit of the change. */
  append({ action, target, detailJson }: AuditEntry): void {
    this.#parts.sql.exec(
      "INSERT INTO audit (at_ms, action, target, detail) VALUES (?, ?, ?, ?)",
      this.#parts.deps.clock.nowMs(),
      action,
      target,
      detailJson,
    );
  }

  /** Newest first. */
  list({ limit, cursor }: PageRequest): Page<AuditRow> {
    const rows = this.#parts.sql
      .exec<{ seq: number; at_ms: number; action: string; target: string; detail: string }>(
        "SELECT * FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?",
        Number(cursor ?? Number.MAX_SAFE_INTEGER),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, ({ at_ms, detail, ...row }) => ({ ...row, atMs: at_ms, detailJson: detail }));
  }
}
