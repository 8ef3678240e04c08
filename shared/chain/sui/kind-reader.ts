import { toHex } from "../../bytes.ts";

/**
 * The properties of one input that the rules decide by. The kind of a withdrawal names the balance that it draws on.
 */
export type InputKind = "pure" | "owned" | "shared" | "received" | "own_withdrawal" | "foreign_withdrawal";

/** The kinds of commands, in the order of their variants. */
const commandKinds = [
  "MoveCall",
  "TransferObjects",
  "SplitCoins",
  "MergeCoins",
  "Publish",
  "MakeMoveVec",
  "Upgrade",
] as const;

/** The properties of one command that the rules decide by. */
export interface CommandSummary {
  readonly kind: (typeof commandKinds)[number];
  /** True if any of its arguments, in any position, is the gas coin. */
  readonly usesGasCoin: boolean;
  /** `0x…::module::function`, the package in full length; null unless it is a Move call. */
  readonly moveTarget: string | null;
  /** Publishes or upgrades a package. */
  readonly publishesCode: boolean;
}

/** The properties of a transaction kind that the rules decide by. */
export interface KindSummary {
  readonly inputs: readonly InputKind[];
  readonly commands: readonly CommandSummary[];
}

/** The bytes are not a programmable transaction kind, or not in the one form that BCS allows. */
export class UnreadableKind extends Error {
  override readonly name = "UnreadableKind";
  readonly canonical: boolean;

  /** @param canonical false: they may well mean something, but in another form than the only one. */
  constructor(message: string, canonical = true) {
    super(message);
    this.canonical = canonical;
  }
}

const ADDRESS_BYTES = 32;
const DIGEST_BYTES = 32;
/** Move identifiers, as the chain checks them: a name of any other shape could pass for another target. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_IDENTIFIER_BYTES = 128;
/** Far above the chain's own limit on the depth of types. */
const MAX_TYPE_DEPTH = 64;
/** Lengths are ULEB128 of at most 32 bits (BCS specification). */
const MAX_LENGTH = 2 ** 32 - 1;

/**
 * Reads the BCS of a programmable `TransactionKind` (sui-types, `transaction.rs`) and keeps the properties that the
 * rules decide by. It accepts nothing but the one canonical form, to the last byte: the chain will read the same. The
 * SDK's codec forgives trailing bytes, and takes ten times as long to decode and encode again.
 *
 * @throws UnreadableKind for everything else: other kinds, unknown variants, bytes that are cut short or left over.
 */
export function readKind(bytes: Uint8Array): KindSummary {
  const reader = new KindReader(bytes);
  const summary = reader.kind();
  reader.end();
  return summary;
}

/** Reads a kind that other bytes follow. It reads no further than the kind, so it costs little. Throws as `readKind`. */
export function readLeadingKind(bytes: Uint8Array): KindSummary {
  return new KindReader(bytes).kind();
}

function summary(kind: CommandSummary["kind"], usesGasCoin: boolean): CommandSummary {
  return { kind, usesGasCoin, moveTarget: null, publishesCode: false };
}

/** Reads on even where the first is true: both sides have been read by the time this is called. */
function or(first: boolean, second: boolean): boolean {
  return first || second;
}

class KindReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  kind(): KindSummary {
    if (this.#variant() !== 0) throw new UnreadableKind("not a programmable transaction");
    const inputs = this.#list(() => this.#input());
    return { inputs, commands: this.#list(() => this.#command()) };
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new UnreadableKind("trailing bytes", false);
  }

  #input(): InputKind {
    switch (this.#variant()) {
      case 0:
        this.#skip(this.#length());
        return "pure";
      case 1:
        return this.#object();
      case 2:
        return this.#withdrawal();
      default:
        throw new UnreadableKind("unknown input");
    }
  }

  #object(): InputKind {
    const variant = this.#variant();
    if (variant > 2) throw new UnreadableKind("unknown object input");
    this.#skip(ADDRESS_BYTES + 8);
    if (variant === 1) {
      this.#flag();
      return "shared";
    }
    if (this.#length() !== DIGEST_BYTES) throw new UnreadableKind("a digest of another length");
    this.#skip(DIGEST_BYTES);
    return variant === 0 ? "owned" : "received";
  }

  /** Reservation (a u64), type, and whose balance: the sender's, the sponsor's, or one that somebody else allows. */
  #withdrawal(): InputKind {
    if (this.#variant() !== 0) throw new UnreadableKind("unknown reservation");
    this.#skip(8);
    if (this.#variant() !== 0) throw new UnreadableKind("unknown type of withdrawal");
    this.#type();
    const from = this.#variant();
    if (from > 2) throw new UnreadableKind("unknown source of a withdrawal");
    if (from === 2) this.#skip(2 * ADDRESS_BYTES);
    return from === 0 ? "own_withdrawal" : "foreign_withdrawal";
  }

  #command(): CommandSummary {
    const kind = commandKinds[this.#variant()];
    switch (kind) {
      case "MoveCall":
        return this.#moveCall();
      case "TransferObjects": // objects, address
        return summary(kind, or(this.#arguments(), this.#argument()));
      case "SplitCoins": // coin, amounts
      case "MergeCoins": // destination, sources
        return summary(kind, or(this.#argument(), this.#arguments()));
      case "Publish":
        this.#package();
        return { ...summary(kind, false), publishesCode: true };
      case "MakeMoveVec": // type or none, elements
        if (this.#flag()) this.#type();
        return summary(kind, this.#arguments());
      case "Upgrade": // what Publish has, the package, the ticket
        this.#package();
        this.#skip(ADDRESS_BYTES);
        return { ...summary(kind, this.#argument()), publishesCode: true };
      default:
        throw new UnreadableKind("unknown command");
    }
  }

  #moveCall(): CommandSummary {
    const address = toHex(this.#take(ADDRESS_BYTES));
    const moveTarget = `0x${address}::${this.#identifier()}::${this.#identifier()}`;
    this.#list(() => this.#type());
    return { ...summary("MoveCall", this.#arguments()), moveTarget };
  }

  /** Modules and dependencies. */
  #package(): void {
    this.#list(() => this.#skip(this.#length()));
    this.#list(() => this.#skip(ADDRESS_BYTES));
  }

  #arguments(): boolean {
    return this.#list(() => this.#argument()).includes(true);
  }

  /** True for the gas coin. */
  #argument(): boolean {
    const variant = this.#variant();
    if (variant > 3) throw new UnreadableKind("unknown argument");
    // Input and Result have one index, NestedResult two.
    this.#skip([0, 2, 2, 4][variant] ?? 0);
    return variant === 0;
  }

  #type(depth = 0): void {
    const variant = this.#variant();
    if (variant > 10 || depth > MAX_TYPE_DEPTH) throw new UnreadableKind("unknown type, or too deep");
    if (variant === 6) this.#type(depth + 1);
    if (variant !== 7) return;
    this.#skip(ADDRESS_BYTES);
    this.#identifier();
    this.#identifier();
    this.#list(() => this.#type(depth + 1));
  }

  #identifier(): string {
    const length = this.#length();
    if (length > MAX_IDENTIFIER_BYTES) throw new UnreadableKind("a name that is too long");
    const text = String.fromCharCode(...this.#take(length));
    if (!IDENTIFIER.test(text)) throw new UnreadableKind("not a Move identifier");
    return text;
  }

  /** Every element is a byte at least, so a length that promises more than is there ends at the last byte. */
  #list<Element>(read: () => Element): Element[] {
    const length = this.#length();
    const elements: Element[] = [];
    while (elements.length < length) elements.push(read());
    return elements;
  }

  #variant(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new UnreadableKind("cut short");
    // No enum has so many variants, so a second byte is no shortest form of any of them.
    if (byte >= 0x80) throw new UnreadableKind("unknown variant");
    return byte;
  }

  #flag(): boolean {
    const variant = this.#variant();
    if (variant > 1) throw new UnreadableKind("a flag that is neither 0 nor 1");
    return variant === 1;
  }

  #length(): number {
    let [value, scale, byte] = [0, 1, 0x80];
    while (byte >= 0x80) {
      byte = this.#bytes[this.#at++] ?? -1;
      if (byte < 0) throw new UnreadableKind("cut short");
      value += (byte & 0x7f) * scale;
      if (value > MAX_LENGTH) throw new UnreadableKind("a length beyond 32 bits");
      if (byte === 0 && scale > 1) throw new UnreadableKind("a length that is not in its shortest form", false);
      scale *= 0x80;
    }
    return value;
  }

  #take(length: number): Uint8Array {
    const from = this.#at;
    this.#skip(length);
    return this.#bytes.subarray(from, this.#at);
  }

  #skip(length: number): void {
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new UnreadableKind("cut short");
  }
}
