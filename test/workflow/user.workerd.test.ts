import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Env } from "../../shared/bindings/env.ts";
import { codeOf } from "../../shared/errors.ts";
import { type DailyCap, NO_CAP } from "../../shared/policy/rule.ts";
import { perUserCap } from "../../shared/policy/rules.ts";
import { executeOnce } from "../../shared/workflow/attempt.ts";
import { workflowFailureOf } from "../../shared/workflow/errors.ts";
import type { PinnedTransaction } from "../../shared/workflow/user/attempt.ts";
import { setDatabaseSize } from "../support/database-size.ts";

const bindings: Env = env;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

let users = 0;
function newUser() {
  users += 1;
  const name = `user ${users}`;
  return { user: bindings.WORKFLOW_USER.getByName(name), stub: env.WORKFLOW_USER.getByName(name) };
}

const transaction = (id: string, gasBudgetAtoms = 10n): PinnedTransaction => ({
  id,
  content: `content of ${id}`,
  capUsage: { chain: "sui", gasBudgetAtoms },
});

type User = ReturnType<typeof newUser>["user"];
const asked = { fingerprint: "asked", chain: "sui" } as const;

async function execute(user: User, key: string, id = key, cap: DailyCap = NO_CAP) {
  const begun = await user.begin({ ...asked, key, cap });
  if (begun.kind !== "begun") return begun.kind;
  const fixed = await user.pin({ origin: "brought", key, transaction: transaction(id), cap });
  await user.endCall(key, fixed.kind === "pinned" ? "open" : "nothing_sent");
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
  expect(await user.begin(input)).toMatchObject({ kind: "begun", transaction: null });
  expect(await user.begin(input)).toMatchObject({ kind: "begun", transaction: null });
  const one = { kind: "pinned", transaction: transaction("one") };
  expect(await user.pin({ origin: "brought", key: "click", transaction: transaction("one"), cap: NO_CAP })).toEqual(
    one,
  );
  expect(await user.pin({ origin: "brought", key: "click", transaction: transaction("two"), cap: NO_CAP })).toEqual(
    one,
  );
  await user.endCall("click", "nothing_sent");
  await evictDurableObject(stub);
  expect(await user.begin(input)).toMatchObject({ kind: "begun", transaction: transaction("one") });
  expect(await user.begin({ ...input, fingerprint: "other" })).toEqual({ kind: "conflict" });
});

test("a transaction that was made for one attempt is taken for every other one, until it came to nothing", async () => {
  const { user, stub } = newUser();
  const made = { transaction: transaction("one"), origin: "made", cap: NO_CAP } as const;
  for (const key of ["a", "b"]) await user.begin({ ...asked, key, cap: NO_CAP });
  expect((await user.pin({ ...made, key: "a" })).kind).toBe("pinned");
  await evictDurableObject(stub);
  expect(await user.pin({ ...made, key: "b" })).toEqual({ kind: "taken" });
  expect((await user.pin({ ...made, key: "a" })).kind).toBe("pinned");
  await user.endCall("a", "nothing_sent");
  expect((await user.pin({ ...made, key: "b" })).kind).toBe("pinned");
});

test("what came to nothing is forgotten, and another transaction can be fixed under its key", async () => {
  const { user } = newUser();
  const input = { ...asked, key: "click", cap: NO_CAP };
  await user.begin(input);
  await user.pin({ origin: "brought", key: "click", transaction: transaction("one"), cap: NO_CAP });
  await user.endCall("click", "nothing_sent");
  expect(await user.begin({ ...input, fingerprint: "other" })).toMatchObject({ kind: "begun", transaction: null });
});

describe("a user's cap", () => {
  test("counts executed transactions only, each once under however many keys, for the UTC day", async () => {
    const { user } = newUser();
    const cap = { transactionsPerDay: 2, gasPerDayAtoms: null };
    for (const key of ["a", "b", "c"]) {
      await user.begin({ ...asked, key, cap });
      await user.pin({ origin: "brought", key, transaction: transaction(key), cap });
      await user.endCall(key, "nothing_sent");
    }
    expect(await execute(user, "1", "same", cap)).toBe("pinned");
    expect(await execute(user, "2", "same", cap)).toBe("pinned");
    expect(await execute(user, "3", "other", cap)).toBe("pinned");
    expect(await execute(user, "4", "third", cap)).toBe("over_cap");
    const refused = await user.begin({ ...asked, key: "5", cap });
    expect(refused).toMatchObject({ kind: "over_cap", cap: "2 transactions a day" });
    if (refused.kind !== "over_cap") return;
    expect(refused.retryAfterMs).toBeLessThanOrEqual(DAY_MS);
    vi.setSystemTime(Date.now() + refused.retryAfterMs);
    expect(await execute(user, "6", "tomorrow", cap)).toBe("pinned");
  });

  test("counts what a node has refused, each time that it is tried, and what only the service has refused not", async () => {
    const { user, stub } = newUser();
    const policy = [perUserCap("aptos", { transactionsPerDay: 2 })];
    const once = (key: string, reason: "node_refused" | "bad_signature") =>
      executeOnce(user, key, { policy, log: () => {} })({
        chain: "aptos",
        asked: {},
        origin: "brought",
        buildTransaction: async () => ({
          ok: true,
          value: { ...transaction("same"), capUsage: { chain: "aptos", gasBudgetAtoms: 10n } },
        }),
        execute: async () =>
          workflowFailureOf({ kind: "refused", code: codeOf(reason), reason, details: "", data: {} }, "aptos", {}),
      });
    for (const key of ["a", "b", "c"]) expect(await once(key, "bad_signature")).toMatchObject({ ok: false });
    expect(await once("a", "node_refused")).toMatchObject({ error: { code: "transaction_failed" } });
    await evictDurableObject(stub);
    expect(await once("a", "node_refused")).toMatchObject({ error: { code: "transaction_failed" } });
    expect(await once("a", "node_refused")).toMatchObject({ error: { code: "user_cap_reached" } });
    expect(await once("b", "node_refused")).toMatchObject({ error: { code: "user_cap_reached" } });
  });

  test("of gas counts budgets, and each chain for itself", async () => {
    const { user } = newUser();
    const cap = { transactionsPerDay: null, gasPerDayAtoms: 15n };
    expect(await execute(user, "1", "one", cap)).toBe("pinned");
    expect(await execute(user, "2", "two", cap)).toBe("over_cap");
    const onAptos = { ...transaction("aptos"), capUsage: { chain: "aptos", gasBudgetAtoms: 15n } } as const;
    await user.begin({ ...asked, key: "3", chain: "aptos", cap });
    expect((await user.pin({ origin: "brought", key: "3", transaction: onAptos, cap })).kind).toBe("pinned");
  });

  test("given back under one key goes on to count under the other", async () => {
    const { user } = newUser();
    const cap = { transactionsPerDay: 1, gasPerDayAtoms: null };
    for (const key of ["1", "2"]) await user.begin({ ...asked, key, cap });
    for (const key of ["1", "2"]) await user.pin({ origin: "brought", key, transaction: transaction("same"), cap });
    await user.endCall("1", "nothing_sent");
    expect(await execute(user, "3", "other", cap)).toBe("over_cap");
    await user.endCall("2", "nothing_sent");
    expect(await execute(user, "3", "other", cap)).toBe("pinned");
  });
});

describe("of what is held for a user at once", () => {
  const WANTED = { chain: "sui", gasAtoms: null, atMostAtoms: null, untilMs: null } as const;
  const upTo = (heldAtOnce: number) => ({ heldAtOnce, heldGasAtoms: null });
  async function hold(
    user: User,
    limit: number,
    digest: string | null,
    forMs = 10 * MINUTE_MS,
    key: string | null = null,
  ) {
    const taken = await user.reserveSlot(WANTED, upTo(limit), key);
    if (taken.kind === "over_cap") return taken.retryAfterMs;
    await user.confirmSlot(
      taken.slot,
      digest === null ? null : { chain: "sui", digest, untilMs: Date.now() + forMs, gasAtoms: 0n },
    );
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
    await user.pin({ origin: "brought", key: "refused", transaction: transaction("one"), cap });
    await user.endCall("refused", "nothing_sent");
    expect(await hold(user, 2, "three")).toBe(10 * MINUTE_MS);
    expect(await execute(user, "clicked", "one")).toBe("pinned");
    expect(await hold(user, 2, "three")).toBe("held");
    expect(await hold(user, 3, "one"), "asked for again after it").toBe("held");
    expect(await hold(user, 3, "four"), "it holds nothing anew").toBe("held");
  });

  test("asked for at once, no more are let through; a place that nobody settles is free in ten minutes", async () => {
    const { user } = newUser();
    const taken = await Promise.all([1, 2, 3, 4].map(() => user.reserveSlot(WANTED, upTo(2), null)));
    expect(taken.map(({ kind }) => kind)).toEqual(["held", "held", "over_cap", "over_cap"]);
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS - 1);
    expect((await user.reserveSlot(WANTED, upTo(2), null)).kind).toBe("over_cap");
    vi.setSystemTime(Date.now() + 1);
    expect((await user.reserveSlot(WANTED, upTo(2), null)).kind).toBe("held");
    expect((await newUser().user.reserveSlot(WANTED, upTo(0), null)).kind, "of none, none").toBe("over_cap");
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
    const repeat = await user.reserveSlot(WANTED, upTo(1), "click");
    expect(repeat).toMatchObject({ kind: "held", isNew: false });
    await user.confirmSlot("click", null);
    expect(await hold(user, 1, "two", MINUTE_MS, "another click")).toBe(MINUTE_MS);
    // A service that knows no Idempotency-Key makes another one.
    expect(await hold(user, 1, "two", MINUTE_MS, "click")).toBe("held");
    expect(await hold(user, 1, "three", MINUTE_MS, "click")).toBe(MINUTE_MS);
  });

  test("a limit that is set later leaves to a repeat what the user's other sponsorships leave", async () => {
    const { user } = newUser();
    const ask = (heldGasAtoms: bigint | null, key: string) =>
      user.reserveSlot({ ...WANTED, gasAtoms: null, atMostAtoms: null }, { heldAtOnce: null, heldGasAtoms }, key);
    expect(await ask(null, "first")).toMatchObject({ kind: "held", maxGasAtoms: null });
    expect(
      await user.reserveSlot({ ...WANTED, gasAtoms: 30n }, { heldAtOnce: null, heldGasAtoms: null }, "other"),
    ).toMatchObject({ kind: "held" });
    expect(await ask(100n, "first")).toMatchObject({ kind: "held", isNew: false, maxGasAtoms: 70n });
    expect(await ask(100n, "first"), "once more").toMatchObject({ kind: "held", isNew: false, maxGasAtoms: 70n });
    expect((await ask(100n, "third")).kind, "nothing is left").toBe("over_cap");
  });

  test("so much gas is the user's share, of which a new sponsorship has what is left, until it ends", async () => {
    const { user, stub } = newUser();
    const share = { heldAtOnce: null, heldGasAtoms: 100n };
    const ask = (gasAtoms: bigint | null, key: string | null = null) =>
      user.reserveSlot({ ...WANTED, gasAtoms, atMostAtoms: 70n }, share, key);
    const settle = (slot: string, digest: string, gasAtoms: bigint) =>
      user.confirmSlot(slot, { chain: "sui", digest, untilMs: Date.now() + MINUTE_MS, gasAtoms });
    expect((await ask(101n)).kind, "more than the share").toBe("over_cap");
    expect(await ask(null, "first")).toMatchObject({ kind: "held", maxGasAtoms: 70n, overShare: null });
    expect(await ask(null, "next"), "what is left").toMatchObject({
      kind: "held",
      maxGasAtoms: 30n,
      overShare: { kind: "over_cap", retryAfterMs: 10 * MINUTE_MS },
    });
    expect(await ask(null, "next"), "a repeat").toMatchObject({ kind: "held", isNew: false, maxGasAtoms: 30n });
    await user.confirmSlot("next", null);
    expect((await ask(31n)).kind, "while 70 may be held").toBe("over_cap");
    await settle("first", "one", 20n);
    expect((await ask(80n, "second")).kind, "of which 20 are").toBe("held");
    expect(await ask(null)).toMatchObject({
      kind: "over_cap",
      cap: "0.0000001 SUI of gas for transactions that wait to be executed",
    });
    expect((await ask(80n, "second")).kind, "a repeat").toBe("held");
    expect((await user.reserveSlot({ ...WANTED, chain: "aptos", gasAtoms: 100n }, share, null)).kind, "elsewhere").toBe(
      "held",
    );
    await evictDurableObject(stub);
    expect((await ask(1n)).kind).toBe("over_cap");
    await settle("second", "two", 80n);
    await execute(user, "clicked", "two");
    expect((await ask(80n)).kind, "once it is executed").toBe("held");
    vi.setSystemTime(Date.now() + MINUTE_MS);
    expect((await ask(20n)).kind, "once the other is over").toBe("held");
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
  const waits = await Promise.all(Array.from({ length: 7 }, () => user.takeRateToken(1)));
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

test("an alarm that the platform has lost is armed again by the next call, and by the next start", async () => {
  const { user, stub } = newUser();
  await execute(user, "click");
  const dueAtMs = Date.now() + DAY_MS;
  const armedAtMs = () => runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
  const lose = () => runInDurableObject(stub, (_, { storage }) => storage.deleteAlarm());
  await lose();
  await evictDurableObject(stub);
  await user.knownWallet("sui");
  expect(await armedAtMs()).toBe(dueAtMs);
  await lose();
  vi.setSystemTime(dueAtMs - MINUTE_MS);
  await execute(user, "another click");
  vi.setSystemTime(dueAtMs + MINUTE_MS);
  await execute(user, "a late click");
  expect(await armedAtMs()).toBeLessThanOrEqual(dueAtMs + DAY_MS);
});

test("an alarm whose work fails waits before the next one, and then does it", async () => {
  const { user, stub } = newUser();
  await execute(user, "click");
  const exec = (statement: string) =>
    runInDurableObject(stub, (_, { storage }) => storage.sql.exec(statement).toArray());
  await exec("CREATE TRIGGER fault BEFORE DELETE ON attempt BEGIN SELECT RAISE(ABORT, 'storage'); END");
  const dueAtMs = Date.now() + DAY_MS;
  vi.setSystemTime(dueAtMs);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  const armedAtMs = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
  expect(armedAtMs).toBe(dueAtMs + MINUTE_MS);
  await exec("DROP TRIGGER fault");
  vi.setSystemTime(dueAtMs + MINUTE_MS);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await exec("SELECT key FROM attempt")).toEqual([]);
});

test("a clock that was ahead keeps nothing of a user for longer, once it is right again", async () => {
  const { user, stub } = newUser();
  const startMs = Date.now();
  vi.setSystemTime(startMs + 100 * DAY_MS);
  await user.begin({ ...asked, key: "click", cap: NO_CAP });
  const cap = { heldAtOnce: 1, heldGasAtoms: null };
  const wanted = { chain: "sui", gasAtoms: 1n, atMostAtoms: null, untilMs: null } as const;
  expect((await user.reserveSlot(wanted, cap, "one")).kind).toBe("held");
  vi.setSystemTime(startMs);
  await user.begin({ ...asked, key: "another click", cap: NO_CAP });
  expect(await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())).toBe(startMs + 60 * MINUTE_MS);
  vi.setSystemTime(startMs + 60 * MINUTE_MS);
  expect((await user.reserveSlot(wanted, cap, "two")).kind).toBe("held");
  vi.setSystemTime(startMs + DAY_MS);
  await runDurableObjectAlarm(stub);
  const left = await runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec("SELECT key FROM attempt").toArray(),
  );
  expect(left).toEqual([]);
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

test("a user whose stored transactions fill the budget begins no new attempt, ends those that have begun, and recovers", async () => {
  const { user, stub } = newUser();
  const input = { ...asked, key: "before", cap: NO_CAP };
  expect(await user.begin(input)).toMatchObject({ kind: "begun" });
  await setDatabaseSize(stub, 0.9 * 64 * 1_024 ** 2);
  expect(await user.begin({ ...input, key: "after" })).toMatchObject({ kind: "over_cap", retryAfterMs: DAY_MS });
  expect(await user.begin(input), "a repeat").toMatchObject({ kind: "begun" });
  const brought = { origin: "brought", key: "before", transaction: transaction("one"), cap: NO_CAP } as const;
  expect((await user.pin(brought)).kind).toBe("pinned");
  await user.endCall("before", "open");
  await evictDurableObject(stub);
  expect(await user.begin({ ...input, key: "after" })).toMatchObject({ kind: "begun" });
});

test("a user holds 2,000 slots at most, where the app's policy sets no cap", async () => {
  const { user, stub } = newUser();
  const wanted = { chain: "sui", gasAtoms: 1n, atMostAtoms: null, untilMs: null } as const;
  const cap = { heldAtOnce: null, heldGasAtoms: null };
  await user.reserveSlot(wanted, cap, "slot 0");
  await runInDurableObject(stub, (_, { storage }) => {
    for (let index = 1; index < 2_000; index++)
      storage.sql.exec(
        "INSERT INTO held_gas SELECT ?, digest, until_ms, chain, gas_atoms FROM held_gas LIMIT 1",
        `slot ${index}`,
      );
  });
  expect(await user.reserveSlot(wanted, cap, "one more")).toMatchObject({ kind: "over_cap" });
  expect(await user.reserveSlot(wanted, cap, "slot 0"), "a repeat").toMatchObject({ kind: "held", isNew: false });
});
