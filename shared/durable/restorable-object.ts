import type { RestorableObject, RestorePoint } from "../bindings/restore.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { MovingDurableObject } from "./transfer/moving-object.ts";

/**
 * An object that the platform can bring back to an earlier time. Cloudflare keeps 30 days. A runtime of one's own keeps
 * none: https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/#pitr-point-in-time-recovery-api
 */
export abstract class RestorableDurableObject extends MovingDurableObject implements RestorableObject {
  async orderRestore(point: RestorePoint): Promise<Outcome<{ readonly undoBookmark: string }>> {
    const { transfer, isUsed } = this.transferHooks();
    const usable = transfer.refusal();
    if (!usable.ok) return usable;
    const arrivedAtMs = transfer.record?.atMs ?? 0;
    if (!isUsed() || ("atMs" in point && point.atMs < arrivedAtMs))
      return refuse("bad_params", "the object had no state here at that time: use a later one");
    const { storage } = this.ctx;
    try {
      const bookmark = "bookmark" in point ? point.bookmark : await storage.getBookmarkForTime(point.atMs);
      return done({ undoBookmark: await storage.onNextSessionRestoreBookmark(bookmark) });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return refuse("bad_params", `the platform cannot restore it: ${why} Put a copy of the whole state back instead`);
    }
  }

  async restart(): Promise<void> {
    this.ctx.abort("the object starts again from its restored state");
  }
}
