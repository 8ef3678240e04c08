/** Reports bytes that are not a programmable transaction kind, or not in the one form that BCS allows. */
export class UnreadableKind extends Error {
  override readonly name = "UnreadableKind";
  readonly canonical: boolean;

  /** @param canonical false if the bytes may have a meaning, but not in their only canonical form. */
  constructor(message: string, canonical = true) {
    super(message);
    this.canonical = canonical;
  }
}

/** Lengths are ULEB128 of at most 32 bits (BCS specification). */
const MAX_LENGTH = 2 ** 32 - 1;

/** Reads BCS in its one canonical form. Throws `UnreadableKind` for any other. */
export class BcsCursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new UnreadableKind("trailing bytes", false);
  }

  /** Every element takes at least a byte. So a length above the remaining bytes ends at the last byte. */
  list<Element>(read: () => Element): Element[] {
    const length = this.length();
    const elements: Element[] = [];
    while (elements.length < length) elements.push(read());
    return elements;
  }

  variant(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new UnreadableKind("cut short");
    // No enum has this many variants, so a second byte is never part of a shortest form.
    if (byte >= 0x80) throw new UnreadableKind("unknown variant");
    return byte;
  }

  flag(): boolean {
    const variant = this.variant();
    if (variant > 1) throw new UnreadableKind("a flag that is neither 0 nor 1");
    return variant === 1;
  }

  length(): number {
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

  take(length: number): Uint8Array {
    const from = this.#at;
    this.skip(length);
    return this.#bytes.subarray(from, this.#at);
  }

  skip(length: number): void {
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new UnreadableKind("cut short");
  }
}
