import { expect, test } from "vitest";
import type { Fund, Node, Project, RefusalCount, Token, Webhook } from "../../functions/dashboard/answers.ts";
import { partsOfBalance } from "../../functions/dashboard/fund/balance.ts";
import { needsOf, type Watched } from "../../functions/dashboard/overview/needs.ts";

const NOW_MS = Date.UTC(2026, 10, 23, 12);
const DAY_MS = 86_400_000;

/** Only the fields that the overview reads. */
const fund = {
  id: "fund_1",
  projectId: "prj_1",
  name: "game",
  network: "SUI_MAINNET",
  available: "5",
  depositAddress: "0x1",
  paused: false,
  pausedCause: null,
  low: false,
  runwayDays: 100,
  unconverted: null,
  storage: { usedBytes: 1, high: false },
} as unknown as Fund;
const node = { network: "SUI_MAINNET", endpoint: "one.example", state: "healthy", inUse: true } as unknown as Node;
const project = { id: "prj_1", name: "app" } as unknown as Project;
const webhook = {
  id: "whk_1",
  url: "https://hooks.example/x",
  enabled: true,
  disabledCause: null,
  failures: 0,
  dropped: 0,
} as unknown as Webhook;
const tokenOf = (sinceDays: number, leftDays: number) => {
  const createdAt = new Date(NOW_MS - sinceDays * DAY_MS).toISOString();
  return {
    id: "adm_1",
    name: "ada",
    createdAt,
    expiresAt: new Date(NOW_MS + leftDays * DAY_MS).toISOString(),
  } as Token;
};
const token = tokenOf(60, 30);
const count = {
  day: "2026-11-23",
  keyId: "key_1",
  reason: "policy",
  rule: "maxSpendPerDay",
  calls: 30,
} as RefusalCount;

const CALM: Watched = {
  days: [{ fund, spend: null, refusals: [] }],
  projects: [project],
  nodes: [node],
  webhooks: [{ project, webhook }],
  tokens: [token],
  unreadable: [],
  nowMs: NOW_MS,
};

const withFund = (change: Partial<Fund>): Watched => ({
  ...CALM,
  days: [{ fund: { ...fund, ...change }, spend: null, refusals: [] }],
});
const withWebhook = (change: Partial<Webhook>): Watched => ({
  ...CALM,
  webhooks: [{ project, webhook: { ...webhook, ...change } }],
});

const spend = {
  items: [
    { name: "2026-11-20", unresolvable: 2 },
    { name: "2026-11-21", unresolvable: 1 },
  ],
};
const unresolvable: Watched = { ...CALM, days: [{ fund, spend: spend as never, refusals: [] }] };

test("a service in order needs nobody", () => {
  expect(needsOf(CALM)).toEqual([]);
});

test.each<[string, Watched, "bad" | "warn", string, RegExp]>([
  ["a paused fund", withFund({ paused: true, pausedCause: "operator" }), "bad", "Paused", /an operator has paused it/],
  ["an empty fund", withFund({ available: "0" }), "bad", "Empty", /nothing left/],
  ["a debt", withFund({ available: "-3" }), "bad", "Empty", /nothing left/],
  ["three days", withFund({ runwayDays: 3.2 }), "bad", "3 days", /Thursday, 26 November/],
  ["ten days", withFund({ runwayDays: 10 }), "warn", "10 days", /Thursday, 3 December/],
  ["a low fund", withFund({ low: true, runwayDays: null }), "warn", "Low", /asked to be warned/],
  ["no address", withFund({ depositAddress: null }), "warn", "No address", /no deposit address/],
  ["full storage", withFund({ storage: { usedBytes: 1, high: true } }), "warn", "Storage", /90 %/],
  ["unresolvable rows", unresolvable, "warn", "3", /no node can find/],
  [
    "refusals",
    { ...CALM, days: [{ fund, spend: null, refusals: [count] }] },
    "warn",
    "30 refused",
    /100 % .*maxSpendPerDay/,
  ],
  ["one of two nodes", { ...CALM, nodes: [node, { ...node, state: "unhealthy" }] }, "warn", "1 of 2 nodes", /fails/],
  ["every node", { ...CALM, nodes: [{ ...node, state: "unhealthy" }] }, "bad", "1 of 1 nodes", /no node/],
  ["a failing webhook", withWebhook({ failures: 4 }), "warn", "Webhook", /last 4 deliveries/],
  ["a gone webhook", withWebhook({ enabled: false, disabledCause: "gone" }), "bad", "Webhook off", /gone/],
  ["dropped events", withWebhook({ dropped: 9 }), "warn", "Webhook", /9 events/],
  ["a token near its end", { ...CALM, tokens: [tokenOf(88, 2)] }, "warn", "Token", /in 2 days/],
  ["silence", { ...CALM, unreadable: ["fund_2"] }, "bad", "No answer", /does not answer/],
])("%s is named once, with what to do", (_, watched, tone, tag, text) => {
  const needs = needsOf(watched);
  expect(needs).toEqual([expect.objectContaining({ tone, tag, text: expect.stringMatching(text) })]);
  expect(needs[0]?.link.path).toMatch(/^\/dashboard\//);
});

test.each<[string, number, number, boolean]>([
  ["a few calls", 19, 0, false],
  ["as many as alarm", 20, 0, true],
  ["a tenth of the day's calls", 20, 180, false],
  ["more than a tenth of them", 20, 179, true],
])("refusals of %s are an alarm only if they are many, and a large share", (_, calls, sponsored, isAlarm) => {
  const days = { items: [{ name: "2026-11-23", unresolvable: 0, sponsored }] };
  const needs = needsOf({ ...CALM, days: [{ fund, spend: days as never, refusals: [{ ...count, calls }] }] });
  expect(needs.map(({ name, tag }) => [name, tag])).toEqual(isAlarm ? [["app · game", `${calls} refused`]] : []);
});

test.each<[number, number, number]>([
  [0, 7, 0],
  [5, 2, 0],
  [6, 1, 1],
  [82, 8, 0],
  [83, 7, 1],
])("a token %i days old that ends in %i is named in its last quarter, a week at most", (since, left, named) => {
  expect(needsOf({ ...CALM, tokens: [tokenOf(since, left)] })).toHaveLength(named);
});

test("two deliveries that failed in a row are no alarm", () => {
  expect(needsOf(withWebhook({ failures: 2 }))).toEqual([]);
});

test("what is over or off needs nobody, and the gravest comes first", () => {
  const ended = { ...token, expiresAt: new Date(NOW_MS - 1).toISOString() };
  const off = { ...webhook, enabled: false, disabledCause: "operator" as const, failures: 9 };
  const unused: Node = { ...node, network: "SUI_DEVNET", inUse: false, state: "unhealthy" };
  const yesterday = { ...count, day: "2026-11-22" };
  expect(
    needsOf({
      ...CALM,
      days: [{ fund, spend: null, refusals: [yesterday] }],
      tokens: [ended],
      webhooks: [{ project, webhook: off }],
      nodes: [node, unused],
    }),
  ).toEqual([]);
  const both = needsOf({ ...withFund({ available: "0" }), ...{ webhooks: withWebhook({ dropped: 1 }).webhooks } });
  expect(both.map(({ tone }) => tone)).toEqual(["bad", "warn"]);
});

test("the lines under a balance add up to what is available, exactly", () => {
  const money = {
    balance: "9007199254740993000000001",
    unconverted: { amount: "7", coins: 1, cause: "small", failingSince: null },
    inFlight: "11",
    accruedFees: "13",
    maintenanceReserve: "17",
    available: "9007199254740993000000001",
  };
  const whole = { ...fund, ...money };
  const taken = (of: Fund) => partsOfBalance(of).reduce((sum, { atoms }) => sum + atoms, 0n);
  expect(BigInt(whole.balance) - taken(whole)).toBe(BigInt(whole.available));
  const withdrawing = { ...whole, available: String(BigInt(whole.balance) - 48n - 100n) };
  expect(partsOfBalance(withdrawing).at(-1)).toMatchObject({ label: "withdrawals under way", atoms: 100n });
  const idle = { ...whole, unconverted: null, inFlight: "0", accruedFees: "0", maintenanceReserve: "0" };
  expect(partsOfBalance(idle)).toEqual([]);
});
