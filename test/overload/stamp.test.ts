import { expect, test } from "vitest";
import { arrivalOf, refuseLate, START_LIMIT_MS } from "../../shared/http/overload.ts";
import { answerOverloaded } from "../../shared/http/turned-away.ts";

const NOW_MS = 1_800_000_000_500;

test.each([
  ["1800000000123", NOW_MS - 377],
  ["1799999940500", NOW_MS - 60_000],
  // Of another clock, or of nobody's.
  ["1799999940499", NOW_MS],
  ["1800000001000", NOW_MS],
  ["t=1800000000.123", NOW_MS],
  ["180000000012", NOW_MS],
  ["soon", NOW_MS],
  ["", NOW_MS],
])("a stamp of %s is read as the door means it, or not at all", (stamp, arrivedAtMs) => {
  expect(arrivalOf(stamp, NOW_MS)).toBe(arrivedAtMs);
});

test("a call begins up to three seconds after its arrival, and not later", () => {
  expect(refuseLate(NOW_MS - START_LIMIT_MS, NOW_MS)).toBeNull();
  expect(refuseLate(NOW_MS - START_LIMIT_MS - 1, NOW_MS)).toMatchObject({ error: { reason: "overloaded" } });
  expect(refuseLate(NOW_MS + 3_600_000, NOW_MS)).toBeNull();
  expect(refuseLate(undefined, NOW_MS)).toBeNull();
});

test("callers who are refused together are not told to come back together", async () => {
  const waits = await Promise.all(
    [0, 0.5, 0.999].map(async (random) => {
      const request = new Request("http://a/admin/v1/projects");
      return (await answerOverloaded(request, () => random)).headers.get("retry-after");
    }),
  );
  expect(waits).toEqual(["1", "2", "2"]);
});
