import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteSink, concatBytes, fromHex, toHex } from "../shared/bytes.ts";

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

test("pieces come out in their order, in one buffer that is no longer than they are together", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3_000 })), (pieces) => {
      const sink = new ByteSink();
      const page = new Uint8Array(4_096);
      for (const piece of pieces) {
        // As a runtime reads: into one page after the other, of which the piece is the beginning.
        page.set(piece);
        sink.push(page.subarray(0, piece.length));
      }
      const all = sink.bytes();
      expect(all).toEqual(concatBytes(...pieces));
      expect(all.buffer.byteLength).toBe(all.length);
    }),
  );
});
