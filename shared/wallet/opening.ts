import { keyServiceRefusal } from "../crypto/key-service.ts";
import { UnopenableSealError } from "../crypto/sealing.ts";
import { withRightKeys } from "../directory/right-secrets.ts";
import { type Outcome, refuse } from "../errors.ts";
import type { WalletRef } from "./context.ts";
import { masterKeysOf, type WalletParts } from "./parts.ts";
import { type OpenedRecord, openRecord, type StoredWallet } from "./record.ts";

/** Opens the record's outer layer, which authenticates public key and address. */
export class WalletOpening {
  readonly #parts: WalletParts;

  constructor(parts: WalletParts) {
    this.#parts = parts;
  }

  /**
   * Opens the outer layer for the wallet that the caller names. No secret is needed.
   *
   * @returns `corrupt_record`, which it logs; `master_key_missing`; `wrong_master_key`; `key_service`.
   */
  async open(stored: StoredWallet, wallet: WalletRef): Promise<Outcome<OpenedRecord>> {
    const opened = await this.orMissingKey(openRecord(stored, wallet, masterKeysOf(this.#parts)));
    if (!opened.ok && opened.error.reason === "corrupt_record") this.logCorruptRecord(wallet.projectId);
    return opened;
  }

  /**
   * Distinguishes a missing or wrong master key from a damaged record. If only the key is wrong, the record is intact,
   * and opens after the right key is back. If no key could be read, nothing is known of the record.
   *
   * @returns the opening's own outcome, `master_key_missing`, `wrong_master_key` or `key_service`.
   */
  async orMissingKey<T>(opening: Promise<Outcome<T>>): Promise<Outcome<T>> {
    const { env, deps, name } = this.#parts;
    try {
      const opened = await opening;
      if (opened.ok || opened.error.reason !== "corrupt_record") return opened;
      const keys = await withRightKeys(env, deps);
      return keys.ok ? opened : keys;
    } catch (error) {
      const unread = keyServiceRefusal(error);
      if (unread !== null) return { ok: false, error: unread };
      if (!(error instanceof UnopenableSealError)) throw error;
      deps.log("wallet.master_key_missing", { wallet: name, error: error.message });
      return refuse(
        "master_key_missing",
        "this wallet is sealed under a master key that MASTER_KEYS lacks: have the operator put it back",
      );
    }
  }

  logCorruptRecord(projectId: string): void {
    this.#parts.deps.log("wallet.corrupt_record", { project: projectId, wallet: this.#parts.name });
  }
}
