import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { createEndpointHealth } from "../../shared/gateway/endpoint-health.ts";

import { allowedHeaders } from "../../shared/gateway/headers.ts";
import { parseRequestTarget } from "../../shared/gateway/request-target.ts";
import { retryAfterSeconds } from "../../shared/http/retry-after.ts";

const BASE = "/aptos/node/v1";
const at = (rest: string) => parseRequestTarget(`http://service.test${BASE}${rest}`, BASE);

test.each([
  ["", "", []],
  ["/", "/", [""]],
  ["/accounts/0x1", "/accounts/0x1", ["accounts", "0x1"]],
  ["/accounts/0x1/", "/accounts/0x1/", ["accounts", "0x1", ""]],
  ["/a/0x1::coin::CoinStore%3C0x1::x::Y%3E", undefined, ["a", "0x1::coin::CoinStore%3C0x1::x::Y%3E"]],
  ["/a/0x1::m::S<u8,%20u8>", undefined, ["a", "0x1::m::S<u8,%20u8>"]],
])("the path %j is kept as it was sent", (rest, kept, segments) => {
  expect(at(`${rest}?a=%2F..&b=c`)).toEqual({
    ok: true,
    value: { rest: kept ?? rest, segments, query: "?a=%2F..&b=c" },
  });
});

test.each([
  "/..",
  "/a/../b",
  "/%2e%2E",
  "/.",
  "/%2e/a",
  "/a%2Fb",
  "/a%5C",
  "/a\\b",
  "/%00",
  "/a%0d%0a",
  "/%25",
  "/%252e",
  "/%c0%ae",
  "/%",
  "//a",
  "/a//b",
  "/a#b",
  "/a\tb",
])("the path %j is refused", (rest) => {
  expect(at(rest)).toMatchObject({ ok: false, error: { reason: "bad_path" } });
});

test("another base path is none of ours, however it begins", () => {
  for (const path of [
    "/aptos/node/v1x",
    "/aptos/node/v2/accounts",
    "/aptos/node",
    "/APTOS/node/v1",
    "/aptos/n%6fde/v1",
  ])
    expect(parseRequestTarget(`http://service.test${path}`, BASE)).toMatchObject({ error: { reason: "unknown_path" } });
});

test("no path that is let through becomes another one where it is normalised, decoded once or decoded twice", () => {
  const piece = fc.constantFrom(..."a.%/\\2efEF0:<5c ".split(""), "%2e", "%2f", "%5c", "%25", "..", "::");
  const { seed } = { seed: inject("seed") };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const rest = `/x/${pieces.join("")}`;
      const target = at(rest);
      if (!target.ok) return;
      const once = decodeURIComponent(rest);
      for (const text of [rest, once, once.includes("%") ? decodeURIComponent(once) : once]) {
        const { pathname } = new URL(`http://node.test/v1${text}`);
        expect(pathname.startsWith("/v1/x/")).toBe(true);
        expect(pathname.split("/").length).toBe(`/v1${rest}`.split("/").length);
      }
    }),
    { numRuns: 2_000, ...(seed !== null && { seed }) },
  );
});

test("only headers of the list pass, by name or by prefix", () => {
  const headers = new Headers({ accept: "a", authorization: "b", "X-Aptos-Cursor": "c", "x-other": "d", cookie: "e" });
  const allowed = allowedHeaders(headers, { names: ["accept"], prefixes: ["x-aptos-"] });
  expect(allowed).toEqual({ accept: "a", "x-aptos-cursor": "c" });
});

test("Retry-After is never too early", () => {
  expect([1, 999, 1_000, 1_001].map(retryAfterSeconds)).toEqual(["1", "1", "1", "2"]);
});

describe("an endpoint", () => {
  let nowMs = 0;
  const memory = createEndpointHealth(() => nowMs);
  test("that just failed is asked last, for a while, and of that network only", () => {
    memory.noteFailed("N", "a");
    expect(memory.ordered("N", ["a", "b"])).toEqual(["b", "a"]);
    expect(memory.ordered("M", ["a", "b"])).toEqual(["a", "b"]);
    nowMs = 59_999;
    expect(memory.ordered("N", ["a", "b"])).toEqual(["b", "a"]);
    nowMs = 60_000;
    expect(memory.ordered("N", ["a", "b"])).toEqual(["a", "b"]);
  });
  test("is asked for its chain again after a minute, or once it failed", () => {
    memory.noteVerified("N", "a");
    nowMs += 59_999;
    expect([memory.isVerified("N", "a"), memory.isVerified("M", "a")]).toEqual([true, false]);
    nowMs += 1;
    expect(memory.isVerified("N", "a")).toBe(false);
    memory.noteVerified("N", "a");
    memory.noteFailed("N", "a");
    expect(memory.isVerified("N", "a")).toBe(false);
  });
});
