import type { Context } from "hono";
import type { Caller } from "../../shared/access/caller.ts";
import type { Deps } from "../../shared/bindings/deps.ts";
import { isMissingMethod } from "../../shared/durable/missing-method.ts";
import type { Refusal } from "../../shared/errors.ts";
import type { AppEnv } from "../../shared/http/app.ts";

/** The refused calls that one isolate hands over in a second. A flood of them must not load the project. */
const MOST_A_SECOND = 20;
const SECOND_MS = 1_000;

/** Hands refused calls of wallets to their projects, which keep the last ones. No caller waits for it. */
export class WalletRefusals {
  readonly #deps: Deps;
  #second = 0;
  #count = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Notes a refused call of an admitted caller, after its answer. */
  note(c: Context<AppEnv>, { keyId, projectId }: Caller, method: string, refusal: Refusal): void {
    const second = Math.floor(this.#deps.clock.nowMs() / SECOND_MS);
    this.#count = second === this.#second ? this.#count + 1 : 1;
    this.#second = second;
    if (this.#count > MOST_A_SECOND) return;
    const { requestId } = c.var;
    const asked = { requestId, keyId, method, sender: null, targets: [], gasBudgetAtoms: null, digest: null };
    const noted = c.env.PROJECT.getByName(projectId)
      .noteRefusal(asked, refusal)
      .catch((error: unknown) => {
        if (!isMissingMethod(error, "noteRefusal")) this.#deps.log("project.refusals_failed", { error: String(error) });
      });
    c.executionCtx.waitUntil(noted);
  }
}
