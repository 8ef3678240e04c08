/** BLAKE2b without a key (RFC 7693), with big integers: slow, small, and fast enough for one transaction. */

const BLOCK_BYTES = 128;
const ROUNDS = 12;

/** The square roots of the first eight primes, with 64 binary digits after the point. Arrays cut off the rest. */
const START = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n].map((prime) => {
  let root = 1n << 67n;
  for (let step = 0; step < ROUNDS; step++) root = (root + (prime << 128n) / root) / 2n;
  return root;
});

/** The order in which each round takes the 16 words of a block, a hex digit for each. It repeats after ten rounds. */
const ORDER = [
  "0123456789abcdef",
  "ea489fd61c02b753",
  "b8c052fdae367194",
  "7931dcbe265a40f8",
  "905724afe1bc683d",
  "2c6a0b834d75fe19",
  "c51fed4a0763928b",
  "db7ec13950f4862a",
  "6fe9b308c2d714a5",
  "a2847615fb9e3cd0",
].map(wordsOf);

/** The four words that each of a round's eight mixes takes: the columns, then the diagonals. */
const MIXES = ["048c", "159d", "26ae", "37bf", "05af", "16bc", "278d", "349e"].map(wordsOf);

function wordsOf(digits: string): readonly number[] {
  return [...digits].map((digit) => Number.parseInt(digit, 16));
}

/** Computes the BLAKE2b hash of some bytes. @param length 1 to 64 bytes. */
export function blake2b(bytes: Uint8Array, length: number): Uint8Array {
  // The arrays cut each value to 64 bits. Like the hash, all present platforms have little-endian words.
  const state = BigUint64Array.from(START);
  const at = (words: BigUint64Array, index: number) => words[index] ?? 0n;
  state[0] = at(state, 0) ^ 0x01010000n ^ BigInt(length);
  for (let done = 0, isLast = false; !isLast; ) {
    const block = new Uint8Array(BLOCK_BYTES);
    block.set(bytes.subarray(done, done + BLOCK_BYTES));
    done += BLOCK_BYTES;
    isLast = done >= bytes.length;
    const message = new BigUint64Array(block.buffer);
    const v = BigUint64Array.of(...state, ...START);
    v[12] = at(v, 12) ^ BigInt(isLast ? bytes.length : done);
    if (isLast) v[14] = ~at(v, 14);
    for (let round = 0; round < ROUNDS; round++) {
      const order = ORDER[round % ORDER.length] ?? [];
      MIXES.forEach(([a = 0, b = 0, c = 0, d = 0], mix) => {
        const rotate = (to: number, from: number, bits: bigint) => {
          const value = at(v, to) ^ at(v, from);
          v[to] = (value >> bits) | (value << (64n - bits));
        };
        for (const half of [0, 1]) {
          v[a] = at(v, a) + at(v, b) + at(message, order[2 * mix + half] ?? 0);
          rotate(d, a, half === 0 ? 32n : 16n);
          v[c] = at(v, c) + at(v, d);
          rotate(b, c, half === 0 ? 24n : 63n);
        }
      });
    }
    state.forEach((value, index) => {
      state[index] = value ^ at(v, index) ^ at(v, index + state.length);
    });
  }
  return new Uint8Array(state.buffer).slice(0, length);
}
