import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExactJson, readBoundedText, readRequestText, stringifyJson } from "../../shared/rpc/json.ts";

const MAX_U64 = 2n ** 64n - 1n;

test("bigints are written as exact JSON integers", () => {
  expect(stringifyJson({ balance: MAX_U64, list: [1n, { deep: 2n ** 53n + 1n }] })).toBe(
    '{"balance":18446744073709551615,"list":[1,{"deep":9007199254740993}]}',
  );
});

test("every integer comes back with its value, beyond 2^53 as a bigint", () => {
  fc.assert(
    fc.property(fc.bigInt(-MAX_U64, MAX_U64), (value) => {
      const read = parseExactJson(stringifyJson([value]));
      const safe = BigInt(Number.MIN_SAFE_INTEGER) <= value && value <= BigInt(Number.MAX_SAFE_INTEGER);
      expect(read).toEqual([safe ? Number(value) : value]);
    }),
  );
});

test("fractions and exponents stay numbers", () => {
  expect(parseExactJson("[1.5, 1e300, -0.1e-7]")).toEqual([1.5, 1e300, -1e-8]);
});

function stream(...chunks: readonly Uint8Array[]): ReadableStream {
  return new Blob(chunks.map((chunk) => Uint8Array.from(chunk))).stream();
}

test("a body is read up to its limit, counted in bytes", async () => {
  const text = "é".repeat(10);
  const bytes = new TextEncoder().encode(text);
  expect(await readBoundedText(stream(bytes), 20)).toBe(text);
  expect(await readBoundedText(stream(bytes), 19)).toBeNull();
  expect(await readBoundedText(null, 5)).toBe("");
});

test("a body without end is not read to its end", async () => {
  let pulled = 0;
  const endless = new ReadableStream({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(new Uint8Array(1000));
    },
  });
  expect(await readBoundedText(endless, 10_000)).toBeNull();
  // Ten chunks up to the limit, and the four MiB that are read and thrown away after it.
  expect(pulled).toBeLessThan(4_300);
});

test("bytes that are not UTF-8 are refused, also where a character is cut at the end", async () => {
  await expect(readBoundedText(stream(Uint8Array.of(0x22, 0xff, 0x22)), 10)).rejects.toThrow(TypeError);
  await expect(readBoundedText(stream(Uint8Array.of(0xc3)), 10)).rejects.toThrow(TypeError);
});

describe.each(["told", "not told"])("a request's body whose length is %s", (length) => {
  const read = (bytes: Uint8Array, limitBytes: number) => {
    const headers = length === "told" ? { "content-length": String(bytes.length) } : {};
    const request = new Request("http://localhost", { method: "POST", headers, body: Uint8Array.from(bytes) });
    return readRequestText(request, limitBytes);
  };

  test("is read up to its limit, counted in bytes", async () => {
    const bytes = new TextEncoder().encode("\uFEFFé");
    expect(await read(bytes, 5)).toBe("\uFEFFé");
    expect(await read(bytes, 4)).toBeNull();
  });

  test("is refused where it is not UTF-8, also where a character is cut at the end", async () => {
    await expect(read(Uint8Array.of(0x22, 0xff, 0x22), 10)).rejects.toThrow(TypeError);
    await expect(read(Uint8Array.of(0xc3), 10)).rejects.toThrow(TypeError);
  });
});

test("a body that is longer than its head tells is refused all the same", async () => {
  const request = new Request("http://localhost", {
    method: "POST",
    headers: { "content-length": "1" },
    body: "12345",
  });
  expect(await readRequestText(request, 4)).toBeNull();
});
