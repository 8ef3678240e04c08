import { expect, test } from "vitest";
import { type DoorLimits, DoorQueue, type QueuedRequest } from "../../../shared/cli/door/queue.ts";

const LIMITS: DoorLimits = {
  atWork: 2,
  atWorkForMs: 1_000,
  inside: 5,
  waitMs: 2_000,
  standingWaitMs: 500,
  lateMs: 2_500,
  leastWaiting: 1,
  refusedAtOnce: 100,
};

/** A queue with a clock of its own, and what became of each visitor. */
function bench(limits: Partial<DoorLimits> = {}) {
  const clock = { nowMs: 0, isBehind: false };
  const queue = new DoorQueue(
    () => clock.nowMs,
    () => clock.isBehind,
    { ...LIMITS, ...limits },
  );
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
  return { clock, queue, told, arrive, pass };
}

test("as many as may be at work start at once, the others in their order", () => {
  const { queue, told, arrive } = bench();
  const first = arrive("a");
  for (const name of ["b", "c", "d"]) arrive(name);
  expect(told).toEqual(["a starts", "b starts"]);
  queue.leave(first);
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
  queue.leave(first);
  expect(told).toHaveLength(3);
});

/** Serves ten a second for a while, and lets in `arrivals` for each of them. Tells how long each one waited who started. */
function serve({ queue, clock }: ReturnType<typeof bench>, seconds: number, arrivals: number) {
  const waitedMs: number[] = [];
  const refusedAfterMs: number[] = [];
  const atWork: QueuedRequest[] = [];
  const arrive = () => {
    const arrivedAtMs = clock.nowMs;
    const visitor: QueuedRequest = {
      arrivedAtMs,
      start: () => {
        atWork.push(visitor);
        waitedMs.push(clock.nowMs - arrivedAtMs);
      },
      refuse: () => void refusedAfterMs.push(clock.nowMs - arrivedAtMs),
    };
    queue.arrive(visitor);
  };
  for (let step = 0; step < seconds * 10; step += 1) {
    for (let one = 0; one < arrivals; one += 1) arrive();
    clock.nowMs += 100;
    const done = atWork.shift();
    if (done !== undefined) queue.leave(done);
    queue.advance();
  }
  return { waitedMs, refusedAfterMs };
}

test("who could not start in time at the runtime's pace is refused on arrival, and who is let in starts in time", () => {
  const place = bench({ atWork: 1, atWorkForMs: 60_000 });
  const { waitedMs, refusedAfterMs } = serve(place, 60, 3);
  expect(waitedMs.length).toBeGreaterThan(590);
  expect(Math.max(...waitedMs)).toBeLessThanOrEqual(LIMITS.lateMs);
  // From then on the queue stands.
  expect(Math.max(...waitedMs.slice(100))).toBeLessThanOrEqual(LIMITS.standingWaitMs + 100);
  expect(new Set(refusedAfterMs)).toEqual(new Set([0]));
});

test("a burst waits its time, and nobody is refused who can be served within it", () => {
  const place = bench({ atWork: 1, atWorkForMs: 60_000 });
  const burst = Array.from({ length: 24 }, (_, index) => place.arrive(`${index}`));
  for (const visitor of burst) {
    place.pass(100);
    place.queue.leave(visitor);
  }
  expect(place.told).toEqual(burst.map((_, index) => `${index} starts`));
});

test("so many wait in any case, however slow the runtime is", () => {
  const { told, arrive, pass } = bench({ atWork: 1, atWorkForMs: 60_000, leastWaiting: 2 });
  for (const name of ["a", "b"]) arrive(name);
  pass(2_000);
  for (const name of ["c", "d"]) arrive(name);
  expect(told).toEqual(["a starts", "d is refused"]);
});

test("those who are late together are refused some at a time, and who has left meanwhile is not told", () => {
  const { queue, told, arrive, pass } = bench({ atWork: 1, atWorkForMs: 60_000, refusedAtOnce: 2 });
  arrive("a");
  const [, , , last] = ["b", "c", "d", "e"].map(arrive);
  pass(2_501);
  expect(told).toEqual(["a starts", "b is refused", "c is refused"]);
  expect(queue.waiting).toBe(2);
  if (last !== undefined) queue.leave(last);
  pass(20);
  expect(told.slice(3)).toEqual(["d is refused"]);
  expect(queue.waiting).toBe(0);
});

test("while the runtime is behind, whoever is in it counts as work", () => {
  const { clock, told, arrive, pass } = bench();
  clock.isBehind = true;
  for (const name of ["a", "b", "c"]) arrive(name);
  pass(1_000);
  expect(told).toEqual(["a starts", "b starts"]);
  clock.isBehind = false;
  pass(20);
  expect(told.at(-1)).toBe("c starts");
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
  queue.leave(first);
  expect(told).toEqual([]);
  queue.setOpen(true);
  expect(told).toEqual(["b starts"]);
});
