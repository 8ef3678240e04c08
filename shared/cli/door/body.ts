import type { IncomingMessage, ServerResponse } from "node:http";
import { bytesOf } from "./message.ts";

/** The longest body that any interface reads. A longer one is passed on as it comes, and its interface refuses it. */
const MAX_KEPT_BODY_BYTES = 2 * 1024 * 1024;
/** A smaller body is never refused for want of room: large ones of other callers must not stop it. */
const SMALL_BODY_BYTES = 16 * 1024;

/** Reads bodies whole, and bounds the memory of all bodies that arrive or wait. */
export class KeptBodies {
  readonly #maxKeptBytes: number;
  #keptBytes = 0;

  constructor(maxKeptBytes: number) {
    this.#maxKeptBytes = maxKeptBytes;
  }

  /**
   * Calls `ready` once the whole body has come, or more of it than may be kept. Bytes count while they come, so that
   * many slow bodies take no more memory than many that wait.
   */
  receive(incoming: IncomingMessage, response: ServerResponse, ready: (body: readonly Buffer[]) => void): void {
    let ownBytes = 0;
    response.on("close", () => {
      this.#keptBytes -= ownBytes;
    });
    const mayKeep = (bytes: number): boolean => {
      ownBytes += bytes;
      this.#keptBytes += bytes;
      const hasRoom = this.#keptBytes <= this.#maxKeptBytes || ownBytes <= SMALL_BODY_BYTES;
      return ownBytes <= MAX_KEPT_BODY_BYTES && hasRoom;
    };
    readBody(incoming, mayKeep, ready);
  }

  /** Returns whether there is room for a body to wait. */
  mayWait(body: readonly Buffer[]): boolean {
    return this.#keptBytes <= this.#maxKeptBytes || bytesOf(body) <= SMALL_BODY_BYTES;
  }
}

/** Stops reading after the first chunk that may not be kept. The rest stays in the paused request. */
function readBody(
  incoming: IncomingMessage,
  mayKeep: (bytes: number) => boolean,
  ready: (body: readonly Buffer[]) => void,
): void {
  const chunks: Buffer[] = [];
  const done = () => {
    incoming.off("data", take);
    incoming.off("end", done);
    if (!incoming.readableEnded) incoming.pause();
    ready(chunks);
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    if (!mayKeep(chunk.length)) done();
  };
  incoming.on("data", take);
  incoming.on("end", done);
}
