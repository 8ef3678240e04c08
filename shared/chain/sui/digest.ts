/**
 * A digest of the chain is the base58 of 32 bytes. Numbers of this length are converted here. The SDK's codec takes texts
 * of any length. It needs two to three times as long, and a transaction has a dozen digests.
 */

const DIGEST_BYTES = 32;
/** The form of each text that names 32 bytes. */
const BASE58_DIGEST = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const MAX_CHARACTERS = 44;
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE = ALPHABET.length;

/** A number of 256 bits is held in limbs of two bytes or of five digits. Products of both stay below 2^53, and exact. */
const WORD = 2 ** 16;
const WORDS = DIGEST_BYTES / 2;
const GROUP_DIGITS = 5;
const GROUP = BASE ** GROUP_DIGITS;
const GROUPS = Math.ceil(MAX_CHARACTERS / GROUP_DIGITS);

const codes = Uint8Array.from(ALPHABET, (digit) => digit.charCodeAt(0));
const ZERO = ALPHABET.charCodeAt(0);
/** Digits by character code. */
const digits = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, codes.indexOf(code)));

/** The limbs of the conversion under way, the lowest first. A conversion never waits. */
const words = new Float64Array(WORDS);
const groups = new Float64Array(GROUPS);
const characters = new Uint8Array(GROUPS * GROUP_DIGITS);

/** Multiplies the lowest limbs by `factor`, and adds to them. Returns what the last of them cannot hold. */
function multiplyAdd(limbs: Float64Array, used: number, size: number, factor: number, added: number): number {
  let carry = added;
  for (let index = 0; index < used; index += 1) {
    carry += (limbs[index] ?? 0) * factor;
    const above = Math.floor(carry / size);
    limbs[index] = carry - above * size;
    carry = above;
  }
  return carry;
}

/** Returns true if a text is a digest of the chain: base58 of 32 bytes. */
export function isDigest(text: string): boolean {
  return digestBytes(text) !== null;
}

/** Reads the 32 bytes of a digest. Null if the text is not a digest. `digestText` returns the same text again. */
export function digestBytes(text: string): Uint8Array<ArrayBuffer> | null {
  if (!BASE58_DIGEST.test(text)) return null;
  words.fill(0);
  // The first group has the digits that the others leave over.
  for (let at = 0, end = text.length % GROUP_DIGITS; at < text.length; end += GROUP_DIGITS) {
    let group = 0;
    for (; at < end; at += 1) group = group * BASE + (digits[text.charCodeAt(at)] ?? 0);
    if (multiplyAdd(words, WORDS, WORD, GROUP, group) > 0) return null;
  }
  const bytes = new Uint8Array(DIGEST_BYTES);
  for (let index = 0; index < WORDS; index += 1) {
    const word = words[WORDS - 1 - index] ?? 0;
    bytes[2 * index] = word >> 8;
    bytes[2 * index + 1] = word;
  }
  let zeros = 0;
  while (text.charCodeAt(zeros) === ZERO) zeros += 1;
  // Each leading zero byte is one leading digit. A text with another number of them has another length in bytes.
  return zeros === zeroBytes(bytes) ? bytes : null;
}

/** Writes 32 bytes as a digest. @throws RangeError for another length. */
export function digestText(bytes: Uint8Array): string {
  if (bytes.length !== DIGEST_BYTES) throw new RangeError(`a digest has ${DIGEST_BYTES} bytes, not ${bytes.length}`);
  let used = 0;
  for (let at = 0; at < DIGEST_BYTES; at += 2) {
    const carry = multiplyAdd(groups, used, GROUP, WORD, (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0));
    if (carry > 0) groups[used++] = carry;
  }
  let first = characters.length;
  for (let group = 0; group < used; group += 1) {
    let rest = groups[group] ?? 0;
    for (let digit = 0; digit < GROUP_DIGITS; digit += 1) {
      const above = (rest / BASE) | 0;
      characters[--first] = codes[rest - above * BASE] ?? 0;
      rest = above;
    }
  }
  while (characters[first] === ZERO) first += 1;
  const zeros = zeroBytes(bytes);
  // Not spread: that would take as long as the conversion.
  const text: string = Reflect.apply(String.fromCharCode, null, characters.subarray(first));
  return zeros === 0 ? text : ALPHABET.charAt(0).repeat(zeros) + text;
}

function zeroBytes(bytes: Uint8Array): number {
  let count = 0;
  while (count < bytes.length && bytes[count] === 0) count += 1;
  return count;
}
