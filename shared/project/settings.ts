import * as z from "zod";
import type { NewProject, ProjectPatch, ProjectView } from "../bindings/project.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { type ProjectDerivation, secretDerivations } from "../wallet/derivation.ts";
import type { ProjectParts } from "./parts.ts";

const SALT_BYTES = 32;

const rowSchema = z.object({
  project_id: z.string(),
  name: z.string(),
  secret_derivation: z.enum(secretDerivations),
  wallets_per_month: z.number().nullable(),
  export_enabled: z.number(),
  session_epoch: z.number(),
  created_at_ms: z.number(),
});

function neverCreated(): Error {
  return new Error("this project was never created");
}

/** Keeps the settings of one project, and the salt of its wallet secrets. */
export class ProjectSettings {
  readonly #parts: ProjectParts;

  constructor(parts: ProjectParts) {
    this.#parts = parts;
  }

  /** Stores a new project. Called within a commit. */
  insert(project: NewProject): void {
    const { sql, deps } = this.#parts;
    sql.exec(
      `INSERT INTO project (project_id, name, wallets_per_month, secret_derivation, salt, created_at_ms)
       VALUES (?, ?, ?, ?, ?, ?)`,
      project.projectId,
      project.name,
      project.walletsPerMonth,
      project.secretDerivation,
      new Uint8Array(deps.randomBytes(SALT_BYTES)).buffer,
      deps.clock.nowMs(),
    );
  }

  /** Changes the fields of the patch. Call it within a commit. */
  update(current: ProjectView, patch: ProjectPatch): void {
    const { name, walletsPerMonth, exportEnabled } = { ...current, ...patch };
    this.#parts.sql.exec(
      "UPDATE project SET name = ?, wallets_per_month = ?, export_enabled = ?",
      name,
      walletsPerMonth,
      Number(exportEnabled),
    );
  }

  /** Ends all earlier sessions. Called within a commit. */
  raiseSessionEpoch(): void {
    this.#parts.sql.exec("UPDATE project SET session_epoch = session_epoch + 1");
  }

  /** Returns null if the project was never created. */
  view(): ProjectView | null {
    const [row] = this.#parts.sql.exec("SELECT * FROM project").toArray();
    if (row === undefined) return null;
    const { project_id, secret_derivation, wallets_per_month, created_at_ms, name, ...rest } = rowSchema.parse(row);
    return {
      projectId: project_id,
      name,
      secretDerivation: secret_derivation,
      walletsPerMonth: wallets_per_month,
      exportEnabled: rest.export_enabled !== 0,
      sessionEpoch: rest.session_epoch,
      createdAtMs: created_at_ms,
    };
  }

  /** @throws Error if the project was never created. */
  existing(): ProjectView {
    const view = this.view();
    if (view === null) throw neverCreated();
    return view;
  }

  /** Returns the limit of new wallets a month. Null without a limit. @throws as `existing`. */
  walletsPerMonth(): number | null {
    const [row] = this.#parts.sql
      .exec<{ wallets_per_month: number | null }>("SELECT wallets_per_month FROM project")
      .toArray();
    if (row === undefined) throw neverCreated();
    return row.wallets_per_month;
  }

  /** Returns how wallet secrets are derived. Null if the project was never created. */
  derivation(): ProjectDerivation | null {
    const view = this.view();
    return view === null ? null : { derivation: view.secretDerivation, salt: this.#salt() };
  }

  /** Returns the derivation salt, 32 bytes. @returns `export_disabled`. Throws if the project was never created. */
  exportSalt(): Outcome<Uint8Array> {
    const allowed = this.checkExport();
    return allowed.ok ? done(this.#salt()) : allowed;
  }

  /**
   * @returns `export_disabled` unless the operator has switched exports on. Throws if the project was never created.
   */
  checkExport(): Outcome<null> {
    if (this.existing().exportEnabled) return done(null);
    return refuse("export_disabled", "this project does not allow exports: have the operator allow them");
  }

  #salt(): Uint8Array {
    return new Uint8Array(this.#parts.sql.exec<{ salt: ArrayBuffer }>("SELECT salt FROM project").one().salt);
  }
}
