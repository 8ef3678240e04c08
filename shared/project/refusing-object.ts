import { createDeps } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import type { Refusal } from "../errors.ts";
import { RefusalLog } from "../fund/explain/refusal-log.ts";
import type { AskedCall } from "../fund/explain/refused-call.ts";
import type { RefusalQuery } from "../fund/explain/sqlite-refused-calls.ts";
import { MovingProject } from "./transfer/moving-object.ts";
import { addressOfWallet } from "./wallets.ts";

/** The methods that keep the refused calls of a project's wallets. A fund keeps those of its own. */
export abstract class RefusingProject extends MovingProject {
  readonly #refusals: RefusalLog;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { storage } = ctx;
    const { clock, log } = createDeps(env);
    this.#refusals = new RefusalLog(storage.sql, {
      nowMs: () => clock.nowMs(),
      commit: (change) => {
        if (this.projectTransfer().isOpen) storage.transactionSync(change);
      },
      logFailure: (error) => log("project.refusals_failed", { error: String(error) }),
    });
  }

  async noteRefusal(asked: AskedCall, refusal: Refusal, wallet: string | null = null): Promise<void> {
    const { sql } = this.ctx.storage;
    this.#refusals.refused(
      () => (wallet === null ? asked : { ...asked, sender: addressOfWallet(sql, wallet) }),
      refusal,
    );
  }

  async refusedCalls(query: RefusalQuery) {
    return this.#refusals.list(query);
  }
}
