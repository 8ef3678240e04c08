import { type Deps, serviceSecrets } from "../bindings/deps.ts";
import { addressOf } from "../chain/address.ts";
import { openSigner, type SealedKey, type Signer } from "../crypto/signer.ts";
import { isDiskFault } from "../durable/disk-fault.ts";
import type { DueTable } from "../durable/due-table.ts";
import { refuseStorage } from "../durable/group-commit.ts";
import { type Outcome, STORAGE_FAILED } from "../errors.ts";
import { chainOf } from "../networks.ts";
import { type CompiledPolicy, compilePolicy } from "../policy/compile-fund-policy.ts";
import type { Raise } from "./events.ts";
import type { SqliteFundBooks } from "./ledger/sqlite-books.ts";
import { type FundRecord, writeFundRecord } from "./record.ts";
import { SHORTEST_SCAN_MS, scanIntervalMs } from "./scan-interval.ts";
import { CHAIN_RESET, type SHORT_EPOCH } from "./views.ts";

/** Domain of a fund's sealed key; part of the stored format. */
export const FUND_KEY_LABEL = "fund-key";

/** What a fund gets of its object. */
export interface FundParts {
  readonly deps: Deps;
  readonly state: DurableObjectState;
  readonly due: DueTable;
  /** Tells the project's webhooks, from within a commit. */
  readonly raise: Raise;
}

/**
 * One fund inside its Durable Object, whatever its chain: its record, its books and its key. The object's methods and
 * its upkeep both work through it. Holds no rules of its own: those are in `shared/fund`.
 */
export abstract class FundCore<Store extends SqliteFundBooks = SqliteFundBooks> {
  readonly deps: Deps;
  readonly store: Store;
  readonly due: DueTable;
  readonly #storage: DurableObjectStorage;
  /** Ends this instance and all of its memory; the next call starts from what is stored. */
  readonly #abort: (reason: string) => void;
  #record: FundRecord;
  #policy: CompiledPolicy;
  #address: string | null = null;
  #signer: Promise<Signer> | null = null;
  /** In the life of this instance. */
  #demandAtMs = Number.NEGATIVE_INFINITY;

  constructor({ deps, state, due }: FundParts, record: FundRecord, store: Store) {
    this.deps = deps;
    this.due = due;
    this.store = store;
    this.#storage = state.storage;
    this.#abort = (reason) => state.abort(reason);
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

  /** The fund's address; null until a deposit address has been made. */
  get address(): string | null {
    const { key, network } = this.#record;
    if (this.#address === null && key !== null) this.#address = addressOf(chainOf(network), key.publicKey);
    return this.#address;
  }

  nowMs(): number {
    return this.deps.clock.nowMs();
  }

  /**
   * Runs a transition in one storage transaction: all of its rows and the alarm, or none. Where the storage fails to
   * commit what the transition has decided, memory and disk may differ: then this instance ends.
   */
  commit<T>(transition: () => T): T {
    const record = this.#record;
    let decided = false;
    try {
      return this.store.transact(() => {
        const value = transition();
        decided = true;
        return value;
      });
    } catch (error) {
      // The rows are rolled back, so what the transition changed in memory and armed has to be, too.
      this.#setRecord(record);
      this.#rearmAfterFault();
      if (decided) throw this.#storageFailed(error);
      if (isDiskFault(error)) this.deps.log("fund.write_failed", { fund: this.#record.fundId, error: String(error) });
      throw error;
    }
  }

  /** To arm is to write. What the disk does not take must not hide the first error; the next call arms what is overdue. */
  #rearmAfterFault(): void {
    try {
      this.due.rearm();
    } catch (error) {
      if (!isDiskFault(error)) throw error;
    }
  }

  /** Commits what may wait: a disk that takes nothing, which `commit` logs, is nobody's fault who asks a node. */
  commitIfTaken(transition: () => void): void {
    try {
      this.commit(transition);
    } catch (error) {
      if (!isDiskFault(error)) throw error;
    }
  }

  /** As `commit`, for a call that has sent nothing yet: if the disk does not take it, the caller hears `storage`. */
  commitOrRefuse<T>(transition: () => Outcome<T>): Outcome<T> {
    try {
      return this.commit(transition);
    } catch (error) {
      if (isDiskFault(error)) return refuseStorage();
      throw error;
    }
  }

  /** Told to the calls of this commit; the others under way must hear something else, since theirs may have held. */
  #storageFailed(error: unknown): Error {
    this.deps.log("fund.storage_failed", { fund: this.#record.fundId, error: String(error) });
    setTimeout(() => this.#abort("a commit failed: this instance starts anew"), 0);
    return new Error(STORAGE_FAILED);
  }

  /** How long until deposits are looked for again. */
  scanIntervalMs(): number {
    return scanIntervalMs(this.nowMs() - this.#demandAtMs);
  }

  /** Notes that somebody uses the fund or looks at it: deposits are looked for often again, and if that was due late, now. */
  noteDemand(): void {
    const wasIdle = this.scanIntervalMs() > SHORTEST_SCAN_MS;
    this.#demandAtMs = this.nowMs();
    if (!wasIdle) return;
    try {
      const dueAtMs = this.due.dueAt("scan", "");
      if (dueAtMs !== null && dueAtMs > this.#demandAtMs + SHORTEST_SCAN_MS) this.due.set("scan", "", this.#demandAtMs);
    } catch (error) {
      // A disk that takes no more writes must not keep anybody from what was asked.
      this.deps.log("fund.demand_failed", { fund: this.#record.fundId, error: String(error) });
    }
  }

  /** Waits until everything committed so far is on disk: no signature is made before that. */
  async durable(): Promise<void> {
    await this.#storage.sync();
  }

  changeRecord(change: Partial<FundRecord>): FundRecord {
    this.#setRecord({ ...this.#record, ...change });
    writeFundRecord(this.#storage.sql, this.#record);
    return this.#record;
  }

  /**
   * Stops sponsoring for what a node says. Told once a change, in the log and as an event.
   *
   * @param chain that the node says it is of.
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

  #setRecord(record: FundRecord): void {
    if (record.policy !== this.#record.policy) this.#policy = compilePolicy(record.policy, chainOf(record.network));
    this.#record = record;
  }

  /** The fund's key, opened once per instance: the private half stays inside WebCrypto. */
  signer(): Promise<Signer> {
    const { key, fundId } = this.#record;
    if (key === null) throw new Error("a fund without a key has nothing to sign for");
    this.#signer ??= openSigner(key, FUND_KEY_LABEL, fundId, serviceSecrets(this.deps).masterKeys).catch((error) => {
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
