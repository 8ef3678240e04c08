import { Buffer } from "node:buffer";

/** Something that must not be found, under a name that may be shown. At least 16 bytes. */
export interface Needle {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Haystack {
  readonly name: string;
  readonly bytes: Buffer;
}

const MIN_NEEDLE_BYTES = 16;

/** What of a Base64 text depends on these bytes alone, if they come so many bytes after a multiple of three. */
function inBase64(bytes: Uint8Array, offset: number, alphabet: "base64" | "base64url"): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString(alphabet)
    .replace(/=+$/, "");
  const rest = (offset + bytes.length) % 3;
  return text.slice(offset === 0 ? 0 : offset + 1, rest === 0 ? undefined : -1);
}

/** The ways in which bytes may have been written down. */
export function formsOf(bytes: Uint8Array): readonly Buffer[] {
  const raw = Buffer.from(bytes);
  const hex = raw.toString("hex");
  const text = raw.toString("utf8");
  const isText = Buffer.from(text, "utf8").equals(raw);
  const texts = [
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => [inBase64(raw, offset, "base64"), inBase64(raw, offset, "base64url")]),
    raw.join(","),
    raw.join(", "),
    Array.from(raw, (byte, index) => `"${index}":${byte}`).join(","),
    ...(isText ? [JSON.stringify(text).slice(1, -1), encodeURIComponent(text)] : []),
  ];
  return [raw, ...texts.map((form) => Buffer.from(form, "utf8"))];
}

/** Half of it is as bad as all of it, and a half may be all that a page or a line holds. */
function halves({ name, bytes }: Needle): readonly Uint8Array[] {
  if (bytes.length < MIN_NEEDLE_BYTES) throw new Error(`${name} is too short to be told from chance`);
  const middle = Math.floor(bytes.length / 2);
  return [bytes.subarray(0, middle), bytes.subarray(middle)];
}

/** Where which of them is: in raw, hex, Base64, Base64url or JSON form, whole or half. */
export function findNeedles(haystacks: readonly Haystack[], needles: readonly Needle[]): readonly string[] {
  const wanted = needles.map((needle) => ({ name: needle.name, forms: halves(needle).flatMap(formsOf) }));
  return haystacks.flatMap(({ name: where, bytes }) =>
    wanted.flatMap(({ name, forms }) => (forms.some((form) => bytes.includes(form)) ? [`${name} in ${where}`] : [])),
  );
}
