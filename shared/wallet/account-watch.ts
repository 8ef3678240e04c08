import { addressOf } from "../chain/address.ts";
import { type AptosNetwork, aptosNetworks } from "../networks.ts";
import type { WalletParts } from "./parts.ts";
import { createRareTables } from "./schema.ts";
import type { LoadedWallet } from "./store.ts";

/** Due row of each network: the next look for the account that the wallet's first transaction creates. */
const ACCOUNT = "account";
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 300_000;
/** Exceeds the longest wait of a transaction for its execution. */
const GIVE_UP_AFTER_MS = 4_500_000;

/** Longest waits between runs of a due row, in ms. */
export const ACCOUNT_INTERVALS = { [ACCOUNT]: LONGEST_WAIT_MS } as const;

/** Looks for the on-chain account of an Aptos wallet, and raises `wallet.initialized` once it exists. */
export class AccountWatch {
  readonly #parts: WalletParts;

  constructor(parts: WalletParts) {
    this.#parts = parts;
  }

  /** Starts the watch. Call it before anything is sent, so that a caller that dies still gets the event. */
  start(network: AptosNetwork): void {
    const { storage, due, deps } = this.#parts;
    const { sql } = storage;
    const nowMs = deps.clock.nowMs();
    createRareTables(sql);
    const started = sql
      .exec(
        `INSERT INTO awaited_account (network, since_ms) VALUES (?, ?) ON CONFLICT (network)
         DO UPDATE SET since_ms = excluded.since_ms WHERE found = 0 RETURNING 1`,
        network,
        nowMs,
      )
      .toArray();
    if (started.length > 0) due.set(ACCOUNT, network, nowMs + FIRST_WAIT_MS);
  }

  /** @param stored null if no wallet was made. Its due rows are then deleted. */
  async runDue(stored: LoadedWallet | null, nowMs: number): Promise<void> {
    for (const { reference } of this.#parts.due.listDue(ACCOUNT, nowMs, aptosNetworks.length)) {
      const network = aptosNetworks.find((known) => known === reference);
      if (network === undefined || stored === null) this.#parts.due.set(ACCOUNT, reference, null);
      else await this.#lookOrWait(network, stored);
    }
  }

  /** A network whose look-up throws waits, and holds up no other one. */
  async #lookOrWait(network: AptosNetwork, stored: LoadedWallet): Promise<void> {
    const { deps, due, name } = this.#parts;
    try {
      await this.#look(network, stored);
    } catch (error) {
      due.set(ACCOUNT, network, deps.clock.nowMs() + LONGEST_WAIT_MS);
      deps.log("wallet.account_failed", { wallet: name, network, error: String(error) });
    }
  }

  /**
   * Looks for the account once. Waits longer before each further look. Stops when the transaction can have no effect
   * any more.
   */
  async #look(network: AptosNetwork, { ref, publicKey }: LoadedWallet): Promise<void> {
    const { storage, due, deps, outbox } = this.#parts;
    const { chain, walletId } = ref;
    const address = addressOf(chain, publicKey);
    const exists = await deps.aptosNode(network).accountExists(address);
    const nowMs = deps.clock.nowMs();
    storage.transactionSync(() => {
      const { sql } = storage;
      const { since_ms: sinceMs } = sql
        .exec<{ since_ms: number }>("SELECT since_ms FROM awaited_account WHERE network = ?", network)
        .one();
      const waitedMs = nowMs - sinceMs;
      if (exists.ok && exists.value) {
        sql.exec("UPDATE awaited_account SET found = 1 WHERE network = ?", network);
        outbox.raise({ type: "wallet.initialized", data: { chain, walletId, address, network } });
      }
      const isOver = exists.ok && (exists.value || waitedMs > GIVE_UP_AFTER_MS);
      const waitMs = Math.min(Math.max(waitedMs, FIRST_WAIT_MS), LONGEST_WAIT_MS);
      due.set(ACCOUNT, network, isOver ? null : nowMs + waitMs);
    });
  }
}
