import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../bindings/env.ts";
import type { AuditEntry } from "../../bindings/project.ts";
import type { TransferTerms } from "../../bindings/transfer.ts";
import type { TablePosition } from "../../durable/transfer/tables.ts";
import type { CopiedRows } from "./frames.ts";
import type { ProjectTransfer } from "./members.ts";
import type { MemberKind, MemberStep, TransferKind } from "./views.ts";

/** The methods of a project's object for a move of the project. */
export abstract class MovingProject extends DurableObject<Env> {
  abstract projectTransfer(): ProjectTransfer;

  async transferRecord() {
    return this.projectTransfer().record;
  }

  async beginTransfer(terms: TransferTerms, entry: AuditEntry) {
    return this.projectTransfer().begin(terms, entry);
  }

  async reopen(entry: AuditEntry) {
    return this.projectTransfer().reopen(entry);
  }

  async stepMembers(kind: MemberKind, step: MemberStep, terms: TransferTerms, cursor: string | null) {
    return this.projectTransfer().stepMembers(kind, step, terms, cursor);
  }

  async unreadyFunds(cursor: string | null) {
    return this.projectTransfer().unreadyFunds(cursor);
  }

  async transferNames(kind: TransferKind, after: number) {
    return this.projectTransfer().names(kind, after);
  }

  async arrive(terms: TransferTerms) {
    return this.projectTransfer().arrive(terms);
  }

  async takeRows(transferId: string, index: number, objects: readonly CopiedRows[]) {
    return this.projectTransfer().takeRows(transferId, index, objects);
  }

  async beginReopen() {
    return this.projectTransfer().beginReopen();
  }

  async completeTransfer(transferId: string, entry: AuditEntry) {
    this.projectTransfer().complete(transferId, entry);
  }

  async readStored(from: TablePosition | null) {
    return this.projectTransfer().read(from);
  }
}
