import { Transaction } from "@mysten/sui/transactions";
import { beforeEach, describe, expect, test } from "vitest";
import { createSuiNode } from "../../../shared/chain/sui/grpc/node.ts";
import type { SuiNode } from "../../../shared/chain/sui/node.ts";
import { transactionDigest } from "../../../shared/chain/sui/transaction.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";
import { errorResponse, messageResponse } from "../../devchain/sui/grpc-web.ts";
import { GrpcCode, GrpcStatus } from "../../devchain/sui/status.ts";
import { startChain, type TestChain } from "../../devchain/testing.ts";

const GRPC_WEB = { "content-type": "application/grpc-web+proto" };
const TEXT = "the object is 100 % unknown: ä";

let chain: TestChain;
let bytes: Uint8Array;
/** What the endpoint `a` answers to every call. */
let answer: () => Response | Promise<Response>;
let asked: string[];
let logged: string[];
let node: SuiNode;

beforeEach(async () => {
  chain = await startChain();
  asked = [];
  logged = [];
  node = createSuiNode({
    network: "SUI_LOCALNET",
    urls: ["http://a.test/sui/a", "http://b.test/sui/b"],
    fetch: async (input, init) => {
      const { host } = new URL(String(input));
      asked.push(host);
      return host === "a.test" ? answer() : chain.chain.fetch(new Request(input, init));
    },
    clock: { nowMs: () => chain.clock.nowMs, alarmAtMs: (atMs) => atMs },
    log: (name) => logged.push(name),
  });
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("one")] });
  transaction.setSender(`0x${"5".repeat(64)}`);
  transaction.setGasPayment([]);
  transaction.setGasPrice(1_000);
  transaction.setGasBudget(50_000_000);
  transaction.setExpiration({ None: true });
  bytes = await transaction.build();
});

const VERDICTS = {
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  INTERNAL: 13,
  DATA_LOSS: 15,
} as const;
const NO_VERDICTS = {
  CANCELLED: 1,
  DEADLINE_EXCEEDED: 4,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

function inTrailers(code: number, text = TEXT): Response {
  return errorResponse("binary", new GrpcStatus(code as GrpcCode, text));
}

function inHeaders(code: number, text = TEXT): Response {
  const status = { "grpc-status": String(code), "grpc-message": encodeURIComponent(text) };
  return new Response(null, { headers: { ...GRPC_WEB, ...status } });
}

describe.each([
  ["trailers", inTrailers],
  ["headers", inHeaders],
])("in its %s", (_, say) => {
  test.each(Object.entries(VERDICTS))(
    "a node that refuses to simulate says %s of the transaction",
    async (status, code) => {
      answer = () => say(code);
      expect(await node.dryRun(bytes)).toEqual({
        ok: false,
        error: { reason: "dry_run_failed", details: TEXT, data: { node: { status, text: TEXT } } },
      });
      expect([asked, logged], "and nothing of itself").toEqual([["a.test"], []]);
    },
  );

  test.each(Object.entries(NO_VERDICTS))("a node that does not simulate says %s of itself", async (_status, code) => {
    answer = () => say(code);
    expect(await node.dryRun(bytes)).toMatchObject({ ok: true, value: { success: true } });
    expect([asked, logged]).toEqual([["a.test", "b.test"], ["node.failed"]]);
  });
});

const OK_TRAILERS = (text: string) => {
  const trailers = new TextEncoder().encode(text);
  return Uint8Array.of(0x80, 0, 0, 0, trailers.length, ...trailers);
};

describe("what is no answer of a node is nothing that a node says of a transaction", () => {
  const broken: readonly (readonly [string, () => Response | Promise<Response>])[] = [
    ["a connection that fails", () => Promise.reject(new TypeError("fetch failed"))],
    ["HTTP 500", () => new Response("Internal Server Error", { status: 500 })],
    [
      "HTTP 400 with a gRPC status",
      () => new Response(null, { status: 400, headers: { ...GRPC_WEB, "grpc-status": "3" } }),
    ],
    ["a page", () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } })],
    ["nothing", () => new Response(null, { headers: GRPC_WEB })],
    ["a message that is no protobuf", () => messageResponse("binary", Uint8Array.of(0xff, 0xff, 0xff))],
    ["a message without trailers", () => new Response(Uint8Array.of(0, 0, 0, 0, 0), { headers: GRPC_WEB })],
    ["half a frame", () => new Response(Uint8Array.of(0, 0, 0), { headers: GRPC_WEB })],
    ["trailers without a status", () => new Response(OK_TRAILERS("x: 1\r\n"), { headers: GRPC_WEB })],
    ["a compressed frame", () => new Response(Uint8Array.of(1, 0, 0, 0, 0), { headers: GRPC_WEB })],
    ["a status that is no number", () => new Response(OK_TRAILERS("grpc-status: bad\r\n"), { headers: GRPC_WEB })],
    ["a status that does not exist", () => inTrailers(99)],
    ["success without a message", () => new Response(OK_TRAILERS("grpc-status: 0\r\n"), { headers: GRPC_WEB })],
    [
      "a claim that a node gave a status",
      () => new Response("x", { headers: { "content-type": "text/html", "x-given-by-node": "1" } }),
    ],
  ];
  test.each(broken)("%s", async (_, say) => {
    answer = say;
    expect(await node.dryRun(bytes)).toMatchObject({ ok: true, value: { success: true } });
    expect([asked, logged]).toEqual([["a.test", "b.test"], ["node.failed"]]);
    const submitted = await node.submit(bytes, [], transactionDigest(bytes));
    expect(submitted, "and leaves open what became of a submission").toMatchObject({ kind: "unknown" });
  });
});

test("what a node refuses to simulate keeps its text", async () => {
  const nobody = `0x${"9".repeat(64)}`;
  const calling = new Transaction();
  calling.moveCall({ target: `${nobody}::nope::nope` });
  calling.setSender(nobody);
  calling.setGasPayment([]);
  calling.setGasPrice(1_000);
  calling.setGasBudget(50_000_000);
  calling.setExpiration({ None: true });
  bytes = await calling.build();
  answer = () => inTrailers(GrpcCode.UNAVAILABLE);
  const text = `Error checking transaction input objects: Dependent package not found on-chain: ${nobody}`;
  expect(await node.dryRun(bytes)).toEqual({
    ok: false,
    error: { reason: "dry_run_failed", details: text, data: { node: { status: "INTERNAL", text } } },
  });
});
