const CHUNK_BYTES = 8192;

/** Canonical base64 with padding. In chunks, because a call takes only so many arguments. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES)
    binary += String.fromCharCode(...bytes.subarray(offset, offset + CHUNK_BYTES));
  return btoa(binary);
}

/**
 * The bytes of canonical base64; null for anything else. `atob` alone accepts white space, missing padding and
 * stray bits after the last byte, so that two texts could mean the same bytes.
 */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return toBase64(bytes) === text ? bytes : null;
}
