import { type Deps, serviceMasterKeys } from "../bindings/deps.ts";
import type { FundArchiveObject } from "../bindings/fund-archive.ts";
import { addressOf } from "../chain/address.ts";
import { openSigner, type SealedKey, type Signer } from "../crypto/signer.ts";
import { isDiskFault, refuseStorage } from "../durable/disk-fault.ts";
import type { DueTable } from "../durable/due-table.ts";
import { readStorageUse, type StorageUse } from "../durable/storage-budget.ts";
import type { Transfer } from "../durable/transfer/state.ts";
import { type Outcome, STORAGE_FAILED } from "../errors.ts";
import { chainOf } from "../networks.ts";
import { type CompiledPolicy, compilePolicy } from "../policy/compile-fund-policy.ts";
import { archiveName } from "./archive/months.ts";
import type { Raise } from "./events.ts";
import type { SqliteFundBooks } from "./ledger/sqlite-books.ts";
import { type FundRecord, writeFundRecord } from "./record.ts";
import { behindChain } from "./recovery.ts";
import type { SponsoringState } from "./refusals.ts";
import { SHORTEST_SCAN_MS, scanIntervalMs } from "./scan-interval.ts";
import { CHAIN_RESET, type SHORT_EPOCH, STATE_BEHIND_CHAIN } from "./views.ts";

/** The domain of a fund's sealed key. It is part of the stored format. */
export const FUND_KEY_LABEL = "fund-key";

/** The parts that a fund gets from its Durable Object. */
export interface FundParts {
  readonly deps: Deps;
  readonly state: DurableObjectState;
  readonly due: DueTable;
  /** Raises an event for the project's webhooks, from within a commit. */
  readonly raise: Raise;
  /** Names an archive's object and returns it. */
  readonly archiveNamed: (name: string) => FundArchiveObject;
  /** Answers whether the fund's project works here. */
  readonly transfer: Transfer;
}

/**
 * One fund inside its Durable Object, on any chain: its record, its books and its key. The object's methods and its
 * upkeep both work through this class. It holds no rules, which live in the other files of `shared/fund`.
 */
export abstract class FundCore<Store extends SqliteFundBooks = SqliteFundBooks> {
  readonly deps: Deps;
  readonly store: Store;
  readonly due: DueTable;
  readonly #storage: DurableObjectStorage;
  /** Ends this instance with all of its memory. The next call starts from the stored rows. */
  readonly #abort: (reason: string) => void;
  readonly #archiveNamed: (name: string) => FundArchiveObject;
  readonly #transfer: Transfer;
  #record: FundRecord;
  #policy: CompiledPolicy;
  #address: string | null = null;
  #signer: Promise<Signer> | null = null;
  /** The wait for the last commit. Null if no call has begun it. */
  #synced: Promise<void> | null = null;
  /** The commit under way, with its reading of the disk, if it has made one. Null outside of a commit. */
  #commit: { storage: StorageUse | null } | null = null;
  /** The last demand within the life of this instance. */
  #demandAtMs = Number.NEGATIVE_INFINITY;

  constructor({ deps, state, due, archiveNamed, transfer }: FundParts, record: FundRecord, store: Store) {
    this.deps = deps;
    this.due = due;
    this.store = store;
    this.#storage = state.storage;
    this.#abort = (reason) => state.abort(reason);
    this.#archiveNamed = archiveNamed;
    this.#transfer = transfer;
    this.#record = record;
    this.#policy = compilePolicy(record.policy, chainOf(record.network));
  }

  get record(): FundRecord {
    return this.#record;
  }

  /** The fund's own policy, ready to judge. */
  get policy(): CompiledPolicy {
    return this.#policy;
  }

  /** The fund's address. Null until a deposit address was made. */
  get address(): string | null {
    const { key, network } = this.#record;
    if (this.#address === null && key !== null) this.#address = addressOf(chainOf(network), key.publicKey);
    return this.#address;
  }

  nowMs(): number {
    return this.deps.clock.nowMs();
  }

  /** Reads what the fund's storage uses of its disk budget, the transaction under way included. */
  storageUse(): StorageUse {
    return readStorageUse(this.#storage.sql, this.#record.limits.fundBytes);
  }

  /**
   * Reads the states in which the fund sponsors nothing new. All decisions of one commit use one reading of the disk,
   * which costs a statement. A grouped commit carries at most 64 transitions (`MAX_BATCH_ITEMS`). Their rows are
   * written after the reading, so the use may exceed the budget by these rows.
   */
  sponsoringState(): SponsoringState {
    const { pausedCause } = this.#record;
    if (this.#commit === null) return { pausedCause, storage: this.storageUse() };
    this.#commit.storage ??= this.storageUse();
    return { pausedCause, storage: this.#commit.storage };
  }

  /**
   * Runs a transition in one storage transaction: all of its rows and the alarm, or none.
   * Ends this instance if the storage fails to commit a decided transition, since memory and disk may then differ.
   */
  commit<T>(transition: () => T): T {
    // A call that began before the close must not change rows that are being copied.
    this.#transfer.requireOpen();
    const record = this.#record;
    const outer = this.#commit;
    let decided = false;
    this.#commit ??= { storage: null };
    try {
      return this.store.transact(() => {
        const value = transition();
        decided = true;
        // An earlier wait does not cover this commit.
        this.#synced = null;
        return value;
      });
    } catch (error) {
      // The rows are rolled back. The changes in memory and the alarm have to be rolled back, too.
      this.#setRecord(record);
      this.#rearmAfterFault();
      if (decided) throw this.#storageFailed(error);
      if (isDiskFault(error)) this.deps.log("fund.write_failed", { fund: this.#record.fundId, error: String(error) });
      throw error;
    } finally {
      this.#commit = outer;
    }
  }

  /**
   * Arms the alarm again, which is a write. A disk fault here must not hide the first error.
   * The next call arms an overdue alarm.
   */
  #rearmAfterFault(): void {
    try {
      this.due.rearm();
    } catch (error) {
      if (!isDiskFault(error)) throw error;
    }
  }

  /** Commits a change that may wait. `commit` logs a full disk, which must not fail a caller who only needs a node. */
  commitIfTaken(transition: () => void): void {
    try {
      this.commit(transition);
    } catch (error) {
      if (!isDiskFault(error)) throw error;
    }
  }

  /** Works as `commit`, for a call that has sent nothing yet. Refuses with `storage` if the disk does not accept it. */
  commitOrRefuse<T>(transition: () => Outcome<T>): Outcome<T> {
    try {
      return this.commit(transition);
    } catch (error) {
      if (isDiskFault(error)) return refuseStorage();
      throw error;
    }
  }

  /**
   * Makes the error for the calls of this commit. Other calls under way get another error, because their commits may be
   * on disk.
   */
  #storageFailed(error: unknown): Error {
    this.deps.log("fund.storage_failed", { fund: this.#record.fundId, error: String(error) });
    setTimeout(() => this.#abort("a commit failed: this instance starts anew"), 0);
    return new Error(STORAGE_FAILED);
  }

  /** Returns the archive of the fund's rows of a month. */
  archive(month: string): FundArchiveObject {
    return this.#archiveNamed(archiveName(this.#record.fundId, month));
  }

  /** Returns the time until the fund looks for deposits again, ms. */
  scanIntervalMs(): number {
    return scanIntervalMs(this.nowMs() - this.#demandAtMs);
  }

  /**
   * Records that a call uses or views the fund. The fund then looks for deposits often again. If it was idle and its
   * next look was far, it looks immediately.
   */
  noteDemand(): void {
    const wasIdle = this.scanIntervalMs() > SHORTEST_SCAN_MS;
    this.#demandAtMs = this.nowMs();
    if (!wasIdle) return;
    try {
      const dueAtMs = this.due.dueAt("scan", "");
      if (dueAtMs !== null && dueAtMs > this.#demandAtMs + SHORTEST_SCAN_MS) this.due.set("scan", "", this.#demandAtMs);
    } catch (error) {
      // A full disk must not fail the caller's request.
      this.deps.log("fund.demand_failed", { fund: this.#record.fundId, error: String(error) });
    }
  }

  /**
   * Waits until everything committed so far is on disk. Every signature waits for it. Callers between two commits share
   * one wait.
   */
  durable(): Promise<void> {
    this.#synced ??= this.#storage.sync();
    return this.#synced;
  }

  changeRecord(change: Partial<FundRecord>): FundRecord {
    this.#setRecord({ ...this.#record, ...change });
    writeFundRecord(this.#storage.sql, this.#record);
    return this.#record;
  }

  /**
   * Stops sponsoring because of a node's reply. Reports each change once, in the log and as an event.
   *
   * @param chain the chain that the node claims to serve.
   */
  pauseByItself(cause: typeof CHAIN_RESET | typeof SHORT_EPOCH, chain: string): void {
    if (this.#record.pausedCause === cause) return;
    this.commit(() => {
      this.changeRecord({ pausedCause: cause });
      this.store.raise({ type: "fund.paused", cause });
    });
    const event = cause === CHAIN_RESET ? "fund.chain_reset" : "fund.short_epoch";
    this.deps.log(event, { fund: this.#record.fundId, chain });
  }

  /**
   * Stops sponsoring and paying out, because the stored state is older than the chain. Reports it once.
   *
   * @param evidence the facts that show it, in words.
   */
  pauseBehindChain(evidence: string): void {
    const { fundId, pausedCause, recovery } = this.#record;
    if (pausedCause === CHAIN_RESET || (recovery !== null && recovery.step !== "done")) return;
    this.commit(() => {
      this.changeRecord(behindChain(this.#record, evidence, this.nowMs()));
      this.store.raise({ type: "fund.paused", cause: STATE_BEHIND_CHAIN });
    });
    const run = `POST /admin/v1/funds/${fundId}/recover`;
    this.deps.log("fund.state_behind_chain", { fund: fundId, evidence, run });
  }

  #setRecord(record: FundRecord): void {
    if (record.policy !== this.#record.policy) this.#policy = compilePolicy(record.policy, chainOf(record.network));
    this.#record = record;
  }

  /**
   * Opens the fund's key, once per instance. The private half stays inside WebCrypto. A decision that needs a signature
   * opens it before, because the master key may come from a key service.
   */
  signer(): Promise<Signer> {
    const { key, fundId } = this.#record;
    if (key === null) throw new Error("a fund without a key has nothing to sign for");
    this.#signer ??= openSigner(key, FUND_KEY_LABEL, fundId, serviceMasterKeys(this.deps)).catch((error) => {
      this.#signer = null;
      throw error;
    });
    return this.#signer;
  }

  setKey(key: SealedKey): void {
    this.#signer = null;
    this.#address = null;
    this.changeRecord({ key });
  }
}
