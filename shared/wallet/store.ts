import type { ArrivingPart, StoredPart } from "../bindings/transfer.ts";
import { equalBytes } from "../bytes.ts";
import { isStored } from "../durable/migrations.ts";
import { readStored, writeStored } from "../durable/transfer/state.ts";
import type { TablePosition } from "../durable/transfer/tables.ts";
import { type Outcome, refuse } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import { chains } from "../networks.ts";
import type { WalletRef } from "./context.ts";
import type { StoredWallet } from "./record.ts";
import { createRareTables, migrateWallet, migrations } from "./schema.ts";

/** The wallet of an object, as stored. Only the opened record authenticates `ref` and `publicKey`. */
export interface LoadedWallet extends StoredWallet {
  readonly ref: WalletRef;
  /** Idempotency-Key of the creation. Null if it had none. */
  readonly claim: IdempotencyClaim | null;
  readonly createdAtMs: number;
  /** True once the project lists the address. The address is not given out before. */
  readonly isListed: boolean;
}

type Columns = Record<string, SqlStorageValue> & {
  project_id: string;
  chain: string;
  wallet_id: string;
  public_key: ArrayBuffer;
  record: ArrayBuffer;
  created_at_ms: number;
  is_listed: number;
  idempotency_scope: string | null;
  idempotency_fingerprint: string | null;
};

/** Rolls back the rows of a wallet that would replace another one. */
class AnotherWalletError extends Error {
  override readonly name = "AnotherWalletError";
}

/** Keeps the one wallet of an object on disk, and as sealed in memory. */
export class WalletStore {
  readonly #storage: DurableObjectStorage;
  /** True once the tables exist. */
  #isReady = false;
  /** Null if it was not read yet, or if no wallet exists. */
  #row: LoadedWallet | null = null;

  /** Creates no table, because a look-up of an unknown name must write nothing. */
  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    if (isStored(storage)) this.#prepare();
  }

  /** Returns false if nothing was ever stored here. */
  get isReady(): boolean {
    return this.#isReady;
  }

  #prepare(): void {
    migrateWallet(this.#storage);
    this.#isReady = true;
  }

  /** Returns the wallet. Null if none was made. */
  read(): LoadedWallet | null {
    if (!this.#isReady) return null;
    this.#row ??= this.#load();
    return this.#row;
  }

  /**
   * Stores a new wallet. Throws if a wallet exists.
   *
   * @param alsoCommit makes its listing due, in the same commit.
   */
  insert(
    ref: WalletRef,
    { publicKey, record }: StoredWallet,
    claim: IdempotencyClaim | null,
    nowMs: number,
    alsoCommit: () => void,
  ): LoadedWallet {
    this.#storage.transactionSync(() => {
      if (!this.#isReady) migrateWallet(this.#storage);
      this.#storage.sql.exec(
        `INSERT INTO wallet (only_row, project_id, chain, wallet_id, public_key, record, created_at_ms,
           idempotency_scope, idempotency_fingerprint) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ref.projectId,
        ref.chain,
        ref.walletId,
        publicKey,
        record,
        nowMs,
        claim?.scope ?? null,
        claim?.fingerprint ?? null,
      );
      alsoCommit();
    });
    this.#isReady = true;
    const stored = this.read();
    if (stored === null) throw new Error("a wallet that was stored is not there");
    return stored;
  }

  /** Replaces a record, unless another call has replaced it since it was read. */
  replaceRecord(before: Uint8Array, after: Uint8Array): void {
    this.#storage.sql.exec("UPDATE wallet SET record = ? WHERE record = ?", after, before);
    this.#row = null;
  }

  /** Reads the stored rows without changes. */
  readPart(from: TablePosition | null): StoredPart {
    if (!this.#isReady) return { schemaVersion: migrations.length, tables: [], next: null };
    return readStored(this.#storage.sql, from);
  }

  /**
   * Stores another service's wallet of this name.
   *
   * @returns `bad_params` if this name has a wallet with another key here.
   */
  writePart(part: ArrivingPart): Outcome<null> {
    if (!this.#isReady) this.#prepare();
    const before = this.read()?.publicKey ?? null;
    try {
      return this.#storage.transactionSync(() => {
        createRareTables(this.#storage.sql);
        const written = writeStored(this.#storage.sql, part);
        const after = this.#load()?.publicKey ?? null;
        if (before !== null && (after === null || !equalBytes(before, after))) throw new AnotherWalletError();
        return written;
      });
    } catch (error) {
      if (error instanceof AnotherWalletError)
        return refuse("bad_params", "a wallet with another key has its name here");
      throw error;
    } finally {
      this.#row = null;
    }
  }

  markListed(): void {
    this.#storage.sql.exec("UPDATE wallet SET is_listed = 1");
    this.#row = null;
  }

  #load(): LoadedWallet | null {
    const [row] = this.#storage.sql.exec<Columns>("SELECT * FROM wallet").toArray();
    if (row === undefined) return null;
    const chain = chains.find((known) => known === row.chain);
    if (chain === undefined) throw new Error("a stored wallet is of no chain");
    const { idempotency_scope: scope, idempotency_fingerprint: fingerprint } = row;
    return {
      ref: { projectId: row.project_id, chain, walletId: row.wallet_id },
      publicKey: new Uint8Array(row.public_key),
      record: new Uint8Array(row.record),
      claim: scope === null || fingerprint === null ? null : { scope, fingerprint },
      createdAtMs: row.created_at_ms,
      isListed: row.is_listed !== 0,
    };
  }
}
