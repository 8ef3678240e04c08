import { readBounded } from "../http/bounded-body.ts";

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

/** The longest body that the service reads, far above a transaction of the chain's greatest size in base64. */
export const MAX_BODY_BYTES = 524_288;

/** Writes every bigint as an exact JSON integer. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? JSON.rawJSON(item.toString()) : item,
  );
}

/**
 * Reads JSON in which integers above 2^53 matter: those come as bigint, every other number as a number.
 *
 * @throws SyntaxError when the text is not JSON, RangeError when it nests too deeply.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && /^-?[0-9]+$/.test(source)
      ? BigInt(source)
      : value,
  );
}

/** Not UTF-8, or cut within a character: an error. A byte order mark is a character like any other. */
const utf8Decoder = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** For texts that are decoded in one piece: it keeps nothing between them. */
const wholeTextDecoder = utf8Decoder();

/**
 * Reads a body as UTF-8.
 *
 * @returns null when the body is longer than `limitBytes`; a bounded rest of it is read and thrown away.
 * @throws TypeError when the body is not UTF-8 or breaks off.
 */
export async function readBoundedText(body: ReadableStream | null, limitBytes: number): Promise<string | null> {
  const decoder = utf8Decoder();
  let text = "";
  const whole = await readBounded(body, limitBytes, (chunk) => {
    text += decoder.decode(chunk, { stream: true });
  });
  return whole ? text + decoder.decode() : null;
}

/**
 * Reads a request's body like `readBoundedText`. One whose head tells its length is read at once, which takes half the
 * time: HTTP ends it there, so it cannot come to more.
 */
export async function readRequestText(request: Request, limitBytes: number): Promise<string | null> {
  const lengthBytes = request.headers.get("content-length");
  if (lengthBytes === null || Number(lengthBytes) > limitBytes) return readBoundedText(request.body, limitBytes);
  const bytes = await request.arrayBuffer();
  return bytes.byteLength > limitBytes ? null : wholeTextDecoder.decode(bytes);
}
