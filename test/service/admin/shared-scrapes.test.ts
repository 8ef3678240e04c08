import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SharedScrapes } from "../../../functions/service/admin/metrics/shared-scrapes.ts";

const KEPT_MS = 3_000;
let collections = 0;
let nowMs = 0;

function collector(takesMs: number) {
  return async () => {
    collections += 1;
    const number = collections;
    await new Promise((resolve) => setTimeout(resolve, takesMs));
    return number;
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  collections = 0;
  nowMs = 1_000_000;
});
afterEach(() => void vi.useRealTimers());

test("callers at once cost one collection, and its value is kept for three seconds", async () => {
  const scrapes = new SharedScrapes<number>(() => nowMs);
  const asked = [1, 2, 3].map(() => scrapes.read("", collector(500)));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await Promise.all(asked)).toEqual([1, 1, 1]);
  nowMs += KEPT_MS - 1;
  expect(await scrapes.read("", collector(0))).toBe(1);
  nowMs += 1;
  const later = scrapes.read("", collector(10));
  await vi.advanceTimersByTimeAsync(10);
  expect(await later).toBe(2);
  expect(collections).toBe(2);
});

test("each name has a value of its own", async () => {
  const scrapes = new SharedScrapes<number>(() => nowMs);
  const asked = ["", "prj_1"].map((name) => scrapes.read(name, collector(10)));
  await vi.advanceTimersByTimeAsync(10);
  expect(await Promise.all(asked)).toEqual([1, 2]);
});

test("a failure is kept for nobody: the next caller collects again", async () => {
  const scrapes = new SharedScrapes<number>(() => nowMs);
  const failing = scrapes.read("", async () => {
    throw new Error("broken");
  });
  const beside = scrapes.read("", collector(10));
  await expect(failing).rejects.toThrow("broken");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await beside).toBe(1);
});

test("a collection whose request was given up delays others for ten seconds at most", async () => {
  const scrapes = new SharedScrapes<number>(() => nowMs);
  void scrapes.read("", () => new Promise<number>(() => {}));
  const beside = scrapes.read("", collector(10));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await beside).toBe(1);
  const [again] = [scrapes.read("", collector(10))];
  expect(await again).toBe(1);
});

test("a clock that was set back makes no old value fresh", async () => {
  const scrapes = new SharedScrapes<number>(() => nowMs);
  const first = scrapes.read("", collector(0));
  await vi.advanceTimersByTimeAsync(0);
  await first;
  nowMs -= 60_000;
  const second = scrapes.read("", collector(0));
  await vi.advanceTimersByTimeAsync(0);
  expect(await second).toBe(2);
});
