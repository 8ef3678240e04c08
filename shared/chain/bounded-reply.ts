import { ByteSink } from "../bytes.ts";
import { bodyLength, readAtOnce } from "../http/bounded-body.ts";

/**
 * The opening of the fault of a reply over its bound. Stock clients pass on the text of an error, but not its class.
 */
const OVERSIZED = "the node's reply exceeds";

/** Writes the fault of a reply over its bound. */
export function oversized(most: number, unit = "bytes"): string {
  return `${OVERSIZED} ${most} ${unit}`;
}

/** Returns true if a fault reports a reply over its bound. */
export function isOversized(fault: string): boolean {
  return fault.includes(OVERSIZED);
}

/**
 * Reads a reply within a bound in bytes. Never receives the rest of a longer one. If the head names a length, reads the
 * whole reply in one step, which must have that length.
 *
 * @param look is called with each piece, and throws if the rest is useless.
 * @throws Error if the reply is longer than allowed, differs from the length in its head, or breaks off.
 */
export async function readReply(
  response: Response,
  maxBytes: number,
  look: (piece: Uint8Array) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const lengthBytes = bodyLength(response.headers);
  if (lengthBytes === null || lengthBytes > maxBytes) return readPieces(response, maxBytes, look);
  const bytes = await readAtOnce(response.body, lengthBytes);
  if (bytes === null) return readPieces(response, maxBytes, look);
  look(bytes);
  return bytes;
}

async function readPieces(
  { body }: Response,
  maxBytes: number,
  look: (piece: Uint8Array) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  if (body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const sink = new ByteSink();
  let bytesRead = 0;
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      bytesRead += piece.value.length;
      if (bytesRead > maxBytes) throw new Error(oversized(maxBytes));
      look(piece.value);
      sink.push(piece.value);
    }
    return sink.bytes();
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw error;
  } finally {
    reader.releaseLock();
  }
}

/** Reads a reply within a bound in bytes as UTF-8 text. @throws Error as `readReply`. */
export async function readReplyText(response: Response, maxBytes: number): Promise<string> {
  return new TextDecoder().decode(await readReply(response, maxBytes));
}
