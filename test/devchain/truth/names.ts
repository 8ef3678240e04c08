/** An address, an id or a hash in hex, or a digest in base58. */
const ID = /0x[0-9a-f]{20,64}(?![0-9a-f])|\b[1-9A-HJ-NP-Za-km-z]{43,44}\b/g;
const WHOLE_ID = /^(?:0x[0-9a-f]{20,64}|[1-9A-HJ-NP-Za-km-z]{43,44})$/;
const ADDRESS = /^0x[0-9a-f]{64}$/;
const LONG_HEX = /^0x[0-9a-f]{65,}$/;

export function isId(text: string): boolean {
  return WHOLE_ID.test(text);
}

/** The text with `<id>` for each id and each longer hex. */
export function withoutIds(text: string): string {
  return text.replace(/0x[0-9a-f]{20,}/g, "<id>").replace(ID, "<id>");
}

export function idsIn(text: string): readonly string[] {
  return text.match(ID) ?? [];
}

/** Which id of the asked chain stands for which id of a recording. */
export interface Names {
  /** Undefined: no answer has named it yet. */
  of(recorded: string): string | undefined;
  bind(recorded: string, asked: string): void;
  /** The same text with the ids of the asked chain. */
  translate(text: string): string;
  /** The same bytes, in hex, with the addresses of the asked chain. */
  translateBytes(hex: string): string;
}

export function createNames(): Names {
  const known = new Map<string, string>();

  function translateBytes(hex: string): string {
    let translated = "";
    for (let at = 0; at < hex.length; ) {
      const asked = known.get(`0x${hex.slice(at, at + 64)}`);
      const isAddress = asked !== undefined && ADDRESS.test(asked);
      translated += isAddress ? asked.slice(2) : hex.slice(at, at + 2);
      at += isAddress ? 64 : 2;
    }
    return translated;
  }

  return {
    of: (recorded) => known.get(recorded),
    bind: (recorded, asked) => void known.set(recorded, asked),
    translate: (text) =>
      LONG_HEX.test(text) ? `0x${translateBytes(text.slice(2))}` : text.replace(ID, (id) => known.get(id) ?? id),
    translateBytes,
  };
}
