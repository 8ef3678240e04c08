import type { Outcome } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import type { AptosNetwork } from "../networks.ts";
import type { WalletEntry } from "../project/views.ts";
import type { WalletRef } from "../wallet/context.ts";
import type { DerivedSecret } from "../wallet/derivation.ts";
import type { WalletExport } from "../wallet/export.ts";
import type { StoredWallet } from "../wallet/record.ts";
import type { CopiedObject } from "./transfer.ts";

/** Facts about a wallet that need no secret. */
export interface WalletView {
  readonly entry: WalletEntry;
  readonly address: string;
  /** Master key version of its record. */
  readonly masterKeyVersion: number;
}

/** A wallet to create, with the secret of its session. */
export interface CreateWallet extends OpenInput {
  /** Null if the caller sent no Idempotency-Key. */
  readonly idempotency: IdempotencyClaim | null;
}

/** A wallet to create from an export. */
export interface ImportWallet extends CreateWallet {
  /** Sealed for this wallet, under the secret. */
  readonly stored: StoredWallet;
}

/** A wallet to export. */
export interface ExportInput extends OpenInput {
  /** Derivation salt of the project, 32 bytes. */
  readonly derivationSalt: Uint8Array;
}

/** A wallet to open, with the derived secret. */
export interface OpenInput {
  readonly wallet: WalletRef;
  readonly secret: DerivedSecret;
  /** Access key of the caller. Wrong secrets are counted by it. */
  readonly keyId: string;
}

/** A message that a wallet is to sign. */
export interface SignInput extends OpenInput {
  /** The bytes to sign: a digest or a signing message, with its domain in front. */
  readonly message: Uint8Array;
  /** The sender of the transaction, in full length. Absent if the caller has compared it, or is of an earlier build. */
  readonly sender?: string;
  /** Network on which this first transaction creates the wallet's account. Null if it creates none. */
  readonly opensAccountOn?: AptosNetwork | null;
}

/** An Ed25519 signature of a wallet, 64 bytes, and its public key, 32 bytes. */
export interface WalletSignature {
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** The `Wallet` object, as its callers see it. */
export interface WalletObject extends CopiedObject {
  /**
   * Makes the wallet's key. The project counts it before it exists, and lists its address before anybody gets it.
   *
   * @returns the address. For a wallet that exists: `wrong_secret` unless the secret opens it; then the address to a
   *   repeat with the same Idempotency-Key, and `wallet_exists` to all others, before any check of the quota.
   *   Otherwise `quota_reached`, `idempotency_conflict`, `corrupt_record`, `wrong_master_key`, `key_service`;
   *   `overloaded` if the project does not answer.
   */
  create(input: CreateWallet): Promise<Outcome<string>>;

  /** Answers for an existing wallet as `create` does. Null if no wallet exists. Called before an import. */
  checkImport(input: CreateWallet): Promise<Outcome<string> | null>;

  /**
   * Stores a record that the caller has sealed for this wallet. Counts as a creation.
   *
   * @returns as `create`; `master_key_missing` if this object lacks the caller's master key. Throws for a record that
   *   does not open, because nobody could use that wallet.
   */
  import(input: ImportWallet): Promise<Outcome<string>>;

  /** Returns null if there is no such wallet. Throws if its record does not open. */
  view(): Promise<WalletView | null>;

  /**
   * Tries to open the record, to prove a master key. It does not check whether that key is right.
   *
   * @returns null if there is no such wallet, or its record is under another version.
   */
  opensUnder(masterKeyVersion: number): Promise<boolean | null>;

  /**
   * Returns the address, once the record has authenticated it.
   *
   * @param wallet as the caller knows it. A row that was moved from another wallet's storage then does not open.
   * @returns `unknown_wallet`, `corrupt_record`, `master_key_missing`; `overloaded` if the project must list the
   *   address and does not answer.
   */
  address(wallet: WalletRef): Promise<Outcome<string>>;

  /**
   * Seals the record under the current master key, without a secret. A repeat changes nothing.
   *
   * @returns the master key version of this wallet from now on, also before it is made; `corrupt_record`,
   * `master_key_missing`: the record is unchanged.
   */
  reseal(): Promise<Outcome<number>>;

  /**
   * Returns the address if the secret opens the key. Called before a decision that precedes a signature.
   *
   * @returns as `sign`, without `wrong_sender`.
   */
  verifySecret(input: OpenInput): Promise<Outcome<string>>;

  /**
   * Opens the key and signs. The open key is not kept.
   *
   * @returns `unknown_wallet`, `wrong_secret`, `corrupt_record`, `master_key_missing`; `rate_limited` for a wrong
   *   secret after too many of this access key; `overloaded` if the project must list the address and does not answer;
   *   `wrong_sender` if the transaction has another sender: nothing is signed.
   */
  sign(input: SignInput): Promise<Outcome<WalletSignature>>;

  /**
   * Exports the wallet, at most once a minute. The project logs the export first.
   *
   * @returns refusals of `sign`; `export_disabled`; `rate_limited` too soon after another export.
   */
  export(input: ExportInput): Promise<Outcome<WalletExport>>;
}
