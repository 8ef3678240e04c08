import { expect, test } from "vitest";
import { halfHere, liveHalf, showHalves } from "../../../shared/wallet/session/halves.ts";

const value = Uint8Array.of(1, 2, 3);

test("a half ends at its expiry, and as soon as its object forgets it", () => {
  const halves = new Map([["s1:a", { value, expiresAtMs: 1_000 }]]);
  showHalves(3, halves);
  expect(halfHere(3, "s1:a", 999)).toBe(value);
  expect(halfHere(3, "s1:a", 1_000)).toBeNull();
  expect(liveHalf(halves, "s1:a", 1_000)).toBeNull();
  halves.delete("s1:a");
  expect(halfHere(3, "s1:a", 999)).toBeNull();
});

test("a half is found in no other shard, and not in an earlier instance of its object", () => {
  showHalves(4, new Map([["s1:b", { value, expiresAtMs: 1_000 }]]));
  expect(halfHere(5, "s1:b", 0)).toBeNull();
  showHalves(4, new Map());
  expect(halfHere(4, "s1:b", 0)).toBeNull();
});
