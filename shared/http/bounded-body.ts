import { ByteSink } from "../bytes.ts";

/**
 * The limit on bytes that are read and discarded after the limit. A client that is cut off while it sends never sees
 * why.
 */
const MAX_DISCARDED_BYTES = 4_194_304;

/**
 * Returns the length of a body in bytes, if HTTP ends the body there. Null if the head does not bound the body. Two
 * headers take the bound away. An encoded body is decoded on the way. A body in chunks ends with its last chunk, and
 * workerd shows a `content-length` beside them.
 */
export function bodyLength(headers: Headers): number | null {
  const text = headers.get("content-length");
  if (text === null || !/^[0-9]{1,15}$/.test(text)) return null;
  return headers.has("content-encoding") || headers.has("transfer-encoding") ? null : Number(text);
}

/**
 * Reads a request's body. A body that its head bounds is read at once, which takes half the time.
 *
 * @returns null if the body is longer than `limitBytes`. A bounded rest of it is read and discarded.
 * @throws TypeError if the body breaks off.
 */
export async function readRequestBytes(request: Request, limitBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const lengthBytes = bodyLength(request.headers);
  if (lengthBytes !== null && lengthBytes <= limitBytes) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    return bytes.length > limitBytes ? null : bytes;
  }
  const sink = new ByteSink();
  const isWhole = await readBounded(request.body, limitBytes, (chunk) => sink.push(chunk));
  return isWhole ? sink.bytes() : null;
}

/**
 * Reads a body chunk by chunk, and counts its bytes. A body without a length cannot fill the memory either.
 *
 * @param take gets the chunks within the limit. For a longer body, it gets those before the limit was passed.
 * @returns false if the body is longer than `limitBytes`. A bounded rest of it is read and discarded.
 * @throws TypeError if the body breaks off.
 */
export async function readBounded(
  body: ReadableStream | null,
  limitBytes: number,
  take: (chunk: Uint8Array) => void,
): Promise<boolean> {
  if (body === null) return true;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  let bytesRead = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    bytesRead += chunk.value.length;
    if (bytesRead > limitBytes + MAX_DISCARDED_BYTES) break;
    if (bytesRead <= limitBytes) take(chunk.value);
  }
  if (bytesRead <= limitBytes) return true;
  await reader.cancel();
  return false;
}

/** Reads and discards a bounded part of an unwanted body, so that its sender sees the refusal. Never rejects. */
export async function discardBody(body: ReadableStream | null): Promise<void> {
  await readBounded(body, 0, () => {}).catch(() => false);
}
