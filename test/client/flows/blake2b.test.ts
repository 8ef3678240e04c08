import { blake2b as stock } from "@noble/hashes/blake2.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { blake2b } from "../../../shared/client/flows/blake2b.ts";

test("the hash is that of the stock implementation, for every length of bytes and hash", () => {
  for (let length = 0; length <= 400; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length) & 0xff);
    expect(blake2b(bytes, 32)).toEqual(new Uint8Array(stock(bytes, { dkLen: 32 })));
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1_000 }), fc.integer({ min: 1, max: 64 }), (bytes, dkLen) => {
      expect(blake2b(bytes, dkLen)).toEqual(new Uint8Array(stock(bytes, { dkLen })));
    }),
  );
});
