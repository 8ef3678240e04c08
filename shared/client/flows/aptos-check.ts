import { blake2b } from "./blake2b.ts";
import { addressBytes, concat, fromHex, strictly, toHex } from "./bytes.ts";
import { ADDRESS_BYTES, HOUR_MS, ID_BYTES, MAX_APTOS_BYTES, MS_PER_SECOND } from "./limits.ts";
import { type ExpectedNetwork, networkFault, type SignedTransaction } from "./networks.ts";
import type { AptosSponsored } from "./wire.ts";

/** The strict check of a sponsored transaction on Aptos, before its sender signs it. */

/** The place of a sequence number in a transaction that has a nonce instead (AIP-123). */
const ORDERLESS = 2n ** 64n - 1n;

/** The fields of a raw transaction without its payload. */
export interface AptosTransactionParts {
  readonly sender: string;
  readonly sequenceNumber: bigint;
  readonly maxGasAmount: bigint;
  readonly gasUnitPriceOctas: bigint;
  readonly expirationTimestampSeconds: bigint;
  readonly chainId: number;
}

/**
 * Reads a raw transaction with exactly this payload. Null for another payload, for malformed bytes, and for bytes after
 * the end.
 */
export function readAptosTransaction(bytes: Uint8Array, payload: Uint8Array): AptosTransactionParts | null {
  return strictly(bytes, (reader) => {
    const sender = toHex(reader.take(ADDRESS_BYTES));
    const sequenceNumber = reader.u64();
    reader.expect(payload);
    // The fields have the order of the bytes.
    return {
      sender,
      sequenceNumber,
      maxGasAmount: reader.u64(),
      gasUnitPriceOctas: reader.u64(),
      expirationTimestampSeconds: reader.u64(),
      chainId: reader.u8(),
    };
  });
}

/** The request, and the bounds of its answer. */
export interface AptosExpectation extends ExpectedNetwork<number> {
  /** BCS of the `TransactionPayload`. */
  readonly payload: Uint8Array;
  readonly sender: string;
  /** Gas units times gas price, octas. */
  readonly maxGasOctas: bigint;
  readonly nowMs: number;
  /** The sender's next sequence number. Null if the caller does not know it. */
  readonly sequenceNumber: bigint | null;
  /**
   * The sender's earlier transactions, by `aptosId`. Null if the transaction is signed already, so that only its form
   * is compared.
   */
  readonly used: readonly string[] | null;
}

/** Names a raw transaction, to distinguish it from earlier ones. The name is not the chain's hash. */
export function aptosId(rawTransaction: Uint8Array): string {
  return toHex(blake2b(rawTransaction, ID_BYTES));
}

/** Checks an answer of `sponsor`. Returns the checked transaction, or the first difference as a text. */
export function checkAptos(answer: AptosSponsored, expected: AptosExpectation): SignedTransaction | string {
  const elsewhere = networkFault(answer.network, expected);
  if (elsewhere !== null) return elsewhere;
  if (answer.feePayerAddress !== undefined) return "it names a fee payer";
  const bytes = fromHex(answer.rawTransaction);
  if (bytes === null || bytes.length > MAX_APTOS_BYTES) return "it is not hex, or too long";
  const parts = readAptosTransaction(bytes, expected.payload);
  if (parts === null) return "it has another payload, or is malformed";
  const own = addressBytes(expected.sender);
  if (own === null || parts.sender !== toHex(own)) return `its sender is ${parts.sender}`;
  if (!expected.isChain(parts.chainId)) return "it is for another chain";
  if (parts.sequenceNumber === ORDERLESS) return "it has no sequence number";
  const { used, nowMs, maxGasOctas, sequenceNumber } = expected;
  const checked = { bytes, id: aptosId(bytes), until: parts.expirationTimestampSeconds };
  if (used === null) return checked;
  const costOctas = parts.maxGasAmount * parts.gasUnitPriceOctas;
  if (costOctas === 0n || costOctas > maxGasOctas) return `its gas is up to ${costOctas} octas`;
  if (untilMs(checked) > nowMs + 2 * HOUR_MS) return "it expires too late";
  if (isAptosOver(checked, nowMs)) return "it has expired";
  if (sequenceNumber !== null && parts.sequenceNumber !== sequenceNumber)
    return `its sequence number is ${parts.sequenceNumber}`;
  return used.includes(checked.id) ? "it is an earlier transaction" : checked;
}

/** Returns true if the chain's time is certainly past the expiration, although the user's clock may be wrong. */
export function isAptosOver(signed: SignedTransaction, nowMs: number): boolean {
  return untilMs(signed) < nowMs - HOUR_MS;
}

/** Returns the expiration in ms. It is exact for every time that a clock may show. */
function untilMs({ until }: SignedTransaction): number {
  return Number(until) * MS_PER_SECOND;
}

/** `sha3_256("APTOS::RawTransactionWithData")`, the prefix of the signed message. */
const SALT = "0x5efa3c4f02f83a0f4b2d69fc95c607cc02825cc4e7be536ef0992df050d9e67c";
/** `MultiAgentWithFeePayer`, then the transaction, no other signers, and a fee payer who is named later (AIP-53). */
const WITH_FEE_PAYER = Uint8Array.of(1);
const NO_SIGNERS_ANY_PAYER = new Uint8Array(1 + ADDRESS_BYTES);

/** Builds the message that the sender signs, with `0x0` for the fee payer. */
export function aptosSigningMessage(rawTransaction: Uint8Array): Uint8Array {
  return concat(fromHex(SALT) ?? new Uint8Array(), WITH_FEE_PAYER, rawTransaction, NO_SIGNERS_ANY_PAYER);
}

/** Builds the BCS of the SDK's `SimpleTransaction`: the transaction, and the fee payer `0x0`. */
export function simpleTransactionBytes(rawTransaction: Uint8Array): Uint8Array {
  return concat(rawTransaction, WITH_FEE_PAYER, new Uint8Array(ADDRESS_BYTES));
}
