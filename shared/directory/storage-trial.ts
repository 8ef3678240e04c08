import type { Deps } from "../bindings/deps.ts";
import { DIRECTORY_NAME } from "../bindings/directory.ts";

/** Any caller may cause a trial write. One trial in this time answers all of them. */
const TRIAL_KEPT_MS = 2_000;

/** Tries whether storage accepts a write. */
export class StorageTrial {
  readonly #state: Pick<DurableObjectState, "storage" | "abort">;
  readonly #log: Deps["log"];
  #last: { readonly isStored: Promise<boolean>; readonly sinceMs: number } | null = null;

  constructor(state: Pick<DurableObjectState, "storage" | "abort">, { log }: Pick<Deps, "log">) {
    this.#state = state;
    this.#log = log;
  }

  /** Writes a row as it is, unless that was done lately. False if storage refuses it. */
  run(): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#last === null || nowMs - this.#last.sinceMs >= TRIAL_KEPT_MS)
      this.#last = { isStored: this.#write(), sinceMs: nowMs };
    return this.#last.isStored;
  }

  async #write(): Promise<boolean> {
    const { storage } = this.#state;
    try {
      storage.sql.exec("UPDATE schema_version SET version = version");
      await storage.sync();
      return true;
    } catch (error) {
      this.#log("storage.failed", { object: DIRECTORY_NAME, error: String(error) });
      // An instance with a failed write refuses every later one, even when there is room again.
      setTimeout(() => this.#state.abort("storage failed, and this instance starts anew: repeat the call"), 0);
      return false;
    }
  }
}
