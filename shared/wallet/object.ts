import { DurableObject } from "cloudflare:workers";
import { createDeps } from "../bindings/deps.ts";
import type { Env, ObjectMethods } from "../bindings/env.ts";
import type { ArrivingPart } from "../bindings/transfer.ts";
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
import { refuseOtherSender } from "../chain/aptos/wallet-signing.ts";
import { mayBeSealed } from "../directory/right-secrets.ts";
import { DueTable } from "../durable/due-table.ts";
import { KeyedMutex } from "../durable/keyed-mutex.ts";
import { OUTBOX_INTERVALS, Outbox } from "../durable/outbox.ts";
import type { TablePosition } from "../durable/transfer/tables.ts";
import { done, type Outcome } from "../errors.ts";
import { fractionsOf } from "../jitter.ts";
import { ACCOUNT_INTERVALS, AccountWatch } from "./account-watch.ts";
import { NEXT_EXPORT, runWalletAlarm } from "./alarm.ts";
import type { WalletRef } from "./context.ts";
import { WalletCreation } from "./creation.ts";
import { exportWallet, type WalletExport } from "./export.ts";
import { CONFIRM, LONGEST_CONFIRM_RETRY_MS, WalletListing, walletView } from "./listing.ts";
import { WalletOpening } from "./opening.ts";
import { masterKeysOf, projectOf, type WalletParts } from "./parts.ts";
import { openRecord, openWallet, recordMasterKeyVersion, resealWallet } from "./record.ts";
import { checkExportInterval } from "./rules.ts";
import { SecretUse } from "./secret-use.ts";
import { type LoadedWallet, WalletStore } from "./store.ts";

/** Exports run one at a time, so that the next one is subject to this one's interval. */
const EXPORT = "export";

/**
 * The Durable Object of one wallet. Only this object writes its sealed record. A secret arrives with a call and is
 * overwritten at its end. Refusals are values; only faults throw.
 */
export class Wallet extends DurableObject<Env> implements ObjectMethods<WalletObject> {
  readonly #parts: WalletParts;
  readonly #opening: WalletOpening;
  readonly #listing: WalletListing;
  readonly #secrets: SecretUse;
  readonly #creation: WalletCreation;
  readonly #accounts: AccountWatch;
  readonly #exports = new KeyedMutex();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { storage } = ctx;
    const deps = createDeps(env);
    const store = new WalletStore(storage);
    const due = new DueTable(storage, (atMs) => deps.clock.alarmAtMs(atMs), {
      ...OUTBOX_INTERVALS,
      ...ACCOUNT_INTERVALS,
      [CONFIRM]: LONGEST_CONFIRM_RETRY_MS,
    });
    const outbox = new Outbox(storage.sql, due, deps);
    this.#parts = { env, deps, storage, due, outbox, store, name: ctx.id.name ?? null };
    this.#opening = new WalletOpening(this.#parts);
    this.#listing = new WalletListing(this.#parts, this.#opening);
    this.#secrets = new SecretUse(this.#parts, this.#opening, this.#listing);
    this.#creation = new WalletCreation(this.#parts, this.#opening, this.#listing, this.#secrets);
    this.#accounts = new AccountWatch(this.#parts);
    if (store.isReady) due.rearm();
  }

  async create(input: CreateWallet): Promise<Outcome<string>> {
    return this.#thenForget(input, () => this.#creation.create(input));
  }

  async checkImport(input: CreateWallet): Promise<Outcome<string> | null> {
    return this.#thenForget(input, () => this.#creation.checkImport(input));
  }

  async import(input: ImportWallet): Promise<Outcome<string>> {
    return this.#thenForget(input, () => this.#creation.import(input));
  }

  async view(): Promise<WalletView | null> {
    const stored = this.#stored();
    if (stored === null) return null;
    const opened = await this.#opening.open(stored, stored.ref);
    if (!opened.ok) throw new Error(opened.error.details);
    return walletView(stored, opened.value);
  }

  async opensUnder(masterKeyVersion: number): Promise<boolean | null> {
    const stored = this.#stored();
    if (stored === null) return null;
    const version = recordMasterKeyVersion(stored.record);
    if (version !== null && version !== masterKeyVersion) return null;
    return (await openRecord(stored, stored.ref, masterKeysOf(this.#parts))).ok;
  }

  async address(wallet: WalletRef): Promise<Outcome<string>> {
    const stored = this.#stored();
    return stored === null ? this.#listing.refuseAbsent(wallet) : this.#listing.address(stored, wallet);
  }

  async reseal(): Promise<Outcome<number>> {
    const { env, deps, store } = this.#parts;
    const masterKeys = masterKeysOf(this.#parts);
    const stored = this.#stored();
    if (stored === null) return done(masterKeys.current);
    const keys = await mayBeSealed(env, deps);
    if (!keys.ok) return keys;
    const resealed = await this.#opening.orMissingKey(resealWallet(stored, stored.ref, masterKeys, deps.randomBytes));
    if (!resealed.ok) return resealed;
    store.replaceRecord(stored.record, resealed.value);
    return done(masterKeys.current);
  }

  async verifySecret(input: OpenInput): Promise<Outcome<string>> {
    const { wallet, secret } = input;
    this.#rearm();
    return this.#secrets.run(input, async (stored, masterKeys) => {
      const opened = await openWallet(stored, wallet, secret, masterKeys);
      return opened.ok ? done(addressOf(wallet.chain, stored.publicKey)) : opened;
    });
  }

  async sign(input: SignInput): Promise<Outcome<WalletSignature>> {
    const { wallet, secret, message, sender, opensAccountOn = null } = input;
    this.#rearm();
    return this.#secrets.run(input, async (stored, masterKeys) => {
      const opened = await openWallet(stored, wallet, secret, masterKeys);
      if (!opened.ok) return opened;
      // A wrong secret is refused as one, and counted.
      const otherSender =
        sender === undefined ? null : refuseOtherSender({ sender }, addressOf(wallet.chain, stored.publicKey));
      if (otherSender !== null) return otherSender;
      const signature = await opened.value.sign(message);
      if (opensAccountOn !== null) this.#accounts.start(opensAccountOn);
      return done({ signature, publicKey: stored.publicKey });
    });
  }

  async export(input: ExportInput): Promise<Outcome<WalletExport>> {
    this.#rearm();
    return this.#exports.run(EXPORT, () => this.#export(input));
  }

  #export(input: ExportInput): Promise<Outcome<WalletExport>> {
    const { due, deps } = this.#parts;
    return this.#secrets.run(input, async (stored, masterKeys) => {
      const { wallet, secret, derivationSalt, keyId } = input;
      const { chain, walletId, projectId } = wallet;
      const exported = await exportWallet(stored, wallet, secret, masterKeys, derivationSalt);
      if (!exported.ok) return exported;
      const next = checkExportInterval(due.dueAt(NEXT_EXPORT, ""), deps.clock.nowMs(), fractionsOf(deps.randomBytes));
      if (!next.ok) return next;
      const detailJson = JSON.stringify({ chain, address: exported.value.address, keyId });
      const entry = { action: "wallet.export", target: walletId, detailJson };
      const recorded = await projectOf(this.#parts, projectId).recordExport(entry);
      if (!recorded.ok) return recorded;
      due.set(NEXT_EXPORT, "", next.value);
      return exported;
    });
  }

  async readStored(from: TablePosition | null) {
    return this.#parts.store.readPart(from);
  }

  async writeStored(part: ArrivingPart): Promise<Outcome<null>> {
    const written = this.#parts.store.writePart(part);
    this.#parts.due.rearm();
    return written;
  }

  override async alarm(): Promise<void> {
    await runWalletAlarm(this.#parts, this.#listing, this.#accounts, () => this.#stored());
  }

  async #thenForget<T>({ secret }: CreateWallet, work: () => Promise<T>): Promise<T> {
    this.#rearm();
    try {
      return await work();
    } finally {
      secret.bytes.fill(0);
    }
  }

  #stored(): LoadedWallet | null {
    this.#rearm();
    return this.#parts.store.read();
  }

  /** Arms a lost alarm again. Reads nothing if no wallet was made. */
  #rearm(): void {
    const { due, deps, store } = this.#parts;
    if (store.isReady) due.rearmIfOverdue(deps.clock.nowMs());
  }
}
