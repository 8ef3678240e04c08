import { blake2b } from "./blake2b.ts";
import { addressBytes, concat, equal, fromBase64, type Reader, strictly, toBase58, toHex, utf8 } from "./bytes.ts";
import { ADDRESS_BYTES, DIGEST_BYTES, MAX_PAYMENT_COINS, MAX_SUI_BYTES, NONCE_BYTES } from "./limits.ts";
import { type ExpectedNetwork, networkFault, type SignedTransaction } from "./networks.ts";
import type { SuiSponsored } from "./wire.ts";

/** The strict check of a sponsored transaction on Sui, before its sender signs it. */

/** `TransactionData::V1`. */
const V1 = Uint8Array.of(0);

/** The end of the time in which the chain accepts a transaction. */
export interface SuiExpiration {
  /** The last epoch. Null if no epoch bounds it. */
  readonly until: bigint | null;
  /** Null if the transaction has no other bounds. */
  readonly window: null | {
    readonly minEpoch: bigint | null;
    /** True if the window has bounds in time, which no service sets. */
    readonly isTimed: boolean;
    /** Base58 of the digest of the chain's first checkpoint. */
    readonly chainIdentifier: string;
  };
}

/** The fields of `TransactionData::V1` without its kind. */
export interface SuiTransactionParts {
  readonly sender: string;
  /** The ids of the coins that pay. Empty if the owner's address balance pays. */
  readonly payment: readonly string[];
  readonly gasOwner: string;
  readonly gasPriceMist: bigint;
  readonly gasBudgetMist: bigint;
  readonly expiration: SuiExpiration;
}

/**
 * Reads `TransactionData::V1` of exactly this kind. Null for another kind, for malformed bytes, and for bytes after the
 * end.
 */
export function readSuiTransaction(bytes: Uint8Array, kind: Uint8Array): SuiTransactionParts | null {
  return strictly(bytes, (reader) => {
    reader.expect(V1);
    reader.expect(kind);
    // The fields have the order of the bytes.
    return {
      sender: readAddress(reader),
      payment: Array.from({ length: reader.length(MAX_PAYMENT_COINS) }, () => readCoin(reader)),
      gasOwner: readAddress(reader),
      gasPriceMist: reader.u64(),
      gasBudgetMist: reader.u64(),
      expiration: readExpiration(reader),
    };
  });
}

function readAddress(reader: Reader): string {
  return toHex(reader.take(ADDRESS_BYTES));
}

function readCoin(reader: Reader): string {
  const objectId = readAddress(reader);
  reader.u64();
  readDigest(reader);
  return objectId;
}

function readDigest(reader: Reader): string {
  if (reader.length(DIGEST_BYTES) !== DIGEST_BYTES) reader.refuse();
  return toBase58(reader.take(DIGEST_BYTES));
}

function readExpiration(reader: Reader): SuiExpiration {
  const epochOrNone = () => reader.option(() => reader.u64());
  switch (reader.u8()) {
    case 0:
      return { until: null, window: null };
    case 1:
      return { until: reader.u64(), window: null };
    case 2: {
      const [minEpoch, until, from, to] = [epochOrNone(), epochOrNone(), epochOrNone(), epochOrNone()];
      const window = { minEpoch, isTimed: from !== null || to !== null, chainIdentifier: readDigest(reader) };
      reader.take(NONCE_BYTES);
      return { until, window };
    }
    default:
      return reader.refuse();
  }
}

/** Computes a transaction's digest: base58 of `blake2b256("TransactionData::" ‖ bytes)`. */
export function suiDigest(bytes: Uint8Array): string {
  return toBase58(blake2b(concat(utf8("TransactionData::"), bytes), DIGEST_BYTES));
}

/** The request, and the bounds of its answer. */
export interface SuiExpectation extends ExpectedNetwork<string> {
  readonly kind: Uint8Array;
  readonly sender: string;
  readonly maxGasBudgetMist: bigint;
  readonly maxGasPriceMist: bigint;
  /** The current epoch. Null if the caller does not know it. */
  readonly epoch: bigint | null;
  /**
   * The digests of the sender's earlier transactions. Null if the sender has signed it already, so that only its form
   * is compared.
   */
  readonly used: readonly string[] | null;
}

/** The greatest lead of a sponsorship's last epoch over the current one. Services set the next epoch, or one more. */
const MAX_EPOCHS_AHEAD = 2n;

/** Checks an answer of `sponsor`. Returns the checked transaction, or the first difference as a text. */
export function checkSui(answer: SuiSponsored, expected: SuiExpectation): SignedTransaction | string {
  const elsewhere = networkFault(answer.network, expected);
  if (elsewhere !== null) return elsewhere;
  const bytes = fromBase64(answer.txBytes);
  if (bytes === null || bytes.length > MAX_SUI_BYTES) return "it is not base64, or too long";
  const parts = readSuiTransaction(bytes, expected.kind);
  if (parts === null) return "it has other commands, or is malformed";
  const { sender, gasOwner, gasBudgetMist, gasPriceMist, payment, expiration } = parts;
  const own = addressBytes(expected.sender);
  if (own === null || sender !== toHex(own)) return `its sender is ${sender}`;
  if (gasOwner === sender || BigInt(gasOwner) === 0n) return "its sender would pay for gas";
  if (new Set(payment).size !== payment.length) return "a coin pays twice";
  const id = suiDigest(bytes);
  if (id !== answer.txDigest) return "it has another digest";
  const { until, window } = expiration;
  if (until === null) return "it never expires";
  const checked = { bytes, id, until };
  if (expected.used === null) return checked;
  if (gasBudgetMist > expected.maxGasBudgetMist) return `its gas budget is ${gasBudgetMist} MIST`;
  if (gasPriceMist > expected.maxGasPriceMist) return `its gas price is ${gasPriceMist} MIST`;
  const { epoch } = expected;
  if (epoch !== null && until > epoch + MAX_EPOCHS_AHEAD) return "it expires too late";
  if (isSuiOver(checked, epoch)) return "it has expired";
  if (window !== null) {
    const { isTimed, minEpoch, chainIdentifier } = window;
    if (isTimed || minEpoch === null || until - minEpoch > 1n) return "its expiration has another form";
    if (!expected.isChain(chainIdentifier)) return "it is for another chain";
  }
  return expected.used.includes(id) ? "it is an earlier transaction" : checked;
}

/** Returns true if the last epoch is over. @param epoch the current one. Null if the caller does not know it. */
export function isSuiOver({ until }: Pick<SignedTransaction, "until">, epoch: bigint | null): boolean {
  return epoch !== null && until < epoch;
}

/** Returns true if the bytes that a wallet returned are the checked ones. */
export function isUnchanged(returned: string | undefined, checked: Uint8Array): boolean {
  if (returned === undefined) return true;
  const bytes = fromBase64(returned);
  return bytes !== null && equal(bytes, checked);
}
