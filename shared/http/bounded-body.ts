/** Read and thrown away after the limit: a client that is cut off while it sends never sees why. */
const MAX_DISCARDED_BYTES = 4_194_304;

/**
 * Reads a body chunk by chunk, counting as it goes, so that a body without a length cannot fill the memory either.
 *
 * @param take is given what is within the limit; of a body that is longer, what came before that was noticed.
 * @returns false when the body is longer than `limitBytes`; a bounded rest of it is read and thrown away.
 * @throws TypeError when the body breaks off.
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

/** Reads and throws away a bounded part of a body that nobody wants, so that its sender hears the refusal. Never rejects. */
export async function discardBody(body: ReadableStream | null): Promise<void> {
  await readBounded(body, 0, () => {}).catch(() => false);
}
