import type { AuditEntry, NewProject, ProjectResource, ProjectView } from "../bindings/project.ts";
import type { AssembledProject } from "./assemble.ts";

/** Stores a new project, with its audit row. To call within a commit. */
export function createProject({ settings, audit }: AssembledProject, project: NewProject, entry: AuditEntry): void {
  settings.insert(project);
  audit.append(entry);
}

/** Checks a repeated creation. @throws Error if the project was made with other content. */
export function requireSameProject(existing: ProjectView, project: NewProject): void {
  if (existing.projectId !== project.projectId || existing.secretDerivation !== project.secretDerivation)
    throw new Error(`${existing.projectId} exists with other content`);
}

/** Lists a fund or key, once, with its audit row. To call within a commit. */
export function addResource(
  { resources, audit, subscriptions }: AssembledProject,
  resource: ProjectResource,
  entry: AuditEntry,
): void {
  if (!resources.add(resource)) return;
  audit.append(entry);
  if (resource.kind === "fund") subscriptions.addFund(resource.id);
}
