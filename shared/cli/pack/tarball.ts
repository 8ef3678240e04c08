import { gzipSync } from "node:zlib";

const BLOCK_BYTES = 512;
/** The time that npm gives the files of a package. */
const MODIFIED_SECONDS = Date.UTC(1985, 9, 26, 8, 15) / 1_000;
const MAX_PATH_BYTES = 100;

/**
 * Writes files as npm's tarball: the same bytes for the same files. The format is ustar (POSIX.1-1988).
 *
 * @param files texts by their path in the package.
 */
export function tarball(files: ReadonlyMap<string, string>): Buffer {
  const entries = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([path, text]) => entry(path, text));
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]), { level: 9 });
}

function entry(path: string, text: string): readonly Buffer[] {
  const content = Buffer.from(text);
  const padding = Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES);
  return [header(`package/${path}`, content.length), content, padding];
}

const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;

function header(path: string, bytes: number): Buffer {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw new RangeError(`${path} is too long for a tarball`);
  const fields = Buffer.alloc(BLOCK_BYTES);
  fields.write(path, 0);
  fields.write(octal(0o644, 8), 100);
  fields.write(octal(0, 8), 108);
  fields.write(octal(0, 8), 116);
  fields.write(octal(bytes, 12), 124);
  fields.write(octal(MODIFIED_SECONDS, 12), 136);
  // The checksum counts itself as spaces.
  fields.write(" ".repeat(8), 148);
  fields.write("0", 156);
  fields.write("ustar\0" + "00", 257);
  const sum = fields.reduce((total: number, byte: number) => total + byte, 0);
  fields.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return fields;
}
