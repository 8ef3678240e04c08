import { expect, test } from "vitest";
import { freePort, LOOPBACK } from "../../../../shared/cli/ports.ts";
import { type Answered, fakeService, run } from "../../../support/command-line.ts";

const PROJECT = `prj_${"0".repeat(20)}`;
const FUND = `fund_${"0".repeat(20)}`;
const ADDRESS = `0x${"1".repeat(64)}`;
const empty = { items: [], nextCursor: null };
const fundView = { id: FUND, name: "gas", network: "SUI_LOCALNET", available: "1500000000", accruedFees: "0" };

const statuses: readonly (readonly [number, string, number])[] = [
  [400, "refused", 1],
  [401, "notAllowed", 5],
  [403, "notAllowed", 5],
  [404, "notFound", 4],
  [409, "refused", 1],
  [422, "refused", 1],
  [429, "busy", 6],
  [500, "fault", 7],
  [503, "busy", 6],
];

test.each(statuses)("an answer of %i ends as %s, with %i and the service's own words", async (status, exit, code) => {
  const { env } = await fakeService(() => ({ status, body: { detail: "because of this" } }));
  const ended = await run(["project", "list"], { env });
  expect([ended.exit, ended.code, ended.out]).toEqual([exit, code, ""]);
  expect(ended.err).toContain("because of this");
});

test("a service that is down ends as 3", async () => {
  const env = { GASWORKS_URL: `http://${LOOPBACK}:${await freePort()}`, GASWORKS_TOKEN: "token-of-a-test" };
  const { code, err } = await run(["project", "list"], { env });
  expect([code, err]).toEqual([3, expect.stringContaining("cannot be reached: nothing listens there")]);
});

test("a service that does not answer in time ends as 3, and a change says how to repeat it", async () => {
  const { env } = await fakeService(() => ({ isSilent: true }));
  expect((await run(["project", "list", "--timeout", "0.2"], { env })).code).toBe(3);
  const made = await run(["project", "create", "--name", "a", "--timeout", "0.2"], { env });
  expect([made.code, made.err]).toEqual([
    3,
    expect.stringMatching(/--idempotency-key [0-9a-f-]{36} does nothing twice/),
  ]);
  const paused = await run(["fund", "resume", FUND, "--timeout", "0.2"], { env });
  expect([paused.code, paused.err]).toEqual([3, expect.stringContaining("look before you repeat it")]);
});

test("an answer of something else than a service is named", async () => {
  const { env } = await fakeService(() => ({ status: 404, body: "<html>" }));
  expect((await run(["project", "list"], { env })).err).toContain("none of a Gasworks service");
});

const busyOnce =
  (status: number, headers: Readonly<Record<string, string>>) =>
  (_: unknown, calls: number): Answered =>
    calls === 1 ? { status, headers, body: { detail: "later" } } : { body: empty };

test.each([429, 503])("a read that gets %i is repeated after its Retry-After", async (status) => {
  const waits: number[] = [];
  const { env, taken } = await fakeService(busyOnce(status, { "retry-after": "7" }));
  const { exit } = await run(["project", "list"], { env, onSleep: (ms) => void waits.push(ms) });
  expect([exit, taken.length, waits]).toEqual(["ok", 2, [7_000]]);
});

test("a creation is repeated with the same Idempotency-Key", async () => {
  const { env, taken } = await fakeService(busyOnce(503, { "retry-after": "1" }));
  expect((await run(["project", "create", "--name", "a"], { env })).exit).toBe("ok");
  const keys = taken.map(({ headers }) => headers["idempotency-key"]);
  expect([keys.length, keys[0]]).toEqual([2, keys[1]]);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});

test("neither a change without such a key is repeated, nor a call without Retry-After or with a long one", async () => {
  const change = await fakeService(busyOnce(503, { "retry-after": "1" }));
  expect((await run(["fund", "resume", FUND], { env: change.env })).exit).toBe("busy");
  const bare = await fakeService(busyOnce(503, {}));
  expect((await run(["project", "list"], { env: bare.env })).exit).toBe("busy");
  const long = await fakeService(busyOnce(503, { "retry-after": "31" }));
  expect((await run(["project", "list"], { env: long.env })).exit).toBe("busy");
  expect([change.taken.length, bare.taken.length, long.taken.length]).toEqual([1, 1, 1]);
});

test("a service that stays busy is given up after four repeats", async () => {
  const { env, taken } = await fakeService(() => ({ status: 429, headers: { "retry-after": "1" } }));
  expect([(await run(["project", "list"], { env })).exit, taken.length]).toEqual(["busy", 5]);
});

test("flags become the fields of the body and the query, of their own types", async () => {
  const { env, taken } = await fakeService(() => ({ body: { ...empty, ...fundView } }));
  const made = ["fund", "create", PROJECT, "--name", "gas", "--network", "SUI_LOCALNET", "--no-create-deposit-address"];
  const policy = ["--policy-max-in-flight-count", "5", "--policy-max-gas-budget", "null"];
  const lists = ["--policy-move-targets-allow", "0x2::a::*,0x3::b::c", "--policy-move-targets-allow", "0x4::*"];
  expect((await run([...made, ...policy, ...lists], { env })).err).toBe("");
  expect(JSON.parse(taken[0]?.body ?? "")).toEqual({
    name: "gas",
    network: "SUI_LOCALNET",
    createDepositAddress: false,
    policy: {
      maxInFlightCount: 5,
      maxGasBudget: null,
      moveTargets: { allow: ["0x2::a::*", "0x3::b::c", "0x4::*"] },
    },
  });
  await run(["fund", "sponsorships", FUND, "--from", "2026-11-01", "--outcome", "executed", "--limit", "5"], { env });
  expect(taken[1]?.url).toBe(`/admin/v1/funds/${FUND}/sponsorships?limit=5&from=2026-11-01&outcome=executed`);
});

test("a body comes from the input too, and flags go over it", async () => {
  const { env, taken } = await fakeService(() => ({ body: fundView }));
  const input = JSON.stringify({ name: "gas", limits: { retentionDays: 9 } });
  await run(["fund", "update", FUND, "--body", "-", "--name", "other"], { env, input });
  expect(JSON.parse(taken[0]?.body ?? "")).toEqual({ name: "other", limits: { retentionDays: 9 } });
  expect((await run(["fund", "update", FUND, "--body", "-"], { env, input: "[]" })).exit).toBe("usage");
});

const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["an unknown noun", ["fnd", "list"], /there is no fnd, did you mean fund\?/],
  ["the beginning of a noun", ["complet"], /there is no complet, did you mean completion\?/],
  ["an unknown verb", ["fund", "lst"], /fund has no verb lst, did you mean list\?/],
  ["no verb", ["fund"], /gasworks fund needs a verb: create, list/],
  ["an unknown flag", ["fund", "list", "--netwrk", "a"], /did you mean --network\?/],
  ["a flag without its value", ["fund", "list", PROJECT, "--network"], /--network/],
  ["a doubled flag", ["fund", "list", PROJECT, "--limit", "1", "--limit", "2"], /--limit is given twice/],
  ["a missing word", ["fund", "show"], /<fund> is missing/],
  ["a word too many", ["fund", "show", FUND, "x"], /x is one word too many/],
  ["a wrong id", ["fund", "show", "fund_1"], /<fund>: a fund's id is fund_ and 20 hex digits/],
  ["an id of another kind", ["fund", "show", PROJECT], /<fund>: a fund's id begins with fund_/],
  [
    "a wrong choice",
    ["fund", "list", PROJECT, "--network", "SUI"],
    /--network: must be one of SUI_MAINNET, SUI_TESTNET/,
  ],
  [
    "a wrong amount",
    ["fund", "update", FUND, "--low-balance", "1.5"],
    /--low-balance: must be a u64 as a decimal string/,
  ],
  ["a wrong number", ["fund", "list", PROJECT, "--limit", "x"], /--limit: /],
  ["a number out of range", ["fund", "list", PROJECT, "--limit", "41"], /--limit: must be at most 40/],
  ["a missing field", ["project", "create"], /--name: is missing/],
  ["a text for a number", ["project", "update", PROJECT, "--wallets-per-month", "x"], /must be a number/],
  [
    "an empty text",
    ["project", "close", PROJECT, "--destination", ""],
    /--destination: must have at least 1 character\n/,
  ],
  ["a word for a time", ["token", "create", "--expires-at", "tomorrow"], /--expires-at: must be a time, as in 2026/],
  ["a word for a day", ["fund", "spend", FUND, "--from", "today"], /--from: must be a day, as in 2026/],
  [
    "a wrong entry of a list",
    ["key", "create", PROJECT, "--name", "a", "--network", "SUI_LOCALNET", "--rights", "gas,all"],
    /--rights: must be one of wallet, gas, node\n/,
  ],
  [
    "a missing switch",
    ["fund", "revoke", FUND, "--yes"],
    /--outstanding: is missing: give --outstanding, or --no-outstanding/,
  ],
  [
    "a switch with a value",
    ["project", "update", PROJECT, "--export-enabled", "maybe"],
    /--export-enabled takes no value: give --export-enabled, or --no-export-enabled/,
  ],
  ["a flag with a word", ["fund", "list", "--all", "maybe", "x"], /--all takes no value\n|one word too many/],
  ["a negative number", ["project", "update", PROJECT, "--wallets-per-month", "-1"], /as in --wallets-per-month=-1/],
  ["a change without a field", ["fund", "update", FUND], /names no field to change/],
  [
    "a wrong address",
    ["fund", "withdraw", FUND, "--to", "x", "--amount", "1", "--idempotency-key", "a"],
    /--to: must be an address/,
  ],
  ["a wrong time-out", ["project", "list", "--timeout", "0"], /--timeout: must be more than 0/],
  ["a wrong interval", ["project", "list", "--watch", "0"], /--watch: must be 1 to/],
];

test.each(wrong)("%s ends as 2 before anything is sent", async (_, args, text) => {
  const { env, taken } = await fakeService(() => ({ body: empty }));
  const { code, err, out } = await run(args, { env });
  expect([code, out, taken.length]).toEqual([2, "", 0]);
  expect(err).toMatch(text);
});

test("a field that only the service refuses is named by its flag", async () => {
  const errors = [{ path: "policy.maxGasBudget", message: "must be less" }];
  const { env } = await fakeService(() => ({ status: 400, body: { detail: "see errors", errors } }));
  const { err } = await run(["fund", "update", FUND, "--name", "a"], { env });
  expect(err).toBe("--policy-max-gas-budget: must be less\n");
});

test("a left-out project is the only one, and several are named", async () => {
  const items = [{ id: PROJECT, name: "a" }];
  const one = await fakeService(({ url }) => ({
    body: { items: url.includes("wallets") ? [] : items, nextCursor: null },
  }));
  expect((await run(["wallet", "list"], { env: one.env })).exit).toBe("ok");
  expect(one.taken[1]?.url).toBe(`/admin/v1/projects/${PROJECT}/wallets`);
  const webhook = `whk_${"0".repeat(20)}`;
  await run(["webhook", "show", webhook], { env: one.env });
  expect(one.taken[3]?.url).toBe(`/admin/v1/projects/${PROJECT}/webhooks/${webhook}`);
  const two = await fakeService(() => ({
    body: { items: [...items, { id: `${PROJECT}1`, name: "b" }], nextCursor: null },
  }));
  const { exit, err } = await run(["wallet", "list"], { env: two.env });
  expect([exit, err]).toEqual(["usage", expect.stringContaining(`${PROJECT}  a`)]);
});

test("a list of funds without a project has those of all projects, page by page, with the name of each", async () => {
  const other = PROJECT.replace("0", "1");
  const { env } = await fakeService(({ url }) => {
    if (url.startsWith("/admin/v1/projects?"))
      return {
        body: {
          items: [
            { id: PROJECT, name: "shop" },
            { id: other, name: "game" },
          ],
          nextCursor: null,
        },
      };
    if (url.includes(other)) return { body: { items: [{ ...fundView, name: "third" }], nextCursor: null } };
    const isSecond = url.includes("cursor=two");
    const items = [{ ...fundView, name: isSecond ? "second" : "first" }];
    return { body: { items, nextCursor: isSecond ? null : "two", unreadable: isSecond ? [`${FUND}f`] : [] } };
  });
  const { out, exit } = await run(["fund", "list"], { env });
  expect(exit).toBe("ok");
  expect(out).toMatch(/^project +id +name .*\nshop +fund_0+ +first.*\nshop +fund_0+ +second.*\ngame +fund_0+ +third/);
  expect(out).toContain(`${FUND}f cannot be read`);
  const json = await run(["fund", "list", "--json"], { env });
  expect(JSON.parse(json.out)).toMatchObject({ items: [{ name: "first" }, { name: "second" }, { name: "third" }] });
  expect((await run(["key", "list", "--ndjson"], { env })).out.split("\n").filter(Boolean)).toHaveLength(3);
  const cut = await run(["fund", "list", "--limit", "1"], { env });
  expect([cut.code, cut.err]).toEqual([2, expect.stringContaining("--limit goes with one project")]);
});

test.each([
  ["0.01SUI", "10000000"],
  ["0.01 sui", "10000000"],
  ["2 SUI", "2000000000"],
  ["5", "5"],
])("the amount %s is sent as %s MIST", async (typed, atoms) => {
  const { env, taken } = await fakeService(() => ({ body: fundView }));
  const key = ["--yes", "--idempotency-key", "a"];
  const { exit } = await run(["fund", "withdraw", FUND, "--to", ADDRESS, "--amount", typed, ...key], { env });
  expect(exit).toBe("ok");
  expect(JSON.parse(taken.at(-1)?.body ?? "")).toMatchObject({ amount: atoms });
});

test("an amount in the coin of another chain, or with too many digits, is refused before anything is sent", async () => {
  const { env, taken } = await fakeService(() => ({ body: fundView }));
  const key = ["--yes", "--idempotency-key", "a"];
  const pay = (amount: string) => run(["fund", "withdraw", FUND, "--to", ADDRESS, "--amount", amount, ...key], { env });
  const other = await pay("2APT");
  expect([other.code, other.err]).toEqual([
    2,
    expect.stringContaining("--amount: 2APT cannot be sent, because the coin there is SUI"),
  ]);
  for (const wrong of ["0.01", "1,5SUI", "1.0000000001SUI", "1BTC"]) {
    const { code, err } = await pay(wrong);
    expect([code, err]).toEqual([2, expect.stringContaining("Name its coin, as in 0.5SUI, or send MIST or octas")]);
  }
  expect((await pay("-1SUI")).code).toBe(2);
  const made = ["fund", "create", PROJECT, "--name", "a", "--low-balance", "1APT", "--network"];
  expect((await run([...made, "SUI_TESTNET"], { env })).code).toBe(2);
  expect(taken.filter(({ method }) => method === "POST")).toEqual([]);
  expect((await run([...made, "APTOS_TESTNET"], { env })).exit).toBe("ok");
  expect(JSON.parse(taken.at(-1)?.body ?? "")).toMatchObject({ lowBalance: "100000000" });
});

test("a wrong token says how to log in, and nothing about headers", async () => {
  const detail = "send Authorization: Bearer <ADMIN_TOKEN>, or an operator's token that has not ended";
  const { env } = await fakeService(() => ({ status: 401, body: { detail } }));
  const { err, code } = await run(["node", "list"], { env });
  expect([code, err.trim()]).toEqual([5, "The token is wrong or has ended: gasworks login"]);
});

test("a short token is not looked for in the words of an error", async () => {
  const { env } = await fakeService(() => ({
    status: 401,
    body: { detail: "send Authorization: Bearer <ADMIN_TOKEN>" },
  }));
  const { err } = await run(["node", "list"], { env: { ...env, GASWORKS_TOKEN: "wrong" } });
  expect(err.trim()).toBe("The token is wrong or has ended: gasworks login");
});

test("the sums of a list are in the coin of the fund", async () => {
  const sum = { count: 1, amounts: { charged: "1500000000" }, groups: [], nextCursor: null };
  const { env } = await fakeService(({ url }) => ({ body: url.includes("/sum") ? sum : fundView }));
  const { out } = await run(["fund", "ledger-sum", FUND], { env });
  expect(out).toMatch(/amounts\.charged +1\.5 SUI/);
});

test("a key that was pasted in the place of a digest is sent nowhere", async () => {
  const { env, taken } = await fakeService(() => ({ body: empty }));
  const key = `us1_sui_testnet_${"0".repeat(64)}`;
  const { code, err } = await run(["explain", key], { env });
  expect([code, taken]).toEqual([2, []]);
  expect(err).toContain("that is an access key, and nothing was sent");
  expect(err).not.toContain(key);
});

test("a dangerous call says what it costs and waits for yes", async () => {
  const { env, taken } = await fakeService(() => ({ body: fundView }));
  const args = ["fund", "withdraw", FUND, "--to", ADDRESS, "--amount", "1500000000"];
  const refused = await run(args, { env, answers: ["y"] });
  expect([refused.code, taken.map(({ method }) => method)]).toEqual([1, ["GET"]]);
  expect(refused.err).toContain("Pays 1.5 SUI out of fund “gas”");
  const done = await run(args, { env, answers: ["yes"] });
  expect([done.code, taken.at(-1)?.method]).toEqual([0, "POST"]);
  expect(done.err).toContain(`Idempotency-Key: ${taken.at(-1)?.headers["idempotency-key"]}`);
});

test("a withdrawal names its source and its confirmation, and a Sui address that lacks a digit is refused", async () => {
  const { env, taken } = await fakeService(() => ({ body: fundView }));
  const pay = (to: string) => ["fund", "withdraw", FUND, "--to", to, "--amount", "5", "--from", "fees"];
  const confirm = ["--confirm-to", ADDRESS, "--confirm-amount", "5"];
  const asked = await run([...pay(ADDRESS), ...confirm], { env, answers: ["no"] });
  expect(asked.err).toContain("out of the earned fees of fund “gas”");
  expect(asked.err).toContain("if it was, it is paid twice");
  for (const to of ["0x2", ADDRESS.slice(0, -1)]) {
    const { code, err } = await run([...pay(to), "--yes", "--idempotency-key", "a"], { env });
    expect([code, err]).toEqual([2, expect.stringContaining("--to: must be a whole address")]);
  }
  expect(taken.filter(({ method }) => method === "POST")).toEqual([]);
});

test("without a terminal a dangerous call needs --yes, and a payment an Idempotency-Key", async () => {
  const { env, taken } = await fakeService(() => ({ body: fundView }));
  const args = ["fund", "withdraw", FUND, "--to", ADDRESS, "--amount", "1"];
  expect((await run([...args, "--yes"], { env })).err).toContain("--idempotency-key is missing");
  expect((await run([...args, "--idempotency-key", "a"], { env })).err).toContain("add --yes");
  expect(taken.filter(({ method }) => method === "POST")).toEqual([]);
  expect((await run([...args, "--idempotency-key", "a", "--yes"], { env })).code).toBe(0);
  expect(taken.at(-1)?.headers["idempotency-key"]).toBe("a");
});
