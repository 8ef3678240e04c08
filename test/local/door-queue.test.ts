import { expect, test } from "vitest";
import { type DoorLimits, DoorQueue } from "./door-queue.ts";

const LIMITS: DoorLimits = { atWork: 2, atWorkForMs: 1_000, inside: 5, waitMs: 2_500, standingWaitMs: 500 };

/** A queue with a clock of its own, and what became of each visitor. */
function bench(limits: Partial<DoorLimits> = {}) {
  const clock = { nowMs: 0 };
  const queue = new DoorQueue(() => clock.nowMs, { ...LIMITS, ...limits });
  const told: string[] = [];
  const visitor = (name: string) => ({
    arrivedAtMs: clock.nowMs,
    start: () => void told.push(`${name} starts`),
    refuse: () => void told.push(`${name} is refused`),
  });
  const arrive = (name: string) => {
    const one = visitor(name);
    queue.arrive(one);
    return one;
  };
  const pass = (ms: number) => {
    clock.nowMs += ms;
    queue.advance();
  };
  return { queue, told, arrive, pass };
}

test("as many as may be at work start at once, the others in their order", () => {
  const { queue, told, arrive } = bench();
  const first = arrive("a");
  for (const name of ["b", "c", "d"]) arrive(name);
  expect(told).toEqual(["a starts", "b starts"]);
  queue.leave(first, true);
  expect(told.at(-1)).toBe("c starts");
  expect(queue.waiting).toBe(1);
});

test("who waits too long is refused, and never starts", () => {
  const { queue, told, arrive, pass } = bench({ atWorkForMs: 60_000 });
  const first = arrive("a");
  for (const name of ["b", "c"]) arrive(name);
  pass(2_500);
  expect(told).toEqual(["a starts", "b starts"]);
  pass(1);
  expect(told.at(-1)).toBe("c is refused");
  queue.leave(first, true);
  expect(told).toHaveLength(3);
});

test("once the queue has stood for that long, nobody waits longer than half a second", () => {
  const { queue, told, arrive, pass } = bench({ atWork: 1, atWorkForMs: 60_000 });
  let atWork = arrive("first");
  for (let second = 0; second < 3; second += 1) {
    const next = arrive(`next ${second}`);
    pass(1_000);
    queue.leave(atWork, true);
    atWork = next;
    arrive(`waits ${second}`);
  }
  told.length = 0;
  arrive("late");
  pass(501);
  expect(told).toContain("late is refused");
});

test("who waits in the runtime for somebody else holds up nobody, up to a bound", () => {
  const { told, arrive, pass } = bench();
  for (const name of ["a", "b", "c", "d", "e", "f"]) arrive(name);
  pass(1_000);
  pass(1_000);
  expect(told).toEqual(["a", "b", "c", "d", "e"].map((name) => `${name} starts`));
});

test("who leaves while waiting never starts, and while the door is closed nobody does", () => {
  const { queue, told, arrive } = bench();
  queue.setOpen(false);
  const first = arrive("a");
  arrive("b");
  queue.leave(first, false);
  expect(told).toEqual([]);
  queue.setOpen(true);
  expect(told).toEqual(["b starts"]);
});
