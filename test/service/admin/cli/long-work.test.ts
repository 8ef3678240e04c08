import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Interrupts } from "../../../../functions/service/admin/cli/session.ts";
import { CHAIN_BEGINS, GENESIS_HASH, rowHash } from "../../../../shared/audit/chain.ts";
import { configHome, fakeService, run } from "../../../support/command-line.ts";

const FUND = `fund_${"0".repeat(20)}`;
const recovery = (state: string, openReferences: number) => ({
  state,
  startedAt: "2026-11-23T08:00:00Z",
  openReferences,
  corrections: "-7",
});

test("a recovery is followed to its end, over a service that is away for a while", async () => {
  let looks = 0;
  const { env } = await fakeService(({ method }) => {
    if (method === "POST") return { status: 202, body: recovery("running", 2) };
    looks += 1;
    if (looks === 3) return { status: 500, body: { detail: "restarting" } };
    return { body: { id: FUND, network: "SUI_LOCALNET", recovery: recovery(looks < 5 ? "waiting" : "done", 0) } };
  });
  const { exit, out } = await run(["fund", "recover", FUND, "--yes", "--json"], { env });
  expect([exit, JSON.parse(out).state]).toEqual(["ok", "done"]);
  expect(looks).toBeGreaterThanOrEqual(5);
});

test("Ctrl-C in a recovery says what goes on and how to look, and a detached one returns at once", async () => {
  const interrupts = new Interrupts();
  const notices: (string | null)[] = [];
  const { env, taken } = await fakeService(() => ({
    body: { network: "SUI_LOCALNET", recovery: recovery("waiting", 1), ...recovery("waiting", 1) },
  }));
  const stopped = await run(["fund", "recover", FUND, "--yes"], {
    env,
    interrupts,
    onSleep: () => {
      notices.push(interrupts.interrupt());
      throw new Error("the process ends here");
    },
  });
  expect([stopped.exit, notices]).toEqual(["fault", [expect.stringContaining(`gasworks fund show ${FUND}`)]]);
  expect(interrupts.interrupt()).toBeNull();
  const before = taken.length;
  expect((await run(["fund", "recover", FUND, "--yes", "--detach", "--json"], { env })).exit).toBe("ok");
  expect(taken.slice(before).map(({ method }) => method)).toEqual(["GET", "POST"]);
});

test("a re-seal is followed until nothing is left, and fails once nothing moves any more", async () => {
  let left = 3;
  const moving = await fakeService(({ method }) => ({
    body: { current: 2, remaining: method === "GET" ? left-- : left, failing: 0, unopenable: 0 },
  }));
  expect((await run(["master-key", "rewrap", "--yes"], { env: moving.env })).exit).toBe("ok");
  const still = await fakeService(() => ({ body: { current: 2, remaining: 3, failing: 3, unopenable: 0 } }));
  expect((await run(["master-key", "rewrap", "--yes"], { env: still.env })).code).toBe(9);
});

test("a reconciliation that is not exact ends as 9", async () => {
  for (const [exact, code] of [
    [true, 0],
    [false, 9],
  ] as const) {
    const { env } = await fakeService(() => ({ body: { exact, coins: 0, differences: [] } }));
    expect((await run(["fund", "reconcile", FUND], { env })).code).toBe(code);
  }
});

function auditLog(actions: readonly string[]) {
  let previousHash = GENESIS_HASH;
  return actions.map((action, index) => {
    const at = `2026-11-23T08:00:0${index}.000Z`;
    const row = {
      seq: index + 1,
      action,
      target: "a",
      actor: "b",
      actorTokenId: null,
      ip: null,
      userAgent: null,
      previousHash,
    };
    previousHash = rowHash({ ...row, atMs: Date.parse(at), detailJson: "{}" });
    return { row: { ...row, at, detail: {} }, hash: previousHash };
  });
}

async function auditService(log: () => ReturnType<typeof auditLog>) {
  return fakeService(({ url }) => {
    const head = log().at(-1);
    if (url.endsWith("/head")) return { body: { seq: head?.row.seq ?? 0, hash: head?.hash ?? null } };
    return {
      body: log()
        .toReversed()
        .map(({ row }) => `${JSON.stringify(row)}\n`)
        .join(""),
    };
  });
}

test("an audit log is verified against the head that was kept, which a changed log cannot replace", async () => {
  let log = auditLog(["one", "two"]);
  const { env: service } = await auditService(() => log);
  const env = { ...service, XDG_CONFIG_HOME: await configHome() };
  const verified = async () => JSON.parse((await run(["audit", "verify", "--json"], { env })).out);
  expect(await verified()).toMatchObject({ ok: true, kept: null, head: { seq: 2 } });
  log = auditLog(["one", "two", "three"]);
  expect(await verified()).toMatchObject({ ok: true, kept: { seq: 2 }, head: { seq: 3 } });
  log = auditLog(["one", "changed", "three"]);
  const changed = await run(["audit", "verify"], { env });
  expect([changed.code, changed.out]).toEqual([9, expect.stringContaining("Row 3")]);
  log = auditLog(["one"]);
  expect((await run(["audit", "verify"], { env })).code).toBe(9);
  log = auditLog(["one", "two", "three"]);
  expect(await verified()).toMatchObject({ ok: true, kept: { seq: 3 } });
});

test("a row that was changed, and a log without its first rows, are found without a kept head", async () => {
  const [one, two, three] = auditLog(["one", "two", "three"]);
  if (one === undefined || two === undefined || three === undefined) throw new Error("the log has three rows");
  const forged = { ...two, row: { ...two.row, action: "forged" } };
  for (const log of [
    [one, forged, three],
    [two, three],
    [one, three],
  ]) {
    const { env } = await auditService(() => log);
    expect((await run(["audit", "verify"], { env: { ...env, XDG_CONFIG_HOME: await configHome() } })).code).toBe(9);
  }
  expect(CHAIN_BEGINS).not.toBe("one");
});

test("a file of heads that others may write is refused", async () => {
  const folder = await configHome();
  await writeFile(join(folder, "heads.json"), "{}", { mode: 0o666 });
  const { env } = await auditService(() => []);
  const { exit } = await run(["audit", "verify", "--heads", "heads.json"], { env: { ...env, INIT_CWD: folder } });
  expect(exit).toBe("usage");
});

const story = {
  fundId: FUND,
  projectId: "prj",
  network: "SUI_LOCALNET",
  causes: ["It was executed with success (checkpoint 7)."],
  sponsorships: [
    {
      digest: "9V4NjwQDfYqgDgmqDZU3qu2TvPYATaPwRDwAzQHmYmCi",
      state: "complete",
      sender: `0x${"1".repeat(64)}`,
      keyId: "key_1",
      gasBudget: "5",
      fee: "0",
      charged: "3",
      createdAt: "2026-11-23T08:00:00.000Z",
      expiresAt: "2026-11-23T09:00:00.000Z",
    },
  ],
  refusals: [],
  ledger: [],
  revocations: [],
  isWhole: true,
  chain: null,
};
const nothing = {
  cause: "No fund knows it.",
  isOnlyOnChain: false,
  stories: [],
  fundsSearched: 1,
  isComplete: true,
  unreadable: [],
};

test("explain begins with the sentence, and finds out what its word is", async () => {
  const { env, taken } = await fakeService(({ url }) => ({
    body:
      url.includes("sender") || url.includes("9V4N")
        ? { ...nothing, cause: story.causes[0], stories: [story] }
        : nothing,
  }));
  const digest = await run(["explain", story.sponsorships[0]?.digest ?? ""], { env });
  expect([digest.exit, digest.out.split("\n")[1]]).toEqual(["ok", story.causes[0]]);
  expect(digest.out.indexOf("When")).toBeLessThan(digest.out.indexOf("What it cost"));
  const sender = `0x${"A".repeat(64)}`;
  expect((await run(["explain", sender], { env })).exit).toBe("ok");
  expect(taken.slice(1).map(({ url }) => url.split("?")[0])).toEqual([
    `/admin/v1/transactions/${sender.toLowerCase()}`,
    "/admin/v1/transactions",
  ]);
  const request = await run(["explain", "3f0a"], { env });
  expect([request.code, taken.at(-1)?.url]).toEqual([4, "/admin/v1/transactions?requestId=3f0a"]);
  expect((await run(["explain", "0x12"], { env })).code).toBe(2);
});
