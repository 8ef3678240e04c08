import type { ProjectDerivation } from "./derivation.ts";

/** Each takes about 200 bytes. */
const MAX_PROJECTS = 1_000;

/**
 * Remembers in a Worker's memory how projects derive their secrets. A project fixes this when it is made, and never
 * changes it.
 */
export class KnownDerivations {
  readonly #byProject = new Map<string, ProjectDerivation>();

  /**
   * Returns the terms of a project.
   *
   * @param read reads the terms of a project that is not known yet. Null, which is not remembered, if the project has
   * no record.
   */
  async of(
    projectId: string,
    read: (projectId: string) => Promise<ProjectDerivation | null>,
  ): Promise<ProjectDerivation | null> {
    const known = this.#byProject.get(projectId);
    if (known !== undefined) return known;
    const terms = await read(projectId);
    if (terms === null) return null;
    const [oldest] = this.#byProject.keys();
    if (this.#byProject.size >= MAX_PROJECTS && oldest !== undefined) this.#byProject.delete(oldest);
    this.#byProject.set(projectId, terms);
    return terms;
  }
}
