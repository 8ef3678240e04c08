import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fromHex, toHex } from "../shared/bytes.ts";

test("hex is what every other encoder makes of the bytes, and comes back in either case", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = toHex(bytes);
      expect(text).toBe(Buffer.from(bytes).toString("hex"));
      expect(fromHex(text)).toEqual(bytes);
      expect(fromHex(text.toUpperCase())).toEqual(bytes);
    }),
  );
});

test.each(["0", "0g", "g0", "@0", "`0", ":0", "/0", "0x12", "1 ", "12\n", "é0"])("%j is not hex", (text) => {
  expect(() => fromHex(text)).toThrow(RangeError);
});
