import type { Context } from "hono";
import type { Deps } from "../../shared/bindings/deps.ts";
import { isMissingMethod } from "../../shared/durable/missing-method.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { chainOf } from "../../shared/networks.ts";
import type { RefusedOfCaller } from "../../shared/rpc/answer-calls.ts";
import { walletName } from "../../shared/wallet/context.ts";

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

  /** Records a refused call of an admitted caller, after its answer. */
  note(c: Context<AppEnv>, refused: RefusedOfCaller): void {
    const second = Math.floor(this.#deps.clock.nowMs() / SECOND_MS);
    this.#count = second === this.#second ? this.#count + 1 : 1;
    this.#second = second;
    if (this.#count > MOST_A_SECOND) return;
    const { requestId } = c.var;
    const { caller, method, error } = refused;
    const { keyId, projectId } = caller;
    const asked = { requestId, keyId, method, sender: null, targets: [], gasBudgetAtoms: null, digest: null };
    const noted = c.env.PROJECT.getByName(projectId)
      .noteRefusal(asked, error, walletOf(refused))
      .catch((fault: unknown) => {
        if (!isMissingMethod(fault, "noteRefusal")) this.#deps.log("project.refusals_failed", { error: String(fault) });
      });
    c.executionCtx.waitUntil(noted);
  }
}

/** Returns the name of the wallet of a refused call. Null if its params name none. */
function walletOf({ caller, params }: RefusedOfCaller): string | null {
  // The interfaces of Sui and Aptos name this param by two cases.
  const walletId = params?.wallet_id ?? params?.walletId;
  const { projectId, network } = caller;
  return typeof walletId === "string" ? walletName({ projectId, chain: chainOf(network), walletId }) : null;
}
