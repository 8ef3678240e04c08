import { DurableObject } from "cloudflare:workers";
import type { SealedUse } from "../custody/master-key-use.ts";
import { createDeps, type Deps } from "../deps.ts";
import type { Env } from "../env.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import { migrate } from "./migrations.ts";
import type { AuditEntry } from "./project.ts";

/** There is one, of this name. */
export const DIRECTORY_NAME = "directory";

export const migrations = [
  `CREATE TABLE project (
    seq INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL UNIQUE,
    listed_at_ms INTEGER NOT NULL
  ) STRICT`,
];

/** The list of projects. A project is listed after it exists: a crash in between leaves one that nobody was told of. */
export class Directory extends DurableObject<Env> {
  readonly #deps: Deps;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    migrate(ctx.storage, migrations);
  }

  async add(projectId: string): Promise<void> {
    this.ctx.storage.sql.exec(
      "INSERT INTO project (project_id, listed_at_ms) VALUES (?, ?) ON CONFLICT (project_id) DO NOTHING",
      projectId,
      this.#deps.clock.nowMs(),
    );
  }

  /** Ids in the order of creation. */
  async projects({ limit, cursor }: PageRequest): Promise<Page<string>> {
    const rows = this.ctx.storage.sql
      .exec<{ seq: number; project_id: string }>(
        "SELECT seq, project_id FROM project WHERE seq > ? ORDER BY seq LIMIT ?",
        Number(cursor ?? 0),
        limit + 1,
      )
      .toArray();
    return pageOf(rows, limit, (row) => row.project_id);
  }

  /**
   * Under which master key versions everything of a page of projects is sealed. Asked from here, because a platform may
   * bound the calls that one request makes.
   *
   * @param reseal has these projects bring everything to the current version, with this row in the audit log of each
   * that has something to do; null: only asks.
   */
  async sealedUse(page: PageRequest, reseal: AuditEntry | null): Promise<Page<SealedUse>> {
    const { items: ids, nextCursor } = await this.projects(page);
    const uses = await Promise.all(
      ids.map(async (id) => {
        const project = this.env.PROJECT.getByName(id);
        if (reseal !== null) await project.reseal(reseal);
        return project.sealedUse();
      }),
    );
    return { items: uses.flat(), nextCursor };
  }
}
