import { ByteSink } from "../bytes.ts";
import { bodyLength, readAtOnce } from "../http/bounded-body.ts";

/**
 * The fault of a reply over its bound begins like this. Stock clients pass on the text of an error, and not its class.
 */
const OVERSIZED = "the node's reply exceeds";

/** Words the fault of a reply over its bound in bytes. */
export function oversized(maxBytes: number): string {
  return `${OVERSIZED} ${maxBytes} bytes`;
}

/** Tells whether a fault is that of a reply over its bound. */
export function isOversized(fault: string): boolean {
  return fault.includes(OVERSIZED);
}

/**
 * Reads a reply while it has no more bytes than are allowed. The rest of a longer one is never received. A reply whose
 * head says its length is read at once, and it has to be as long.
 *
 * @param look is called with each piece, and throws if the rest is not worth reading.
 * @throws Error if it is longer than allowed, longer or shorter than its head says, or breaks off.
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

/** Reads a reply of at most so many bytes as UTF-8 text. @throws Error as `readReply`. */
export async function readReplyText(response: Response, maxBytes: number): Promise<string> {
  return new TextDecoder().decode(await readReply(response, maxBytes));
}
