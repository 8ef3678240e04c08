import * as z from "zod";
import { isDigest } from "../chain/sui/digest.ts";
import { MAX_TRANSACTION_BYTES } from "../chain/sui/limits.ts";
import { fromBase64, toBase64 } from "../crypto/base64.ts";

/** A multi-signature of ten zkLogin members, the most that the chain accepts, stays below this. */
const MAX_SIGNATURE_BYTES = 32_768;
const MAX_DIGEST_CHARACTERS = 44;

const base64Characters = (bytes: number): number => Math.ceil(bytes / 3) * 4;

function decodeBase64(text: string, payload: z.core.ParsePayload<string>): Uint8Array {
  const bytes = fromBase64(text);
  if (bytes !== null && bytes.length > 0) return bytes;
  payload.issues.push({ code: "custom", input: text, message: "must be base64 with padding" });
  return z.NEVER;
}

/** Checks the length and ends the parse on failure, so that no slower check reads a longer text. */
function atMostBytes(schema: z.ZodString, bytes: number): z.ZodString {
  return schema.max(base64Characters(bytes), { error: `must be at most ${bytes} bytes`, abort: true });
}

/** Bytes of a transaction, of a transaction kind or of a message: base64 on the wire. */
export const base64Bytes = z.codec(
  atMostBytes(z.string("must be a base64 string"), MAX_TRANSACTION_BYTES).meta({ contentEncoding: "base64" }),
  z
    .custom<Uint8Array>((value) => value instanceof Uint8Array, "must be bytes")
    .refine((bytes) => bytes.length <= MAX_TRANSACTION_BYTES, `must be at most ${MAX_TRANSACTION_BYTES} bytes`),
  { decode: decodeBase64, encode: toBase64 },
);

/**
 * Sui's serialized signature, `flag ‖ signature ‖ public key` in base64, of any scheme. The chain decides whether it
 * is valid.
 */
export const serializedSignatureSchema = atMostBytes(z.string("must be a base64 string"), MAX_SIGNATURE_BYTES)
  .refine((text) => (fromBase64(text)?.length ?? 0) > 0, "must be base64 with padding")
  .meta({ contentEncoding: "base64" });

/** `0x` and 1 to 64 hex digits, as the chain's SDKs accept. Parsed addresses have full length and lower case. */
export const suiAddress = z
  .string("must be a Sui address: 0x and up to 64 hex digits")
  .regex(/^0x[0-9a-fA-F]{1,64}$/, "must be a Sui address: 0x and up to 64 hex digits")
  .overwrite((text) => `0x${text.slice(2).toLowerCase().padStart(64, "0")}`);

/** A transaction digest: base58 of 32 bytes. */
export const transactionDigestSchema = z
  .string("must be a base58 transaction digest")
  .max(MAX_DIGEST_CHARACTERS, { error: "must be the base58 of 32 bytes", abort: true })
  .refine(isDigest, "must be the base58 of 32 bytes");
