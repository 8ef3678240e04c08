import type { OpenInput } from "../bindings/wallet.ts";
import type { MasterKeys } from "../crypto/master-keys.ts";
import type { Outcome } from "../errors.ts";
import type { WalletListing } from "./listing.ts";
import type { WalletOpening } from "./opening.ts";
import { masterKeysOf, type WalletParts } from "./parts.ts";
import type { LoadedWallet } from "./store.ts";
import { WrongSecretCounts } from "./wrong-secrets.ts";

/** Lets callers use the wallet's secret, and counts wrong ones. */
export class SecretUse {
  readonly #parts: WalletParts;
  readonly #opening: WalletOpening;
  readonly #listing: WalletListing;
  readonly #wrong: WrongSecretCounts;

  constructor(parts: WalletParts, opening: WalletOpening, listing: WalletListing) {
    this.#parts = parts;
    this.#opening = opening;
    this.#listing = listing;
    this.#wrong = new WrongSecretCounts(parts);
  }

  /**
   * Runs `use` with the stored wallet, and overwrites the secret afterwards. Every call except a creation uses this
   * method.
   *
   * @returns refusals of `use`, `WalletListing.refuseAbsent` and `counting`.
   */
  async run<Result>(
    { wallet, secret, keyId }: OpenInput,
    use: (stored: LoadedWallet, masterKeys: MasterKeys) => Promise<Outcome<Result>>,
  ): Promise<Outcome<Result>> {
    try {
      const stored = this.#parts.store.read();
      if (stored === null) return await this.#listing.refuseAbsent(wallet);
      return await this.counting(stored, keyId, () => use(stored, masterKeysOf(this.#parts)));
    } finally {
      secret.bytes.fill(0);
    }
  }

  /**
   * Counts a wrong secret for the access key that sends it. The right secret passes after any number of wrong ones.
   *
   * @returns refusals of `use` and `WalletListing.list`; `rate_limited` instead of one `wrong_secret` too many.
   */
  async counting<Result>(
    stored: LoadedWallet,
    keyId: string,
    use: () => Promise<Outcome<Result>>,
  ): Promise<Outcome<Result>> {
    const listed = await this.#listing.list(stored);
    if (!listed.ok) return listed;
    const used = await this.#opening.orMissingKey(use());
    if (used.ok) this.#wrong.forget(keyId);
    else if (used.error.reason === "corrupt_record") this.#opening.logCorruptRecord(stored.ref.projectId);
    else if (used.error.reason === "wrong_secret") return this.#wrong.count(stored.ref, keyId) ?? used;
    return used;
  }
}
