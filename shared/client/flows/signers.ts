import type { Result } from "../../result.ts";
import { equal } from "./bytes.ts";
import { type FlowError, failed, messageOf } from "./errors.ts";
import { ED25519_KEY_BYTES, ED25519_SIGNATURE_BYTES } from "./limits.ts";

/** Signers are recognised by their shape, so that no SDK is imported. */

/** A keypair of `@mysten/sui`, or any of its signers. */
export interface SuiKeySigner {
  toSuiAddress(): string;
  signTransaction(bytes: Uint8Array): Promise<{ readonly signature: string; readonly bytes?: string }>;
}

/** A connected wallet: its address, and dapp-kit's `signTransaction` (or the `mutateAsync` of `useSignTransaction`). */
export interface SuiWalletSigner {
  readonly address: string;
  signTransaction(input: {
    readonly transaction: string;
  }): Promise<{ readonly signature: string; readonly bytes?: string }>;
}

/** A signer of Sui transactions. */
export type SuiSigner = SuiKeySigner | SuiWalletSigner;

/** The content that an Aptos signer signs, in the three forms that wallets and keys accept. */
export interface AptosToSign {
  /** BCS of the `RawTransaction`. */
  readonly rawTransaction: Uint8Array;
  /** BCS of the SDK's `SimpleTransaction`, with the fee payer `0x0`. */
  readonly simpleTransaction: Uint8Array;
  /** The message that a plain key signs. */
  readonly message: Uint8Array;
}

/** A signer of Aptos transactions. `aptosWallet`, `aptosAccount` and `aptosKey` make one. */
export interface AptosSigner {
  /** `0x` and up to 64 hex digits. */
  readonly aptosAddress: string;
  /** Returns the BCS of the sender's `AccountAuthenticator`. */
  signAptos(toSign: AptosToSign): Promise<Uint8Array>;
}

/** The two classes of `@aptos-labs/ts-sdk` with which a transaction for its wallets and accounts is made. */
export interface AptosSdk<Deserializer, Transaction extends Bcs> {
  readonly Deserializer: new (bytes: Uint8Array) => Deserializer;
  readonly SimpleTransaction: { deserialize(deserializer: Deserializer): Transaction };
}

/** A value of the SDK that encodes itself as BCS. */
export interface Bcs {
  bcsToBytes(): Uint8Array;
}

/** An address as text, or as the SDK's `AccountAddress`. */
export type AptosAddress = string | { toString(): string };

/** The parts of the wallet adapter's `useWallet()` that sign. */
export interface AptosWallet<Transaction> {
  readonly account: { readonly address: AptosAddress } | null;
  signTransaction(input: {
    readonly transactionOrPayload: Transaction;
  }): Promise<{ readonly authenticator: Bcs; readonly rawTransaction?: Uint8Array }>;
}

/** An account of the SDK that signs by itself: Ed25519, single key, multi key, keyless. */
export interface AptosAccount<Transaction> {
  readonly accountAddress: AptosAddress;
  signTransactionWithAuthenticator(transaction: Transaction): Bcs | Promise<Bcs>;
}

class WalletChangedIt extends Error {}

/** Reads the checked bytes with the SDK. Throws if the SDK has read other bytes. */
function sdkTransaction<Deserializer, Transaction extends Bcs>(
  bytes: Uint8Array,
  { Deserializer, SimpleTransaction }: AptosSdk<Deserializer, Transaction>,
): Transaction {
  const transaction = SimpleTransaction.deserialize(new Deserializer(bytes));
  if (!equal(transaction.bcsToBytes(), bytes)) throw new WalletChangedIt("the SDK read another transaction");
  return transaction;
}

/** Makes a signer of a wallet that is connected through the wallet adapter: `aptosWallet(useWallet(), sdk)`. */
export function aptosWallet<Deserializer, Transaction extends Bcs>(
  // A wallet adapter accepts other inputs, too. Here the SDK alone determines the type.
  wallet: AptosWallet<NoInfer<Transaction>>,
  sdk: AptosSdk<Deserializer, Transaction>,
): AptosSigner {
  return {
    aptosAddress: String(wallet.account?.address ?? ""),
    async signAptos({ simpleTransaction, rawTransaction }) {
      const transactionOrPayload = sdkTransaction(simpleTransaction, sdk);
      const signed = await wallet.signTransaction({ transactionOrPayload });
      // Adapters return the raw transaction, with or without the fee payer behind it.
      const returned = signed.rawTransaction;
      if (returned !== undefined && !equal(returned, rawTransaction) && !equal(returned, simpleTransaction))
        throw new WalletChangedIt("the wallet signed another transaction");
      return signed.authenticator.bcsToBytes();
    },
  };
}

/** Makes a signer of an account of the SDK: `aptosAccount(account, sdk)`. */
export function aptosAccount<Deserializer, Transaction extends Bcs>(
  account: AptosAccount<Transaction>,
  sdk: AptosSdk<Deserializer, Transaction>,
): AptosSigner {
  return {
    aptosAddress: String(account.accountAddress),
    async signAptos({ simpleTransaction }) {
      const authenticator = await account.signTransactionWithAuthenticator(sdkTransaction(simpleTransaction, sdk));
      return authenticator.bcsToBytes();
    },
  };
}

/** An Ed25519 key by its bytes, without an SDK. */
export interface Ed25519Key {
  readonly address: string;
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** Makes a signer of an Ed25519 key, without an SDK. */
export function aptosKey({ address, publicKey, sign }: Ed25519Key): AptosSigner {
  return {
    aptosAddress: address,
    async signAptos({ message }) {
      const signature = await sign(message);
      if (publicKey.length !== ED25519_KEY_BYTES || signature.length !== ED25519_SIGNATURE_BYTES)
        throw new Error("no Ed25519 signature");
      // `AccountAuthenticator::Ed25519`: its variant, and key and signature with their lengths.
      return Uint8Array.of(0, ED25519_KEY_BYTES, ...publicKey, ED25519_SIGNATURE_BYTES, ...signature);
    },
  };
}

/** Returns the address of a Sui signer. */
export function suiAddressOf(signer: SuiSigner): string {
  return "toSuiAddress" in signer ? signer.toSuiAddress() : signer.address;
}

/** Asks the user to sign. A wallet that throws has refused. */
export async function askWallet<Signed>(sign: () => Promise<Signed>): Promise<Result<Signed, FlowError>> {
  try {
    return { ok: true, value: await sign() };
  } catch (error) {
    return failed(error instanceof WalletChangedIt ? "wallet_changed_it" : "wallet_refused", messageOf(error));
  }
}
