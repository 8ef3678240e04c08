import { bodyLength } from "../../http/bounded-body.ts";
import { oversized, readReplyText } from "../bounded-reply.ts";
import { InvalidReplyError } from "../failover.ts";

/**
 * A committed transaction comes with all its writes and events, tens of MiB of JSON that a user can make. A settlement
 * reads one of the events. This reader drops the rest while the reply streams. So no transaction is too large to be
 * settled, and none fills the memory.
 */

/** Emitted once by the epilogue of every transaction (aptos-framework, `transaction_fee.move`). */
export const FEE_STATEMENT = "0x1::transaction_fee::FeeStatement";
/** A fee statement takes about 350 bytes. */
const MAX_KEPT_EVENT_BYTES = 4_096;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const WHITESPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const ARRAY_OPEN = 0x5b;
const LONGEST_NAME = "changes".length;

/** The filter's place in the text. `list`: in a list of events. */
type Mode = "copy" | "value" | "skip" | "list" | "event";

/** The size up to which replies are read whole, as most transactions are. The filter costs more than a parser. */
const MAX_PLAIN_BYTES = 128 * 1024;
/** The filter keeps the payload of a transaction, of 64 KiB in BCS, its signatures, and its fee statement. */
const MAX_LEAN_BYTES = 1024 * 1024;
/** A transaction may write and emit 10 MiB each (aptos-gas-schedule, `transaction.rs`), hex doubles them. */
const MAX_STREAMED_BYTES = 128 * 1024 * 1024;

/**
 * Reads a reply that is a transaction or a list of transactions. Reads a large one without `changes`, and without
 * events other than fee statements.
 *
 * @throws InvalidReplyError if the filtered reply is too long, or if the stream never ends.
 */
export async function readTransactions(response: Response): Promise<string> {
  if (response.body === null) return "";
  const lengthBytes = bodyLength(response.headers);
  if (lengthBytes !== null && lengthBytes <= MAX_PLAIN_BYTES) return readReplyText(response, MAX_PLAIN_BYTES);
  const decoder = new TextDecoder();
  const filter = new LeanFilter();
  let plain: Uint8Array[] | null = [];
  let [text, streamedBytes] = ["", 0];
  const keep = (chunk: Uint8Array): void => {
    text += decoder.decode(filter.pass(chunk), { stream: true });
    if (text.length > MAX_LEAN_BYTES)
      throw new InvalidReplyError(`the node's transaction exceeds ${MAX_LEAN_BYTES} bytes`);
  };
  // If an error ends the loop, this also ends the stream.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    streamedBytes += chunk.byteLength;
    if (streamedBytes > MAX_STREAMED_BYTES) throw new InvalidReplyError(oversized(MAX_STREAMED_BYTES));
    if (plain !== null) plain.push(chunk);
    else keep(chunk);
    if (plain !== null && streamedBytes > MAX_PLAIN_BYTES) {
      for (const one of plain) keep(one);
      plain = null;
    }
  }
  for (const one of plain ?? []) text += decoder.decode(one, { stream: true });
  return text + decoder.decode();
}

class LeanFilter {
  #mode: Mode = "copy";
  #name = "";
  #isList = false;
  #inString = false;
  #isEscaped = false;
  #depth = 0;
  /** The depth of a transaction's own names: one, or two in a list. */
  #ownDepth = 1;
  #hasBegun = false;
  /** The depth at which the skipped part, or the list of events, ends. */
  #endDepth = 0;
  #event: number[] = [];
  #kept = 0;
  #out: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #length = 0;

  pass(chunk: Uint8Array): Uint8Array {
    // A kept event began in an earlier chunk, and one more comma precedes it.
    this.#out = new Uint8Array(chunk.length + MAX_KEPT_EVENT_BYTES + 2);
    this.#length = 0;
    for (const byte of chunk) this.#take(byte);
    return this.#out.subarray(0, this.#length);
  }

  #take(byte: number): void {
    const wasInString = this.#inString;
    this.#track(byte);
    switch (this.#mode) {
      case "copy":
        this.#emit(byte);
        if (!wasInString && byte === COLON && this.#depth === this.#ownDepth && this.#isDropped()) this.#mode = "value";
        break;
      case "value":
        this.#beginValue(byte);
        break;
      case "skip":
        if (this.#depth === this.#endDepth) this.#end(byte);
        break;
      case "list":
        if (this.#depth === this.#endDepth) this.#end(byte);
        else if (byte !== COMMA && !WHITESPACE.has(byte)) {
          this.#event = [byte];
          this.#mode = "event";
        }
        break;
      case "event":
        this.#takeOfEvent(byte, wasInString);
        break;
    }
  }

  #isDropped(): boolean {
    this.#isList = this.#name === "events";
    return this.#isList || this.#name === "changes";
  }

  /** Tracks strings, depth, and the last string, which is a name if a colon follows. */
  #track(byte: number): void {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#inString = false;
      if (this.#inString && this.#name.length <= LONGEST_NAME) this.#name += String.fromCharCode(byte);
      return;
    }
    if (byte === QUOTE) {
      this.#inString = true;
      this.#name = "";
    } else if (OPENING.has(byte)) {
      if (!this.#hasBegun && byte === ARRAY_OPEN) this.#ownDepth = 2;
      this.#hasBegun = true;
      this.#depth += 1;
    } else if (CLOSING.has(byte)) this.#depth -= 1;
  }

  /** Drops only a list. The reader refuses other values in its place. */
  #beginValue(byte: number): void {
    this.#emit(byte);
    if (WHITESPACE.has(byte)) return;
    if (byte !== ARRAY_OPEN) {
      this.#mode = "copy";
      return;
    }
    this.#endDepth = this.#depth - 1;
    this.#kept = 0;
    this.#mode = this.#isList ? "list" : "skip";
  }

  #end(byte: number): void {
    this.#emit(byte);
    this.#mode = "copy";
  }

  #takeOfEvent(byte: number, wasInString: boolean): void {
    const isOver =
      !wasInString && (this.#depth === this.#endDepth || (byte === COMMA && this.#depth === this.#endDepth + 1));
    if (!isOver) {
      if (this.#event.length <= MAX_KEPT_EVENT_BYTES) this.#event.push(byte);
      return;
    }
    this.#keepEvent();
    if (byte === COMMA) this.#mode = "list";
    else this.#end(byte);
  }

  #keepEvent(): void {
    if (this.#event.length > MAX_KEPT_EVENT_BYTES) return;
    const bytes = Uint8Array.from(this.#event);
    if (!isFeeStatement(new TextDecoder().decode(bytes))) return;
    if (this.#kept > 0) this.#emit(COMMA);
    this.#kept += 1;
    for (const one of bytes) this.#emit(one);
  }

  #emit(byte: number): void {
    if (this.#length === this.#out.length) {
      const larger = new Uint8Array(2 * this.#out.length + 1);
      larger.set(this.#out);
      this.#out = larger;
    }
    this.#out[this.#length] = byte;
    this.#length += 1;
  }
}

function isFeeStatement(event: string): boolean {
  if (!event.includes(FEE_STATEMENT)) return false;
  try {
    const parsed: unknown = JSON.parse(event);
    return typeof parsed === "object" && parsed !== null && "type" in parsed && parsed.type === FEE_STATEMENT;
  } catch {
    return false;
  }
}
