import { DurableObject } from "cloudflare:workers";
import { createDeps, type Deps } from "../deps.ts";
import type { Env } from "../env.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import { migrate } from "./migrations.ts";

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
}
