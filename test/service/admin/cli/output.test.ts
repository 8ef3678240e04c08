import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { mayColour } from "../../../../functions/service/admin/cli/terminal/screen.ts";
import { fakeService, run } from "../../../support/command-line.ts";

const PROJECT = `prj_${"0".repeat(20)}`;
const FUND = `fund_${"0".repeat(20)}`;
const APTOS = `fund_${"1".repeat(20)}`;
const fund = (id: string, network: string, available: string) => ({
  id,
  name: "gas",
  network,
  available,
  inFlight: "0",
  low: false,
});
const page = {
  items: [fund(FUND, "SUI_LOCALNET", "1500000000"), fund(APTOS, "APTOS_LOCALNET", "-25")],
  nextCursor: null,
};
const ESCAPE = "\u001b";

test("a table has the amounts of each chain in whole coins, and JSON has them exactly", async () => {
  const { env } = await fakeService(() => ({ body: page }));
  const { out } = await run(["fund", "list", PROJECT, "--columns", "id,available,low"], { env });
  expect(out.split("\n")).toEqual([
    `id                               available  low`,
    `${FUND}   1.50000000 SUI  no`,
    `${APTOS}  -0.00000025 APT  no`,
    "",
  ]);
  const json = await run(["fund", "list", PROJECT, "--json"], { env });
  expect(JSON.parse(json.out)).toEqual(page);
});

test("a list of a fund shows amounts in the coin of that fund", async () => {
  const rows = { items: [{ at: "2026-11-23T08:00:00.123Z", kind: "charge", balance: "-7" }], nextCursor: null };
  const { env } = await fakeService(({ url }) => ({ body: url.includes("ledger") ? rows : page.items[1] }));
  const { out } = await run(["fund", "ledger", APTOS, "--columns", "at,kind,balance"], { env });
  expect(out).toContain("2026-11-23 08:00:00Z  charge  -0.00000007 APT");
});

test("a page with a next one says so beside the output", async () => {
  const { env } = await fakeService(() => ({ body: { ...page, nextCursor: "17" } }));
  const { out, err } = await run(["fund", "list", PROJECT], { env });
  expect([out.includes("17"), err]).toEqual([false, "There is more: --all, or --cursor 17\n"]);
});

test("a whole list is read as lines, and printed as lines, as a table or as one document", async () => {
  const lines = page.items.map((item) => `${JSON.stringify(item)}\n`).join("");
  const { env, taken } = await fakeService(({ headers }) => ({
    body: headers.accept?.includes("ndjson") ? lines : page,
  }));
  expect((await run(["fund", "list", PROJECT, "--ndjson"], { env })).out).toBe(lines);
  expect(taken[0]?.headers.accept).toBe("application/x-ndjson");
  const all = await run(["fund", "list", PROJECT, "--all", "--json"], { env });
  expect(JSON.parse(all.out)).toEqual(page);
  expect((await run(["fund", "list", PROJECT, "--all"], { env })).out.split("\n").length).toBe(4);
});

test("a table fits the terminal, and is whole elsewhere", async () => {
  const cause = "x".repeat(200);
  const { env } = await fakeService(() => ({
    body: { items: [{ ...page.items[0], pausedCause: cause }], nextCursor: null },
  }));
  const onTerminal = await run(["fund", "list", PROJECT, "--columns", "id,pausedCause"], { env, isTerminal: true });
  const lines = stripVTControlCharacters(onTerminal.out).split("\n");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(lines[1]).toMatch(new RegExp(`^${FUND}  x+…$`));
  expect((await run(["fund", "list", PROJECT, "--columns", "id,pausedCause"], { env })).out).toContain(cause);
});

test("a time is never cut, and an empty thing is a dash", async () => {
  const item = { id: PROJECT, name: "x".repeat(60), walletsPerMonth: null, createdAt: "2026-11-23T08:00:00.123Z" };
  const { env } = await fakeService(({ url }) => ({
    body: url.includes("/sum")
      ? { count: 0, amounts: {}, groups: [], nextCursor: null }
      : { items: [item], nextCursor: null },
  }));
  const { out } = await run(["project", "list"], { env, isTerminal: true });
  const [, row = ""] = stripVTControlCharacters(out).split("\n");
  expect(row.length).toBeLessThanOrEqual(80);
  expect(row).toMatch(/x… +- +2026-11-23 08:00:00Z$|x… +- {2}2026-11-23 08:00:00Z$/);
  expect((await run(["fund", "refusals-sum", FUND], { env })).out).toMatch(/^amounts +-$/m);
});

test("the cost of a call and an error break at spaces on a terminal", async () => {
  const place = "the new place of all of this, which has so long a name that no line of a terminal holds it";
  const { env } = await fakeService(() => ({ body: { id: PROJECT, name: "shop" } }));
  const close = ["project", "close", PROJECT, "--destination", place];
  const { err } = await run(close, { env, isTerminal: true, answers: ["no"] });
  const lines = stripVTControlCharacters(err).trimEnd().split("\n");
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(lines.join(" ")).toContain(`are shown “${place}”`);
  expect((await run(close, { env })).err).toContain(`are shown “${place}”`);
});

test("a service that stops in the middle of a list ends as 3, and one that breaks off as 7", async () => {
  const list = { body: '{"seq":1}\n{"seq":2', headers: { "content-type": "application/x-ndjson" } };
  const silent = await fakeService(() => ({ ...list, end: "never" }));
  const cut = await fakeService(() => ({ ...list, end: "cut" }));
  for (const flag of ["--csv", "--ndjson", "--all"]) {
    const args = ["fund", "ledger", FUND, flag, "--timeout", "0.3"];
    const { code, err } = await run(args, { env: silent.env });
    expect([code, err]).toEqual([3, expect.stringContaining("sent nothing for 0.3 s in the middle of the list")]);
    const broken = await run(args, { env: cut.env });
    expect([broken.code, broken.err]).toEqual([7, expect.stringContaining("broke off: read it again")]);
  }
});

test("an answer of another form ends as 7 in words", async () => {
  const { env } = await fakeService(() => ({ body: { items: [{ name: 7 }] } }));
  const { code, err } = await run(["wallet", "list"], { env });
  expect([code, err]).toEqual([7, expect.stringContaining("another form than this clone knows")]);
  expect(err).not.toContain("{");
});

test("a table for which a terminal has no room leaves columns out, and names them", async () => {
  const { env } = await fakeService(() => ({ body: page }));
  const { out } = await run(["fund", "list", PROJECT, "--columns", "all"], { env, isTerminal: true });
  const lines = stripVTControlCharacters(out).trimEnd().split("\n");
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(lines.join(" ")).toMatch(/No room for .*createdAt/);
  expect((await run(["fund", "list", PROJECT, "--columns", "all"], { env })).out).not.toContain("No room");
});

test("colours come on a terminal only, and NO_COLOR takes them away", async () => {
  const { env } = await fakeService(() => ({ body: page }));
  const coloured = async (circumstances: object) =>
    (await run(["fund", "list", PROJECT], { env, ...circumstances })).out.includes(ESCAPE);
  expect([await coloured({ isTerminal: true }), await coloured({})]).toEqual([true, false]);
  expect(await coloured({ isTerminal: true, env: { ...env, NO_COLOR: "1" } })).toBe(false);
  expect(mayColour({ isTerminal: true }, { NO_COLOR: "" })).toBe(true);
  expect([mayColour({ isTerminal: true }, { TERM: "dumb" }), mayColour({ isTerminal: false }, {})]).toEqual([
    false,
    false,
  ]);
});

test("a watch shows the list again, survives a service that is away, and leaves the terminal as it was", async () => {
  let looks = 0;
  const { env } = await fakeService((_, calls) =>
    calls === 2 ? { status: 500, body: { detail: "away" } } : { body: page },
  );
  const stop = new Error("stopped by the test");
  const { out, exit } = await run(["fund", "list", PROJECT, "--columns", "id", "--watch", "5"], {
    env,
    isTerminal: true,
    onSleep: (ms) => {
      expect(ms).toBe(5_000);
      looks += 1;
      if (looks === 3) throw stop;
    },
  });
  expect([looks, exit]).toEqual([3, "fault"]);
  expect(out.split(FUND).length).toBe(3);
  expect(out).toContain("away");
  expect(out.startsWith("\u001b[?1049h")).toBe(true);
  expect(out.endsWith("\u001b[?1049l")).toBe(true);
});

const ABORTED = {
  digest: "9xKpV1d2QmZr7tYw3nB5cH8fJ4kL6pSa1eGdRuTx2vWm",
  state: "complete",
  outcome: "aborted",
  sender: `0x${"7".repeat(64)}`,
  keyId: `key_${"0".repeat(20)}`,
  gasBudget: "10000000",
  fee: "0",
  charged: "1",
  createdAt: "2026-11-22T14:02:11.204Z",
  expiresAt: "2026-11-22T15:02:11.204Z",
};

test("the list of sponsorships has the outcome of a row before its state", async () => {
  const { env } = await fakeService(() => ({ body: { items: [ABORTED], nextCursor: null } }));
  const [head, row] = (await run(["fund", "sponsorships", FUND], { env })).out.split("\n");
  expect(head).toMatch(/^createdAt +outcome +state /);
  expect(row).toMatch(/^2026-11-22 14:02:11Z +aborted +complete /);
});

test("each row of a sender has its outcome as the headline", async () => {
  const sponsorships = [ABORTED, { ...ABORTED, outcome: "succeeded" }];
  const causes = ["It was executed and aborted.", "It was executed with success."];
  const story = { fundId: FUND, network: "SUI_LOCALNET", causes, sponsorships, refusals: [], ledger: [] };
  const stories = [{ ...story, revocations: [], isWhole: true, chain: null }];
  const answer = { cause: causes[0], isOnlyOnChain: false, fundsSearched: 1, isComplete: true, unreadable: [] };
  const { env } = await fakeService(({ url }) => ({
    body: { ...answer, stories: url.includes("sender=") ? stories : [] },
  }));
  const { out, exit } = await run(["explain", ABORTED.sender], { env });
  expect(exit).toBe("ok");
  const headlines = out.split("\n").filter((line) => /^(Aborted on chain|Succeeded|Executed)$/.test(line));
  expect(headlines).toEqual(["Aborted on chain", "Succeeded"]);
});

test("a thing within a list of a transaction is lines, and the last line names the command for words", async () => {
  const chain = { endpoint: "a", execution: { success: false, abort: { code: "7" } } };
  const { env } = await fakeService(() => ({ body: { cause: "b", stories: [{ fundId: FUND, chain }] } }));
  const { out } = await run(["transaction", "show", ABORTED.digest], { env });
  expect(out).toMatch(/^stories\.1\.chain\.execution\.abort\.code +7$/m);
  expect(out).not.toContain("{");
  expect(out.endsWith(`\ngasworks explain ${ABORTED.digest} says it in words\n`)).toBe(true);
});

test("an answer that knows nothing says once how many refusals are kept", async () => {
  const kept = "A fund keeps its last 1,000 refusals.";
  const answer = { isOnlyOnChain: false, stories: [], fundsSearched: 1, isComplete: true, unreadable: [] };
  const { env } = await fakeService(() => ({ body: { ...answer, cause: `No fund has kept it. ${kept}` } }));
  const { out } = await run(["explain", "a-request-id"], { env });
  expect(out.replace(/\s+/g, " ").split(kept).length).toBe(2);
});
