import {
  AccountAddress,
  AccountAuthenticator,
  AccountAuthenticatorAbstraction,
  type Deserializer,
  RawTransaction,
  Serializer,
  SignedTransaction,
  TransactionAuthenticator,
  TransactionAuthenticatorFeePayer,
  TransactionAuthenticatorMultiAgent,
  TransactionAuthenticatorSingleSender,
} from "@aptos-labs/ts-sdk";

/** Variants of aptos-core, types/src/transaction/authenticator.rs. */
const MULTI_AGENT = 2;
const FEE_PAYER = 3;
const SINGLE_SENDER = 4;
const ABSTRACTION = 5;
const DERIVABLE_V1 = 1;

/** A deserializer, and the bytes that it reads. */
interface Source {
  readonly bytes: Uint8Array;
  readonly deserializer: Deserializer;
}

/**
 * Reads a signed transaction with the SDK, but for abstracted accounts: the SDK takes all that follows for their
 * signature, and so cannot read one that stands before a fee payer's.
 */
export function readSigned(source: Source): SignedTransaction {
  const raw = RawTransaction.deserialize(source.deserializer);
  return new SignedTransaction(raw, readTransactionAuthenticator(source));
}

function readTransactionAuthenticator(source: Source): TransactionAuthenticator {
  const { deserializer } = source;
  const variant = nextByte(source);
  if (variant !== MULTI_AGENT && variant !== FEE_PAYER && variant !== SINGLE_SENDER)
    return TransactionAuthenticator.deserialize(deserializer);
  deserializer.deserializeUleb128AsU32();
  const sender = readAuthenticator(source);
  if (variant === SINGLE_SENDER) return new TransactionAuthenticatorSingleSender(sender);
  const addresses = deserializer.deserializeVector(AccountAddress);
  const count = deserializer.deserializeUleb128AsU32();
  const signers: AccountAuthenticator[] = [];
  while (signers.length < count) signers.push(readAuthenticator(source));
  if (variant === MULTI_AGENT) return new TransactionAuthenticatorMultiAgent(sender, addresses, signers);
  const address = AccountAddress.deserialize(deserializer);
  const feePayer = { address, authenticator: readAuthenticator(source) };
  return new TransactionAuthenticatorFeePayer(sender, addresses, signers, feePayer);
}

function readAuthenticator(source: Source): AccountAuthenticator {
  const { deserializer } = source;
  if (nextByte(source) !== ABSTRACTION) return AccountAuthenticator.deserialize(deserializer);
  deserializer.deserializeUleb128AsU32();
  const address = AccountAddress.deserialize(deserializer);
  const [module, name] = [deserializer.deserializeStr(), deserializer.deserializeStr()];
  const variant = deserializer.deserializeUleb128AsU32();
  if (variant > DERIVABLE_V1) throw new Error(`Unknown variant index for AbstractAuthenticationData: ${variant}`);
  const info = `${address.toString()}::${module}::${name}`;
  const digest = deserializer.deserializeBytes();
  const signature = deserializer.deserializeBytes();
  return variant === DERIVABLE_V1
    ? new AccountAuthenticatorAbstraction(info, digest, signature, deserializer.deserializeBytes())
    : new AccountAuthenticatorAbstraction(info, digest, withLength(signature));
}

/** The SDK writes the signature of an abstracted account as it is, and so keeps it with its length. */
function withLength(signature: Uint8Array): Uint8Array {
  const serializer = new Serializer();
  serializer.serializeBytes(signature);
  return serializer.toUint8Array();
}

function nextByte({ bytes, deserializer }: Source): number | undefined {
  return bytes[bytes.length - deserializer.remaining()];
}
