import type { WalletView } from "../bindings/wallet.ts";
import { addressOf } from "../chain/address.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { type WalletRef, walletName } from "./context.ts";
import { corruptRecord } from "./inner-layer.ts";
import type { WalletOpening } from "./opening.ts";
import { projectOf, type WalletParts } from "./parts.ts";
import type { OpenedRecord } from "./record.ts";
import type { LoadedWallet } from "./store.ts";

const FIRST_RETRY_MS = 15_000;
/** Longest wait before the project is called again, in ms. Its project may have moved away for ever. */
export const LONGEST_CONFIRM_RETRY_MS = 600_000;

/**
 * Returns the wait before the project is called again, in ms. It is as long as the wallet is old. So it doubles with
 * each failure, and a restart does not shorten it.
 */
function confirmRetryMs({ createdAtMs }: LoadedWallet, nowMs: number): number {
  return Math.min(Math.max(nowMs - createdAtMs, FIRST_RETRY_MS), LONGEST_CONFIRM_RETRY_MS);
}

/**
 * Makes the project list the wallet's address before it is given out. The project thereby notices a lost record, and
 * refuses to make the wallet anew.
 */
export class WalletListing {
  readonly #parts: WalletParts;
  readonly #opening: WalletOpening;

  constructor(parts: WalletParts, opening: WalletOpening) {
    this.#parts = parts;
    this.#opening = opening;
  }

  /**
   * Lists the address once.
   *
   * @returns `corrupt_record` if the project has handed out another address; refusals of `WalletOpening.open`;
   * `overloaded` if the project does not answer. The alarm then tries again.
   */
  async list(stored: LoadedWallet): Promise<Outcome<null>> {
    if (stored.isListed) return done(null);
    const opened = await this.#opening.open(stored, stored.ref);
    if (!opened.ok) return opened;
    const { deps, due, store } = this.#parts;
    const nowMs = deps.clock.nowMs();
    due.set("confirm", "", nowMs + confirmRetryMs(stored, nowMs));
    const { projectId } = stored.ref;
    try {
      const listed = await projectOf(this.#parts, projectId).confirmWallet(walletView(stored, opened.value));
      if (!listed.ok) this.#opening.logCorruptRecord(projectId);
      else store.markListed();
      due.set("confirm", "", null);
      return listed;
    } catch (error) {
      deps.log("wallet.confirm_failed", { project: projectId, error: String(error) });
      return refuse("overloaded", "the wallet's project did not answer: try again later");
    }
  }

  /**
   * Returns the address of the wallet that the caller names, once the project lists it.
   *
   * @returns refusals of `WalletOpening.open` and `list`.
   */
  async address(stored: LoadedWallet, wallet: WalletRef): Promise<Outcome<string>> {
    const opened = await this.#opening.open(stored, wallet);
    if (!opened.ok) return opened;
    const listed = await this.list(stored);
    return listed.ok ? done(addressOf(wallet.chain, stored.publicKey)) : listed;
  }

  /** Refuses a wallet without a record: `corrupt_record` if its project has listed it, otherwise `unknown_wallet`. */
  async refuseAbsent(wallet: WalletRef): Promise<Outcome<never>> {
    const isLost = await projectOf(this.#parts, wallet.projectId).missesWallet(walletName(wallet));
    if (!isLost) return refuse("unknown_wallet", "this project has no such wallet on this chain: create it first");
    this.#opening.logCorruptRecord(wallet.projectId);
    return corruptRecord();
  }
}

/** Returns the public view of a wallet. */
export function walletView({ ref, publicKey }: LoadedWallet, { masterKeyVersion }: OpenedRecord): WalletView {
  const { chain, walletId } = ref;
  return { entry: { name: walletName(ref), chain, walletId }, address: addressOf(chain, publicKey), masterKeyVersion };
}
