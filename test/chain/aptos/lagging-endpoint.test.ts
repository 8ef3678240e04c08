import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createDeps } from "../../../shared/bindings/deps.ts";
import type { AptosNode } from "../../../shared/chain/aptos/node.ts";
import { READ_TIMEOUT_MS } from "../../../shared/chain/failover.ts";
import { APTOS_DEMO_MODULE } from "../../devchain/demo.ts";
import {
  commitSigned,
  type NodeFixture,
  rawOf,
  type Signed,
  sponsoredTransfer,
  startNodeFixture,
  withJson,
} from "./node-testing.ts";

/** Two endpoints of one chain. The first one's ledger is fourteen minutes behind, unless a test says otherwise. */

const MINUTE_MS = 60_000;
const LAG_MS = 14 * MINUTE_MS;
const NOBODY = `0x${"6".repeat(64)}`;

let fixture: NodeFixture;
let node: AptosNode;

beforeEach(async () => {
  fixture = await startNodeFixture();
  node = fixture.node;
  // The chain has to be older than what the endpoint shows of it.
  fixture.chain.clock.aheadMs += 2 * LAG_MS;
  await fixture.lag("a", LAG_MS);
});

function transfer(): Promise<Signed> {
  return sponsoredTransfer(fixture.chain, { expireTimestamp: Math.floor((Date.now() + 4 * LAG_MS) / 1_000) });
}

async function committedTransfer(): Promise<Signed> {
  const signed = await transfer();
  await commitSigned(fixture, signed);
  return signed;
}

async function countsOf(endpoint: string): Promise<number> {
  const counts = Object.values(await fixture.calls(endpoint));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** From here on the time that passes is this test's. */
function useStoppedTime() {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  return (atMs: number) => void now.mockReturnValue(atMs);
}

type Question = (node: AptosNode, signed: Signed) => Promise<unknown>;
/** What the first endpoint tells of a transaction that it has not seen, and what is true. */
const QUESTIONS: readonly (readonly [string, Question, unknown, unknown])[] = [
  [
    "an account",
    (one, { sender }) => one.account(sender),
    { value: { sequenceNumber: 0n } },
    { value: { sequenceNumber: 1n } },
  ],
  ["whether an account exists", (one, { sender }) => one.accountExists(sender), false, true],
  [
    "a balance",
    (one, { feePayer }) => one.balance(feePayer),
    { value: 0n },
    { value: expect.toSatisfy((x) => x > 0n) },
  ],
  ["a hash", (one, { hash }) => one.lookUp(hash), { value: { kind: "missing" } }, { value: { kind: "committed" } }],
  [
    "what was executed",
    (one, { sender }) => one.transactionAtSequence(sender, 0n),
    { value: { kind: "unused" } },
    { value: { kind: "shown" } },
  ],
  [
    "a simulation",
    (one, signed) => one.simulate(rawOf(signed)),
    { vmStatus: expect.not.stringMatching("SEQUENCE_NUMBER_TOO_OLD") },
    { vmStatus: "SEQUENCE_NUMBER_TOO_OLD" },
  ],
];

describe("an endpoint that lags in front of one that is up to date", () => {
  test.each(QUESTIONS)("is not believed: %s", async (_what, ask, old, now) => {
    const signed = await committedTransfer();
    expect(await ask(fixture.nodeOf(["a"]), signed), "alone").toMatchObject({ ok: true, value: old });
    expect(await ask(node, signed)).toMatchObject({ ok: true, value: now });
  });

  test("is not believed: the ledger, the gas price, a module", async () => {
    const [old, now] = [await fixture.nodeOf(["a"]).ledger(), await fixture.nodeOf(["a", "b"]).ledger()];
    if (!old.ok || !now.ok) throw new Error("no node has answered");
    expect(now.value.timestampMs - old.value.timestampMs).toBeGreaterThan(LAG_MS - MINUTE_MS);
    fixture.alter((reply, path) =>
      withJson(reply, (json) =>
        path.startsWith("/estimate") ? { ...Object(json), gas_estimate: 7 } : { abi: { exposed_functions: [] } },
      ),
    );
    const [address = "", module = ""] = APTOS_DEMO_MODULE.split("::");
    const abi = (one: AptosNode) => one.functionAbi(address, module, "mint");
    expect([await fixture.nodeOf(["a"]).estimateGasPrice(), await abi(fixture.nodeOf(["a"]))]).toMatchObject([
      { value: 7n },
      { value: null },
    ]);
    expect([await fixture.nodeOf(["a", "b"]).estimateGasPrice(), await abi(fixture.nodeOf(["a", "b"]))]).toMatchObject([
      { value: 100n },
      { value: { isEntry: true } },
    ]);
  });

  test("costs one call a minute, and is asked first again once it has caught up", async () => {
    const at = useStoppedTime();
    for (let times = 0; times < 3; times++) expect(await node.estimateGasPrice()).toMatchObject({ ok: true });
    expect(await node.accountExists(NOBODY)).toEqual({ ok: true, value: false });
    expect([await countsOf("a"), await countsOf("b")]).toEqual([1, 4]);
    at(MINUTE_MS + 1);
    await node.estimateGasPrice();
    expect([await countsOf("a"), await countsOf("b")]).toEqual([2, 5]);
    await fixture.lag("a", 0);
    at(2 * MINUTE_MS + 2);
    for (let times = 0; times < 3; times++) await node.estimateGasPrice();
    expect([await countsOf("a"), await countsOf("b")]).toEqual([5, 5]);
  });

  test("is believed about what stays as it is", async () => {
    const { hash, sender } = await committedTransfer();
    fixture.chain.clock.aheadMs += 2 * LAG_MS;
    const ofEach = () => fixture.nodeOf(["a", "b"]);
    expect(await ofEach().lookUp(hash)).toMatchObject({ value: { value: { kind: "committed" } } });
    expect(await ofEach().transactionAtSequence(sender, 0n)).toMatchObject({ value: { value: { kind: "shown" } } });
    expect(await ofEach().accountExists(sender)).toEqual({ ok: true, value: true });
    expect(await countsOf("b")).toBe(0);
  });

  test("cannot hide that a sequence number is used", async () => {
    const { sender } = await committedTransfer();
    await fixture.lag("a", 0);
    await fixture.lag("b", LAG_MS);
    // It has pruned the transaction.
    fixture.alter((reply, path) => (path.includes("/transactions") ? withJson(reply, () => []) : reply));
    expect(await fixture.nodeOf(["b", "a"]).transactionAtSequence(sender, 0n)).toMatchObject({
      value: { value: { kind: "used" } },
    });
  });

  test("a minute is not yet a lag", async () => {
    await fixture.lag("a", MINUTE_MS - 15_000);
    await node.estimateGasPrice();
    expect(await countsOf("b")).toBe(0);
  });
});

describe("where no endpoint is up to date", () => {
  test("the newest is believed, and not each question asks all", async () => {
    const at = useStoppedTime();
    const signed = await committedTransfer();
    // Our clock is wrong.
    fixture.clock.aheadMs = 60 * MINUTE_MS;
    expect(await node.account(signed.sender)).toMatchObject({ value: { value: { sequenceNumber: 1n } } });
    expect([await countsOf("a"), await countsOf("b")]).toEqual([1, 1]);
    await fixture.lag("a", 0);
    for (let times = 0; times < 3; times++) expect(await node.estimateGasPrice()).toMatchObject({ ok: true });
    expect([await countsOf("a"), await countsOf("b")]).toEqual([4, 1]);
    at(MINUTE_MS + 1);
    for (let times = 0; times < 3; times++) expect(await node.estimateGasPrice()).toMatchObject({ ok: true });
    expect([await countsOf("a"), await countsOf("b")]).toEqual([7, 2]);
  });

  test("one that lags behind the others is not believed", async () => {
    useStoppedTime();
    const signed = await committedTransfer();
    fixture.clock.aheadMs = 60 * MINUTE_MS;
    for (let times = 0; times < 3; times++)
      expect(await node.account(signed.sender)).toMatchObject({ value: { value: { sequenceNumber: 1n } } });
    expect([await countsOf("a"), await countsOf("b")]).toEqual([2, 3]);
  });

  test("the only one is believed at once", async () => {
    const alone = fixture.nodeOf(["a"]);
    for (let times = 0; times < 3; times++) expect(await alone.estimateGasPrice()).toEqual({ ok: true, value: 100n });
    expect(await countsOf("a")).toBe(3);
  });

  test("one is believed while the other fails, and no longer", async () => {
    const signed = await committedTransfer();
    for (let times = 0; times < 2; times++) {
      await fixture.fault("b", "GET /accounts/:address", "http_500");
      expect(await node.account(signed.sender)).toMatchObject({ value: { value: { sequenceNumber: 0n } } });
    }
    expect(await node.account(signed.sender)).toMatchObject({ value: { value: { sequenceNumber: 1n } } });
  });

  test("one is believed without waiting for another that hangs, except once a minute", async () => {
    useStoppedTime();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await fixture.lag("b", LAG_MS);
    fixture.alter(async (reply) => {
      await reply.body?.cancel();
      vi.advanceTimersByTime(READ_TIMEOUT_MS);
      throw new Error("no answer in time");
    });
    const hanging = fixture.nodeOf(["b", "a"]);
    for (let times = 0; times < 3; times++) expect(await hanging.estimateGasPrice()).toEqual({ ok: true, value: 100n });
    expect([await countsOf("a"), await countsOf("b")]).toEqual([1, 3]);
  });
});

describe("a submission that an endpoint refuses", () => {
  const refusing = ({ headers }: Response) => {
    const error = { message: "INSUFFICIENT_BALANCE_FOR_TRANSACTION_FEE", error_code: "vm_error", vm_error_code: 5 };
    return Response.json(error, { status: 400, headers });
  };

  test("goes to the next one where the first lags: it may know nothing yet of the money", async () => {
    const { bytes, hash } = await transfer();
    await fixture.hold(true);
    fixture.alter(refusing);
    expect(await node.submit(bytes, hash)).toMatchObject({ kind: "accepted" });
  });

  test("is refused where all lag", async () => {
    const { bytes, hash } = await transfer();
    fixture.alter(refusing);
    expect(await fixture.nodeOf(["a"]).submit(bytes, hash)).toMatchObject({ kind: "refused", vmErrorCode: 5 });
  });

  test("is refused where it is up to date", async () => {
    const { bytes, hash } = await transfer();
    await fixture.lag("a", 0);
    fixture.alter(refusing);
    expect(await node.submit(bytes, hash)).toMatchObject({ kind: "refused", vmErrorCode: 5 });
  });
});

test("all nodes of a service know which endpoints lag", async () => {
  useStoppedTime();
  const base = (endpoint: string) => `${fixture.chain.url}/aptos/${endpoint}/v1`;
  const secret = `1:${btoa("x".repeat(32))}`;
  const secrets = { MASTER_KEYS: secret, KEY_PEPPERS: secret, ADMIN_TOKEN: "a".repeat(24) };
  const env = { ...secrets, APTOS_LOCALNET_NODES: `${base("a")} ${base("b")}` };
  // The chain is ahead of the machine's clock.
  const deps = createDeps({ ...env, STAGE: "test", CLOCK_OFFSET_MS: String(2 * LAG_MS) });
  for (let times = 0; times < 3; times++)
    expect(await deps.aptosNode("APTOS_LOCALNET").estimateGasPrice()).toEqual({ ok: true, value: 100n });
  expect([await countsOf("a"), await countsOf("b")]).toEqual([1, 3]);
});
