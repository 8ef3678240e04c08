import { bodyLength, readBounded } from "../http/bounded-body.ts";

declare global {
  interface JSON {
    /** A piece of JSON text that `stringify` writes as it is (TC39 "JSON.parse source text access"). */
    rawJSON(text: string): unknown;
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** The longest body that the service reads. It is far above a transaction of the chain's greatest size in base64. */
export const MAX_BODY_BYTES = 524_288;

/** Writes every bigint as an exact JSON integer. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? JSON.rawJSON(item.toString()) : item,
  );
}

/**
 * Reads JSON with exact integers: those above 2^53 become bigint, every other number a number.
 *
 * @throws SyntaxError if the text is not JSON, RangeError if it nests too deeply.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && /^-?[0-9]+$/.test(source)
      ? BigInt(source)
      : value,
  );
}

/**
 * Makes a decoder that throws for text that is not UTF-8 or is cut within a character. A byte order mark is a character
 * like any other.
 */
const utf8Decoder = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Decodes texts in one piece only: it keeps no state between them. */
const wholeTextDecoder = utf8Decoder();

/**
 * Reads a body as UTF-8.
 *
 * @returns null if the body is longer than `limitBytes`; a bounded rest of it is read and discarded.
 * @throws TypeError if the body is not UTF-8 or breaks off.
 */
export async function readBoundedText(body: ReadableStream | null, limitBytes: number): Promise<string | null> {
  const decoder = utf8Decoder();
  let text = "";
  const whole = await readBounded(body, limitBytes, (chunk) => {
    text += decoder.decode(chunk, { stream: true });
  });
  return whole ? text + decoder.decode() : null;
}

/** Reads a request's body like `readBoundedText`. A body that its head bounds is read at once. */
export async function readRequestText(request: Request, limitBytes: number): Promise<string | null> {
  const lengthBytes = bodyLength(request.headers);
  if (lengthBytes === null || lengthBytes > limitBytes) return readBoundedText(request.body, limitBytes);
  const bytes = await request.arrayBuffer();
  return bytes.byteLength > limitBytes ? null : wholeTextDecoder.decode(bytes);
}
