/** Writes a text after its length in two bytes, as the derivations of the workflows hash it. */
export function lengthPrefixed(text: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}
