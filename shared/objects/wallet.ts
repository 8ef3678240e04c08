import { DurableObject } from "cloudflare:workers";
import { addressOf } from "../chain/address.ts";
import type { VersionedSecrets } from "../config.ts";
import {
  afterWrongSecret,
  isSuspicious,
  NO_WRONG_SECRETS,
  type WrongSecrets,
  waitAfterWrongSecretsMs,
} from "../custody/back-off.ts";
import { decideRepeat } from "../custody/creation.ts";
import type { DerivedSecret } from "../custody/derivation.ts";
import { decideExport } from "../custody/export-interval.ts";
import { SealError } from "../custody/sealing.ts";
import { type WalletRef, walletName } from "../custody/wallet-context.ts";
import { exportWallet, type WalletExport } from "../custody/wallet-export.ts";
import {
  createWallet,
  type OpenedRecord,
  openRecord,
  openWallet,
  resealWallet,
  type StoredWallet,
} from "../custody/wallet-record.ts";
import { createDeps, type Deps, serviceSecrets } from "../deps.ts";
import type { Env } from "../env.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import { type AptosNetwork, aptosNetworks, chains } from "../networks.ts";
import { DUE_TABLE_MIGRATION, DueTable } from "./due-table.ts";
import { isStored, migrate } from "./migrations.ts";
import { OUTBOX_MIGRATION, Outbox } from "./outbox.ts";
import type { WalletEntry } from "./project-wallets.ts";
import { Turns } from "./turns.ts";

const CONFIRM_RETRY_MS = 15_000;
/** One creation at a time: whoever comes while another is at it finds what that one has left behind. */
const CREATION = "creation";
/** One use of the key at a time, so that a burst of guesses meets the wait that its first ones have earned. */
const OPENING = "opening";
/** A due row for each network: to see whether the account is there that the wallet's first transaction makes. */
const ACCOUNT = "account";
const FIRST_ACCOUNT_WAIT_MS = 2_000;
const LONGEST_ACCOUNT_WAIT_MS = 300_000;
/** Longer than a transaction can wait to be executed. */
const ACCOUNT_PATIENCE_MS = 4_500_000;
/** A due row: from then on the wallet may be exported again. On disk, so that no restart allows a second export. */
const NEXT_EXPORT = "next_export";

export const migrations = [
  `CREATE TABLE wallet (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    project_id TEXT NOT NULL,
    chain TEXT NOT NULL,
    wallet_id TEXT NOT NULL,
    public_key BLOB NOT NULL,
    record BLOB NOT NULL,
    created_at_ms INTEGER NOT NULL,
    idempotency_scope TEXT,
    idempotency_fingerprint TEXT
  ) STRICT;
  CREATE TRIGGER wallet_is_for_ever BEFORE DELETE ON wallet BEGIN SELECT RAISE(ABORT, 'wallets are never deleted'); END;
  CREATE TABLE wrong_secrets (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    count INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
  ) STRICT;
  ${DUE_TABLE_MIGRATION}`,
  `${OUTBOX_MIGRATION}
  CREATE TABLE awaited_account (
    network TEXT PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    found INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID`,
];

/** What a wallet shows without its secret. */
export interface WalletView {
  readonly entry: WalletEntry;
  readonly address: string;
  /** That its record is sealed under. */
  readonly masterKeyVersion: number;
}

export interface CreateWallet {
  readonly wallet: WalletRef;
  readonly secret: DerivedSecret;
  /** Null: the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
}

export interface ImportWallet {
  readonly wallet: WalletRef;
  /** Sealed for this wallet. */
  readonly stored: StoredWallet;
  /** Null: the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
}

export interface ExportInput extends OpenInput {
  /** Of the project, 32 bytes. */
  readonly derivationSalt: Uint8Array;
  /** Who asked, for the log. */
  readonly keyId: string;
}

export interface OpenInput {
  readonly wallet: WalletRef;
  readonly secret: DerivedSecret;
}

export interface SignInput extends OpenInput {
  /** Exactly what is signed: a digest or a signing message, with its domain in front. */
  readonly message: Uint8Array;
  /** Where the message is the wallet's first transaction, which makes its account; otherwise null. */
  readonly opensAccountOn?: AptosNetwork | null;
}

export interface WalletSignature {
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
}

interface Stored extends StoredWallet {
  readonly ref: WalletRef;
  readonly claim: IdempotencyClaim | null;
  readonly createdAtMs: number;
}

type Row = Record<string, SqlStorageValue> & {
  project_id: string;
  chain: string;
  wallet_id: string;
  public_key: ArrayBuffer;
  record: ArrayBuffer;
  created_at_ms: number;
  idempotency_scope: string | null;
  idempotency_fingerprint: string | null;
};

/**
 * The Durable Object of one wallet: its sealed record, which only this object writes, and which is held in memory beside
 * storage, as sealed. Secrets come in with a call and are gone with it. Refusals are values; it throws only on faults.
 */
export class Wallet extends DurableObject<Env> {
  readonly #deps: Deps;
  readonly #due: DueTable;
  readonly #turns = new Turns();
  readonly #outbox: Outbox;
  #prepared = false;
  /** As on disk; null: not read yet, or none. */
  #row: Stored | null = null;
  /** As on disk; null: not read yet. */
  #wrong: WrongSecrets | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    this.#due = new DueTable(ctx.storage, (atMs) => this.#deps.clock.alarmAtMs(atMs));
    this.#outbox = new Outbox(ctx.storage.sql, this.#due, this.#deps);
    if (!isStored(ctx.storage)) return;
    this.#prepareStorage();
    this.#due.rearm();
  }

  /** Only where there is a wallet, or about to be one: whoever asks for names that are nobody's must not fill the disk. */
  #prepareStorage(): void {
    migrate(this.ctx.storage, migrations);
    this.#prepared = true;
  }

  /**
   * Makes the wallet's key. The project counts it before it exists, and hears of it after it is on disk.
   *
   * @returns the address; `wallet_exists` before any question of quota, except to a repeat with the same
   * Idempotency-Key; `quota_reached`, `idempotency_conflict`, `corrupt_record`.
   */
  async create({ wallet, secret, idempotency }: CreateWallet): Promise<Outcome<string>> {
    const { masterKeys } = serviceSecrets(this.#deps);
    const make = () => createWallet(wallet, secret, masterKeys, this.#deps.randomBytes);
    try {
      return await this.#turns.take(CREATION, () => this.#create(wallet, idempotency, make));
    } finally {
      secret.bytes.fill(0);
    }
  }

  /**
   * Makes the wallet of a record that the caller has sealed for it. Counts as a creation.
   *
   * @returns as `create`; `master_key_missing` where the caller's master keys are not this object's. Throws for a record
   * that does not open: it would be a wallet that nobody can use.
   */
  async import({ wallet, stored, idempotency }: ImportWallet): Promise<Outcome<string>> {
    const { masterKeys } = serviceSecrets(this.#deps);
    // While a new master key is being rolled out, the caller may not have it yet, and the project is told of this one.
    const resealed = await this.#orMissingKey(resealWallet(stored, wallet, masterKeys, this.#deps.randomBytes));
    if (!resealed.ok && resealed.refusal.reason === "corrupt_record")
      throw new Error("an imported record is not one of this wallet");
    if (!resealed.ok) return resealed;
    const sealed = { ...stored, record: resealed.value };
    return this.#turns.take(CREATION, () => this.#create(wallet, idempotency, async () => sealed));
  }

  /**
   * Asked before the work for an import is done, which the import itself asks again.
   *
   * @returns done where `import` may make the wallet, or repeat its answer; otherwise what it would refuse, short of
   * `quota_reached`.
   */
  async mayImport(idempotency: IdempotencyClaim | null): Promise<Outcome<null>> {
    const existing = this.#stored();
    return existing === null ? done(null) : decideRepeat(existing, idempotency, this.#deps.clock.nowMs());
  }

  async #create(
    wallet: WalletRef,
    idempotency: IdempotencyClaim | null,
    make: () => Promise<StoredWallet>,
  ): Promise<Outcome<string>> {
    const existing = this.#stored();
    if (existing !== null) {
      const repeat = decideRepeat(existing, idempotency, this.#deps.clock.nowMs());
      return repeat.ok ? this.#address(existing, wallet) : repeat;
    }
    const name = walletName(wallet);
    const project = this.env.PROJECT.getByName(wallet.projectId);
    const entry: WalletEntry = { name, chain: wallet.chain, walletId: wallet.walletId };
    const { masterKeys } = serviceSecrets(this.#deps);
    const admitted = await project.admitWallet(entry, masterKeys.current, idempotency?.scope ?? null);
    if (!admitted.ok) return admitted;
    const made = await make();
    if (!this.#prepared) this.#prepareStorage();
    this.#insert(wallet, made, idempotency);
    await this.#confirm();
    return done(addressOf(wallet.chain, made.publicKey));
  }

  #insert(wallet: WalletRef, { publicKey, record }: StoredWallet, idempotency: IdempotencyClaim | null): void {
    const nowMs = this.#deps.clock.nowMs();
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.sql.exec(
        `INSERT INTO wallet (only_row, project_id, chain, wallet_id, public_key, record, created_at_ms,
           idempotency_scope, idempotency_fingerprint) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`,
        wallet.projectId,
        wallet.chain,
        wallet.walletId,
        publicKey,
        record,
        nowMs,
        idempotency?.scope ?? null,
        idempotency?.fingerprint ?? null,
      );
      this.#due.set("confirm", "", nowMs);
    });
  }

  /** Null: no such wallet. Throws where its record does not open. */
  async view(): Promise<WalletView | null> {
    const stored = this.#stored();
    if (stored === null) return null;
    const opened = await this.#open(stored, stored.ref);
    if (!opened.ok) throw new Error(opened.refusal.details);
    const { chain, walletId } = stored.ref;
    const entry = { name: walletName(stored.ref), chain, walletId };
    const address = addressOf(chain, stored.publicKey);
    return { entry, address, masterKeyVersion: opened.value.masterKeyVersion };
  }

  /**
   * The address, after the record has authenticated it; `unknown_wallet`, `corrupt_record`, `master_key_missing`.
   *
   * @param wallet as the caller knows it: what the row says of itself proves nothing, where a row was put in another's place.
   */
  async read(wallet: WalletRef): Promise<Outcome<string>> {
    const stored = this.#stored();
    return stored === null ? unknownWallet() : this.#address(stored, wallet);
  }

  /**
   * Seals the record under the current master key; no secret is needed. A repeat changes nothing.
   *
   * @returns the master key version that everything of this wallet is sealed under from now on, also of one that is
   * only about to be made; `corrupt_record`, `master_key_missing`: the record is as it was.
   */
  async reseal(): Promise<Outcome<number>> {
    const { masterKeys } = serviceSecrets(this.#deps);
    const stored = this.#stored();
    if (stored === null) return done(masterKeys.current);
    const resealed = await this.#orMissingKey(resealWallet(stored, stored.ref, masterKeys, this.#deps.randomBytes));
    if (!resealed.ok) return resealed;
    // Not over what another call has stored meanwhile.
    this.ctx.storage.sql.exec("UPDATE wallet SET record = ? WHERE record = ?", resealed.value, stored.record);
    this.#row = null;
    return done(masterKeys.current);
  }

  /**
   * The address, after the secret has opened the key: for what is decided before anything is signed.
   *
   * @returns as `sign`.
   */
  async open({ wallet, secret }: OpenInput): Promise<Outcome<string>> {
    return this.#withSecret(secret, async (stored, masterKeys) => {
      const opened = await openWallet(stored, wallet, secret, masterKeys);
      return opened.ok ? done(addressOf(wallet.chain, stored.publicKey)) : opened;
    });
  }

  /**
   * Opens the key, signs and forgets it.
   *
   * @returns `unknown_wallet`, `wrong_secret`, `corrupt_record`, `master_key_missing`; `rate_limited` after too many
   * wrong secrets.
   */
  async sign({ wallet, secret, message, opensAccountOn = null }: SignInput): Promise<Outcome<WalletSignature>> {
    return this.#withSecret(secret, async (stored, masterKeys) => {
      const opened = await openWallet(stored, wallet, secret, masterKeys);
      if (!opened.ok) return opened;
      const signature = await opened.value.sign(message);
      if (opensAccountOn !== null) this.#awaitAccount(opensAccountOn);
      return done({ signature, publicKey: stored.publicKey });
    });
  }

  /**
   * The wallet on its way out, once a minute. The project logs it first.
   *
   * @returns `unknown_wallet`, `wrong_secret`, `corrupt_record`, `master_key_missing`, `export_disabled`; `rate_limited`
   * too soon after another export, or after too many wrong secrets.
   */
  async export({ wallet, secret, derivationSalt, keyId }: ExportInput): Promise<Outcome<WalletExport>> {
    return this.#withSecret(secret, async (stored, masterKeys) => {
      const { chain, walletId } = wallet;
      const exported = await exportWallet(stored, wallet, secret, masterKeys, derivationSalt);
      if (!exported.ok) return exported;
      const next = decideExport(this.#due.at(NEXT_EXPORT, ""), this.#deps.clock.nowMs());
      if (!next.ok) return next;
      const detailJson = JSON.stringify({ chain, address: exported.value.address, keyId });
      const project = this.env.PROJECT.getByName(wallet.projectId);
      const recorded = await project.recordExport({ action: "wallet.export", target: walletId, detailJson });
      if (!recorded.ok) return recorded;
      this.#due.set(NEXT_EXPORT, "", next.value);
      return exported;
    });
  }

  /** Every use of a secret goes through here: one at a time, counting the wrong ones. */
  async #withSecret<Result>(
    secret: DerivedSecret,
    use: (stored: Stored, masterKeys: VersionedSecrets) => Promise<Outcome<Result>>,
  ): Promise<Outcome<Result>> {
    try {
      return await this.#turns.take(OPENING, () => this.#counting(use));
    } finally {
      secret.bytes.fill(0);
    }
  }

  async #counting<Result>(
    use: (stored: Stored, masterKeys: VersionedSecrets) => Promise<Outcome<Result>>,
  ): Promise<Outcome<Result>> {
    const stored = this.#stored();
    if (stored === null) return unknownWallet();
    const nowMs = this.#deps.clock.nowMs();
    const wrong = this.#wrongSecrets();
    const retryAfterMs = waitAfterWrongSecretsMs(wrong, nowMs);
    if (retryAfterMs > 0)
      return refuse("rate_limited", "too many wrong secrets for this wallet", { limit: "wrong_secret", retryAfterMs });
    const used = await this.#orMissingKey(use(stored, serviceSecrets(this.#deps).masterKeys));
    if (used.ok) {
      if (wrong.count > 0) this.#setWrongSecrets(NO_WRONG_SECRETS);
    } else if (used.refusal.reason === "wrong_secret") this.#countWrongSecret(nowMs);
    else if (used.refusal.reason === "corrupt_record") this.#tellCorrupt(stored.ref.projectId);
    return used;
  }

  override async alarm(): Promise<void> {
    try {
      const nowMs = this.#deps.clock.nowMs();
      if (this.#due.take(NEXT_EXPORT, nowMs, 1).length > 0) this.#due.set(NEXT_EXPORT, "", null);
      if (this.#due.take("confirm", nowMs, 1).length > 0) await this.#confirm();
      const stored = this.#stored();
      if (stored !== null)
        await this.#outbox.runDue(walletName(stored.ref), this.env.PROJECT.getByName(stored.ref.projectId));
      for (const { reference } of this.#due.take(ACCOUNT, nowMs, aptosNetworks.length))
        await this.#lookForAccount(reference);
    } finally {
      this.#due.rearm();
    }
  }

  /** Before anything is sent: whoever is cut off then still hears of the account. */
  #awaitAccount(network: AptosNetwork): void {
    const nowMs = this.#deps.clock.nowMs();
    const awaited = this.ctx.storage.sql
      .exec(
        `INSERT INTO awaited_account (network, since_ms) VALUES (?, ?) ON CONFLICT (network)
         DO UPDATE SET since_ms = excluded.since_ms WHERE found = 0 RETURNING 1`,
        network,
        nowMs,
      )
      .toArray();
    if (awaited.length > 0) this.#due.set(ACCOUNT, network, nowMs + FIRST_ACCOUNT_WAIT_MS);
  }

  /** Asks the chain, less often the longer it takes, until the transaction can have no effect any more. */
  async #lookForAccount(reference: string): Promise<void> {
    const network = aptosNetworks.find((known) => known === reference);
    const stored = this.#stored();
    if (network === undefined || stored === null) return this.#due.set(ACCOUNT, reference, null);
    const { ref, publicKey } = stored;
    const address = addressOf(ref.chain, publicKey);
    const exists = await this.#deps.aptosNode(network).exists(address);
    const nowMs = this.#deps.clock.nowMs();
    this.ctx.storage.transactionSync(() => {
      const { sql } = this.ctx.storage;
      const { since_ms: sinceMs } = sql
        .exec<{ since_ms: number }>("SELECT since_ms FROM awaited_account WHERE network = ?", network)
        .one();
      const waitedMs = nowMs - sinceMs;
      if (exists.ok && exists.value) {
        sql.exec("UPDATE awaited_account SET found = 1 WHERE network = ?", network);
        const { chain, walletId } = ref;
        this.#outbox.raise({ type: "wallet.initialized", data: { chain, walletId, address, network } });
      }
      const isOver = exists.ok && (exists.value || waitedMs > ACCOUNT_PATIENCE_MS);
      const waitMs = Math.min(Math.max(waitedMs, FIRST_ACCOUNT_WAIT_MS), LONGEST_ACCOUNT_WAIT_MS);
      this.#due.set(ACCOUNT, network, isOver ? null : nowMs + waitMs);
    });
  }

  /** Tells the project, until it has heard. */
  async #confirm(): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    this.#due.set("confirm", "", nowMs + CONFIRM_RETRY_MS);
    const stored = this.#stored();
    if (stored === null) return;
    try {
      const view = await this.view();
      if (view === null) return;
      await this.env.PROJECT.getByName(stored.ref.projectId).confirmWallet(view);
      this.#due.set("confirm", "", null);
    } catch (error) {
      this.#deps.log("wallet.confirm_failed", { project: stored.ref.projectId, error: String(error) });
    }
  }

  async #address(stored: StoredWallet, wallet: WalletRef): Promise<Outcome<string>> {
    const opened = await this.#open(stored, wallet);
    return opened.ok ? done(addressOf(wallet.chain, stored.publicKey)) : opened;
  }

  async #open(stored: StoredWallet, wallet: WalletRef): Promise<Outcome<OpenedRecord>> {
    const opened = await this.#orMissingKey(openRecord(stored, wallet, serviceSecrets(this.#deps).masterKeys));
    if (!opened.ok && opened.refusal.reason === "corrupt_record") this.#tellCorrupt(wallet.projectId);
    return opened;
  }

  #tellCorrupt(projectId: string): void {
    this.#deps.log("wallet.corrupt_record", { project: projectId, wallet: this.ctx.id.name ?? null });
  }

  /** A record under a master key that is not configured is whole: it opens again once the key is back. */
  async #orMissingKey<T>(opening: Promise<Outcome<T>>): Promise<Outcome<T>> {
    try {
      return await opening;
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      this.#deps.log("wallet.master_key_missing", { wallet: this.ctx.id.name ?? null, error: error.message });
      return refuse("master_key_missing", "this wallet is sealed under a master key that MASTER_KEYS does not have");
    }
  }

  #stored(): Stored | null {
    if (!this.#prepared) return null;
    this.#due.rearmIfOverdue(this.#deps.clock.nowMs());
    this.#row ??= this.#load();
    return this.#row;
  }

  #load(): Stored | null {
    const [row] = this.ctx.storage.sql.exec<Row>("SELECT * FROM wallet").toArray();
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
    };
  }

  #wrongSecrets(): WrongSecrets {
    this.#wrong ??= this.#loadWrongSecrets();
    return this.#wrong;
  }

  #loadWrongSecrets(): WrongSecrets {
    const [row] = this.ctx.storage.sql
      .exec<{ count: number; last_at_ms: number }>("SELECT count, last_at_ms FROM wrong_secrets")
      .toArray();
    return row === undefined ? NO_WRONG_SECRETS : { count: row.count, lastAtMs: row.last_at_ms };
  }

  #countWrongSecret(nowMs: number): void {
    const wrong = afterWrongSecret(this.#wrongSecrets(), nowMs);
    const stored = this.#stored();
    this.ctx.storage.transactionSync(() => {
      this.#setWrongSecrets(wrong);
      if (!isSuspicious(wrong) || stored === null) return;
      const { chain, walletId } = stored.ref;
      this.#outbox.raise({ type: "security.secret_mismatch", data: { chain, walletId, inARow: wrong.count } });
    });
    if (isSuspicious(wrong))
      this.#deps.log("security.secret_mismatch", { wallet: this.ctx.id.name ?? null, inARow: wrong.count });
  }

  #setWrongSecrets(wrong: WrongSecrets): void {
    const { count, lastAtMs } = wrong;
    this.ctx.storage.sql.exec(
      "INSERT OR REPLACE INTO wrong_secrets (only_row, count, last_at_ms) VALUES (1, ?, ?)",
      count,
      lastAtMs,
    );
    this.#wrong = wrong;
  }
}

function unknownWallet() {
  return refuse("unknown_wallet", "this project has no such wallet on this chain");
}
