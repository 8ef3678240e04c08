import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LookUpPlaces } from "../../shared/fund/look-up-places.ts";

const BOUNDS = { least: 4, most: 32 };
const NODE_MS = 100;
const numbers = (length: number) => Array.from({ length }, (_, index) => index);
const after = (ms: number) => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), ms));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs the timers until the work is over. @returns its result and how long it took. */
async function timed<T>(work: Promise<T>): Promise<{ readonly result: T; readonly tookMs: number }> {
  const startedAtMs = performance.now();
  let end: { result: T; tookMs: number } | null = null;
  work.then(
    (result) => {
      end = { result, tookMs: performance.now() - startedAtMs };
    },
    () => {},
  );
  for (let step = 0; step < 2_000 && end === null; step += 1) await vi.advanceTimersByTimeAsync(10);
  return end ?? { result: await work, tookMs: Number.NaN };
}

function newPlaces(faults: unknown[] = []): LookUpPlaces {
  return new LookUpPlaces(BOUNDS, (error) => faults.push(error));
}

test("there are more places, up to the most, while answers are as quick as ever", async () => {
  const places = newPlaces();
  let [open, mostOpen] = [0, 0];
  const { tookMs } = await timed(
    places.run(numbers(1_000), async () => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      await after(NODE_MS);
      open -= 1;
      return true;
    }),
  );
  expect(mostOpen).toBe(BOUNDS.most);
  expect(tookMs).toBeLessThan((1_000 / BOUNDS.most) * NODE_MS + 500);
});

test("work that has its answer leaves its place to other work, and its own time counts for nothing", async () => {
  const places = newPlaces();
  const { result } = await timed(
    places.run(numbers(30), async (_, answered) => {
      await after(NODE_MS);
      answered();
      return after(4_000);
    }),
  );
  expect(result).toEqual({ isUseful: true, slow: [] });
  expect(places.atOnce).toBeGreaterThan(2 * BOUNDS.least);
});

test("work that goes on after its answer is bounded over all runs, and a fault in it gives nothing back twice", async () => {
  const faults: unknown[] = [];
  const places = newPlaces(faults);
  let [open, mostOpen] = [0, 0];
  const work = async (item: number, answered: () => void) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    await after(1);
    answered();
    await after(1_000);
    open -= 1;
    if (item === 150) throw new Error("no row");
    return true;
  };
  const ends = [1, 2, 3, 4].map(() => places.run(numbers(150), work));
  const faulty = places.run([150], work);
  await expect(timed(faulty)).rejects.toThrow("no row");
  await timed(Promise.all(ends));
  expect(mostOpen).toBeGreaterThan(BOUNDS.most);
  expect(mostOpen).toBeLessThanOrEqual(2 * BOUNDS.most);
  // All places are free again, and all rooms behind them.
  const free = Math.floor(places.atOnce);
  let [begun, behind] = [0, 0];
  const last = places.run(numbers(BOUNDS.most), async (_, answered) => {
    begun += 1;
    await after(NODE_MS);
    answered();
    behind += 1;
    return after(2_000);
  });
  await vi.advanceTimersByTimeAsync(NODE_MS - 1);
  expect(begun).toBe(free);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(behind).toBe(BOUNDS.most);
  await timed(last);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(faults).toEqual([]);
});

test("a platform that opens six connections at once has a few look-ups queue, and no long row of them", async () => {
  const places = newPlaces();
  let freeAtMs = numbers(6).map(() => 0);
  const queued = () => {
    const [first = 0, ...others] = freeAtMs.toSorted((one, other) => one - other);
    const endMs = Math.max(first, performance.now()) + NODE_MS;
    freeAtMs = [...others, endMs];
    return after(endMs - performance.now());
  };
  await timed(places.run(numbers(250), queued));
  expect(places.atOnce).toBeGreaterThan(BOUNDS.least);
  expect(places.atOnce).toBeLessThanOrEqual(20);
});

test("one slow answer in two costs no places, since a busy machine makes some slow", async () => {
  const places = newPlaces();
  await timed(places.run(numbers(600), (item) => after(item % 2 === 0 ? NODE_MS : 4 * NODE_MS)));
  expect(places.atOnce).toBeGreaterThan(BOUNDS.most / 2);
});

test("a slow item holds up no other, is named after five seconds, and its work still ends", async () => {
  const places = newPlaces();
  const ended: number[] = [];
  const work = async (item: number) => {
    await after(item === 0 ? 12_000 : NODE_MS);
    ended.push(item);
    return true;
  };
  const { result, tookMs } = await timed(places.run(numbers(200), work));
  expect(result).toEqual({ isUseful: true, slow: [0] });
  expect(tookMs).toBeLessThanOrEqual(5_010);
  expect(ended.length).toBe(199);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ended.length).toBe(200);
});

test("a run begins nothing more after five seconds, so that other work has its turn", async () => {
  const places = newPlaces();
  let begun = 0;
  const work = () => {
    begun += 1;
    return after(2_000);
  };
  const { tookMs } = await timed(places.run(numbers(10_000), work));
  expect(tookMs).toBeLessThanOrEqual(5_010);
  expect(begun).toBeLessThanOrEqual(3 * BOUNDS.most);
  const before = begun;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(begun).toBe(before);
});

test("two runs share the places alike, first come, first served", async () => {
  const places = newPlaces();
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(name);
    return after(NODE_MS);
  };
  await timed(Promise.all([places.run(numbers(400), work("first")), places.run(numbers(400), work("second"))]));
  const inTheMiddle = order.slice(100, 500);
  expect(inTheMiddle.filter((name) => name === "first").length).toBeGreaterThan(120);
  expect(inTheMiddle.filter((name) => name === "second").length).toBeGreaterThan(120);
});

test("work that says that more is useless is the last to begin", async () => {
  const places = newPlaces();
  let begun = 0;
  const { result } = await timed(
    places.run(numbers(100), async () => {
      begun += 1;
      return !(await after(NODE_MS));
    }),
  );
  expect(result).toEqual({ isUseful: false, slow: [] });
  expect(begun).toBe(BOUNDS.least);
});

test("a fault ends the run as its own error, and gives its place back", async () => {
  const places = newPlaces();
  const fault = new Error("no row");
  for (let round = 0; round < 10; round += 1)
    await expect(places.run([1], () => Promise.reject(fault))).rejects.toBe(fault);
  expect((await timed(places.run(numbers(8), () => after(1)))).result.isUseful).toBe(true);
});

test("a fault after the run is told, and is nobody's unhandled rejection", async () => {
  const faults: unknown[] = [];
  const fault = new Error("late");
  const places = newPlaces(faults);
  const { result } = await timed(
    places.run([1], async () => {
      await after(8_000);
      throw fault;
    }),
  );
  expect(result.slow).toEqual([1]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(faults).toEqual([fault]);
});

test("a node that hangs gets no more look-ups at once, and ends every run once its time-outs are known", async () => {
  const places = newPlaces();
  let [open, mostOpen] = [0, 0];
  const work = async () => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    await after(7_000);
    open -= 1;
    return false;
  };
  const useful: boolean[] = [];
  for (let round = 0; round < 6; round += 1) useful.push((await timed(places.run(numbers(40), work))).result.isUseful);
  expect(mostOpen).toBe(BOUNDS.least);
  expect(useful).toEqual([true, false, false, false, false, false]);
});

test("a late false counts for five seconds, and the node is tried again after them", async () => {
  const places = newPlaces();
  await timed(places.run([1], async () => !(await after(7_000))));
  await vi.advanceTimersByTimeAsync(2_000);
  const begun: number[] = [];
  const work = (item: number) => {
    begun.push(item);
    return after(NODE_MS);
  };
  expect((await timed(places.run([2], work))).result).toEqual({ isUseful: false, slow: [] });
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await timed(places.run([3], work))).result).toEqual({ isUseful: true, slow: [] });
  expect(begun).toEqual([3]);
});

test("slow work that fails while other work succeeds ends no later run", async () => {
  const places = newPlaces();
  const work = async (item: number) => (await after(item === 0 ? 7_000 : NODE_MS)) && item !== 0;
  expect((await timed(places.run(numbers(8), work))).result).toEqual({ isUseful: true, slow: [0] });
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await timed(places.run([9], work))).result).toEqual({ isUseful: true, slow: [] });
});

test("an answer after a late false lets runs begin again, and a time-out does not", async () => {
  const useful = async (lastMs: number) => {
    const places = newPlaces();
    const failing = places.run([7_000], async (ms) => !(await after(ms)));
    await vi.advanceTimersByTimeAsync(4_000);
    const other = places.run([lastMs], after);
    await timed(Promise.all([failing, other]));
    await vi.advanceTimersByTimeAsync(2_000);
    return (await timed(places.run([NODE_MS], after))).result.isUseful;
  };
  expect(await useful(3_500)).toBe(true);
  expect(await useful(5_500)).toBe(false);
});

test("false adds no place but takes one, and so does work longer than a run", async () => {
  const grown = async () => {
    const places = newPlaces();
    await timed(places.run(numbers(100), () => after(NODE_MS)));
    return { places, before: places.atOnce };
  };
  const refusing = await grown();
  await timed(refusing.places.run(numbers(100), async () => !(await after(NODE_MS))));
  expect(refusing.places.atOnce).toBeLessThan(refusing.before - 10);
  const slow = await grown();
  await timed(slow.places.run(numbers(100), () => after(7_000)));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(slow.places.atOnce).toBeLessThan(slow.before - 10);
});

test("work of ordinary length that outlives its run changes no places", async () => {
  const places = newPlaces();
  await timed(places.run(numbers(100), () => after(2_600)));
  const atTheEnd = places.atOnce;
  expect(atTheEnd).toBeGreaterThan(BOUNDS.least);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(places.atOnce).toBe(atTheEnd);
});

test("a quick false makes no other answer slow", async () => {
  const places = newPlaces();
  await timed(places.run(numbers(100), () => after(NODE_MS)));
  const before = places.atOnce;
  await timed(places.run(numbers(20), async (item) => (await after(item === 0 ? 1 : NODE_MS)) && item !== 0));
  expect(places.atOnce).toBeGreaterThanOrEqual(before - 1);
});
