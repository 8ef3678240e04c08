import type { AuditEntry, ProjectObject } from "../../bindings/project.ts";
import type { TransferTerms } from "../../bindings/transfer.ts";
import type { TransferRecord } from "../../durable/transfer/state.ts";
import { type Outcome, refuse } from "../../errors.ts";
import type { MemberKind, MemberStep, UnreadyMembers } from "./views.ts";

/** Does one step with every fund or key of a project. @throws if one does not answer. The caller then repeats it. */
export async function stepEveryMember(
  project: ProjectObject,
  kind: MemberKind,
  step: MemberStep,
  terms: TransferTerms,
): Promise<void> {
  let cursor: string | null = null;
  do cursor = await project.stepMembers(kind, step, terms, cursor);
  while (cursor !== null);
}

async function unreadyFunds(project: ProjectObject): Promise<readonly string[]> {
  const unready: string[] = [];
  let cursor: string | null = null;
  do {
    const page: UnreadyMembers = await project.unreadyFunds(cursor);
    unready.push(...page.unready);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return unready;
}

/**
 * Closes a project, its keys and its funds, in this order. A repeat continues after a fault.
 *
 * @returns the transfer that has closed it. Null if the project was never created.
 */
export async function closeProject(
  project: ProjectObject,
  terms: TransferTerms,
  entry: AuditEntry,
): Promise<Outcome<TransferRecord> | null> {
  const unready = await unreadyFunds(project);
  if (unready.length > 0)
    return refuse(
      "bad_params",
      `rows of an older build are still being moved in ${unready.join(", ")}: try again later`,
    );
  const closed = await project.beginTransfer(terms, entry);
  if (closed === null || !closed.ok) return closed;
  await stepEveryMember(project, "key", "close", closed.value);
  await stepEveryMember(project, "fund", "close", closed.value);
  return closed;
}

/** Opens a closed project again: its funds, its keys, then the project, which remembers the transfer until then. */
export async function reopenProject(
  project: ProjectObject,
  record: TransferRecord,
  entry: AuditEntry,
): Promise<Outcome<TransferRecord>> {
  const begun = await project.beginReopen();
  if (!begun.ok) return begun;
  await stepEveryMember(project, "fund", "reopen", record);
  await stepEveryMember(project, "key", "reopen", record);
  return project.reopen(entry);
}
