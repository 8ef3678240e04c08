import type { DueTable } from "../durable/due-table.ts";
import { isStored, migrate } from "../durable/migrations.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import { chains } from "../networks.ts";
import type { WalletRef } from "./context.ts";
import type { StoredWallet } from "./record.ts";
import { migrations } from "./schema.ts";

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

/** Keeps the one wallet of an object on disk, and as sealed in memory. */
export class WalletStore {
  readonly #storage: DurableObjectStorage;
  /** True once the tables exist. */
  #isReady = false;
  /** Null if it was not read yet, or there is no wallet. */
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
    migrate(this.#storage, migrations);
    this.#isReady = true;
  }

  /** Returns the wallet. Null if none was made. */
  read(): LoadedWallet | null {
    if (!this.#isReady) return null;
    this.#row ??= this.#load();
    return this.#row;
  }

  /** Stores a new wallet. The same commit makes its listing due. Throws if there is a wallet. */
  insert(
    ref: WalletRef,
    { publicKey, record }: StoredWallet,
    claim: IdempotencyClaim | null,
    due: DueTable,
    nowMs: number,
  ): LoadedWallet {
    if (!this.#isReady) this.#prepare();
    this.#storage.transactionSync(() => {
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
      due.set("confirm", "", nowMs);
    });
    const stored = this.read();
    if (stored === null) throw new Error("a wallet that was stored is not there");
    return stored;
  }

  /** Replaces a record, unless another call has replaced it meanwhile. */
  replaceRecord(before: Uint8Array, after: Uint8Array): void {
    this.#storage.sql.exec("UPDATE wallet SET record = ? WHERE record = ?", after, before);
    this.#row = null;
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
