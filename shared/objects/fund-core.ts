import type { ChainFacts, SuiNode } from "../chain/sui/node.ts";
import { suiAddress } from "../chain/sui/transaction.ts";
import { openSigner, type SealedKey, type Signer } from "../custody/signer.ts";
import { type Deps, serviceSecrets } from "../deps.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { freshness } from "../fund/chain-facts.ts";
import { SqliteCoinStore } from "../fund/sqlite-coin-store.ts";
import type { FundContext } from "../fund/sui-fund.ts";
import { CHAIN_RESET } from "../fund/views.ts";
import type { DueTable } from "./due-table.ts";
import { type FundRecord, readFundRecord, writeFundRecord } from "./fund-record.ts";

/** Domain of a fund's sealed key; part of the stored format. */
export const FUND_KEY_LABEL = "fund-key";

/**
 * One fund inside its Durable Object: its record, its store, its chain and its key. The object's methods and its
 * upkeep both work through it. Holds no rules of its own: those are in `shared/fund`.
 */
export class FundCore {
  readonly deps: Deps;
  readonly store: SqliteCoinStore;
  readonly due: DueTable;
  readonly node: SuiNode;
  readonly #storage: DurableObjectStorage;
  #record: FundRecord;
  #facts: ChainFacts | null = null;
  #refreshing: Promise<Outcome<ChainFacts>> | null = null;
  #signer: Promise<Signer> | null = null;

  constructor(deps: Deps, storage: DurableObjectStorage, due: DueTable, record: FundRecord) {
    this.deps = deps;
    this.due = due;
    this.#storage = storage;
    this.#record = record;
    this.store = new SqliteCoinStore(storage.sql, (kind, reference, atMs) => due.set(kind, reference, atMs));
    this.node = deps.suiNode(record.network);
  }

  get record(): FundRecord {
    return this.#record;
  }

  /** The fund's address; null until a deposit address has been made. */
  get address(): string | null {
    return this.#record.key === null ? null : suiAddress(this.#record.key.publicKey);
  }

  nowMs(): number {
    return this.deps.clock.nowMs();
  }

  /** Runs a transition in one storage transaction: all of its rows and the alarm, or none. */
  commit<T>(transition: () => T): T {
    const record = this.#record;
    try {
      return this.#storage.transactionSync(transition);
    } catch (error) {
      // The rows are rolled back, so what the transition changed in memory and armed has to be, too.
      this.#record = record;
      this.due.rearm();
      throw error;
    }
  }

  /** Waits until everything committed so far is on disk: no signature is made before that. */
  async durable(): Promise<void> {
    await this.#storage.sync();
  }

  changeRecord(change: Partial<FundRecord>): FundRecord {
    this.#record = { ...this.#record, ...change };
    writeFundRecord(this.#storage.sql, this.#record);
    return this.#record;
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
    this.changeRecord({ key });
  }

  context(address: string, facts: ChainFacts): FundContext {
    return { address, facts, pausedCause: this.#record.pausedCause, nowMs: this.nowMs() };
  }

  /** Facts that may be signed with; fetched first only where the cached ones are stale. */
  async factsForSigning(): Promise<Outcome<ChainFacts>> {
    const cached = this.#facts;
    const age = cached === null ? "stale" : freshness(cached, this.nowMs());
    if (cached === null || age === "stale") return this.refreshFacts();
    if (age === "aging") this.refreshFacts().catch((error: unknown) => this.#logFault(error));
    return done(cached);
  }

  /** Asks the chain for its facts, once for all who wait. */
  refreshFacts(): Promise<Outcome<ChainFacts>> {
    this.#refreshing ??= this.#fetchFacts().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  #logFault(error: unknown): void {
    this.deps.log("fund.facts_failed", { fund: this.#record.fundId, error: String(error) });
  }

  async #fetchFacts(): Promise<Outcome<ChainFacts>> {
    // A lower epoch than one that was seen comes from a node that lags.
    const fetched = await this.node.chainFacts(this.#record.seen?.epoch ?? 0n);
    if (!fetched.ok) return fetched;
    const { chainIdentifier, epoch } = fetched.value;
    const { seen } = this.#record;
    // Every coin and signature of the fund belongs to the chain that it was made on.
    if (seen !== null && seen.chainIdentifier !== chainIdentifier) {
      this.commit(() => this.changeRecord({ pausedCause: CHAIN_RESET }));
      this.deps.log("fund.chain_reset", { fund: this.#record.fundId, chain: chainIdentifier });
      const details = "the node answers for another chain than this fund's: chain_reset";
      return refuse("fund_paused", details, { cause: CHAIN_RESET });
    }
    this.#facts = fetched.value;
    if (seen === null || epoch > seen.epoch) this.commit(() => this.changeRecord({ seen: { chainIdentifier, epoch } }));
    return fetched;
  }
}

/** The core of a fund that has been created; null where the object has never been. */
export function loadFundCore(deps: Deps, storage: DurableObjectStorage, due: DueTable): FundCore | null {
  const record = readFundRecord(storage.sql);
  return record === null ? null : new FundCore(deps, storage, due, record);
}
