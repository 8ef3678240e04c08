import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../bindings/env.ts";
import type { ArrivingPart, MovingObject, StoredPart, TransferTerms } from "../../bindings/transfer.ts";
import { type Outcome, refuse } from "../../errors.ts";
import type { DueTable } from "../due-table.ts";
import { readStored, type Transfer, writeStored } from "./state.ts";
import type { TablePosition } from "./tables.ts";

/** The parts of an object that its transfer needs. */
export interface TransferHooks {
  readonly transfer: Transfer;
  readonly due: DueTable;
  readonly nowMs: () => number;
  /** Returns true if the object holds rows. */
  readonly isUsed: () => boolean;
  /** Forgets its memory, because the stored rows have changed. */
  readonly reload: () => void;
  /** Returns true if the stored rows are all of the newest schema. */
  readonly isMigrated: () => boolean;
}

/** An object that moves with its project. It stops, is copied, and continues elsewhere. */
export abstract class MovingDurableObject extends DurableObject<Env> implements MovingObject {
  abstract transferHooks(): TransferHooks;

  async mayMove(): Promise<boolean> {
    return this.transferHooks().isMigrated();
  }

  async closeForTransfer(terms: TransferTerms): Promise<void> {
    const { transfer, isUsed, nowMs } = this.transferHooks();
    if (isUsed()) transfer.close(terms, nowMs());
  }

  async reopen(transferId: string): Promise<void> {
    const { transfer, due } = this.transferHooks();
    transfer.reopen(transferId);
    if (transfer.isOpen) due.rearm();
  }

  async readStored(from: TablePosition | null): Promise<StoredPart> {
    const { transfer, isUsed } = this.transferHooks();
    if (transfer.isOpen && isUsed()) throw new Error("this object is not closed: close its project again");
    return readStored(this.ctx.storage.sql, from);
  }

  async writeStored(part: ArrivingPart): Promise<Outcome<null>> {
    const { transfer, isUsed, nowMs, reload } = this.transferHooks();
    const terms = { transferId: part.transferId, destination: "" };
    const written = transfer.commit(() => {
      const isNew = transfer.record?.transferId !== part.transferId;
      if (isNew && !part.isFirst) return refuse("bad_params", "the object's first part is missing: send it first");
      const arriving = transfer.arrive(terms, isUsed(), nowMs());
      return arriving.ok ? writeStored(this.ctx.storage.sql, part) : arriving;
    });
    reload();
    return written;
  }

  async completeTransfer(transferId: string): Promise<void> {
    const { transfer, due, reload } = this.transferHooks();
    transfer.complete(transferId);
    reload();
    if (transfer.isOpen) due.rearm();
  }
}
