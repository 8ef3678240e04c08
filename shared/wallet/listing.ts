import type { WalletView } from "../bindings/wallet.ts";
import { addressOf } from "../chain/address.ts";
import { done, type Outcome, type Reason, refuse } from "../errors.ts";
import { type WalletRef, walletName } from "./context.ts";
import { corruptRecord } from "./inner-layer.ts";
import type { WalletOpening } from "./opening.ts";
import { projectOf, type WalletParts } from "./parts.ts";
import type { OpenedRecord } from "./record.ts";
import type { LoadedWallet } from "./store.ts";

/** Shortest wait before the project is called again, in ms. */
const FIRST_RETRY_MS = 15_000;
/** Longest wait before the project is called again, in ms. The project may have moved away for ever. */
export const LONGEST_CONFIRM_RETRY_MS = 600_000;

/** Due row: the next call of the project, until it lists the address. */
export const CONFIRM = "confirm";

/** Refusals of a listing that say nothing about the wallet. The listing stays due. */
const PASSING: ReadonlySet<Reason> = new Set(["overloaded", "key_service"]);

/**
 * Returns the wait before the project is called again, in ms. It equals the age of the wallet. So it doubles with each
 * failure, and a restart does not shorten it.
 */
function confirmRetryMs(createdAtMs: number, nowMs: number): number {
  return Math.min(Math.max(nowMs - createdAtMs, FIRST_RETRY_MS), LONGEST_CONFIRM_RETRY_MS);
}

/**
 * Makes the project list the wallet's address before it is given out. So the project notices a lost record, and refuses
 * to make the wallet anew.
 */
export class WalletListing {
  readonly #parts: WalletParts;
  readonly #opening: WalletOpening;

  constructor(parts: WalletParts, opening: WalletOpening) {
    this.#parts = parts;
    this.#opening = opening;
  }

  /** Makes the listing due again, in case the present call gets no answer. Call it before that call. */
  makeDue(createdAtMs: number, nowMs: number): void {
    this.#parts.due.set(CONFIRM, "", nowMs + confirmRetryMs(createdAtMs, nowMs));
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
    return opened.ok ? this.#list(stored.ref, stored, opened.value) : opened;
  }

  /**
   * Lists the address if that is due. It stays due until the project has answered, and while the key service fails. A
   * record that does not open waits for its next use.
   *
   * @param stored null if no wallet was made. The due row is then deleted.
   */
  async runDue(stored: LoadedWallet | null, nowMs: number): Promise<void> {
    const { due } = this.#parts;
    if (due.listDue(CONFIRM, nowMs, 1).length === 0) return;
    if (stored !== null && !stored.isListed) {
      this.makeDue(stored.createdAtMs, nowMs);
      const listed = await this.list(stored);
      if (listed.ok || PASSING.has(listed.error.reason)) return;
    }
    due.set(CONFIRM, "", null);
  }

  /**
   * Returns the address of the wallet that the caller names, once the project lists it.
   *
   * @returns refusals of `WalletOpening.open` and `list`.
   */
  async address(stored: LoadedWallet, wallet: WalletRef): Promise<Outcome<string>> {
    const opened = await this.#opening.open(stored, wallet);
    if (!opened.ok) return opened;
    const listed = stored.isListed ? done(null) : await this.#list(wallet, stored, opened.value);
    return listed.ok ? done(addressOf(wallet.chain, stored.publicKey)) : listed;
  }

  /** @param ref the wallet for which the record has opened. */
  async #list(ref: WalletRef, { publicKey, createdAtMs }: LoadedWallet, opened: OpenedRecord): Promise<Outcome<null>> {
    const { deps, due, store } = this.#parts;
    const { projectId } = ref;
    const nowMs = deps.clock.nowMs();
    if ((due.dueAt(CONFIRM, "") ?? nowMs) <= nowMs) this.makeDue(createdAtMs, nowMs);
    try {
      const listed = await projectOf(this.#parts, projectId).confirmWallet(walletView({ ref, publicKey }, opened));
      if (!listed.ok) this.#opening.logCorruptRecord(projectId);
      else store.markListed();
      due.set(CONFIRM, "", null);
      due.disarmIfEmpty();
      return listed;
    } catch (error) {
      deps.log("wallet.confirm_failed", { project: projectId, error: String(error) });
      return refuse("overloaded", "the wallet's project did not answer: try again later");
    }
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
export function walletView(
  { ref, publicKey }: Pick<LoadedWallet, "ref" | "publicKey">,
  { masterKeyVersion }: OpenedRecord,
): WalletView {
  const { chain, walletId } = ref;
  return { entry: { name: walletName(ref), chain, walletId }, address: addressOf(chain, publicKey), masterKeyVersion };
}
