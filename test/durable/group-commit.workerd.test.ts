import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { GroupCommit, MAX_BATCH_ITEMS, MAX_WAITING_ITEMS } from "../../shared/durable/group-commit.ts";
import { done, type Outcome, refuse } from "../../shared/errors.ts";
import { START_LIMIT_MS } from "../../shared/http/overload.ts";

const GATHER_MS = 1_000;

let objects = 0;

/** A group over the real storage of an object of its own, and what it has committed and stored. */
interface Bench {
  readonly group: GroupCommit;
  readonly clock: { nowMs: number };
  /** How many transitions each commit ran, those that were undone included. */
  readonly commits: number[];
  /** Writes a row. Its transition adds one, so a later one sees it. */
  write(name: string): Outcome<number>;
  /** In the order in which they were written. */
  stored(): readonly string[];
  /** Counted from now, this commit throws once all of its transitions have run. The object ends a timer later. */
  failCommit(number: number, objectEnds?: () => void): void;
}

function withBench(work: (bench: Bench) => Promise<void>, gatherMs = 0): Promise<void> {
  objects += 1;
  return runInDurableObject(env.DIRECTORY.getByName(`group commit ${objects}`), async (_, { storage }) => {
    const { sql } = storage;
    sql.exec("CREATE TABLE written (sequence INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL) STRICT");
    const commits: number[] = [];
    let failing = 0;
    let ends = () => {};
    const stored = () =>
      sql
        .exec<{ name: string }>("SELECT name FROM written ORDER BY sequence")
        .toArray()
        .map(({ name }) => name);
    let attempts = 0;
    const clock = { nowMs: 0 };
    const commit = <T>(transition: () => T) =>
      storage.transactionSync(() => {
        attempts = 0;
        try {
          const value = transition();
          failing -= 1;
          if (failing === 0) {
            setTimeout(ends, 0);
            throw new Error("the disk is full");
          }
          return value;
        } finally {
          commits.push(attempts);
        }
      });
    const group = new GroupCommit(commit, () => clock.nowMs, gatherMs);
    await work({
      clock,
      group,
      commits,
      stored,
      write: (name) => {
        attempts += 1;
        sql.exec("INSERT INTO written (name) VALUES (?)", name);
        return done(stored().length);
      },
      failCommit: (number, objectEnds = () => {}) => {
        failing = number;
        ends = objectEnds;
      },
    });
  });
}

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `item ${index}`);
}

function reasonOf(outcome: Outcome<unknown>): string {
  return outcome.ok ? "ok" : outcome.error.reason;
}

test("calls that come together are one commit, first in first out", () =>
  withBench(async ({ group, commits, write, stored }) => {
    const asked = names(10);
    const outcomes = await Promise.all(asked.map((name) => group.run(() => write(name))));
    expect(commits).toEqual([10]);
    expect(stored()).toEqual(asked);
    expect(outcomes).toEqual(asked.map((_, index) => done(index + 1)));
  }));

test("what could not run in time does not run any more", () =>
  withBench(async ({ clock, group, write, stored }) => {
    const late = group.run(() => write("late"));
    clock.nowMs += START_LIMIT_MS + 1;
    const inTime = group.run(() => write("in time"));
    expect([reasonOf(await late), reasonOf(await inTime)]).toEqual(["overloaded", "ok"]);
    expect(stored()).toEqual(["in time"]);
  }));

test("a commit holds at most 64 transitions, and the others follow by themselves", () =>
  withBench(async ({ group, commits, write, stored }) => {
    const asked = names(2 * MAX_BATCH_ITEMS + 1);
    await Promise.all(asked.map((name) => group.run(() => write(name))));
    expect(commits).toEqual([MAX_BATCH_ITEMS, MAX_BATCH_ITEMS, 1]);
    expect(stored()).toEqual(asked);
  }));

test("what waits behind a commit does not wait for others if it fills the next one", () =>
  withBench(async ({ group, commits, write }) => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const written = Promise.all(names(2 * MAX_BATCH_ITEMS + 1).map((name) => group.run(() => write(name))));
      await vi.advanceTimersByTimeAsync(GATHER_MS - 1);
      expect(commits).toEqual([]);
      await vi.advanceTimersByTimeAsync(2);
      expect(commits).toEqual([MAX_BATCH_ITEMS, MAX_BATCH_ITEMS]);
      await vi.advanceTimersByTimeAsync(GATHER_MS);
      expect(commits).toEqual([MAX_BATCH_ITEMS, MAX_BATCH_ITEMS, 1]);
      await written;
    } finally {
      vi.useRealTimers();
    }
  }, GATHER_MS));

test("nothing is answered before its commit has held", () =>
  withBench(async ({ group, write, stored }) => {
    const asked = names(3);
    const seen = await Promise.all(asked.map((name) => group.run(() => write(name)).then(stored)));
    expect(seen).toEqual([asked, asked, asked]);
  }));

test("a refusal is an answer like any other and undoes nothing", () =>
  withBench(async ({ group, commits, write, stored }) => {
    const outcomes = await Promise.all([
      group.run(() => write("first")),
      group.run(() => refuse("no_gas_object", "none")),
      group.run(() => write("last")),
    ]);
    expect(outcomes.map(reasonOf)).toEqual(["ok", "no_gas_object", "ok"]);
    expect(commits).toHaveLength(1);
    expect(stored()).toEqual(["first", "last"]);
  }));

test("a transition that throws is rejected with its own error, leaves nothing, and harms nobody else", () =>
  withBench(async ({ group, write, stored }) => {
    const answers = await Promise.allSettled([
      group.run(() => write("first")),
      group.run(() => {
        write("bad");
        throw new Error("a bad item");
      }),
      group.run(() => write("last")),
    ]);
    expect(answers).toMatchObject([
      { status: "fulfilled", value: done(1) },
      { status: "rejected", reason: { message: "a bad item" } },
      { status: "fulfilled", value: done(2) },
    ]);
    expect(stored()).toEqual(["first", "last"]);
  }));

test("where the commit throws, all in it and all who wait hear storage before the object ends, and nothing is stored", () =>
  withBench(async ({ group, write, stored, failCommit }) => {
    const heard: string[] = [];
    const end = Promise.withResolvers<number>();
    failCommit(1, () => end.resolve(heard.length));
    const asked = names(3 * MAX_BATCH_ITEMS);
    for (const name of asked) void group.run(() => write(name)).then((outcome) => heard.push(reasonOf(outcome)));
    expect(await end.promise).toBe(asked.length);
    expect(new Set(heard)).toEqual(new Set(["storage"]));
    expect(reasonOf(await group.run(() => write("later")))).toBe("storage");
    expect(stored()).toEqual([]);
  }));

test("where a commit throws after a bad item was set apart, those before it stand and those after it hear storage", () =>
  withBench(async ({ group, write, stored, failCommit }) => {
    const bad = group.run(() => {
      throw new Error("a bad item");
    });
    failCommit(2);
    const others = names(3).map((name) => group.run(() => write(name)));
    await expect(bad).rejects.toThrow("a bad item");
    expect((await Promise.all(others)).map(reasonOf)).toEqual(["ok", "storage", "storage"]);
    expect(stored()).toEqual(["item 0"]);
  }));

test("who finds 1,024 waiting is turned away at once, and those who wait are served", () =>
  withBench(async ({ group, write, stored }) => {
    const asked = names(MAX_WAITING_ITEMS);
    const waiting = Promise.all(asked.map((name) => group.run(() => write(name))));
    expect(reasonOf(await group.run(() => write("one too many")))).toBe("overloaded");
    expect(stored()).toEqual([]);
    await waiting;
    expect(stored()).toEqual(asked);
    expect(reasonOf(await group.run(() => write("later")))).toBe("ok");
  }));

type Behaviour = "writes" | "refuses" | "throws" | "throws_after_writing";

/** Calls in the order they come; a gap lets a commit happen before the next one. */
const calls = fc.array(
  fc.record({
    behaviour: fc.constantFrom<Behaviour>("writes", "writes", "writes", "refuses", "throws", "throws_after_writing"),
    gapBefore: fc.boolean(),
  }),
  { maxLength: 2 * MAX_BATCH_ITEMS },
);

test("whatever comes: heard ok means stored once and in order, heard anything else means not stored", () =>
  fc.assert(
    fc.asyncProperty(calls, fc.option(fc.integer({ min: 1, max: 12 }), { nil: 0 }), (asked, failing) =>
      withBench(async ({ group, commits, write, stored, failCommit }) => {
        failCommit(failing);
        const heard: Promise<string>[] = [];
        for (const [index, { behaviour, gapBefore }] of asked.entries()) {
          if (gapBefore && index % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
          const answer = group.run(() => {
            if (behaviour === "refuses") return refuse("no_gas_object", "none");
            if (behaviour === "throws") throw new Error(`bad ${index}`);
            const written = write(`item ${index}`);
            if (behaviour === "throws_after_writing") throw new Error(`bad ${index}`);
            return written;
          });
          heard.push(answer.then(reasonOf, (error: Error) => error.message));
        }
        const answers = await Promise.all(heard);
        const ok = answers.flatMap((answer, index) => (answer === "ok" ? [`item ${index}`] : []));
        expect(stored()).toEqual(ok);
        expect(Math.max(0, ...commits)).toBeLessThanOrEqual(MAX_BATCH_ITEMS);
        for (const [index, answer] of answers.entries()) {
          const { behaviour } = asked[index] ?? { behaviour: "writes" };
          const own = {
            writes: "ok",
            refuses: "no_gas_object",
            throws: `bad ${index}`,
            throws_after_writing: `bad ${index}`,
          };
          expect([own[behaviour], ...(failing > 0 ? ["storage"] : [])]).toContain(answer);
        }
      }),
    ),
    { numRuns: 60 },
  ));
