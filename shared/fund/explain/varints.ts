const BASE = 0x80;

/**
 * Writes numbers in few bytes, and other bytes behind them. Small numbers take one byte. Numbers are whole, of either
 * sign, and up to 2^51. Null is a value of its own.
 */
export function writeNumbers(numbers: readonly (number | null)[], rest: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  // Nulls at the end take no byte, unless bytes follow them.
  const last = rest.length === 0 ? numbers.findLastIndex((number) => number !== null) : numbers.length - 1;
  for (const number of numbers.slice(0, last + 1)) {
    // Null is 0. The numbers 0, -1, 1, -2, … are 1, 2, 3, 4, …
    let left = number === null ? 0 : number < 0 ? -2 * number : 2 * number + 1;
    while (left >= BASE) {
      bytes.push((left % BASE) + BASE);
      left = Math.floor(left / BASE);
    }
    bytes.push(left);
  }
  const written = new Uint8Array(bytes.length + rest.length);
  written.set(bytes);
  written.set(rest, bytes.length);
  return written;
}

/** Reads this many numbers, and the bytes behind them. A missing number is null. */
export function readNumbers(
  bytes: Uint8Array,
  count: number,
): { readonly numbers: readonly (number | null)[]; readonly rest: Uint8Array } {
  const numbers: (number | null)[] = [];
  let at = 0;
  while (numbers.length < count) {
    let [value, scale] = [0, 1];
    let byte = bytes[at++] ?? 0;
    for (; byte >= BASE; byte = bytes[at++] ?? 0) {
      value += (byte - BASE) * scale;
      scale *= BASE;
    }
    value += byte * scale;
    numbers.push(value === 0 ? null : value % 2 === 0 ? -value / 2 : (value - 1) / 2);
  }
  return { numbers, rest: bytes.subarray(at) };
}
