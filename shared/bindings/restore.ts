import type { Outcome } from "../errors.ts";

/** A state of an object's storage in the past: a time, or the bookmark that a restore has answered. */
export type RestorePoint = { readonly atMs: number } | { readonly bookmark: string };

/** An object whose storage the platform can bring back to an earlier time (point-in-time recovery). */
export interface RestorableObject {
  /**
   * Orders the platform to restore the storage when the object starts again. Changes made until then are lost.
   *
   * @returns the bookmark that undoes it. `bad_params` if the platform keeps no such state, or the object had none;
   * `project_moved` if the object works elsewhere.
   */
  orderRestore(point: RestorePoint): Promise<Outcome<{ readonly undoBookmark: string }>>;

  /** Ends the instance, so that the next call starts from what was ordered. Rejects always, because it ends the call. */
  restart(): Promise<void>;
}
