import { ByteSink } from "../bytes.ts";
import { readBounded } from "./bounded-text.ts";

export { readBounded };

/**
 * Returns the length of a body in bytes, as its head says it. Null if the head does not say it. Two headers take the
 * length away. An encoded body is decoded on the way. A body in chunks ends with its last chunk, and workerd shows a
 * `content-length` beside them.
 *
 * It bounds a request: workerd refuses one that also has a `transfer-encoding`, even an empty one. It never bounds a
 * reply: workerd ignores the length beside an empty `transfer-encoding`, and hides that header.
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
 * Reads a reply's body in one read, which takes about half the CPU of several. The length sizes the buffer, and one
 * byte more shows a longer body.
 *
 * @param body null for a reply whose status has none, whatever its head says. It is empty then.
 * @param lengthBytes as `bodyLength` returns it.
 * @returns null if this stream or runtime has no such read. Nothing of the body is read then.
 * @throws Error if the body is longer or shorter, or breaks off. The rest of a longer one is never received.
 */
export async function readAtOnce(
  body: ReadableStream | null,
  lengthBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (body === null) return new Uint8Array();
  const reader = sizedReader(body);
  if (reader === null) return null;
  const { value } = await reader.readAtLeast(lengthBytes + 1, new Uint8Array(lengthBytes + 1));
  const bytes: Uint8Array<ArrayBuffer> = value ?? new Uint8Array();
  if (bytes.length === lengthBytes) return bytes;
  if (bytes.length < lengthBytes) throw new Error("the body is shorter than its head says");
  await reader.cancel().catch(() => {});
  throw new Error("the body is longer than its head says");
}

/** Only workerd has `readAtLeast`. A stream of values that are no bytes has no such reader at all. */
function sizedReader(body: ReadableStream): ReadableStreamBYOBReader | null {
  try {
    const reader = body.getReader({ mode: "byob" });
    if ("readAtLeast" in reader) return reader;
    (reader as ReadableStreamBYOBReader).releaseLock();
    return null;
  } catch {
    return null;
  }
}

/** Reads and discards a bounded part of an unwanted body, so that its sender sees the refusal. Never rejects. */
export async function discardBody(body: ReadableStream | null): Promise<void> {
  await readBounded(body, 0, () => {}).catch(() => false);
}
