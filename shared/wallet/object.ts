import { DurableObject } from "cloudflare:workers";
import { createDeps, type Deps, serviceSecrets } from "../bindings/deps.ts";
import type { Env, ObjectMethods } from "../bindings/env.ts";
import type {
  CreateWallet,
  ExportInput,
  ImportWallet,
  OpenInput,
  SignInput,
  WalletObject,
  WalletSignature,
  WalletView,
} from "../bindings/wallet.ts";
import { addressOf } from "../chain/address.ts";
import type { VersionedSecrets } from "../config/secrets.ts";
import { UnopenableSealError } from "../crypto/sealing.ts";
import { mayBeSealed, withRightKeys } from "../directory/right-secrets.ts";
import { DUE_TABLE_MIGRATION, DueTable } from "../durable/due-table.ts";
import { KeyedMutex } from "../durable/keyed-mutex.ts";
import { isStored, migrate } from "../durable/migrations.ts";
import { OUTBOX_INTERVALS, OUTBOX_MIGRATION, Outbox } from "../durable/outbox.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import { type AptosNetwork, aptosNetworks, chains } from "../networks.ts";
import type { WalletEntry } from "../project/views.ts";
import {
  afterWrongSecret,
  isReportable,
  NO_WRONG_SECRETS,
  WRONG_SECRETS_FORGOTTEN_AFTER_MS,
  type WrongSecrets,
  waitAfterWrongSecretsMs,
} from "./back-off.ts";
import { type WalletRef, walletName } from "./context.ts";
import { checkRepeatedCreation } from "./creation.ts";
import { exportWallet, type WalletExport } from "./export.ts";
import { checkExportInterval } from "./export-interval.ts";
import { corruptRecord } from "./inner-layer.ts";
import {
  createWallet,
  type OpenedRecord,
  openRecord,
  openWallet,
  recordMasterKeyVersion,
  resealWallet,
  type StoredWallet,
} from "./record.ts";

const CONFIRM_RETRY_MS = 15_000;
/** One creation at a time: whoever comes while another is at it finds what that one has left behind. */
const CREATION = "creation";
/** One export at a time, so that the next one meets the interval that this one has begun. */
const EXPORT = "export";
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
  `ALTER TABLE wallet ADD COLUMN is_listed INTEGER NOT NULL DEFAULT 0;
  DROP TABLE wrong_secrets;
  CREATE TABLE wrong_secret (
    key_id TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
];

interface Stored extends StoredWallet {
  readonly ref: WalletRef;
  readonly claim: IdempotencyClaim | null;
  readonly createdAtMs: number;
  /** Whether the project has its address: it is shown to nobody before. */
  readonly isListed: boolean;
}

type Row = Record<string, SqlStorageValue> & {
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

/**
 * The Durable Object of one wallet: its sealed record, which only this object writes, and which is held in memory beside
 * storage, as sealed. Secrets come in with a call and are gone with it. Refusals are values; it throws only on faults.
 */
export class Wallet extends DurableObject<Env> implements ObjectMethods<WalletObject> {
  readonly #deps: Deps;
  readonly #due: DueTable;
  readonly #turns = new KeyedMutex();
  readonly #outbox: Outbox;
  #prepared = false;
  /** As on disk; null: not read yet, or none. */
  #row: Stored | null = null;
  /** By access key, as on disk; null: not read yet. */
  #wrong: Map<string, WrongSecrets> | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deps = createDeps(env);
    this.#due = new DueTable(ctx.storage, (atMs) => this.#deps.clock.alarmAtMs(atMs), {
      ...OUTBOX_INTERVALS,
      confirm: CONFIRM_RETRY_MS,
      [ACCOUNT]: LONGEST_ACCOUNT_WAIT_MS,
    });
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

  async create(input: CreateWallet): Promise<Outcome<string>> {
    const { wallet, secret, idempotency } = input;
    const { masterKeys } = serviceSecrets(this.#deps);
    try {
      return await this.#turns.run(CREATION, async () => {
        const existing = this.#stored();
        return existing === null
          ? this.#make(wallet, idempotency, null, () =>
              createWallet(wallet, secret, masterKeys, this.#deps.randomBytes),
            )
          : this.#createAgain(existing, input);
      });
    } finally {
      secret.bytes.fill(0);
    }
  }

  async checkImport(input: CreateWallet): Promise<Outcome<string> | null> {
    try {
      return await this.#turns.run(CREATION, async () => {
        const existing = this.#stored();
        return existing === null ? null : this.#createAgain(existing, input);
      });
    } finally {
      input.secret.bytes.fill(0);
    }
  }

  /** Whoever does not have its secret hears so, before anything else is said of the wallet. */
  async #createAgain(existing: Stored, input: CreateWallet): Promise<Outcome<string>> {
    const { wallet, secret, keyId, idempotency } = input;
    const { masterKeys } = serviceSecrets(this.#deps);
    const opened = await this.#counting(existing, keyId, () => openWallet(existing, wallet, secret, masterKeys));
    if (!opened.ok) return opened;
    const repeat = checkRepeatedCreation(existing, idempotency, this.#deps.clock.nowMs());
    return repeat.ok ? this.#address(existing, wallet) : repeat;
  }

  async import(input: ImportWallet): Promise<Outcome<string>> {
    try {
      return await this.#import(input);
    } finally {
      input.secret.bytes.fill(0);
    }
  }

  async #import(input: ImportWallet): Promise<Outcome<string>> {
    const { wallet, stored, idempotency } = input;
    const { masterKeys } = serviceSecrets(this.#deps);
    // While a new master key is being rolled out, the caller may not have it yet, and the project is told of this one.
    const resealed = await this.#orMissingKey(resealWallet(stored, wallet, masterKeys, this.#deps.randomBytes));
    if (!resealed.ok && resealed.error.reason === "corrupt_record")
      throw new Error("an imported record is not one of this wallet");
    if (!resealed.ok) return resealed;
    const sealed = { ...stored, record: resealed.value };
    return this.#turns.run(CREATION, async () => {
      const existing = this.#stored();
      return existing === null
        ? this.#make(wallet, idempotency, addressOf(wallet.chain, stored.publicKey), async () => sealed)
        : this.#createAgain(existing, input);
    });
  }

  /** @param address that it will have; null: nobody knows before it is made. */
  async #make(
    wallet: WalletRef,
    idempotency: IdempotencyClaim | null,
    address: string | null,
    make: () => Promise<StoredWallet>,
  ): Promise<Outcome<string>> {
    const keys = await mayBeSealed(this.env, this.#deps);
    if (!keys.ok) return keys;
    const name = walletName(wallet);
    const project = this.env.PROJECT.getByName(wallet.projectId);
    const entry: WalletEntry = { name, chain: wallet.chain, walletId: wallet.walletId };
    const { masterKeys } = serviceSecrets(this.#deps);
    const scope = idempotency?.scope ?? null;
    const admitted = await project.admitWallet(entry, { masterKeyVersion: masterKeys.current, scope, address });
    if (!admitted.ok) {
      if (admitted.error.reason === "corrupt_record") this.#logCorruptRecord(wallet.projectId);
      return admitted;
    }
    const made = await make();
    if (!this.#prepared) this.#prepareStorage();
    this.#insert(wallet, made, idempotency);
    const stored = this.#stored();
    if (stored === null) throw new Error("a wallet that was stored is not there");
    return this.#address(stored, wallet);
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

  async view(): Promise<WalletView | null> {
    const stored = this.#stored();
    if (stored === null) return null;
    const opened = await this.#open(stored, stored.ref);
    if (!opened.ok) throw new Error(opened.error.details);
    return viewOf(stored, opened.value);
  }

  async opensUnder(masterKeyVersion: number): Promise<boolean | null> {
    const stored = this.#stored();
    if (stored === null) return null;
    const version = recordMasterKeyVersion(stored.record);
    if (version !== null && version !== masterKeyVersion) return null;
    return (await openRecord(stored, stored.ref, serviceSecrets(this.#deps).masterKeys)).ok;
  }

  async address(wallet: WalletRef): Promise<Outcome<string>> {
    const stored = this.#stored();
    return stored === null ? this.#absent(wallet) : this.#address(stored, wallet);
  }

  async reseal(): Promise<Outcome<number>> {
    const { masterKeys } = serviceSecrets(this.#deps);
    const stored = this.#stored();
    if (stored === null) return done(masterKeys.current);
    const keys = await mayBeSealed(this.env, this.#deps);
    if (!keys.ok) return keys;
    const resealed = await this.#orMissingKey(resealWallet(stored, stored.ref, masterKeys, this.#deps.randomBytes));
    if (!resealed.ok) return resealed;
    // Not over what another call has stored meanwhile.
    this.ctx.storage.sql.exec("UPDATE wallet SET record = ? WHERE record = ?", resealed.value, stored.record);
    this.#row = null;
    return done(masterKeys.current);
  }

  async verifySecret(input: OpenInput): Promise<Outcome<string>> {
    const { wallet, secret } = input;
    return this.#withSecret(input, async (stored, masterKeys) => {
      const opened = await openWallet(stored, wallet, secret, masterKeys);
      return opened.ok ? done(addressOf(wallet.chain, stored.publicKey)) : opened;
    });
  }

  async sign(input: SignInput): Promise<Outcome<WalletSignature>> {
    const { wallet, secret, message, createsAccountOn: opensAccountOn = null } = input;
    return this.#withSecret(input, async (stored, masterKeys) => {
      const opened = await openWallet(stored, wallet, secret, masterKeys);
      if (!opened.ok) return opened;
      const signature = await opened.value.sign(message);
      if (opensAccountOn !== null) this.#awaitAccount(opensAccountOn);
      return done({ signature, publicKey: stored.publicKey });
    });
  }

  async export(input: ExportInput): Promise<Outcome<WalletExport>> {
    return this.#turns.run(EXPORT, () => this.#export(input));
  }

  async #export(input: ExportInput): Promise<Outcome<WalletExport>> {
    return this.#withSecret(input, async (stored, masterKeys) => {
      const { wallet, secret, derivationSalt, keyId } = input;
      const { chain, walletId } = wallet;
      const exported = await exportWallet(stored, wallet, secret, masterKeys, derivationSalt);
      if (!exported.ok) return exported;
      const next = checkExportInterval(this.#due.dueAt(NEXT_EXPORT, ""), this.#deps.clock.nowMs());
      if (!next.ok) return next;
      const detailJson = JSON.stringify({ chain, address: exported.value.address, keyId });
      const project = this.env.PROJECT.getByName(wallet.projectId);
      const recorded = await project.recordExport({ action: "wallet.export", target: walletId, detailJson });
      if (!recorded.ok) return recorded;
      this.#due.set(NEXT_EXPORT, "", next.value);
      return exported;
    });
  }

  /** Every use of a wallet's secret but its creation goes through here. */
  async #withSecret<Result>(
    { wallet, secret, keyId }: OpenInput,
    use: (stored: Stored, masterKeys: VersionedSecrets) => Promise<Outcome<Result>>,
  ): Promise<Outcome<Result>> {
    try {
      const stored = this.#stored();
      if (stored === null) return await this.#absent(wallet);
      return await this.#counting(stored, keyId, () => use(stored, serviceSecrets(this.#deps).masterKeys));
    } finally {
      secret.bytes.fill(0);
    }
  }

  /** Counts wrong secrets, by the access key that brings them. The right one passes, whatever was tried before it. */
  async #counting<Result>(
    stored: Stored,
    keyId: string,
    use: () => Promise<Outcome<Result>>,
  ): Promise<Outcome<Result>> {
    const listed = await this.#list(stored);
    if (!listed.ok) return listed;
    const used = await this.#orMissingKey(use());
    if (used.ok) this.#forgetWrongSecrets(keyId);
    else if (used.error.reason === "corrupt_record") this.#logCorruptRecord(stored.ref.projectId);
    else if (used.error.reason === "wrong_secret") {
      const nowMs = this.#deps.clock.nowMs();
      const retryAfterMs = waitAfterWrongSecretsMs(this.#wrongSecrets(keyId), nowMs);
      if (retryAfterMs > 0)
        return refuse("rate_limited", "too many wrong secrets for this wallet", {
          limit: "wrong_secret",
          retryAfterMs,
        });
      this.#countWrongSecret(stored, keyId, nowMs);
    }
    return used;
  }

  override async alarm(): Promise<void> {
    this.#due.beginAlarm();
    try {
      const nowMs = this.#deps.clock.nowMs();
      if (this.#due.listDue(NEXT_EXPORT, nowMs, 1).length > 0) this.#due.set(NEXT_EXPORT, "", null);
      const stored = this.#stored();
      if (this.#due.listDue("confirm", nowMs, 1).length > 0) {
        this.#due.set("confirm", "", null);
        if (stored !== null) await this.#list(stored);
      }
      if (stored !== null)
        await this.#outbox.runDue(walletName(stored.ref), this.env.PROJECT.getByName(stored.ref.projectId));
      for (const { reference } of this.#due.listDue(ACCOUNT, nowMs, aptosNetworks.length))
        await this.#lookForAccount(reference);
    } finally {
      this.#due.endAlarm(this.#deps.clock.nowMs());
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
    const exists = await this.#deps.aptosNode(network).accountExists(address);
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

  /**
   * Has the project list the address, once and for all: what is lost of a wallet then shows, and is never made anew.
   *
   * @returns `corrupt_record` where the project has handed out another address; as `#open`; `overloaded` where it does not
   * answer, and the alarm asks again.
   */
  async #list(stored: Stored): Promise<Outcome<null>> {
    if (stored.isListed) return done(null);
    const opened = await this.#open(stored, stored.ref);
    if (!opened.ok) return opened;
    this.#due.set("confirm", "", this.#deps.clock.nowMs() + CONFIRM_RETRY_MS);
    const { ref } = stored;
    try {
      const listed = await this.env.PROJECT.getByName(ref.projectId).confirmWallet(viewOf(stored, opened.value));
      if (!listed.ok) this.#logCorruptRecord(ref.projectId);
      else this.ctx.storage.sql.exec("UPDATE wallet SET is_listed = 1");
      this.#row = null;
      this.#due.set("confirm", "", null);
      return listed;
    } catch (error) {
      this.#deps.log("wallet.confirm_failed", { project: ref.projectId, error: String(error) });
      return refuse("overloaded", "the wallet's project did not answer: try again later");
    }
  }

  /** What is said of a wallet that has no record here. Only its project knows whether it ever had one. */
  async #absent(wallet: WalletRef): Promise<Outcome<never>> {
    const known = await this.env.PROJECT.getByName(wallet.projectId).missesWallet(walletName(wallet));
    if (!known) return unknownWallet();
    this.#logCorruptRecord(wallet.projectId);
    return corruptRecord();
  }

  async #address(stored: Stored, wallet: WalletRef): Promise<Outcome<string>> {
    const opened = await this.#open(stored, wallet);
    if (!opened.ok) return opened;
    const listed = await this.#list(stored);
    return listed.ok ? done(addressOf(wallet.chain, stored.publicKey)) : listed;
  }

  async #open(stored: StoredWallet, wallet: WalletRef): Promise<Outcome<OpenedRecord>> {
    const opened = await this.#orMissingKey(openRecord(stored, wallet, serviceSecrets(this.#deps).masterKeys));
    if (!opened.ok && opened.error.reason === "corrupt_record") this.#logCorruptRecord(wallet.projectId);
    return opened;
  }

  #logCorruptRecord(projectId: string): void {
    this.#deps.log("wallet.corrupt_record", { project: projectId, wallet: this.ctx.id.name ?? null });
  }

  /** A record under a master key that is not configured, or not the right one, is whole: it opens once that is back. */
  async #orMissingKey<T>(opening: Promise<Outcome<T>>): Promise<Outcome<T>> {
    try {
      const opened = await opening;
      if (opened.ok || opened.error.reason !== "corrupt_record") return opened;
      const keys = await withRightKeys(this.env, this.#deps);
      return keys.ok ? opened : keys;
    } catch (error) {
      if (!(error instanceof UnopenableSealError)) throw error;
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
      isListed: row.is_listed !== 0,
    };
  }

  #wrongByKey(): Map<string, WrongSecrets> {
    this.#wrong ??= new Map(
      this.ctx.storage.sql
        .exec<{ key_id: string; count: number; last_at_ms: number }>("SELECT * FROM wrong_secret")
        .toArray()
        .map((row) => [row.key_id, { count: row.count, lastAtMs: row.last_at_ms }]),
    );
    return this.#wrong;
  }

  #wrongSecrets(keyId: string): WrongSecrets {
    return this.#wrongByKey().get(keyId) ?? NO_WRONG_SECRETS;
  }

  #forgetWrongSecrets(keyId: string): void {
    if (!this.#wrongByKey().delete(keyId)) return;
    this.ctx.storage.sql.exec("DELETE FROM wrong_secret WHERE key_id = ?", keyId);
  }

  #countWrongSecret({ ref }: Stored, keyId: string, nowMs: number): void {
    const wrong = afterWrongSecret(this.#wrongSecrets(keyId), nowMs);
    const { count: inARow, lastAtMs } = wrong;
    this.ctx.storage.transactionSync(() => {
      const { sql } = this.ctx.storage;
      sql.exec("DELETE FROM wrong_secret WHERE last_at_ms <= ?", nowMs - WRONG_SECRETS_FORGOTTEN_AFTER_MS);
      sql.exec(
        "INSERT OR REPLACE INTO wrong_secret (key_id, count, last_at_ms) VALUES (?, ?, ?)",
        keyId,
        inARow,
        lastAtMs,
      );
      if (!isReportable(wrong)) return;
      const { chain, walletId } = ref;
      this.#outbox.raise({ type: "security.secret_mismatch", data: { chain, walletId, keyId, inARow } });
    });
    this.#wrong = null;
    if (isReportable(wrong))
      this.#deps.log("security.secret_mismatch", { wallet: this.ctx.id.name ?? null, key: keyId, inARow });
  }
}

function viewOf({ ref, publicKey }: Stored, { masterKeyVersion }: OpenedRecord): WalletView {
  const { chain, walletId } = ref;
  return { entry: { name: walletName(ref), chain, walletId }, address: addressOf(chain, publicKey), masterKeyVersion };
}

function unknownWallet() {
  return refuse("unknown_wallet", "this project has no such wallet on this chain");
}
