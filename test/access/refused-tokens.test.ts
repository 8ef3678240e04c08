import { expect, test } from "vitest";
import { RefusedTokens } from "../../shared/access/refused-tokens.ts";

const AT_MS = 1_000_000;

function hashed(secret: number) {
  return { tokenId: "adm_00000000000000000001", secretHash: Uint8Array.of(secret >> 8, secret & 255) };
}

test("a refused token is known for 30 s, and one with another secret is not", () => {
  const refused = new RefusedTokens();
  refused.add(hashed(1), AT_MS);
  expect([AT_MS, AT_MS + 29_999, AT_MS + 30_000].map((nowMs) => refused.has(hashed(1), nowMs))).toEqual([
    true,
    true,
    false,
  ]);
  expect(refused.has(hashed(2), AT_MS)).toBe(false);
});

test("any number of refused tokens fills no memory, and the newest are known", () => {
  const refused = new RefusedTokens();
  for (let secret = 0; secret < 5_000; secret++) refused.add(hashed(secret), AT_MS);
  const known = Array.from({ length: 5_000 }, (_, secret) => refused.has(hashed(secret), AT_MS));
  expect([known.filter(Boolean).length, known.indexOf(true)]).toEqual([1_000, 4_000]);
});
