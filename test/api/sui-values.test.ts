import { fromBase58, toBase58 } from "@mysten/sui/utils";
import fc from "fast-check";
import { expect, test } from "vitest";
import { transactionDigestSchema } from "../../shared/api/sui-values.ts";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

test("a digest is the base58 of 32 bytes, leading zeros included", () => {
  const zeros = fc.nat(32).map((count) => new Uint8Array(count));
  const bytes = fc.tuple(zeros, fc.uint8Array({ minLength: 32, maxLength: 32 })).map(([lead, rest]) => {
    const all = Uint8Array.from(rest);
    all.set(lead);
    return all;
  });
  fc.assert(
    fc.property(bytes, (digest) => {
      const text = toBase58(digest);
      expect(transactionDigestSchema.parse(text)).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

test("whatever else is written in base58, or nearly so, is none", () => {
  const digits = fc.array(fc.constantFrom(...BASE58), { minLength: 28, maxLength: 46 }).map((list) => list.join(""));
  fc.assert(
    fc.property(digits, fc.constantFrom("", "0", "O", "I", "l", " ", "é"), (text, odd) => {
      const long = text + odd;
      const is = odd === "" && fromBase58(text).length === 32;
      expect(transactionDigestSchema.safeParse(long).success).toBe(is);
    }),
    { numRuns: 2_000 },
  );
});
