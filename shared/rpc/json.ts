import { bodyLength } from "../http/bounded-body.ts";
import { readBoundedText, utf8Decoder } from "../http/bounded-text.ts";

export { parseExactJson } from "../exact-json.ts";
export { readBoundedText };

declare global {
  interface JSON {
    /** A piece of JSON text that `stringify` writes as it is (TC39 "JSON.parse source text access"). */
    rawJSON(text: string): unknown;
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

/** Decodes texts in one piece only: it keeps no state between them. */
const wholeTextDecoder = utf8Decoder();

/** Reads a request's body like `readBoundedText`. A body that its head bounds is read at once. */
export async function readRequestText(request: Request, limitBytes: number): Promise<string | null> {
  const lengthBytes = bodyLength(request.headers);
  if (lengthBytes === null || lengthBytes > limitBytes) return readBoundedText(request.body, limitBytes);
  const bytes = await request.arrayBuffer();
  return bytes.byteLength > limitBytes ? null : wholeTextDecoder.decode(bytes);
}
