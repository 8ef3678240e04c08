import { GrpcTypes } from "@mysten/sui/grpc";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase58, toBase58, toHex } from "@mysten/sui/utils";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { READ_TIMEOUT_MS } from "../../../shared/chain/failover.ts";
import type { KnownChain } from "../../../shared/chain/sui/chain-guard.ts";
import { createSuiNode, type SuiNodeOptions } from "../../../shared/chain/sui/grpc/node.ts";
import type { SuiNode } from "../../../shared/chain/sui/node.ts";
import { RecentHeights } from "../../../shared/chain/sui/recent-heights.ts";
import { transactionDigest } from "../../../shared/chain/sui/transaction.ts";
import { messageResponse, statusResponse } from "../../devchain/sui/grpc-web.ts";
import { GrpcCode } from "../../devchain/sui/status.ts";
import { BASE_URL, signAll, startChain, type TestChain } from "../../devchain/testing.ts";

/** Two endpoints of one chain, of which the first is not as it should be. */

const OWNER = `0x${"5".repeat(64)}`;
const GRPC_WEB = { "content-type": "application/grpc-web+proto" };
const MINUTE_MS = 60_000;
const SUBMIT = "TransactionExecutionService/ExecuteTransaction";
const LOOK_UP = "LedgerService/BatchGetTransactions";

let chain: TestChain;
/** Of the fund's own chain. */
let known: KnownChain | null;
let logged: unknown[];
/** What the first endpoint's replies become. */
let alter: (reply: Response, method: string) => Response | Promise<Response>;
let options: SuiNodeOptions;
let node: SuiNode;
let aheadMs: number;

beforeEach(async () => {
  chain = await startChain();
  known = null;
  logged = [];
  aheadMs = 0;
  alter = (reply) => reply;
  options = {
    network: "SUI_LOCALNET",
    urls: [`${BASE_URL}/sui/a`, `${BASE_URL}/sui/b`],
    fetch: async (input, init) => {
      const url = String(input);
      const reply = await chain.chain.fetch(new Request(url, init));
      return url.includes("/sui/a/") ? alter(reply, url.slice(url.lastIndexOf(".") + 1)) : reply;
    },
    clock: { nowMs: () => chain.clock.nowMs + aheadMs, alarmAtMs: (atMs) => atMs },
    log: (event, fields) => logged.push({ event, ...fields }),
    known: () => known,
  };
  node = createSuiNode(options);
  const facts = await node.chainFacts(0n);
  if (!facts.ok) throw new Error(facts.error.details);
  known = { chainIdentifier: facts.value.chain, epoch: facts.value.epoch };
  await chain.fund(OWNER, 7n);
});

function withHeaders(reply: Response, changes: Readonly<Record<string, string | null>>): Response {
  const headers = new Headers(reply.headers);
  for (const [name, value] of Object.entries(changes))
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  return new Response(reply.body, { status: reply.status, headers });
}

async function executed() {
  const sender = await chain.account(1_000_000_000n);
  const transaction = new Transaction();
  transaction.setSender(sender.toSuiAddress());
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [1_000n])], OWNER);
  const bytes = await transaction.build({ client: chain.client });
  return { bytes, signatures: await signAll(bytes, sender), digest: transactionDigest(bytes) };
}

/** The first endpoint was moved to another chain, where nobody has anything; `known` stays what it was. */
async function moveFirst(): Promise<void> {
  const other = await startChain();
  const identifier = toBase58(fromBase58(known?.chainIdentifier ?? "").map((byte) => byte ^ 255));
  const headers = {
    "x-sui-chain-id": toHex(fromBase58(identifier).subarray(0, 4)),
    "x-sui-epoch": "900",
    "x-sui-checkpoint-height": "1000000",
  };
  const info = GrpcTypes.GetServiceInfoResponse.toBinary({
    chainId: identifier,
    epoch: 900n,
    checkpointHeight: 1_000_000n,
    timestamp: { seconds: 9_000_000_000n, nanos: 0 },
    lowestAvailableCheckpoint: 0n,
  });
  alter = async (reply, method) => {
    if (method === "LedgerService/GetEpoch") return withHeaders(reply, headers);
    await reply.body?.cancel();
    if (method === "LedgerService/GetServiceInfo") return withHeaders(messageResponse("binary", info), headers);
    const empty = { method: "POST", headers: GRPC_WEB, body: new Uint8Array(5) };
    return withHeaders(await other.chain.fetch(new Request(`${BASE_URL}/sui/a/sui.rpc.v2.${method}`, empty)), headers);
  };
}

describe("an endpoint of another chain", () => {
  test("is passed over by every question, and said once, with its host", async () => {
    const { digest, bytes, signatures } = await executed();
    await moveFirst();
    expect(await node.lookUp([digest], "charge")).toMatchObject({
      value: { value: [{ kind: "missing" }], chain: known?.chainIdentifier },
    });
    expect(await node.chainFacts(0n)).toMatchObject({ value: { chain: known?.chainIdentifier } });
    expect(await node.coins(OWNER, null)).toMatchObject({ value: { coins: { value: [{ balanceMist: 7n }] } } });
    expect(await node.balances(OWNER, [])).toMatchObject({ value: { value: { coinBalanceMist: 7n } } });
    expect((await node.dryRun(bytes)).ok).toBe(true);
    expect(await node.submit(bytes, signatures, digest)).toMatchObject({ kind: "executed" });
    // It is asked again now and then, and is no news.
    aheadMs = 2 * MINUTE_MS;
    expect(await node.coins(OWNER, null)).toMatchObject({ ok: true });
    const changes = logged.filter((line) => JSON.stringify(line).includes("_chain"));
    expect(changes).toMatchObject([{ event: "node.other_chain", host: new URL(BASE_URL).host }]);
  });

  test("is believed again once it is of the fund's own", async () => {
    await moveFirst();
    await node.chainFacts(0n);
    alter = (reply) => reply;
    aheadMs = 2 * MINUTE_MS;
    expect(await node.coins(OWNER, null)).toMatchObject({ ok: true });
    expect(logged.at(-1)).toMatchObject({ event: "node.own_chain" });
  });

  test("tells of another chain only where every endpoint does: one that does not answer leaves it open", async () => {
    await moveFirst();
    await chain.control("POST", "/control/fault", {
      endpoint: "b",
      method: "LedgerService/GetEpoch",
      mode: "unavailable",
      times: 1,
    });
    expect(await node.chainFacts(0n)).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
    expect(await node.chainFacts(0n)).toMatchObject({ value: { chain: known?.chainIdentifier } });
  });

  test("where all are: its facts are told, so that the fund can say so", async () => {
    await moveFirst();
    const alone = createSuiNode({ ...options, urls: [`${BASE_URL}/sui/a`] });
    const facts = await alone.chainFacts(0n);
    if (!facts.ok) throw new Error(facts.error.details);
    expect(facts.value.chain).not.toBe(known?.chainIdentifier);
    expect(await alone.lookUp(["7".repeat(43)], "charge"), "it proves nothing").toMatchObject({ ok: false });
  });

  test("has said nothing about a transaction: another one's refusal stands", async () => {
    const { digest, bytes, signatures } = await executed();
    await moveFirst();
    await chain.control("POST", "/control/fault", { endpoint: "b", method: SUBMIT, mode: "stale_version", times: 1 });
    expect(await node.submit(bytes, signatures, digest)).toMatchObject({
      kind: "refused",
      text: expect.stringMatching(/rebuilt/),
    });
  });
});

describe("behind a load balancer", () => {
  test("a look-up that a node answers which stands lower is no answer", async () => {
    const { digest } = await executed();
    alter = (reply, method) => (method === LOOK_UP ? withHeaders(reply, { "x-sui-checkpoint-height": "0" }) : reply);
    chain.clock.nowMs += 1_000;
    const looked = await node.lookUp([digest], "charge");
    expect(looked).toMatchObject({ ok: true });
    expect(logged).toMatchObject([
      { event: "node.failed", question: "lookUp", fault: expect.stringMatching(/fallen back/) },
    ]);
  });

  test("a look-up that a node of another chain answers is no answer, also where nothing is known yet", async () => {
    const { digest } = await executed();
    known = null;
    alter = (reply, method) => (method === LOOK_UP ? withHeaders(reply, { "x-sui-chain-id": "00000000" }) : reply);
    expect(await node.lookUp([digest], "charge")).toMatchObject({ ok: true });
    expect(logged).toMatchObject([
      { event: "node.failed", question: "lookUp", fault: expect.stringMatching(/more than one chain/) },
    ]);
  });

  test("a balance of a node that stands lower is no answer", async () => {
    await chain.fund(OWNER, 3n);
    alter = (reply, method) =>
      method === "StateService/GetBalance" ? withHeaders(reply, { "x-sui-checkpoint-height": "0" }) : reply;
    expect(await node.balances(OWNER, [])).toMatchObject({ value: { value: { coinBalanceMist: 10n } } });
    expect(logged).toMatchObject([{ event: "node.failed", question: "balances" }]);
  });

  test("a reply whose headers a proxy has taken away is bracketed by what the node says before and after", async () => {
    const { digest } = await executed();
    alter = (reply) =>
      withHeaders(reply, {
        "x-sui-chain-id": null,
        "x-sui-checkpoint-height": null,
        "x-sui-lowest-available-checkpoint": null,
      });
    const looked = await node.lookUp([digest], "charge");
    expect(looked).toMatchObject({ value: { value: [{ kind: "missing" }], lowestAvailable: 0n } });
    expect(logged).toEqual([]);
  });
});

describe("an endpoint whose newest checkpoint is old", () => {
  /** The first endpoint, which still shows the epoch before, and what it shows of it. */
  async function lag(): Promise<void> {
    chain.clock.nowMs += MINUTE_MS;
    await chain.control("POST", "/control/epoch", { advance: 1 });
    await chain.control("POST", "/control/lag", { endpoint: "a", lagMs: 2 * MINUTE_MS });
    chain.clock.nowMs += MINUTE_MS;
  }

  test("is believed only where no other has seen more", async () => {
    await lag();
    expect(await node.chainFacts(0n)).toMatchObject({ value: { epoch: 1n } });
    expect(logged).toMatchObject([
      { event: "node.failed", question: "chainFacts", fault: expect.stringMatching(/newest checkpoint is of/) },
    ]);
    const alone = createSuiNode({ ...options, urls: [`${BASE_URL}/sui/a`] });
    expect(await alone.chainFacts(0n)).toMatchObject({ value: { epoch: 0n } });
  });

  test("is believed where all are as old: of them the newest", async () => {
    await lag();
    // Our clock may be ahead.
    aheadMs = 10 * MINUTE_MS;
    expect(await node.chainFacts(0n)).toMatchObject({ value: { epoch: 1n } });
  });

  test("a minute is not yet old", async () => {
    await chain.control("POST", "/control/epoch", { advance: 1 });
    aheadMs = MINUTE_MS;
    expect(await node.chainFacts(0n)).toMatchObject({ ok: true });
    expect(logged).toEqual([]);
  });
});

describe("an endpoint that hangs", () => {
  test("costs one question its time-out: the next ones ask another endpoint first", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    alter = async (reply) => {
      asked += 1;
      await reply.body?.cancel();
      vi.advanceTimersByTime(READ_TIMEOUT_MS);
      throw new Error("no answer in time");
    };
    expect(await node.coins(OWNER, null)).toMatchObject({ value: { coins: { value: [{ balanceMist: 7n }] } } });
    expect(asked).toBe(1);
    expect(await node.coins(OWNER, null)).toMatchObject({ ok: true });
    expect(await node.balances(OWNER, [])).toMatchObject({ value: { value: { coinBalanceMist: 7n } } });
    expect(await node.lookUp(["7".repeat(43)], "charge")).toMatchObject({ ok: true });
    expect(asked).toBe(1);
  });
});

describe("an endpoint that lags by an epoch", () => {
  test("is passed over, and another one answers", async () => {
    await chain.control("POST", "/control/epoch", { advance: 1 });
    known = { chainIdentifier: known?.chainIdentifier ?? "", epoch: 1n };
    await chain.control("POST", "/control/lag", { endpoint: "a", lagMs: 3 * MINUTE_MS });
    chain.clock.nowMs += 2 * MINUTE_MS;
    expect(await node.chainFacts(1n)).toMatchObject({ value: { epoch: 1n } });
    const looked = await node.lookUp(["7".repeat(43)], "charge");
    expect(looked).toMatchObject({ value: { epoch: 1n } });
    expect(await node.coins(OWNER, null)).toMatchObject({ ok: true });
    expect(logged).not.toEqual([]);
  });
});

describe("a listing", () => {
  const [first, second] = [`${BASE_URL}/sui/a`, `${BASE_URL}/sui/b`];
  const listed = async (tokens: ReadonlyMap<string, Uint8Array | null>) => {
    const failures: [string, boolean][] = [];
    const answer = await node.coins(OWNER, {
      of: (url) => tokens.get(url),
      failed: (url, isRefused) => failures.push([url, isRefused]),
    });
    return { answer, failures };
  };

  test("asks each endpoint with the token that it has given, and says which one takes it no more", async () => {
    const forged = Uint8Array.of(255, 255);
    const { answer, failures } = await listed(
      new Map([
        [first, forged],
        [second, null],
      ]),
    );
    expect(answer).toMatchObject({ value: { url: second, coins: { value: [{ balanceMist: 7n }] }, next: null } });
    expect(failures).toEqual([[first, true]]);
    alter = () => new Response("busy", { status: 503 });
    expect(
      (
        await listed(
          new Map([
            [first, null],
            [second, null],
          ]),
        )
      ).failures,
    ).toEqual([[first, false]]);
  });

  test("asks no endpoint that has no place in it", async () => {
    alter = () => {
      throw new Error("the first endpoint is asked");
    };
    expect(await listed(new Map([[second, null]]))).toMatchObject({ answer: { ok: true }, failures: [] });
    expect(await listed(new Map())).toMatchObject({ answer: { ok: false }, failures: [] });
  });

  test("of everything goes on at an endpoint that takes the token; if none does, that is no fault of theirs", async () => {
    const token = Uint8Array.of(7);
    let refuses = 0;
    alter = (reply, method) => {
      if (!method.startsWith("StateService/List")) return reply;
      refuses += 1;
      return statusResponse("binary", GrpcCode.INVALID_ARGUMENT, "invalid page_token");
    };
    // The other one does not know it either.
    expect(await node.owned(OWNER, token)).toMatchObject({ error: { reason: "bad_params" } });
    expect(await node.typeBalances(OWNER, token)).toMatchObject({ error: { reason: "bad_params" } });
    expect([refuses, logged]).toEqual([2, []]);
    await chain.control("POST", "/control/fault", {
      endpoint: "b",
      method: "StateService/ListOwnedObjects",
      mode: "unavailable",
      times: 9,
    });
    expect(await node.owned(OWNER, token)).toMatchObject({ error: { reason: "node_unavailable" } });
    await chain.control("DELETE", "/control/fault");
    expect(await node.owned(OWNER, null)).toMatchObject({ value: { items: [{ balanceAtoms: 7n }], next: null } });
  });
});

describe("an endpoint that lags within an epoch", () => {
  const LAG_MS = 14 * MINUTE_MS;
  let asked: { a: number; b: number };

  beforeEach(async () => {
    asked = { a: 0, b: 0 };
    const { fetch } = options;
    node = createSuiNode({
      ...options,
      fetch: (input, init) => {
        // A listing follows the height that its endpoint names.
        const isQuestion = !String(input).endsWith("GetServiceInfo");
        if (isQuestion) asked[String(input).includes("/sui/a/") ? "a" : "b"] += 1;
        return fetch(input, init);
      },
    });
    chain.clock.nowMs += 2 * LAG_MS;
    await chain.control("POST", "/control/lag", { endpoint: "a", lagMs: LAG_MS });
    // A checkpoint of now.
    await chain.fund(`0x${"9".repeat(64)}`, 1n);
  });

  test("is not believed about coins, balances, digests and dry runs", async () => {
    const { bytes, signatures, digest } = await executed();
    const alone = createSuiNode({ ...options, urls: [`${BASE_URL}/sui/a`] });
    expect((await alone.dryRun(bytes)).ok).toBe(false);
    expect((await node.dryRun(bytes)).ok).toBe(true);
    expect(
      await createSuiNode({ ...options, urls: [`${BASE_URL}/sui/b`] }).submit(bytes, signatures, digest),
    ).toMatchObject({ kind: "executed" });
    chain.clock.nowMs += 1_000;
    const ofEach = () => createSuiNode(options);
    const reads = (one: SuiNode) =>
      Promise.all([one.coins(OWNER, null), one.balances(OWNER, []), one.lookUp([digest], "charge")]);
    const [coins, balances, looked] = await reads(alone);
    expect([coins, balances, looked]).toMatchObject([
      { value: { coins: { value: [{ balanceMist: 7n }] } } },
      { value: { value: { coinBalanceMist: 7n } } },
      { value: { value: [{ kind: "missing" }] } },
    ]);
    for (const [index, wanted] of [
      { value: { coins: { value: expect.toSatisfy((all) => all.length === 2) } } },
      { value: { value: { coinBalanceMist: 1_007n } } },
      { value: { value: [{ kind: "executed", execution: { digest } }] } },
    ].entries())
      expect((await reads(ofEach()))[index]).toMatchObject(wanted);
  });

  test("is asked once a minute while another one is up to date", async () => {
    const time = vi.spyOn(performance, "now").mockReturnValue(0);
    onTestFinished(() => time.mockRestore());
    for (let times = 0; times < 3; times++) expect(await node.coins(OWNER, null)).toMatchObject({ ok: true });
    expect(asked).toEqual({ a: 1, b: 3 });
    time.mockReturnValue(MINUTE_MS + 1);
    for (let times = 0; times < 3; times++) expect(await node.coins(OWNER, null)).toMatchObject({ ok: true });
    expect(asked).toEqual({ a: 2, b: 6 });
  });

  test("is believed at once where all are behind our clock", async () => {
    const time = vi.spyOn(performance, "now").mockReturnValue(0);
    onTestFinished(() => time.mockRestore());
    await chain.control("POST", "/control/lag", { endpoint: "a", lagMs: 0 });
    aheadMs = 60 * MINUTE_MS;
    for (let times = 0; times < 3; times++) expect(await node.coins(OWNER, null)).toMatchObject({ ok: true });
    expect(asked).toEqual({ a: 3, b: 1 });
  });

  test("is believed no longer because it alone is asked", async () => {
    const [lagging] = options.urls;
    const itsOwn = { of: (url: string) => (url === lagging ? null : undefined), failed: () => {} };
    for (let times = 0; times < 2; times++)
      expect(await node.coins(OWNER, itsOwn)).toMatchObject({ value: { url: lagging } });
    expect(await node.coins(OWNER, null)).toMatchObject({ value: { url: options.urls[1] } });
  });

  test("is believed about what it shows as executed", async () => {
    const { bytes, signatures, digest } = await executed();
    await node.submit(bytes, signatures, digest);
    chain.clock.nowMs += 2 * LAG_MS;
    asked = { a: 0, b: 0 };
    expect(await node.lookUp([digest], "charge")).toMatchObject({
      value: { value: [{ kind: "executed", execution: { digest } }] },
    });
    expect(asked.b).toBe(0);
  });
});

test("a second reading of a balance, or of coins, is one of another host", async () => {
  const { host } = new URL(BASE_URL);
  const asked = new Set<string>();
  const two = createSuiNode({
    ...options,
    urls: [`${BASE_URL}/sui/a`, "https://other.test/sui/b"],
    fetch: (input, init) => {
      const url = String(input);
      asked.add(new URL(url).host);
      return options.fetch(url.replace("https://other.test", BASE_URL), init);
    },
  });
  const byOther = { ok: true, value: { endpoint: "other.test" } };
  expect(await two.balances(OWNER, [], [], host)).toMatchObject(byOther);
  expect(await two.observeCoins([OWNER], host)).toMatchObject(byOther);
  expect(asked).toEqual(new Set(["other.test"]));
  expect(await two.balances(OWNER, [])).toMatchObject({ value: { endpoint: host } });
});

describe("a run of look-ups", () => {
  const [one, other] = [1, 2].map((byte) => toBase58(new Uint8Array(32).fill(byte))) as [string, string];

  test("follows a height that its endpoint has named in the last half second, and claims no more", async () => {
    let named = 0;
    alter = (reply, method) => {
      if (method === "LedgerService/GetServiceInfo") named += 1;
      return reply;
    };
    const heights = new RecentHeights();
    const lookUp = async (digest: string, run?: RecentHeights) => {
      const looked = await node.lookUp([digest], "charge", undefined, run);
      if (!looked.ok) throw new Error(looked.error.details);
      return looked.value;
    };
    const first = await lookUp(one, heights);
    chain.clock.nowMs += 499;
    await chain.fund(OWNER, 9n);
    const second = await lookUp(other, heights);
    expect(named).toBe(1);
    expect([second.checkpoint, second.timestampMs]).toEqual([first.checkpoint, first.timestampMs]);
    expect(second.newestCheckpoint).toBeGreaterThan(first.newestCheckpoint);
    expect((await lookUp(one)).checkpoint, "outside of the run").toBe(second.newestCheckpoint);
    aheadMs = 1;
    expect((await lookUp(one, heights)).checkpoint).toBe(second.newestCheckpoint);
    expect(named).toBe(3);
  });

  test("passes over an endpoint that serves another chain since it has named its height", async () => {
    const heights = new RecentHeights();
    await node.lookUp([one], "charge", undefined, heights);
    await moveFirst();
    expect(await node.lookUp([other], "charge", undefined, heights)).toMatchObject({
      value: { value: [{ kind: "missing" }], chain: known?.chainIdentifier },
    });
    expect(logged).toMatchObject([{ event: "node.other_chain" }, {}]);
  });
});
