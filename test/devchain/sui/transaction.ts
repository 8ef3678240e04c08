import { bcs } from "@mysten/sui/bcs";
import { fromBase58, isValidTransactionDigest, normalizeSuiAddress, toBase58 } from "@mysten/sui/utils";
import { taggedDigest } from "./hash.ts";
import { invalidArgument, transactionInvalid } from "./status.ts";

export type TransactionData = NonNullable<(typeof bcs.TransactionData.$inferType)["V1"]>;
export type ProgrammableTransaction = typeof bcs.ProgrammableTransaction.$inferType;
export type CallArg = ProgrammableTransaction["inputs"][number];
export type Command = ProgrammableTransaction["commands"][number];
export type Argument = typeof bcs.Argument.$inferType;
export type ObjectRef = typeof bcs.SuiObjectRef.$inferType;
export type TransactionDataInput = NonNullable<Extract<typeof bcs.TransactionData.$inferInput, { V1: unknown }>["V1"]>;

/** A decoded transaction together with the very bytes that were hashed and signed. */
export interface DecodedTransaction {
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly data: TransactionData;
  readonly programmable: ProgrammableTransaction;
  readonly sender: string;
  readonly gasOwner: string;
}

/** sui-protocol-config, mainnet v136: `max_tx_size_bytes`. */
export const MAX_TRANSACTION_BYTES = 131_072;

const DIGEST_BYTES = 32;
const NO_ADDRESS = "Unable to parse Address (must be hex string of length 32)";
/** How a node begins what it says of BCS that it cannot read (recorded, 1.62). */
const UNREADABLE = "invalid transaction: error converting from protobuf: field: bcs reason: FIELD_INVALID description:";

/** Decodes BCS `TransactionData`. Throws `INVALID_ARGUMENT` for anything but one canonical encoding. */
export function decodeTransaction(bytes: Uint8Array): DecodedTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    throw transactionInvalid(
      `Size limit exceeded: serialized transaction size exceeded maximum of ${MAX_TRANSACTION_BYTES} is ${bytes.length}`,
    );
  }
  const data = parseTransactionData(bytes);
  const programmable = data.kind.ProgrammableTransaction;
  if (programmable === undefined) {
    throw transactionInvalid("Only programmable transactions can be submitted by a user");
  }
  return {
    bytes,
    digest: transactionDigest(bytes),
    data,
    programmable,
    sender: data.sender,
    gasOwner: data.gasData.owner,
  };
}

/** Encodes a transaction that was put together here. */
export function encodeTransaction(data: TransactionDataInput): DecodedTransaction {
  return decodeTransaction(bcs.TransactionData.serialize({ V1: data }).toBytes());
}

export function transactionDigest(bytes: Uint8Array): string {
  return taggedDigest("TransactionData", bytes);
}

export function gasPrice(transaction: DecodedTransaction): bigint {
  return BigInt(transaction.data.gasData.price);
}

export function gasBudget(transaction: DecodedTransaction): bigint {
  return BigInt(transaction.data.gasData.budget);
}

/** All arguments of a command in the order in which the chain numbers them in errors. */
export function commandArguments(command: Command): readonly Argument[] {
  switch (command.$kind) {
    case "MoveCall":
      return command.MoveCall.arguments;
    case "TransferObjects":
      return [...command.TransferObjects.objects, command.TransferObjects.address];
    case "SplitCoins":
      return [command.SplitCoins.coin, ...command.SplitCoins.amounts];
    case "MergeCoins":
      return [command.MergeCoins.destination, ...command.MergeCoins.sources];
    case "MakeMoveVec":
      return command.MakeMoveVec.elements;
    case "Upgrade":
      return [command.Upgrade.ticket];
    case "Publish":
      return [];
  }
}

export function usesGasCoin(transaction: DecodedTransaction): boolean {
  return transaction.programmable.commands.some((command) =>
    commandArguments(command).some((argument) => argument.$kind === "GasCoin"),
  );
}

/** Parses a digest given by a caller. */
export function parseDigest(text: string | undefined): string {
  if (text === undefined) throw invalidArgument("invalid digest: missing");
  if (isValidTransactionDigest(text)) return text;
  return filledDigest(text);
}

/** A node fills up what is too short for a digest (recorded, 1.62). */
function filledDigest(text: string): string {
  let bytes: Uint8Array;
  try {
    bytes = fromBase58(text);
  } catch {
    throw invalidArgument(`invalid digest: ${text}`);
  }
  if (bytes.length > DIGEST_BYTES) throw invalidArgument(`invalid digest: ${text}`);
  const filled = new Uint8Array(DIGEST_BYTES);
  filled.set(bytes);
  return toBase58(filled);
}

/** Parses an address or object id given by a caller, and puts it in the long form. */
export function parseAddress(field: string, text: string | undefined): string {
  if (text === undefined || text === "") throw invalidArgument(`missing ${field}`);
  if (!/^(0x)?[0-9a-fA-F]{1,64}$/.test(text)) throw invalidArgument(`invalid ${field}: ${NO_ADDRESS}`);
  return normalizeSuiAddress(text);
}

function parseTransactionData(bytes: Uint8Array): TransactionData {
  let data: TransactionData;
  let encoded: Uint8Array;
  try {
    const parsed = bcs.TransactionData.parse(bytes);
    data = parsed.V1;
    encoded = bcs.TransactionData.serialize(parsed).toBytes();
  } catch (error) {
    throw invalidArgument(`${UNREADABLE} ${whyUnreadable(bytes, error)}`);
  }
  // The SDK's reader accepts trailing bytes, a node does not.
  if (encoded.length < bytes.length && encoded.every((byte, index) => byte === bytes[index]))
    throw invalidArgument(`${UNREADABLE} remaining input`);
  if (encoded.length !== bytes.length || encoded.some((byte, index) => byte !== bytes[index])) {
    throw invalidArgument(`${UNREADABLE} the bytes are not the canonical BCS of a transaction`);
  }
  return data;
}

/** There is one variant of transaction data, V1. */
function whyUnreadable([variant]: Uint8Array, error: unknown): string {
  if (variant !== undefined && variant !== 0)
    return `invalid value: integer \`${variant}\`, expected variant index 0 <= i < 1`;
  return error instanceof Error ? error.message : "undecodable BCS";
}
