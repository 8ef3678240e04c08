import type { CreateWallet, ImportWallet } from "../bindings/wallet.ts";
import { addressOf } from "../chain/address.ts";
import { mayBeSealed } from "../directory/right-secrets.ts";
import { KeyedMutex } from "../durable/keyed-mutex.ts";
import type { Outcome } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import { type WalletRef, walletName } from "./context.ts";
import type { WalletListing } from "./listing.ts";
import type { WalletOpening } from "./opening.ts";
import { masterKeysOf, projectOf, type WalletParts } from "./parts.ts";
import { createWallet, openWallet, resealWallet, type StoredWallet } from "./record.ts";
import { checkRepeatedCreation } from "./rules.ts";
import type { SecretUse } from "./secret-use.ts";
import type { LoadedWallet } from "./store.ts";

/** Creations run one at a time, so that the next one finds the wallet. */
const CREATION = "creation";

/** Makes the wallet of an object once. Every further creation returns the existing wallet. */
export class WalletCreation {
  readonly #parts: WalletParts;
  readonly #opening: WalletOpening;
  readonly #listing: WalletListing;
  readonly #secrets: SecretUse;
  readonly #mutex = new KeyedMutex();

  constructor(parts: WalletParts, opening: WalletOpening, listing: WalletListing, secrets: SecretUse) {
    this.#parts = parts;
    this.#opening = opening;
    this.#listing = listing;
    this.#secrets = secrets;
  }

  /** Implements `WalletObject.create`. */
  create(input: CreateWallet): Promise<Outcome<string>> {
    const { wallet, secret, idempotency } = input;
    const { deps } = this.#parts;
    return this.#orExisting(input, () =>
      this.#make(wallet, idempotency, null, () =>
        createWallet(wallet, secret, masterKeysOf(this.#parts), deps.randomBytes),
      ),
    );
  }

  /** Implements `WalletObject.checkImport`. */
  checkImport(input: CreateWallet): Promise<Outcome<string> | null> {
    return this.#orExisting(input, async () => null);
  }

  /** Implements `WalletObject.import`. */
  async import(input: ImportWallet): Promise<Outcome<string>> {
    const { wallet, stored, idempotency } = input;
    // The caller may lack the newest master key during a roll-out. The project counts by this object's version.
    const resealed = await this.#opening.orMissingKey(
      resealWallet(stored, wallet, masterKeysOf(this.#parts), this.#parts.deps.randomBytes),
    );
    if (!resealed.ok && resealed.error.reason === "corrupt_record")
      throw new Error("an imported record is not one of this wallet");
    if (!resealed.ok) return resealed;
    const sealed = { ...stored, record: resealed.value };
    return this.#orExisting(input, () =>
      this.#make(wallet, idempotency, addressOf(wallet.chain, stored.publicKey), async () => sealed),
    );
  }

  #orExisting<Made>(input: CreateWallet, make: () => Promise<Made>): Promise<Made | Outcome<string>> {
    return this.#mutex.run<Made | Outcome<string>>(CREATION, async () => {
      const existing = this.#parts.store.read();
      return existing === null ? make() : this.#answerExisting(existing, input);
    });
  }

  /** Checks the secret first. Without it, a caller gets no other information about the wallet. */
  async #answerExisting(existing: LoadedWallet, input: CreateWallet): Promise<Outcome<string>> {
    const { wallet, secret, keyId, idempotency } = input;
    const masterKeys = masterKeysOf(this.#parts);
    const opened = await this.#secrets.counting(existing, keyId, () =>
      openWallet(existing, wallet, secret, masterKeys),
    );
    if (!opened.ok) return opened;
    const repeat = checkRepeatedCreation(existing, idempotency, this.#parts.deps.clock.nowMs());
    return repeat.ok ? this.#listing.address(existing, wallet) : repeat;
  }

  /** @param address address of the wallet. Null if it is unknown until its key is made. */
  async #make(
    wallet: WalletRef,
    idempotency: IdempotencyClaim | null,
    address: string | null,
    make: () => Promise<StoredWallet>,
  ): Promise<Outcome<string>> {
    const { env, deps, store } = this.#parts;
    const keys = await mayBeSealed(env, deps);
    if (!keys.ok) return keys;
    const entry = { name: walletName(wallet), chain: wallet.chain, walletId: wallet.walletId };
    const terms = {
      masterKeyVersion: masterKeysOf(this.#parts).current,
      scope: idempotency?.scope ?? null,
      address,
    };
    const admitted = await projectOf(this.#parts, wallet.projectId).admitWallet(entry, terms);
    if (!admitted.ok) {
      if (admitted.error.reason === "corrupt_record") this.#opening.logCorruptRecord(wallet.projectId);
      return admitted;
    }
    const sealed = await make();
    const nowMs = deps.clock.nowMs();
    const stored = store.insert(wallet, sealed, idempotency, nowMs, () => this.#listing.makeDue(nowMs, nowMs));
    return this.#listing.address(stored, wallet);
  }
}
