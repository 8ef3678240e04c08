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

/** Read and thrown away after the limit: a client that is cut off while it sends never sees why. */
const MAX_DISCARDED_BYTES = 4_194_304;

/**
 * Reads a body as UTF-8, counting as it goes, so that a body without a length cannot fill the memory either.
 *
 * @returns null when the body is longer than `limitBytes`; a bounded rest of it is read and thrown away.
 * @throws TypeError when the body is not UTF-8 or breaks off.
 */
export async function readBoundedText(body: ReadableStream | null, limitBytes: number): Promise<string | null> {
  if (body === null) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const decoder = utf8Decoder();
  let bytesRead = 0;
  let text = "";
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    bytesRead += chunk.value.length;
    if (bytesRead > limitBytes + MAX_DISCARDED_BYTES) break;
    if (bytesRead > limitBytes) continue;
    text += decoder.decode(chunk.value, { stream: true });
  }
  if (bytesRead > limitBytes) {
    await reader.cancel();
    return null;
  }
  return text + decoder.decode();
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
