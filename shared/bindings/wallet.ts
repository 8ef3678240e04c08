import type { Outcome } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import type { AptosNetwork } from "../networks.ts";
import type { WalletEntry } from "../project/views.ts";
import type { WalletRef } from "../wallet/context.ts";
import type { DerivedSecret } from "../wallet/derivation.ts";
import type { WalletExport } from "../wallet/export.ts";
import type { StoredWallet } from "../wallet/record.ts";

/** What a wallet shows without its secret. */
export interface WalletView {
  readonly entry: WalletEntry;
  readonly address: string;
  /** That its record is sealed under. */
  readonly masterKeyVersion: number;
}

export interface CreateWallet extends OpenInput {
  /** Null: the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
}

export interface ImportWallet extends CreateWallet {
  /** Sealed for this wallet, under the secret. */
  readonly stored: StoredWallet;
}

export interface ExportInput extends OpenInput {
  /** Of the project, 32 bytes. */
  readonly derivationSalt: Uint8Array;
}

export interface OpenInput {
  readonly wallet: WalletRef;
  readonly secret: DerivedSecret;
  /** The access key that asks: wrong secrets are counted by it. */
  readonly keyId: string;
}

export interface SignInput extends OpenInput {
  /** Exactly what is signed: a digest or a signing message, with its domain in front. */
  readonly message: Uint8Array;
  /** Where the message is the wallet's first transaction, which makes its account; otherwise null. */
  readonly createsAccountOn?: AptosNetwork | null;
}

export interface WalletSignature {
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** The `Wallet` object, as its callers see it. */
export interface WalletObject {
  /**
   * Makes the wallet's key. The project counts it before it exists, and lists its address before anybody is told.
   *
   * @returns the address. For a wallet that exists, `wrong_secret` unless the secret opens it, and then `wallet_exists`
   * before any question of quota, except to a repeat with the same Idempotency-Key; `quota_reached`,
   * `idempotency_conflict`, `corrupt_record`, `wrong_master_key`; `overloaded` where the project does not answer.
   */
  create(input: CreateWallet): Promise<Outcome<string>>;

  /** Says of a wallet that exists what `create` says. Null: there is none. */
  checkImport(input: CreateWallet): Promise<Outcome<string> | null>;

  /**
   * Makes the wallet of a record that the caller has sealed for it. Counts as a creation.
   *
   * @returns as `create`; `master_key_missing` where the caller's master keys are not this object's. Throws for a record
   * that does not open: it would be a wallet that nobody can use.
   */
  import(input: ImportWallet): Promise<Outcome<string>>;

  /** Null: no such wallet. Throws where its record does not open. */
  view(): Promise<WalletView | null>;

  /**
   * Whether the record opens, for the proof of a master key: it asks nobody whether that key is right.
   *
   * @returns null: there is no wallet, or its record is under another version.
   */
  opensUnder(masterKeyVersion: number): Promise<boolean | null>;

  /**
   * The address, after the record has authenticated it; `unknown_wallet`, `corrupt_record`, `master_key_missing`;
   * `overloaded` where the project has to be asked and does not answer.
   *
   * @param wallet as the caller knows it: what the row says of itself proves nothing, where a row was put in another's place.
   */
  address(wallet: WalletRef): Promise<Outcome<string>>;

  /**
   * Seals the record under the current master key; no secret is needed. A repeat changes nothing.
   *
   * @returns the master key version that everything of this wallet is sealed under from now on, also of one that is
   * only about to be made; `corrupt_record`, `master_key_missing`: the record is as it was.
   */
  reseal(): Promise<Outcome<number>>;

  /**
   * The address, after the secret has opened the key: for what is decided before anything is signed.
   *
   * @returns as `sign`.
   */
  verifySecret(input: OpenInput): Promise<Outcome<string>>;

  /**
   * Opens the key, signs and forgets it.
   *
   * @returns `unknown_wallet`, `wrong_secret`, `corrupt_record`, `master_key_missing`; `rate_limited` for a wrong secret
   * after too many others of this access key; `overloaded` where the project has to be asked and does not answer.
   */
  sign(input: SignInput): Promise<Outcome<WalletSignature>>;

  /**
   * The wallet on its way out, once a minute. The project logs it first.
   *
   * @returns as `sign`, and `export_disabled`; `rate_limited` too soon after another export.
   */
  export(input: ExportInput): Promise<Outcome<WalletExport>>;
}
