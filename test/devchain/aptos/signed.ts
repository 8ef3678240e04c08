import {
  type AccountAddress,
  type AccountAuthenticator,
  AccountAuthenticatorEd25519,
  AccountAuthenticatorMultiEd25519,
  Deserializer,
  type EntryFunction,
  type RawTransaction,
  type Script,
  type SignedTransaction,
  TransactionAuthenticatorEd25519,
  TransactionAuthenticatorFeePayer,
  TransactionAuthenticatorMultiAgent,
  TransactionAuthenticatorMultiEd25519,
  TransactionAuthenticatorSingleSender,
  TransactionExecutableEntryFunction,
  TransactionExecutableScript,
  TransactionExtraConfigV1,
  TransactionInnerPayloadV1,
  TransactionPayloadEntryFunction,
  TransactionPayloadScript,
} from "@aptos-labs/ts-sdk";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { type Address, longAddress } from "./address.ts";
import { invalidInput, vmError } from "./errors.ts";
import { toHex } from "./hex.ts";
import { readSigned } from "./read-signed.ts";

const TRANSACTION_SALT = sha3_256(new TextEncoder().encode("APTOS::Transaction"));
/** The variant of a transaction that a user has signed, among all kinds of transactions of the ledger. */
const USER_TRANSACTION = 0;

export interface SignedBy {
  readonly address: Address;
  readonly authenticator: AccountAuthenticator;
}

export type Executable =
  | { readonly kind: "entry_function"; readonly call: EntryFunction }
  | { readonly kind: "script"; readonly script: Script };

/** A decoded signed transaction. */
export interface Signed {
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly raw: RawTransaction;
  readonly sender: Address;
  readonly executable: Executable;
  /** Of an orderless transaction, which has no sequence number then (AIP-123). */
  readonly nonce: bigint | undefined;
  /** How the signatures came: they are over other bytes in each form, and rendered differently. */
  readonly form: "single_sender" | "multi_agent" | "fee_payer";
  readonly senderAuthenticator: AccountAuthenticator;
  readonly secondaries: readonly SignedBy[];
  readonly feePayer: SignedBy | undefined;
}

/**
 * Decodes one signed transaction. The SDK's decoder takes bytes after the end, and lengths in more bytes than they
 * need; a node takes neither, and so what does not encode to the same bytes again is refused.
 *
 * @throws ApiError
 */
export function decodeSigned(bytes: Uint8Array): Signed {
  let decoded: SignedTransaction;
  try {
    const deserializer = new Deserializer(bytes);
    decoded = readSigned({ bytes, deserializer });
    if (deserializer.remaining() > 0) throw new Error("remaining input");
    if (toHex(decoded.bcsToBytes()) !== toHex(bytes)) throw new Error("the bytes are not canonical");
  } catch (error) {
    throw undecodable(error);
  }
  return describe(decoded, bytes);
}

/** Decodes a vector of signed transactions. @throws ApiError */
export function decodeBatch(bytes: Uint8Array, maxLength: number): Signed[] {
  let decoded: SignedTransaction[];
  try {
    const deserializer = new Deserializer(bytes);
    const length = deserializer.deserializeUleb128AsU32();
    if (length > maxLength) throw new Error(`more than ${maxLength} transactions`);
    decoded = Array.from({ length }, () => readSigned({ bytes, deserializer }));
    if (deserializer.remaining() > 0) throw new Error("remaining input");
  } catch (error) {
    throw undecodable(error);
  }
  return decoded.map((one) => describe(one, one.bcsToBytes()));
}

function undecodable(error: unknown): Error {
  const message = error instanceof Error ? error.message : "unknown error";
  const why = message.startsWith("Reached to the end of buffer") ? "unexpected end of input" : message;
  return invalidInput(`Failed to deserialize input into SignedTransaction: ${why}`);
}

function describe({ raw_txn: raw, authenticator }: SignedTransaction, bytes: Uint8Array): Signed {
  return {
    bytes,
    hash: `0x${toHex(sha3_256(new Uint8Array([...TRANSACTION_SALT, USER_TRANSACTION, ...bytes])))}`,
    raw,
    sender: addressOf(raw.sender),
    executable: executableOf(raw),
    nonce: nonceOf(raw),
    ...signersOf(authenticator),
  };
}

type Signers = Pick<Signed, "form" | "senderAuthenticator" | "secondaries" | "feePayer">;

function signersOf(authenticator: SignedTransaction["authenticator"]): Signers {
  if (
    authenticator instanceof TransactionAuthenticatorFeePayer ||
    authenticator instanceof TransactionAuthenticatorMultiAgent
  ) {
    const secondaries = pairUp(authenticator.secondary_signer_addresses, authenticator.secondary_signers);
    const senderAuthenticator = authenticator.sender;
    if (authenticator instanceof TransactionAuthenticatorMultiAgent) {
      return { form: "multi_agent", senderAuthenticator, secondaries, feePayer: undefined };
    }
    const { address, authenticator: byFeePayer } = authenticator.fee_payer;
    const feePayer = { address: addressOf(address), authenticator: byFeePayer };
    return { form: "fee_payer", senderAuthenticator, secondaries, feePayer };
  }
  return {
    form: "single_sender",
    senderAuthenticator: loneAuthenticator(authenticator),
    secondaries: [],
    feePayer: undefined,
  };
}

function loneAuthenticator(authenticator: SignedTransaction["authenticator"]): AccountAuthenticator {
  if (authenticator instanceof TransactionAuthenticatorSingleSender) return authenticator.sender;
  if (authenticator instanceof TransactionAuthenticatorEd25519) {
    return new AccountAuthenticatorEd25519(authenticator.public_key, authenticator.signature);
  }
  if (authenticator instanceof TransactionAuthenticatorMultiEd25519) {
    return new AccountAuthenticatorMultiEd25519(authenticator.public_key, authenticator.signature);
  }
  throw invalidInput("Failed to deserialize input into SignedTransaction: unknown authenticator");
}

function pairUp(addresses: readonly AccountAddress[], authenticators: readonly AccountAuthenticator[]): SignedBy[] {
  if (addresses.length !== authenticators.length) {
    throw vmError("SECONDARY_KEYS_ADDRESSES_COUNT_MISMATCH");
  }
  return addresses.flatMap((address, index) => {
    const authenticator = authenticators[index];
    return authenticator === undefined ? [] : [{ address: addressOf(address), authenticator }];
  });
}

function executableOf({ payload }: RawTransaction): Executable {
  if (payload instanceof TransactionPayloadEntryFunction)
    return { kind: "entry_function", call: payload.entryFunction };
  if (payload instanceof TransactionPayloadScript) return { kind: "script", script: payload.script };
  if (payload instanceof TransactionInnerPayloadV1) {
    const { executable, extra_config: config } = payload;
    if (!(config instanceof TransactionExtraConfigV1)) throw unserved("this kind of payload");
    if (config.multisigAddress !== undefined) throw unserved("multisig accounts");
    if (executable instanceof TransactionExecutableEntryFunction) {
      return { kind: "entry_function", call: executable.entryFunction };
    }
    if (executable instanceof TransactionExecutableScript) return { kind: "script", script: executable.script };
  }
  throw unserved("this kind of payload");
}

function nonceOf({ payload }: RawTransaction): bigint | undefined {
  if (!(payload instanceof TransactionInnerPayloadV1)) return undefined;
  const { extra_config: config } = payload;
  return config instanceof TransactionExtraConfigV1 ? config.replayProtectionNonce : undefined;
}

function unserved(what: string): Error {
  return invalidInput(`The development chain does not execute ${what}`);
}

export function addressOf(address: AccountAddress): Address {
  return longAddress(address.toStringLong());
}

export function feePayerOf({ feePayer, sender }: Signed): Address {
  return feePayer?.address ?? sender;
}
