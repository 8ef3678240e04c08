import type { ProjectResource, ResourceKind } from "../bindings/project.ts";
import { type Network, networkSchema } from "../networks.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import type { ProjectParts } from "./parts.ts";

/** Lists the funds and access keys of a project. Each is added after its own object exists. */
export class ProjectResources {
  readonly #parts: ProjectParts;

  constructor(parts: ProjectParts) {
    this.#parts = parts;
  }

  /** Adds a fund or key. Called within a commit. @returns false if it was listed before. */
  add({ kind, id, network }: ProjectResource): boolean {
    const added = this.#parts.sql
      .exec(
        `INSERT INTO member (kind, id, network, listed_at_ms) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING RETURNING seq`,
        kind,
        id,
        network,
        this.#parts.deps.clock.nowMs(),
      )
      .toArray();
    return added.length > 0;
  }

  /** Returns null if the project has no such fund. */
  fundNetwork(fundId: string): Network | null {
    const [row] = this.#parts.sql.exec("SELECT network FROM member WHERE kind = 'fund' AND id = ?", fundId).toArray();
    return row === undefined ? null : networkSchema.parse(row.network);
  }

  /** Ids in the order of creation. */
  list(kind: ResourceKind, { limit, cursor }: PageRequest): Page<string> {
    const rows = this.#parts.sql
      .exec<{ seq: number; id: string }>(
        "SELECT seq, id FROM member WHERE kind = ? AND seq > ? ORDER BY seq LIMIT ?",
        kind,
        Number(cursor ?? 0),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, (row) => row.id);
  }
}
