/**
 * The limit on bytes that are read and discarded after the limit. A client that is cut off while it sends never sees
 * why.
 */
const MAX_DISCARDED_BYTES = 4_194_304;

/**
 * Makes a decoder that throws for text that is not UTF-8 or is cut within a character. A byte order mark is a character
 * like any other.
 */
export function utf8Decoder(): TextDecoder {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
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
