import { expect, test } from "vitest";
import { masterKeyProgress, resealRetryMs } from "../../shared/project/master-key-usage.ts";

function keys(...versions: readonly number[]) {
  return {
    current: Math.max(...versions),
    byVersion: new Map(versions.map((version) => [version, new Uint8Array(32)])),
  };
}

const uses = [
  { masterKeyVersion: 0, objects: 1, failing: 0 },
  { masterKeyVersion: 1, objects: 10, failing: 2 },
  { masterKeyVersion: 2, objects: 100, failing: 3 },
  { masterKeyVersion: 1, objects: 1_000, failing: 0 },
  { masterKeyVersion: 3, objects: 10_000, failing: 0 },
];

test("what needs an older master key is what remains; what needs a newer one than there is does not open", () => {
  expect(masterKeyProgress(uses, keys(1, 2))).toEqual({ current: 2, remaining: 1_011, failing: 2, unopenable: 10_000 });
  expect(masterKeyProgress(uses, keys(3))).toEqual({ current: 3, remaining: 1_111, failing: 5, unopenable: 0 });
  expect(masterKeyProgress([], keys(1))).toEqual({ current: 1, remaining: 0, failing: 0, unopenable: 0 });
});

test("what cannot be re-sealed is tried again after 15 s, later ever more rarely, and at least once an hour", () => {
  expect([1, 2, 3, 8, 9, 1_000].map(resealRetryMs)).toEqual([15_000, 30_000, 60_000, 1_920_000, 3_600_000, 3_600_000]);
});
