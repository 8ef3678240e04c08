import { fromBase58, toBase58 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import { digestBytes, digestText, isDigest } from "../../../shared/chain/sui/digest.ts";
import { seededRandom } from "../../support/random.ts";

const BYTES = 32;
const random = seededRandom(1);

function randomBytes(): Uint8Array {
  return Uint8Array.from({ length: BYTES }, () => Math.floor(256 * random()));
}

/** Bytes that begin with every number of zeros, and the least and the greatest number. */
const samples = [
  ...Array.from({ length: 4 * (BYTES + 1) }, (_, index) => randomBytes().fill(0, 0, index % (BYTES + 1))),
  new Uint8Array(BYTES).fill(255),
];

test("32 bytes have the text that the SDK gives them, and the text has these bytes", () => {
  for (const bytes of samples) {
    const text = digestText(bytes);
    expect(text).toBe(toBase58(bytes));
    expect(digestBytes(text)).toEqual(bytes);
  }
});

test("a text is a digest exactly if the SDK reads 32 bytes of it", () => {
  const altered = (text: string) => [
    text,
    `1${text}`,
    text.slice(1),
    text.slice(0, -1),
    `${text}1`,
    `2${text}`,
    `z${text.slice(1)}`,
  ];
  for (const text of [...samples.map(toBase58).flatMap(altered), "z".repeat(44), "1".repeat(32), "1".repeat(33)])
    expect([text, isDigest(text)]).toEqual([text, fromBase58(text).length === BYTES]);
});

test.each(["", "1".repeat(31), "0".repeat(43), "l".repeat(43), "ä".repeat(43), "1".repeat(45)])(
  "%j is no digest",
  (text) => expect(isDigest(text)).toBe(false),
);

test("bytes of another length are no digest", () => {
  expect(() => digestText(new Uint8Array(BYTES - 1))).toThrow(RangeError);
});
