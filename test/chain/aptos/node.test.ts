import { createServer, type Server } from "node:http";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { AptosNode } from "../../../shared/chain/aptos/node.ts";
import { createAptosNode } from "../../../shared/chain/aptos/rest/node.ts";
import { READ_TIMEOUT_MS } from "../../../shared/chain/failover.ts";
import { APT } from "../../devchain/aptos-testing.ts";
import { APTOS_DEMO_MODULE } from "../../devchain/demo.ts";
import { describeVariants, longTest, shortCases, shortTest, variants } from "../../support/rounds.ts";
import {
  commitSigned,
  GAS_PRICE_OCTAS,
  MAX_GAS_UNITS,
  type NodeFixture,
  rawOf,
  type Signed,
  sponsoredCall,
  sponsoredTransfer,
  startNodeFixture,
  withJson,
} from "./node-testing.ts";

const NOBODY = `0x${"6".repeat(64)}`;
const UNKNOWN_HASH = `0x${"7".repeat(64)}`;
const BY_HASH = "GET /transactions/by_hash/:hash";
const SUBMIT = "POST /transactions";
const BLOCK_MS = 1_000;

let fixture: NodeFixture;
let node: AptosNode;
beforeEach(async () => {
  fixture = await startNodeFixture();
  node = fixture.node;
});

async function committedTransfer(): Promise<Signed> {
  const signed = await sponsoredTransfer(fixture.chain);
  await commitSigned(fixture, signed);
  return signed;
}

async function executionOf({ hash }: Signed) {
  const looked = await fixture.nodeOf(["default"]).lookUp(hash);
  if (!looked.ok || looked.value.value.kind !== "committed") throw new Error("it is not committed");
  return looked.value.value.execution;
}

describe("what the node tells", () => {
  shortTest("the ledger: chain id, versions and time in milliseconds", async () => {
    const info = await fixture.chain.aptos.getLedgerInfo();
    const ledger = await node.ledger();
    expect(ledger).toMatchObject({ ok: true, value: { chain: 4, lowestAvailable: 0n } });
    if (!ledger.ok) return;
    expect(ledger.value.version).toBeGreaterThanOrEqual(BigInt(info.ledger_version));
    expect(ledger.value.timestampMs - Number(BigInt(info.ledger_timestamp) / 1_000n)).toBeLessThan(10_000);
    expect(ledger.value.timestampMs).toBeGreaterThanOrEqual(Number(BigInt(info.ledger_timestamp) / 1_000n));
  });

  shortTest("an address without an account has sequence number 0 and does not exist", async () => {
    expect(await node.account(NOBODY)).toMatchObject({ ok: true, value: { value: { sequenceNumber: 0n } } });
    expect(await node.accountExists(NOBODY)).toEqual({ ok: true, value: false });
  });

  shortTest("an account exists from its first transaction on, and its sequence number counts them", async () => {
    const { sender } = await committedTransfer();
    expect(await node.account(sender)).toMatchObject({
      ok: true,
      value: { value: { sequenceNumber: 1n }, chain: 4 },
    });
    expect(await node.accountExists(sender)).toEqual({ ok: true, value: true });
  });

  shortTest("a balance to the octa, also above 2^53, and 0 without a store", async () => {
    const { accountAddress } = await fixture.chain.account(123_456_789n);
    expect(await node.balance(accountAddress.toStringLong())).toMatchObject({
      ok: true,
      value: { value: 123_456_789n },
    });
    expect(await node.balance(NOBODY)).toMatchObject({ ok: true, value: { value: 0n } });
    fixture.alter((one, path) => (path.startsWith("/view") ? withJson(one, () => ["9007199254740993"]) : one));
    expect(await node.balance(NOBODY)).toMatchObject({ ok: true, value: { value: 2n ** 53n + 1n } });
  });

  shortTest("a balance and its ledger are of one reply", async () => {
    const { accountAddress } = await fixture.chain.account(APT);
    const address = accountAddress.toStringLong();
    const before = await fixture.nodeOf(["b"]).balance(address);
    await fixture.chain.fund(address, APT);
    fixture.chain.clock.aheadMs += BLOCK_MS;
    const after = await fixture.nodeOf(["b"]).balance(address);
    expect([before, after]).toMatchObject([{ value: { value: APT } }, { value: { value: 2n * APT } }]);
    if (!before.ok || !after.ok) return;
    expect(before.value.version).toBeLessThan(after.value.version);
    expect(await fixture.calls("b")).toEqual({ "POST /view": 2 });
  });

  shortTest("the gas price", async () => {
    expect(await node.estimateGasPrice()).toEqual({ ok: true, value: 100n });
  });

  shortTest("a committed transaction with its signers and what it cost", async () => {
    const signed = await committedTransfer();
    const looked = await node.lookUp(signed.hash);
    const executed = await node.transactionAtSequence(signed.sender, 0n);
    const execution = await executionOf(signed);
    expect(execution).toMatchObject({
      hash: signed.hash,
      success: true,
      vmStatus: "Executed successfully",
      sender: signed.sender,
      sequenceNumber: 0n,
      maxGasUnits: BigInt(MAX_GAS_UNITS),
      gasUnitPriceOctas: BigInt(GAS_PRICE_OCTAS),
      feePayer: signed.feePayer,
      secondarySigners: [],
      storageRefundOctas: 0n,
    });
    const paid = execution.gasUsedUnits * execution.gasUnitPriceOctas;
    expect(await node.balance(signed.feePayer)).toMatchObject({ ok: true, value: { value: 10n * APT - paid } });
    expect(looked).toMatchObject({ ok: true, value: { value: { kind: "committed", execution } } });
    expect(executed).toMatchObject({ ok: true, value: { value: { execution } } });
  });

  shortTest("what the payer was given back for storage, to the octa", async () => {
    const sender = await fixture.chain.account(APT);
    const payer = await fixture.chain.account(10n * APT);
    for (const name of ["increment", "close"] as const)
      await commitSigned(
        fixture,
        await sponsoredCall(fixture.chain, sender, payer, {
          function: `${APTOS_DEMO_MODULE}::${name}`,
          functionArguments: [],
        }),
      );
    const address = sender.accountAddress.toStringLong();
    let octas = 10n * APT;
    for (const sequenceNumber of [0n, 1n]) {
      const executed = await node.transactionAtSequence(address, sequenceNumber);
      if (!executed.ok || executed.value.value.kind !== "shown") throw new Error("it is not committed");
      const { gasUsedUnits, gasUnitPriceOctas, storageRefundOctas } = executed.value.value.execution;
      octas += storageRefundOctas - gasUsedUnits * gasUnitPriceOctas;
      expect(storageRefundOctas > 0n).toBe(sequenceNumber === 1n);
    }
    expect(await node.balance(payer.accountAddress.toStringLong())).toMatchObject({
      ok: true,
      value: { value: octas },
    });
  });

  shortTest("an abort, which costs gas all the same", async () => {
    const signed = await sponsoredTransfer(fixture.chain, { octas: 100n * APT });
    await commitSigned(fixture, signed);
    const execution = await executionOf(signed);
    expect(execution.success).toBe(false);
    expect(execution.vmStatus).toContain("EINSUFFICIENT_BALANCE");
    expect(execution.gasUsedUnits).toBeGreaterThan(0n);
  });

  shortTest("a pending transaction is the same value in the answer of its submission and in a look-up", async () => {
    const { bytes, hash } = await sponsoredTransfer(fixture.chain);
    await fixture.hold(true);
    const submitted = await node.submit(bytes, hash);
    const looked = await node.lookUp(hash);
    if (submitted.kind !== "accepted" || !looked.ok) throw new Error("it was not accepted");
    expect(submitted.transaction).toMatchObject({ hash, signature: { type: "fee_payer_signature" } });
    expect(submitted.transaction).not.toHaveProperty("type");
    expect(looked.value.value).toEqual({ kind: "pending", transaction: submitted.transaction });
  });

  shortTest("a hash that nobody knows is missing, with the ledger's state", async () => {
    const looked = await node.lookUp(UNKNOWN_HASH);
    expect(looked).toMatchObject({ ok: true, value: { value: { kind: "missing" }, chain: 4 } });
  });

  shortTest("a sequence number that has not passed has no transaction", async () => {
    const { sender } = await committedTransfer();
    expect(await node.transactionAtSequence(sender, 1n)).toMatchObject({
      ok: true,
      value: { value: { kind: "unused" } },
    });
  });
});

describe("an endpoint that lags", () => {
  shortTest("misses what is committed, and its ledger's time says how far it had seen", async () => {
    await fixture.lag("a", 60_000);
    const signed = await committedTransfer();
    const { timestampMs } = await executionOf(signed);
    const early = await node.lookUp(signed.hash);
    const earlyAt = await node.transactionAtSequence(signed.sender, 0n);
    fixture.chain.clock.aheadMs += 61_000;
    const late = await node.lookUp(signed.hash);
    if (!early.ok || !late.ok || !earlyAt.ok) throw new Error("a look-up was refused");
    expect([early.value.value.kind, earlyAt.value.value.kind, late.value.value.kind]).toEqual([
      "missing",
      "unused",
      "committed",
    ]);
    expect(early.value.timestampMs).toBeLessThan(timestampMs);
    expect(earlyAt.value.timestampMs).toBeLessThan(timestampMs);
    expect(late.value.timestampMs).toBeGreaterThanOrEqual(timestampMs);
  });
});

type Read = (node: AptosNode, signed: Signed) => Promise<unknown>;
const READS: readonly (readonly [string, string, Read])[] = [
  ["the ledger", "GET /", (one) => one.ledger()],
  ["an account", "GET /accounts/:address", (one, { sender }) => one.account(sender)],
  ["whether it exists", "GET /accounts/:address/resource/:type", (one, { sender }) => one.accountExists(sender)],
  ["a balance", "POST /view", (one, { feePayer }) => one.balance(feePayer)],
  ["a look-up", BY_HASH, (one, { hash }) => one.lookUp(hash)],
  [
    "what was executed",
    "GET /accounts/:address/transactions",
    (one, { sender }) => one.transactionAtSequence(sender, 0n),
  ],
  ["the gas price", "GET /estimate_gas_price", (one) => one.estimateGasPrice()],
  ["a simulation", "POST /transactions/simulate", (one, signed) => one.simulate(rawOf(signed))],
];

describe("a simulation says how a transaction would end, and executes nothing", () => {
  shortTest("a transfer that the sender can make", async () => {
    const signed = await sponsoredTransfer(fixture.chain);
    const simulated = await node.simulate(rawOf(signed));
    expect(simulated).toMatchObject({ ok: true, value: { kind: "executed", success: true } });
    expect(await node.account(signed.sender)).toMatchObject({ ok: true, value: { value: { sequenceNumber: 0n } } });
  });

  shortTest("a transfer of more than the sender has", async () => {
    const signed = await sponsoredTransfer(fixture.chain, { octas: 1_000n * APT });
    expect(await node.simulate(rawOf(signed))).toMatchObject({
      ok: true,
      value: { kind: "executed", success: false, vmStatus: expect.stringMatching(/^Move abort/) },
    });
  });

  shortTest("a sequence number that is used", async () => {
    expect(await node.simulate(rawOf(await committedTransfer()))).toEqual({
      ok: true,
      value: { kind: "discarded", vmStatus: "SEQUENCE_NUMBER_TOO_OLD" },
    });
  });
});

/** All but the ledger, which moves on between two answers. */
function withoutLedger(outcome: unknown): unknown {
  return JSON.parse(
    JSON.stringify(outcome, (key, value) =>
      ["ledger", "version", "timestampMs"].includes(key)
        ? undefined
        : typeof value === "bigint"
          ? String(value)
          : value,
    ),
  );
}

describeVariants(
  ["unavailable", "http_500", "garbage", "half_body"],
  4,
  "an endpoint that is broken by %s does not keep a read from its answer",
  (mode) => {
    test.each(READS)("%s", async (_what, method, read) => {
      const signed = await committedTransfer();
      const healthy = await read(node, signed);
      await fixture.fault("a", method, mode);
      expect(healthy).toMatchObject({ ok: true });
      expect(withoutLedger(await read(node, signed))).toEqual(withoutLedger(healthy));
      expect((await fixture.calls("b"))[method]).toBe(1);
    });
  },
);

shortTest("an endpoint that nobody listens at is passed over", async () => {
  const other = fixture.nodeOf(["a"]);
  fixture.alter(() => Promise.reject(new TypeError("fetch failed")));
  expect(await other.ledger()).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
  expect(await node.ledger()).toMatchObject({ ok: true });
});

longTest("an endpoint that does not answer in time is passed over", async () => {
  const { setTimeout } = globalThis;
  const spy = vi.spyOn(globalThis, "setTimeout");
  spy.mockImplementation((handler, ms) => setTimeout(handler, ms === READ_TIMEOUT_MS ? 300 : ms));
  try {
    await fixture.fault("a", "GET /estimate_gas_price", "hang");
    expect(await node.estimateGasPrice()).toEqual({ ok: true, value: 100n });
    expect(await fixture.calls("b")).toEqual({ "GET /estimate_gas_price": 1 });
  } finally {
    spy.mockRestore();
  }
});

shortTest("with every endpoint broken a read is refused, and so it is with none", async () => {
  for (const endpoint of ["a", "b"]) await fixture.fault(endpoint, "GET /", "http_500");
  const refused = { ok: false, error: { reason: "node_unavailable" } };
  expect(await node.ledger()).toMatchObject(refused);
  expect(await fixture.nodeOf([]).ledger()).toMatchObject(refused);
});

async function listening(server: Server): Promise<{ readonly port: number }> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address;
}

function withHeader(name: string, value: string) {
  return (response: Response) => {
    const headers = new Headers(response.headers);
    headers.set(name, value);
    return new Response(response.body, { status: response.status, headers });
  };
}

function withoutLedgerHeaders(response: Response) {
  return new Response(response.body, { status: response.status });
}

describe("no answer", () => {
  test.each(variants(READS))("of an endpoint of another chain is believed: %s", async (_what, _method, read) => {
    const signed = await committedTransfer();
    fixture.alter(withHeader("x-aptos-chain-id", "1"));
    expect(await read(fixture.nodeOf(["a"]), signed)).toMatchObject({ error: { reason: "node_unavailable" } });
    expect(await read(node, signed)).toMatchObject({ ok: true });
  });

  shortTest("of a public network's chain passes for devnet's, whose own id changes", async () => {
    const devnet = fixture.nodeOf(["a"], "APTOS_DEVNET");
    fixture.alter(withHeader("x-aptos-chain-id", "2"));
    expect(await devnet.estimateGasPrice()).toMatchObject({ ok: false });
    fixture.alter(withHeader("x-aptos-chain-id", "201"));
    expect(await devnet.account(NOBODY)).toMatchObject({ ok: true, value: { chain: 201 } });
  });

  shortTest("names one chain in its headers and another in its body", async () => {
    fixture.alter((response) => withJson(response, (json) => ({ ...Object(json), chain_id: 2 })));
    expect(await fixture.nodeOf(["a"]).ledger()).toMatchObject({ ok: false });
  });

  shortCases.each([
    ["of something in front of the node", () => new Response("<h1>Not Found</h1>", { status: 404 })],
    ["without the ledger's headers", withoutLedgerHeaders],
    [
      "about something else",
      (one: Response) => withJson(one, (json) => ({ ...Object(json), error_code: "web_framework_error" })),
    ],
    ["without an error code", (one: Response) => withJson(one, () => ({ message: "not found" }))],
  ])("is a 404 %s: what it says is missing may be there", async (_what, alteration) => {
    fixture.alter(alteration);
    expect(await fixture.nodeOf(["a"]).lookUp(UNKNOWN_HASH)).toMatchObject({ ok: false });
    expect(await fixture.nodeOf(["a"]).accountExists(NOBODY)).toMatchObject({ ok: false });
    expect(await node.lookUp(UNKNOWN_HASH)).toMatchObject({ ok: true, value: { value: { kind: "missing" } } });
  });

  shortCases.each([
    [410, "version_pruned"],
    [429, "rate_limited"],
    [503, "node_not_bootstrapped"],
  ])("is a %i %s, even with the ledger's headers", async (status, error_code) => {
    fixture.alter(({ headers }) =>
      Response.json({ message: "no", error_code, vm_error_code: null }, { status, headers }),
    );
    expect(await fixture.nodeOf(["a"]).lookUp(UNKNOWN_HASH)).toMatchObject({ ok: false });
    expect(await node.lookUp(UNKNOWN_HASH)).toMatchObject({ ok: true });
  });

  shortTest("is a redirection, wherever it leads", async () => {
    const location = `${fixture.chain.url}/aptos/v1/estimate_gas_price`;
    const server = createServer((_request, response) => response.writeHead(307, { location }).end());
    onTestFinished(() => void server.close());
    const { port } = await listening(server);
    const urls = [`http://127.0.0.1:${port}/v1`];
    const redirected = createAptosNode({ network: "APTOS_LOCALNET", urls, fetch });
    expect(await redirected.estimateGasPrice()).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
  });
});

describe("a sequence number that the account has passed", () => {
  const list = (path: string) => path.includes("/transactions?");

  shortCases.each([
    ["the node has pruned", (one: Response) => withJson(one, () => [])],
    ["nobody can read", (one: Response) => withJson(one, (all) => Array.isArray(all) && [{ ...all[0], gas_used: 1 }])],
    ["a node of an error shows", ({ headers }: Response) => Response.json({}, { status: 410, headers })],
    ["no stream brings to its end", ({ headers }: Response) => new Response(brokenStream(), { headers })],
  ])("is used by a transaction that %s, by the account's own reply", async (_what, alteration) => {
    const { sender } = await committedTransfer();
    fixture.alter((one, path) => (list(path) ? alteration(one) : one));
    const one = fixture.nodeOf(["a"]);
    expect(await one.transactionAtSequence(sender, 0n)).toMatchObject({
      ok: true,
      value: { value: { kind: "used", support: "agreed" }, chain: 4 },
    });
    expect(await one.transactionAtSequence(sender, 1n)).toMatchObject({
      ok: true,
      value: { value: { kind: "unused" } },
    });
    expect(await node.transactionAtSequence(sender, 0n)).toMatchObject({
      ok: true,
      value: { value: { execution: { sequenceNumber: 0n } } },
    });
  });

  shortTest("stays used where another endpoint lags behind that", async () => {
    await fixture.lag("b", 60_000);
    const { sender } = await committedTransfer();
    fixture.alter((one, path) => (list(path) ? withJson(one, () => []) : one));
    expect(await node.transactionAtSequence(sender, 0n)).toMatchObject({
      ok: true,
      value: { value: { kind: "used", support: "alone" } },
    });
  });

  shortTest("is disputed where another endpoint's later ledger has it unused", async () => {
    const { sender } = await sponsoredTransfer(fixture.chain);
    fixture.alter((one, path) => {
      if (list(path)) return withJson(one, () => []);
      return withJson(one, (all) => Object.assign({}, all, { sequence_number: "1" }));
    });
    expect(await fixture.nodeOf(["a"]).transactionAtSequence(sender, 0n)).toMatchObject({
      value: { value: { support: "agreed" } },
    });
    expect(await node.transactionAtSequence(sender, 0n)).toMatchObject({
      value: { value: { kind: "used", support: "disputed" } },
    });
  });

  shortTest("is never told of by another reply's ledger", async () => {
    const { sender } = await committedTransfer();
    const far = "99999999999999999";
    fixture.alter((one, path) => (list(path) ? withHeader("x-aptos-ledger-timestampusec", far)(one) : one));
    const unused = await fixture.nodeOf(["a"]).transactionAtSequence(sender, 1n);
    if (!unused.ok) throw new Error("it was refused");
    expect(unused.value).toMatchObject({ value: { kind: "unused" } });
    expect(unused.value.timestampMs).toBeLessThan(Number(far) / 1_000);
  });
});

function brokenStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => controller.error(new Error("the connection broke")),
  });
}

type Fields = Record<string, unknown>;

function changed(fields: Fields) {
  return (json: unknown) => ({ ...Object(json), ...fields });
}

function eventsOf(json: unknown): { type: string; data: Fields }[] {
  return Object(json).events;
}

function withEvents(change: (events: { type: string; data: Fields }[]) => unknown) {
  return (json: unknown) => ({ ...Object(json), events: change(eventsOf(json)) });
}

const isFee = ({ type }: { type: string }) => type === "0x1::transaction_fee::FeeStatement";

const BYZANTINE_REPLIES: readonly (readonly [string, (json: unknown) => unknown])[] = [
  ["another hash", changed({ hash: UNKNOWN_HASH })],
  ["an unknown type", changed({ type: "block_metadata_transaction" })],
  ["no verdict", changed({ success: undefined })],
  ["a verdict in words", changed({ success: "true" })],
  ["negative gas", changed({ gas_used: "-1" })],
  ["gas as a number", changed({ gas_used: 34 })],
  ["gas above u64", changed({ gas_used: "18446744073709551616" })],
  ["endless gas", changed({ gas_used: "9".repeat(100_000) })],
  ["other gas than its fee statement", changed({ gas_used: "1" })],
  ["more gas than was offered", changed({ max_gas_amount: "1" })],
  ["a sequence number with a zero before it", changed({ sequence_number: "00" })],
  ["a sender that is no address", changed({ sender: "alice" })],
  ["no signature", changed({ signature: undefined })],
  ["a signature without its fee payer", changed({ signature: { type: "fee_payer_signature" } })],
  ["a signature of an unknown kind", changed({ signature: { type: "trust_me" } })],
  ["a time out of this world", changed({ timestamp: "18446744073709551615" })],
  ["no events", changed({ events: undefined })],
  ["no fee statement", withEvents((events) => events.filter((one) => !isFee(one)))],
  ["two fee statements", withEvents((events) => [...events, ...events.filter(isFee)])],
  [
    "a negative refund",
    withEvents((events) =>
      events.map((one) => (isFee(one) ? { ...one, data: { ...one.data, storage_fee_refund_octas: "-5" } } : one)),
    ),
  ],
];

describe("a committed transaction with a lie in it is no answer", () => {
  shortCases.each(BYZANTINE_REPLIES)("%s", async (_what, lie) => {
    const signed = await committedTransfer();
    fixture.alter((response) => withJson(response, lie));
    expect(await fixture.nodeOf(["a"]).lookUp(signed.hash)).toMatchObject({ error: { reason: "node_unavailable" } });
    const execution = await executionOf(signed);
    expect(await node.lookUp(signed.hash)).toMatchObject({ ok: true, value: { value: { execution } } });
  });

  shortCases.each([
    ["of another sender", changed({ sender: NOBODY })],
    ["at another sequence number", changed({ sequence_number: "1" })],
  ])("%s, where that sender's at that number was asked for", async (_what, lie) => {
    const { sender } = await committedTransfer();
    fixture.alter((one) => withJson(one, (list) => (Array.isArray(list) ? list.map(lie) : list)));
    expect(await fixture.nodeOf(["a"]).transactionAtSequence(sender, 0n)).toMatchObject({
      value: { value: { kind: "used" } },
    });
  });

  shortTest("or one that does not end", async () => {
    const { hash } = await committedTransfer();
    const chunk = new Uint8Array(1024 * 1024).fill(32);
    let sent = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        sent += 1;
        controller.enqueue(chunk);
      },
    });
    fixture.alter(({ headers }) => new Response(endless, { headers }));
    expect(await fixture.nodeOf(["a"]).lookUp(hash)).toMatchObject({ ok: false });
    expect(sent).toBeLessThan(40);
  });
});

describe("other byzantine replies are no answer", () => {
  shortCases.each([
    ["a negative sequence number", { sequence_number: "-1" }, (one: AptosNode) => one.account(NOBODY)],
    [
      "a sequence number above u64",
      { sequence_number: "99999999999999999999" },
      (one: AptosNode) => one.account(NOBODY),
    ],
    ["a gas price of nothing", { gas_estimate: 0 }, (one: AptosNode) => one.estimateGasPrice()],
    ["a fraction of a gas price", { gas_estimate: 100.5 }, (one: AptosNode) => one.estimateGasPrice()],
    [
      "a gas price above the chain's highest",
      { gas_estimate: 10_000_000_001 },
      (one: AptosNode) => one.estimateGasPrice(),
    ],
  ] as const)("%s", async (_what, fields, read) => {
    fixture.alter((one) => withJson(one, changed(fields)));
    expect(await read(fixture.nodeOf(["a"]))).toMatchObject({ ok: false });
  });

  shortCases.each([["[-1]"], ["[1]"], ['["-1"]'], ['["1","2"]'], ["[]"], ['["1e3"]']])(
    "the balance %s",
    async (body) => {
      fixture.alter((one, path) => (path.startsWith("/view") ? new Response(body, { headers: one.headers }) : one));
      expect(await fixture.nodeOf(["a"]).balance(NOBODY)).toMatchObject({ ok: false });
    },
  );

  shortCases.each([
    ["x-aptos-ledger-version", "-1"],
    ["x-aptos-ledger-oldest-version", ""],
    ["x-aptos-ledger-timestampusec", "soon"],
    ["x-aptos-chain-id", "4.0"],
  ])("the header %s: %s", async (name, value) => {
    fixture.alter(withHeader(name, value));
    expect(await fixture.nodeOf(["a"]).account(NOBODY)).toMatchObject({ ok: false });
  });

  shortTest("a reply above 64 KiB where no transaction was asked for", async () => {
    fixture.alter((one) => withJson(one, changed({ padding: "x".repeat(64 * 1024) })));
    expect(await fixture.nodeOf(["a"]).estimateGasPrice()).toMatchObject({ ok: false });
  });
});

/** Whatever takes it keeps it in its mempool: what a second submission is told must not hang on how soon it comes. */
async function heldTransfer(): Promise<Signed> {
  const signed = await sponsoredTransfer(fixture.chain);
  await fixture.hold(true);
  return signed;
}

async function isCommitted({ hash }: Signed): Promise<boolean> {
  await fixture.hold(false);
  fixture.chain.clock.aheadMs += BLOCK_MS;
  const looked = await fixture.nodeOf(["default"]).lookUp(hash);
  return looked.ok && looked.value.value.kind === "committed";
}

describe("a submission", () => {
  shortTest("is accepted, again and again, and committed once", async () => {
    const signed = await heldTransfer();
    const first = await node.submit(signed.bytes, signed.hash);
    expect(first).toMatchObject({ kind: "accepted", transaction: { hash: signed.hash } });
    expect(await node.submit(signed.bytes, signed.hash)).toEqual(first);
    expect(await isCommitted(signed)).toBe(true);
    expect(await node.account(signed.sender)).toMatchObject({ value: { value: { sequenceNumber: 1n } } });
  });

  shortTest("that the VM refuses is refused with the VM's code, and no other endpoint is asked", async () => {
    const { bytes, hash } = await committedTransfer();
    expect(await node.submit(bytes, hash)).toEqual({
      kind: "refused",
      status: "vm_error",
      text: "Invalid transaction: Type: Validation Code: SEQUENCE_NUMBER_TOO_OLD",
      vmErrorCode: 3,
    });
    expect(await fixture.calls("b")).toEqual({});
  });

  shortTest("of what is no transaction is refused", async () => {
    expect(await node.submit(Uint8Array.of(1, 2, 3), UNKNOWN_HASH)).toMatchObject({
      kind: "refused",
      status: "invalid_input",
      vmErrorCode: null,
    });
  });

  shortCases.each(["unavailable_before_commit", "drop_after_commit", "http_500", "half_body", "garbage"])(
    "of the same bytes to the next endpoint after %s takes them once and tells the truth",
    async (mode) => {
      const signed = await heldTransfer();
      await fixture.fault("a", SUBMIT, mode);
      expect(await node.submit(signed.bytes, signed.hash)).toMatchObject({ kind: "accepted" });
      expect(await fixture.calls("b")).toEqual({ [SUBMIT]: 1 });
      expect(await isCommitted(signed)).toBe(true);
    },
  );

  shortTest("whose answer got lost stays unknown when the next endpoint says that its number has passed", async () => {
    const signed = await sponsoredTransfer(fixture.chain);
    fixture.alter(() => {
      fixture.chain.clock.aheadMs += BLOCK_MS;
      return new Response("upstream request timeout", { status: 504 });
    });
    expect(await node.submit(signed.bytes, signed.hash)).toMatchObject({ kind: "unknown" });
    expect(await fixture.calls("b")).toEqual({ [SUBMIT]: 1 });
    expect(await isCommitted(signed)).toBe(true);
  });

  shortCases.each([
    [507, "mempool_is_full"],
    [429, "rate_limited"],
    [503, "node_not_bootstrapped"],
    [403, "api_disabled"],
    [403, "rejected_by_filter"],
  ])(
    "at an endpoint that takes none (%i %s) goes to the next, and is refused where that was the last",
    async (status, error_code) => {
      const { bytes, hash } = await heldTransfer();
      fixture.alter(({ headers }) =>
        Response.json({ message: "not now", error_code, vm_error_code: null }, { status, headers }),
      );
      expect(await fixture.nodeOf(["a"]).submit(bytes, hash)).toEqual({
        kind: "refused",
        status: error_code,
        text: "not now",
        vmErrorCode: null,
      });
      expect(await node.submit(bytes, hash)).toMatchObject({ kind: "accepted" });
    },
  );

  shortCases.each([
    ["an internal error of the node", 500, "internal_error"],
    ["an unknown status", 404, "transaction_not_found"],
  ])("is unknown after %s: its mempool may have it", async (_what, status, error_code) => {
    const { bytes, hash } = await sponsoredTransfer(fixture.chain);
    fixture.alter(({ headers }) =>
      Response.json({ message: "oh", error_code, vm_error_code: null }, { status, headers }),
    );
    expect(await fixture.nodeOf(["a"]).submit(bytes, hash)).toMatchObject({ kind: "unknown" });
  });

  shortCases.each([
    ["of another chain", withHeader("x-aptos-chain-id", "1")],
    ["without the ledger's headers", withoutLedgerHeaders],
    ["that is no JSON", ({ headers }: Response) => new Response("no", { status: 400, headers })],
  ])("is not refused by an answer %s", async (_what, alteration) => {
    const { bytes, hash } = await committedTransfer();
    fixture.alter(alteration);
    expect(await fixture.nodeOf(["a"]).submit(bytes, hash)).toMatchObject({ kind: "unknown" });
  });

  shortCases.each([
    ["another hash", changed({ hash: UNKNOWN_HASH })],
    ["no payload", changed({ payload: undefined })],
    ["a negative price", changed({ gas_unit_price: "-1" })],
  ])("is not accepted by an answer with %s", async (_what, lie) => {
    const { bytes, hash } = await sponsoredTransfer(fixture.chain);
    fixture.alter((one) => withJson(one, lie));
    expect(await fixture.nodeOf(["a"]).submit(bytes, hash)).toMatchObject({ kind: "unknown" });
  });

  shortTest("without any endpoint is unknown", async () => {
    expect(await fixture.nodeOf([]).submit(Uint8Array.of(1), UNKNOWN_HASH)).toMatchObject({ kind: "unknown" });
  });
});
