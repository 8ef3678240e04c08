import {
  Account,
  type AccountAuthenticator,
  AccountAuthenticatorEd25519,
  AccountAuthenticatorSingleKey,
  AnySignature,
  Ed25519PrivateKey,
  Ed25519PublicKey,
  type Ed25519Signature,
  Secp256k1PrivateKey,
  type SingleKeyAccount,
} from "@aptos-labs/ts-sdk";
import type { Names } from "./names.ts";

const SEED_BYTES = 32;
const LEADING_ZEROS = /^0x0*/;

/** An account as it is, or with an Ed25519 or another key in the form of single keys. */
type Scheme = "legacy" | "ed25519" | "secp256k1";

function accountOf(scheme: Scheme, seed: number): Account {
  const bytes = new Uint8Array(SEED_BYTES);
  new DataView(bytes.buffer).setUint32(0, seed);
  bytes[SEED_BYTES - 1] = 1;
  if (scheme === "legacy") return Account.fromPrivateKey({ privateKey: new Ed25519PrivateKey(bytes) });
  const privateKey = scheme === "ed25519" ? new Ed25519PrivateKey(bytes) : new Secp256k1PrivateKey(bytes);
  return Account.fromPrivateKey({ privateKey, legacy: false });
}

/** Signs on the asked chain as the recorded accounts did: the same schemes, with keys of this process. */
export function createAptosKeys(names: Names) {
  const accounts = new Map<string, Account>();
  let seed = 0;

  /** Addresses are written with and without zeros in front, so the new one has as many of them. */
  function accountAt(recorded: string, scheme: Scheme): Account {
    const known = accounts.get(recorded);
    if (known !== undefined) return known;
    for (;;) {
      const account = accountOf(scheme, seed++);
      const address = account.accountAddress.toStringLong();
      if (LEADING_ZEROS.exec(address)?.[0] !== LEADING_ZEROS.exec(recorded)?.[0]) continue;
      accounts.set(recorded, account);
      names.bind(recorded, address);
      names.bind(recorded.replace(LEADING_ZEROS, "0x"), address.replace(LEADING_ZEROS, "0x"));
      return account;
    }
  }

  /**
   * The same signature over another transaction. One that was not valid is not valid again.
   *
   * @param recorded what a signer may have signed.
   * @param messages the same of the other transaction.
   */
  function signAgain(
    authenticator: AccountAuthenticator,
    recorded: readonly Uint8Array[],
    messages: readonly Uint8Array[],
  ): AccountAuthenticator {
    if (authenticator instanceof AccountAuthenticatorEd25519) {
      const { public_key, signature } = authenticator;
      const account = accountAt(public_key.authKey().derivedAddress().toStringLong(), "legacy");
      const signed = recorded.findIndex((message) => public_key.verifySignature({ message, signature }));
      const message = messages[signed];
      const again = message === undefined ? signature : account.sign(message);
      return new AccountAuthenticatorEd25519(account.publicKey as Ed25519PublicKey, again as Ed25519Signature);
    }
    if (!(authenticator instanceof AccountAuthenticatorSingleKey)) return authenticator;
    const { public_key, signature } = authenticator;
    const scheme = public_key.publicKey instanceof Ed25519PublicKey ? "ed25519" : "secp256k1";
    const account = accountAt(public_key.authKey().derivedAddress().toStringLong(), scheme) as SingleKeyAccount;
    const signed = recorded.findIndex((message) => public_key.verifySignature({ message, signature }));
    const message = messages[signed];
    const again = message === undefined ? signature : account.sign(message);
    return new AccountAuthenticatorSingleKey(account.publicKey, again instanceof AnySignature ? again : signature);
  }

  return { accountAt, signAgain };
}

export type AptosKeys = ReturnType<typeof createAptosKeys>;
