import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Env } from "../../shared/env.ts";
import type { FixedTransaction } from "../../shared/flows/attempt.ts";
import { type DailyCap, NO_CAP } from "../../shared/policy/rules.ts";

const bindings: Env = env;
const DAY_MS = 86_400_000;

let users = 0;
function newUser() {
  users += 1;
  const name = `user ${users}`;
  return { user: bindings.WORKFLOW_USER.getByName(name), stub: env.WORKFLOW_USER.getByName(name) };
}

const transaction = (id: string, gasBudgetAtoms = 10n): FixedTransaction => ({
  id,
  content: `content of ${id}`,
  charge: { chain: "sui", gasBudgetAtoms },
});

type User = ReturnType<typeof newUser>["user"];
const asked = { fingerprint: "asked", chain: "sui" } as const;

async function execute(user: User, key: string, id = key, cap: DailyCap = NO_CAP) {
  const begun = await user.begin({ ...asked, key, cap });
  if (begun.kind !== "begun") return begun.kind;
  const fixed = await user.fix({ key, transaction: transaction(id), cap });
  await user.leave(key, fixed.kind === "fixed" ? "open" : "nothing_sent");
  return fixed.kind;
}

// No test runs into the next second or day by itself.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("of two calls of one attempt, one fixes the transaction and both go on with it, also after a restart", async () => {
  const { user, stub } = newUser();
  const input = { ...asked, key: "click", cap: NO_CAP };
  expect(await user.begin(input)).toEqual({ kind: "begun", transaction: null });
  expect(await user.begin(input)).toEqual({ kind: "begun", transaction: null });
  const one = { kind: "fixed", transaction: transaction("one") };
  expect(await user.fix({ key: "click", transaction: transaction("one"), cap: NO_CAP })).toEqual(one);
  expect(await user.fix({ key: "click", transaction: transaction("two"), cap: NO_CAP })).toEqual(one);
  await user.leave("click", "nothing_sent");
  await evictDurableObject(stub);
  expect(await user.begin(input)).toEqual({ kind: "begun", transaction: transaction("one") });
  expect(await user.begin({ ...input, fingerprint: "other" })).toEqual({ kind: "conflict" });
});

test("what came to nothing is forgotten, and another transaction can be fixed under its key", async () => {
  const { user } = newUser();
  const input = { ...asked, key: "click", cap: NO_CAP };
  await user.begin(input);
  await user.fix({ key: "click", transaction: transaction("one"), cap: NO_CAP });
  await user.leave("click", "nothing_sent");
  expect(await user.begin({ ...input, fingerprint: "other" })).toEqual({ kind: "begun", transaction: null });
});

describe("a user's cap", () => {
  test("counts executed transactions only, each once under however many keys, for the UTC day", async () => {
    const { user } = newUser();
    const cap = { transactionsPerDay: 2, gasPerDayAtoms: null };
    for (const key of ["a", "b", "c"]) {
      await user.begin({ ...asked, key, cap });
      await user.fix({ key, transaction: transaction(key), cap });
      await user.leave(key, "nothing_sent");
    }
    expect(await execute(user, "1", "same", cap)).toBe("fixed");
    expect(await execute(user, "2", "same", cap)).toBe("fixed");
    expect(await execute(user, "3", "other", cap)).toBe("fixed");
    expect(await execute(user, "4", "third", cap)).toBe("over_cap");
    const refused = await user.begin({ ...asked, key: "5", cap });
    expect(refused).toMatchObject({ kind: "over_cap", cap: "2 transactions a day" });
    if (refused.kind !== "over_cap") return;
    expect(refused.retryAfterMs).toBeLessThanOrEqual(DAY_MS);
    vi.setSystemTime(Date.now() + refused.retryAfterMs);
    expect(await execute(user, "6", "tomorrow", cap)).toBe("fixed");
  });

  test("of gas counts budgets, and each chain for itself", async () => {
    const { user } = newUser();
    const cap = { transactionsPerDay: null, gasPerDayAtoms: 15n };
    expect(await execute(user, "1", "one", cap)).toBe("fixed");
    expect(await execute(user, "2", "two", cap)).toBe("over_cap");
    const onAptos = { ...transaction("aptos"), charge: { chain: "aptos", gasBudgetAtoms: 15n } } as const;
    await user.begin({ ...asked, key: "3", chain: "aptos", cap });
    expect((await user.fix({ key: "3", transaction: onAptos, cap })).kind).toBe("fixed");
  });

  test("given back under one key goes on to count under the other", async () => {
    const { user } = newUser();
    const cap = { transactionsPerDay: 1, gasPerDayAtoms: null };
    for (const key of ["1", "2"]) await user.begin({ ...asked, key, cap });
    for (const key of ["1", "2"]) await user.fix({ key, transaction: transaction("same"), cap });
    await user.leave("1", "nothing_sent");
    expect(await execute(user, "3", "other", cap)).toBe("over_cap");
    await user.leave("2", "nothing_sent");
    expect(await execute(user, "3", "other", cap)).toBe("fixed");
  });
});

describe("of what is held for a user at once", () => {
  const MINUTE_MS = 60_000;
  async function hold(
    user: User,
    limit: number,
    digest: string | null,
    forMs = 10 * MINUTE_MS,
    key: string | null = null,
  ) {
    const taken = await user.hold(limit, key);
    if (taken.kind === "over_cap") return taken.retryAfterMs;
    await user.settle(taken.place, digest === null ? null : { digest, untilMs: Date.now() + forMs });
    return "held";
  }

  test("each has a place until it is over, also after a restart, and what was not held has none", async () => {
    const { user, stub } = newUser();
    expect(await hold(user, 2, "one")).toBe("held");
    expect(await hold(user, 2, null)).toBe("held");
    expect(await hold(user, 2, "two", 20 * MINUTE_MS)).toBe("held");
    await evictDurableObject(stub);
    expect(await hold(user, 2, "three")).toBe(10 * MINUTE_MS);
    expect(await hold(user, 3, "three")).toBe("held");
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS);
    expect(await hold(user, 2, "four")).toBe("held");
    expect(await hold(user, 2, "five")).toBe(10 * MINUTE_MS);
  });

  test("one that is executed makes room, one that was not sent does not, and the same one counts once", async () => {
    const { user } = newUser();
    const cap = NO_CAP;
    expect(await hold(user, 2, "one")).toBe("held");
    expect(await hold(user, 2, "one")).toBe("held");
    expect(await hold(user, 2, "two")).toBe("held");
    await user.begin({ ...asked, key: "refused", cap });
    await user.fix({ key: "refused", transaction: transaction("one"), cap });
    await user.leave("refused", "nothing_sent");
    expect(await hold(user, 2, "three")).toBe(10 * MINUTE_MS);
    expect(await execute(user, "clicked", "one")).toBe("fixed");
    expect(await hold(user, 2, "three")).toBe("held");
    expect(await hold(user, 3, "one"), "asked for again after it").toBe("held");
    expect(await hold(user, 3, "four"), "it holds nothing anew").toBe("held");
  });

  test("asked for at once, no more are let through; a place that nobody settles is free in ten minutes", async () => {
    const { user } = newUser();
    const taken = await Promise.all([1, 2, 3, 4].map(() => user.hold(2, null)));
    expect(taken.map(({ kind }) => kind)).toEqual(["held", "held", "over_cap", "over_cap"]);
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS - 1);
    expect((await user.hold(2, null)).kind).toBe("over_cap");
    vi.setSystemTime(Date.now() + 1);
    expect((await user.hold(2, null)).kind).toBe("held");
    expect((await newUser().user.hold(0, null)).kind, "of none, none").toBe("over_cap");
  });

  test("the repeats of one attempt have one place, also where there is no other", async () => {
    const { user } = newUser();
    expect(await hold(user, 1, "one", MINUTE_MS, "click")).toBe("held");
    expect(await hold(user, 1, "one", MINUTE_MS, "click")).toBe("held");
    expect(await hold(user, 1, "two", MINUTE_MS, "another click")).toBe(MINUTE_MS);
  });

  test("a repeat that asks for something else neither frees the place nor passes for the first", async () => {
    const { user } = newUser();
    expect(await hold(user, 1, "one", MINUTE_MS, "click")).toBe("held");
    const repeat = await user.hold(1, "click");
    expect(repeat).toMatchObject({ kind: "held", isNew: false });
    await user.settle("click", null);
    expect(await hold(user, 1, "two", MINUTE_MS, "another click")).toBe(MINUTE_MS);
    // A service that knows no Idempotency-Key makes another one.
    expect(await hold(user, 1, "two", MINUTE_MS, "click")).toBe("held");
    expect(await hold(user, 1, "three", MINUTE_MS, "click")).toBe(MINUTE_MS);
  });

  test("none is counted for longer than an hour, whatever a service says, nor kept", async () => {
    const { user, stub } = newUser();
    await hold(user, 1, "one", 1_000 * DAY_MS);
    expect(await hold(user, 1, "two")).toBe(60 * MINUTE_MS);
    vi.setSystemTime(Date.now() + 60 * MINUTE_MS);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    const rows = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec("SELECT * FROM held_gas").toArray(),
    );
    expect(rows).toEqual([]);
  });
});

test("a user who calls too often is told when to come back", async () => {
  const { user } = newUser();
  const waits = await Promise.all(Array.from({ length: 7 }, () => user.enter(1)));
  expect(waits.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
  expect(waits[5]).toBeGreaterThan(0);
  expect(waits[6]).toBeGreaterThan(0);
});

test("nothing is kept of a user for longer than the attempts can be repeated", async () => {
  const { user, stub } = newUser();
  await execute(user, "click");
  const rows = () =>
    runInDurableObject(stub, (_, { storage }) =>
      ["attempt", "usage"].map((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray().length),
    );
  expect(await rows()).toEqual([1, 1]);
  const startMs = Date.now();
  vi.setSystemTime(startMs + DAY_MS);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await rows(), "what was executed yesterday counts for that day").toEqual([0, 1]);
  vi.setSystemTime(startMs + 2 * DAY_MS);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await rows()).toEqual([0, 0]);
  expect(await runDurableObjectAlarm(stub), "and nothing wakes it any more").toBe(false);
});

test("a user with more attempts than are kept comes back when the first of them is forgotten", async () => {
  const { user, stub } = newUser();
  await user.begin({ ...asked, key: "first", cap: NO_CAP });
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
       INSERT INTO attempt (key, fingerprint, calls_at_it, is_open, begun_at_ms)
       SELECT 'filler ' || i, 'asked', 0, 1, ? FROM n`,
      Date.now() + 1_000,
    );
  });
  const refused = await user.begin({ ...asked, key: "one more", cap: NO_CAP });
  expect(refused).toMatchObject({ kind: "over_cap", cap: "2000 attempts a day" });
  if (refused.kind !== "over_cap") return;
  expect(DAY_MS - refused.retryAfterMs).toBeLessThan(60_000);
  vi.setSystemTime(Date.now() + refused.retryAfterMs);
  expect((await user.begin({ ...asked, key: "one more", cap: NO_CAP })).kind).toBe("begun");
});
