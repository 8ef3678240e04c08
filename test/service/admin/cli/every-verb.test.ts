import { expect, test } from "vitest";
import { allCommands } from "../../../../functions/service/admin/cli/commands/index.ts";
import { freePort, LOOPBACK } from "../../../../shared/cli/ports.ts";
import { fakeService, run } from "../../../support/command-line.ts";

const ZEROS = "0".repeat(20);
const PROJECT = `prj_${ZEROS}`;
const FUND = `fund_${ZEROS}`;
const KEY = `key_${ZEROS}`;
const TOKEN = `adm_${ZEROS}`;
const WEBHOOK = [PROJECT, `whk_${ZEROS}`];
const DIGEST = "9V4NjwQDfYqgDgmqDZU3qu2TvPYATaPwRDwAzQHmYmCi";
const ADDRESS = `0x${"1".repeat(64)}`;
const NAMED = ["--name", "a", "--network", "SUI_LOCALNET"];
const UNTIL = "2030-01-01T00:00:00Z";

/** The words and flags of one right call of each command that calls a route. A command without a row fails a test. */
const rightUse: Readonly<Record<string, readonly string[]>> = {
  "project list": [],
  "project create": ["--name", "a"],
  "project show": [PROJECT],
  "project update": [PROJECT, "--name", "a"],
  "project revoke-sessions": [PROJECT],
  "project close": [PROJECT, "--destination", "a"],
  "project transfer": [PROJECT],
  "project reopen": [PROJECT, "--destination", "a"],
  "wallet list": [PROJECT],
  "fund create": [PROJECT, ...NAMED],
  "fund list": [PROJECT],
  "fund show": [FUND],
  "fund update": [FUND, "--name", "a"],
  "fund sponsorships": [FUND],
  "fund sponsorships-sum": [FUND],
  "fund ledger": [FUND],
  "fund ledger-sum": [FUND],
  "fund spend": [FUND],
  "fund refusals": [FUND],
  "fund refusals-sum": [FUND],
  "fund refusal-counts": [FUND],
  "fund refusal-counts-sum": [FUND],
  "fund coins": [FUND],
  "fund unusable": [FUND],
  "fund refresh": [FUND],
  "fund reconcile": [FUND],
  "fund deposit-address": [FUND],
  "fund revoke": [FUND, "--outstanding"],
  "fund recover": [FUND, "--detach"],
  "fund force-close": [FUND, "--digest", DIGEST],
  "fund drop-coin": [FUND, "--object-id", ADDRESS],
  "fund withdraw": [FUND, "--to", ADDRESS, "--amount", "1", "--idempotency-key", "a"],
  "fund pause": [FUND],
  "fund resume": [FUND],
  "key create": [PROJECT, ...NAMED, "--rights", "gas", "--fund-id", FUND],
  "key list": [PROJECT],
  "key show": [KEY],
  "key update": [KEY, "--name", "a"],
  "key refusal-counts": [KEY],
  "key revoke": [KEY, "--no-outstanding"],
  "key disable": [KEY],
  "key enable": [KEY],
  "webhook create": [PROJECT, "--url", "https://example.com/a", "--events", "fund.deposit"],
  "webhook list": [PROJECT],
  "webhook show": WEBHOOK,
  "webhook update": [...WEBHOOK, "--url", "https://example.com/b"],
  "webhook delete": WEBHOOK,
  "webhook rotate-secret": WEBHOOK,
  "webhook deliveries": WEBHOOK,
  "webhook resend": [...WEBHOOK, "--event-id", `evt_${ZEROS}`],
  "webhook disable": WEBHOOK,
  "webhook enable": WEBHOOK,
  "node list": [],
  metrics: [],
  "transaction show": [DIGEST],
  "transaction find": ["--request-id", "a"],
  "master-key show": [],
  "master-key rewrap": ["--detach"],
  "audit list": [PROJECT],
  "audit head": [PROJECT],
  "token list": [],
  "token create": ["--name", "a", "--role", "viewer", "--expires-at", UNTIL],
  "token delete": [TOKEN],
  explain: [DIGEST],
};

/** The commands that call no route, or many, and have tests of their own. */
const elsewhere = ["project export", "project import", "audit verify", "doctor", "login", "logout", "completion"];

const commands = allCommands().filter(({ name }) => !elsewhere.includes(name) && !name.startsWith("profile "));
const dangerous = commands.filter(({ flags }) => flags.some(({ name }) => name === "yes"));
const argsOf = (name: string) => [...name.split(" "), ...(rightUse[name] ?? [])];
const withYes = (name: string) => [...argsOf(name), ...(dangerous.some((each) => each.name === name) ? ["--yes"] : [])];
const token = { id: TOKEN, name: "shift", role: "viewer" };
/** An answer that every command can read as its own. */
const anything = { id: FUND, name: "gas", network: "SUI_LOCALNET", exact: true, items: [token], nextCursor: null };

test("each command has its right use here, and each right use a command", () => {
  expect(Object.keys(rightUse).toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
});

test.each(commands.map(({ name }) => name))("%s calls the service, and prints one JSON document", async (name) => {
  if (name === "explain") return;
  const { env, taken } = await fakeService(() => ({ body: anything }));
  const { exit, out, err } = await run([...withYes(name), "--json"], { env });
  expect([exit, err]).toEqual(["ok", ""]);
  expect(JSON.parse(out)).toMatchObject({ id: FUND });
  expect(taken.length).toBeGreaterThan(0);
});

test.each(commands.map(({ name }) => name))("%s ends as 3, 4, 5 and 7 by what the service does", async (name) => {
  const down = { GASWORKS_URL: `http://${LOOPBACK}:${await freePort()}`, GASWORKS_TOKEN: "token-of-a-test" };
  expect((await run(withYes(name), { env: down })).code).toBe(3);
  for (const [status, code] of [
    [404, 4],
    [403, 5],
    [500, 7],
  ] as const) {
    const { env } = await fakeService(() => ({ status, body: { detail: "because of this" } }));
    const ended = await run(withYes(name), { env });
    expect([status, ended.code, ended.out, ended.err.split("\n")[0]]).toEqual([status, code, "", "because of this"]);
  }
});

test.each(dangerous.map(({ name }) => name))("%s changes nothing without a yes", async (name) => {
  const { env, taken } = await fakeService(() => ({ body: anything }));
  const unasked = await run(argsOf(name), { env });
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining("add --yes")]);
  const refused = await run(argsOf(name), { env, answers: ["Yes"] });
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("not confirmed: nothing was done")]);
  expect(refused.questions).toHaveLength(1);
  expect(taken.filter(({ method }) => method !== "GET")).toEqual([]);
});

const notes: readonly (readonly [string, RegExp])[] = [
  ["key create", /The key is shown this once/],
  ["token create", /The token is shown this once/],
  ["webhook create", /The secret is shown this once/],
  ["webhook rotate-secret", /The secret is shown this once/],
  ["webhook delete", /is deleted/],
  ["token delete", /is deleted/],
  ["fund revoke", /paused: gasworks fund resume/],
  ["key revoke", /disabled: gasworks key enable/],
  ["project revoke-sessions", /has ended/],
  ["project reopen", /is open again/],
];

test.each(notes)("%s says after its answer what it has done", async (name, words) => {
  const { env } = await fakeService(() => ({ body: anything }));
  const { out, err } = await run(withYes(name), { env });
  expect(err).toMatch(words);
  expect(out).not.toMatch(words);
});

test("a new fund without a lowBalance is told how it warns, and one that has it is not", async () => {
  const made = async (lowBalance: string | null) => {
    const { env } = await fakeService(() => ({ body: { ...anything, network: "APTOS_TESTNET", lowBalance } }));
    return (await run(argsOf("fund create"), { env })).err;
  };
  expect(await made(null)).toMatch(/Nothing warns before it is empty: gasworks fund update \S+ --low-balance 0\.05APT/);
  expect(await made("1")).toBe("");
});

test("a second close says for which place the project is closed", async () => {
  const { env } = await fakeService(() => ({ body: { ...anything, destination: "the first place" } }));
  const { err } = await run([...argsOf("project close"), "--yes"], { env });
  expect(err).toContain("still shown “the first place”. To change that, reopen it first");
});

test("the question about a token names it, from whatever page of the list has it", async () => {
  const other = { ...token, id: TOKEN.replace("0", "1"), name: "other" };
  const { env } = await fakeService(({ url }) => ({
    body: url.includes("cursor=two") ? { items: [token], nextCursor: null } : { items: [other], nextCursor: "two" },
  }));
  const { err } = await run(["token", "delete", TOKEN], { env, answers: ["no"] });
  expect(err).toContain(`Deletes token “shift” (${TOKEN}) of role viewer`);
  const unknown = await run(["token", "delete", TOKEN.replace("0", "2"), "--yes"], { env });
  expect(unknown.code).toBe(4);
});
