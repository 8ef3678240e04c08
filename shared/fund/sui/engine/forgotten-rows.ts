/* Sui only: On Aptos the chain's time closes every row. */

import { assumeSigned, closeForgotten, closeTreasuryForgotten, type Proof } from "../recover.ts";
import { settle } from "../settle.ts";
import { settleTreasury } from "../treasury-settle.ts";
import type { SuiFundCore } from "./chain.ts";
import { believedEpoch, deathEvidence, observeCoins } from "./evidence.ts";
import type { SuiLookUps } from "./look-ups.ts";

/** Closes the open rows of a restored state: executed if the chain shows them, otherwise dead. */
export class ForgottenRows {
  readonly #core: SuiFundCore;
  readonly #lookUps: SuiLookUps;

  constructor(core: SuiFundCore, lookUps: SuiLookUps) {
    this.#core = core;
    this.#lookUps = lookUps;
  }

  /** Closes sponsorships, as far as the chain shows their ends. @param digests at most `NODE_BATCH_LIMIT`. */
  async close(digests: readonly string[], proof: Proof): Promise<void> {
    const core = this.#core;
    const { store } = core;
    core.commit(() => {
      for (const digest of digests) assumeSigned(store, digest, core.nowMs());
    });
    const held = digests.flatMap((digest) => store.coinsHeldBy(digest).map(({ objectId }) => objectId));
    const believed = believedEpoch(core);
    const coins = await observeCoins(core, held);
    if (coins === "no_answer") return;
    const { findings } = await this.#lookUps.settling(digests);
    core.commit(() => {
      for (const [digest, finding] of findings) {
        const nowMs = core.nowMs();
        if (finding.value === null)
          closeForgotten(store, digest, deathEvidence(believed, coins, finding), proof, nowMs);
        else if (!settle(store, finding.value, nowMs))
          this.#lookUps.failed(digest, "its effects cannot be those of what was signed");
      }
    });
  }

  /** Closes a treasury transaction, as far as the chain shows its end. */
  async closeTreasury(digest: string, proof: Proof): Promise<void> {
    const core = this.#core;
    const { store, address } = core;
    const transaction = store.treasuryTransaction(digest);
    if (transaction === null || address === null) return;
    const ids = [...store.coinsHeldBy(digest), ...transaction.bumpedCoins].map(({ objectId }) => objectId);
    const believed = believedEpoch(core);
    const coins = await observeCoins(core, ids);
    if (coins === "no_answer") return;
    const { findings } = await this.#lookUps.find([digest], "effects");
    const finding = findings.get(digest);
    if (finding === undefined) return;
    core.commit(() => {
      const nowMs = core.nowMs();
      if (finding.value === null)
        closeTreasuryForgotten(store, digest, deathEvidence(believed, coins, finding), proof, nowMs);
      else settleTreasury(store, finding.value, address, nowMs);
    });
  }
}
