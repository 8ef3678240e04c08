import * as z from "zod";
import { parseHex, toHex } from "../bytes.ts";
import { parseAddress } from "../chain/aptos/address.ts";
import { ED25519_AUTHENTICATOR_BYTES, MAX_SECONDARY_SIGNERS, MAX_TRANSACTION_BYTES } from "../chain/aptos/limits.ts";

const HEX_PREFIX = "0x";
const MAX_ADDRESS_CHARACTERS = 66;

/** An address as AIP-40 and the chain's SDK read it. Parsed addresses have full length and lower case. */
export const aptosAddress = z
  .string("must be an Aptos address")
  .max(MAX_ADDRESS_CHARACTERS, { error: "must be an Aptos address", abort: true })
  .refine((text) => parseAddress(text) !== null, "must be an Aptos address: 0x and 64 hex digits, or 0x0 to 0xf")
  .overwrite((text) => parseAddress(text) ?? text);

/** The signers beside the sender, in the order of their signatures. */
export const secondaryAddresses = z
  .array(aptosAddress, "must be an array of addresses")
  .max(MAX_SECONDARY_SIGNERS, `must be at most ${MAX_SECONDARY_SIGNERS} addresses`);

function isByteNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;
}

const hexDigits = (maxBytes: number) =>
  z
    .string()
    .max(HEX_PREFIX.length + 2 * maxBytes, { error: `must be at most ${maxBytes} bytes`, abort: true })
    .regex(/^(?:0x)?(?:[0-9a-fA-F]{2})+$/, "must be hex: an even number of digits, with or without 0x");

/** Checks each number once, because an array of schemas' verdicts costs a hundred times more. */
const byteNumberArray = (maxBytes: number) =>
  z
    .custom<readonly number[]>(
      (value) => Array.isArray(value) && value.length >= 1 && value.length <= maxBytes && value.every(isByteNumber),
      `must be an array of 1 to ${maxBytes} numbers from 0 to 255`,
    )
    .meta({ type: "array", items: { type: "integer", minimum: 0, maximum: 255 }, minItems: 1, maxItems: maxBytes });

const byteArray = (maxBytes: number) =>
  z
    .custom<Uint8Array>((value) => value instanceof Uint8Array, "must be bytes")
    .refine(({ length }) => length >= 1 && length <= maxBytes, `must be 1 to ${maxBytes} bytes`);

/** Reads bytes that the wire carries as hex, with or without `0x`, or as an array of numbers. Writes hex. */
export function hexOrByteNumbers(maxBytes: number) {
  return z.codec(
    z.union(
      [hexDigits(maxBytes), byteNumberArray(maxBytes)],
      `must be hex, or an array of numbers from 0 to 255, of 1 to ${maxBytes} bytes`,
    ),
    byteArray(maxBytes),
    {
      decode: (wire, payload) => {
        const bytes = typeof wire === "string" ? parseHex(wire.replace(/^0x/, "")) : Uint8Array.from(wire);
        if (bytes !== null) return bytes;
        payload.issues.push({ code: "custom", input: wire, message: "must be hex" });
        return z.NEVER;
      },
      encode: (bytes) => `${HEX_PREFIX}${toHex(bytes)}`,
    },
  );
}

/** Reads and writes bytes that the wire carries only as an array of numbers, as in results. */
export function byteNumbers(maxBytes: number) {
  return z.codec(byteNumberArray(maxBytes), byteArray(maxBytes), {
    decode: (numbers) => Uint8Array.from(numbers),
    encode: (bytes) => Array.from(bytes),
  });
}

/** BCS of a raw transaction. */
export const rawTransactionBytes = hexOrByteNumbers(MAX_TRANSACTION_BYTES);

/** BCS of an account authenticator of any scheme. */
export const accountAuthenticatorBytes = hexOrByteNumbers(MAX_TRANSACTION_BYTES);

/** BCS of an account authenticator as this service makes them. */
export const ed25519AuthenticatorBytes = byteNumbers(ED25519_AUTHENTICATOR_BYTES);

/** The message that a signer of a transaction signs. The bound exceeds that of the largest transaction. */
export const signingMessageBytes = byteNumbers(2 * MAX_TRANSACTION_BYTES);

const ONE_SIGNER = "must be an object of address and signature";

/** The signers beside the sender with their signatures, in their order. */
export const secondarySigners = z
  .array(
    z.object(
      {
        address: aptosAddress.describe("Address of the signer."),
        signature: accountAuthenticatorBytes.describe("BCS of its account authenticator: hex, or an array of numbers."),
      },
      ONE_SIGNER,
    ),
    "must be an array of signers",
  )
  .max(MAX_SECONDARY_SIGNERS, `must be at most ${MAX_SECONDARY_SIGNERS} signers`);
