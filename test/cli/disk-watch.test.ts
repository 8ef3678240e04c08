import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Stores } from "../../shared/api/contract.ts";
import { type DiskState, DiskWatch, isRefusedOn, nextDiskState } from "../../shared/cli/disk-watch.ts";

const LIMITS = { lowBytes: 200, fullBytes: 30, reserveBytes: 60 };

test.each<["ok" | "low" | "full", number, DiskState]>([
  ["ok", 200, "ok"],
  ["ok", 199, "low"],
  ["ok", 29, "full"],
  ["low", 259, "low"],
  ["low", 260, "ok"],
  ["low", 29, "full"],
  // What was given up is room, and does not end the state.
  ["full", 89, "full"],
  ["full", 259, "full"],
  ["full", 260, "ok"],
])("a disk that was %s and has %i left is %s", (before, freeBytes, after) => {
  expect(nextDiskState(before, freeBytes, LIMITS)).toBe(after);
});

test.each<[Stores, DiskState | null]>([
  ["objects", "low"],
  ["promise", "full"],
  ["little", null],
])("what stores %s is refused from the state %s on", (stores, from) => {
  const states: readonly DiskState[] = ["ok", "low", "full", "read_only"];
  const refused = states.filter((state) => isRefusedOn(state, stores));
  expect(refused).toEqual(from === null ? [] : states.slice(states.indexOf(from)));
});

test("the reserve is written once, however many looks come meanwhile", async () => {
  const directory = await mkdtemp(join(tmpdir(), "gasworks-disk-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const watch = new DiskWatch(directory, () => {}, { lowBytes: 0, fullBytes: 0, reserveBytes: 8 * 1024 * 1024 });
  const first = watch.look();
  expect(watch.look()).toBe(first);
  await first;
  expect((await stat(join(directory, "reserve"))).size).toBe(8 * 1024 * 1024);
  expect(watch.look()).not.toBe(first);
  await watch.look();
});
