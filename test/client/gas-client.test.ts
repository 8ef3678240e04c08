import { describe, expect, test } from "vitest";
import {
  suiExecuteTransactionBlock,
  suiGetFund,
  suiGetSponsoredTransactionBlockStatus,
  suiPrepareTransactionBlock,
  suiSponsorTransactionBlock,
} from "../../shared/api/sui-gas.ts";
import type { Fetch } from "../../shared/bindings/ports.ts";
import { createSuiGasClient } from "../../shared/client/gas-client.ts";
import type { CallOptions } from "../../shared/client/rpc-client.ts";
import { done, refuse } from "../../shared/errors.ts";
import type { DispatchOptions } from "../../shared/rpc/answer-calls.ts";
import { dispatch } from "../../shared/rpc/dispatch.ts";
import { handler } from "../../shared/rpc/handler.ts";
import { decodeParams } from "../../shared/rpc/params.ts";
import { endpoint, type TestContext } from "../support/rpc.ts";

const baseUrl = "https://gasworks.test";
const accessKey = "us1_sui_localnet_key";
const MAX_U64 = 2n ** 64n - 1n;

function inProcess(at: DispatchOptions<TestContext>): Fetch {
  return async (input, init) => (await dispatch(new Request(input, init), at)).response;
}

function clientOf(fetch: Fetch, timeoutMs = 1_000) {
  return createSuiGasClient({ baseUrl: `${baseUrl}/`, accessKey, fetch, timeoutMs });
}

function answering(body: BodyInit | null, status = 200) {
  return clientOf(async () => new Response(body, { status }));
}

const asked: unknown[] = [];
const sponsorResult = suiSponsorTransactionBlock.result.parse(suiSponsorTransactionBlock.example.result);
const executeResult = suiExecuteTransactionBlock.result.parse(suiExecuteTransactionBlock.example.result);
const prepareResult = suiPrepareTransactionBlock.result.parse(suiPrepareTransactionBlock.example.result);
const fund = { network: "SUI_LOCALNET", name: "f", balance: MAX_U64, inFlight: 5n, depositAddress: null } as const;

const service = endpoint([
  handler(suiSponsorTransactionBlock, async (params) => {
    asked.push(params);
    return done(sponsorResult);
  }),
  handler(suiPrepareTransactionBlock, async () => done(prepareResult)),
  handler(suiExecuteTransactionBlock, async () => done(executeResult)),
  handler(suiGetFund, async () => done(fund)),
  handler(suiGetSponsoredTransactionBlockStatus, async () =>
    refuse("node_unavailable", "the node is asleep", { retryAfterMs: 7 }),
  ),
]);

const example = decodeParams(suiSponsorTransactionBlock, suiSponsorTransactionBlock.example.params);
if (!example.ok) throw new Error("the example does not decode");
const kind = example.value;

describe("in process, over the dispatcher", () => {
  const client = clientOf(inProcess(service));

  test("params arrive as they were given, results come back as the service returned them", async () => {
    expect(await client.sponsorTransactionBlock({ ...kind, gasPrice: MAX_U64 })).toEqual(done(sponsorResult));
    expect(asked).toEqual([{ ...kind, gasPrice: MAX_U64 }]);
    expect(await client.prepareTransactionBlock(kind)).toEqual(done(prepareResult));
    expect(await client.executeTransactionBlock({ txDigest: sponsorResult.txDigest, senderSignature: "AAAA" })).toEqual(
      done(executeResult),
    );
  });

  test("every u64 survives the wire", async () => {
    expect(await client.getFund({})).toEqual(done(fund));
  });

  test("a refusal comes back as a value with code, reason, details and data", async () => {
    expect(await client.getSponsoredTransactionBlockStatus({ transactionDigest: sponsorResult.txDigest })).toEqual({
      ok: false,
      error: {
        kind: "refused",
        code: -32016,
        reason: "node_unavailable",
        details: "the node is asleep",
        data: { reason: "node_unavailable", details: "the node is asleep", retryAfterMs: 7 },
      },
    });
  });

  test("params that the service would refuse are refused before they are sent, in the same words", async () => {
    const unsent = clientOf(() => Promise.reject(new Error("was sent")));
    const reply = await unsent.sponsorTransactionBlock({ ...kind, sender: "nobody" });
    const byService = decodeParams(suiSponsorTransactionBlock, [
      suiSponsorTransactionBlock.example.params[0],
      "nobody",
    ]);
    if (byService.ok) throw new Error("was not refused");
    expect(reply).toMatchObject({
      ok: false,
      error: { kind: "refused", code: -32602, reason: "bad_params", details: byService.error.details },
    });
  });
});

test("the key travels in a header, never in the URL, and redirects are not followed", async () => {
  const sent: { url: string; init: RequestInit | undefined }[] = [];
  const client = clientOf(async (url, init) => {
    sent.push({ url: String(url), init });
    return new Response(null, { status: 302, headers: { location: "https://evil.example" } });
  });
  expect(await client.getFund({})).toMatchObject({ ok: false, error: { kind: "bad_reply" } });
  expect(sent).toHaveLength(1);
  expect(sent[0]?.url).toBe(`${baseUrl}/sui/gas/v1`);
  expect(sent[0]?.init).toMatchObject({ redirect: "manual", headers: { "x-api-key": accessKey } });
  expect(JSON.parse(String(sent[0]?.init?.body))).toEqual({ jsonrpc: "2.0", id: 1, method: "gas_getFund", params: [] });
});

describe("an idempotency key", () => {
  const headersOf = async (options?: CallOptions) => {
    const sent: Headers[] = [];
    const client = clientOf(async (_url, init) => {
      sent.push(new Headers(init?.headers));
      return new Response(null);
    });
    await client.sponsorTransactionBlock(kind, options);
    return sent;
  };

  test("travels in its header, beside the access key; without one there is no header", async () => {
    const [headers] = await headersOf({ idempotencyKey: "attempt 1" });
    expect(headers?.get("idempotency-key")).toBe("attempt 1");
    expect(headers?.get("x-api-key")).toBe(accessKey);
    for (const options of [undefined, {}, { idempotencyKey: null }])
      expect((await headersOf(options))[0]?.has("idempotency-key")).toBe(false);
  });

  test("that the service would refuse is refused before it is sent", async () => {
    for (const idempotencyKey of ["", "x".repeat(256), "\u00e9", "a\nb"]) {
      const unsent = clientOf(() => Promise.reject(new Error("was sent")));
      expect(await unsent.sponsorTransactionBlock(kind, { idempotencyKey })).toMatchObject({
        error: { kind: "refused", code: -32600, reason: "invalid_request" },
      });
    }
  });

  test("does not make the client send anything twice", async () => {
    expect(await headersOf({ idempotencyKey: "attempt 1" })).toHaveLength(1);
  });
});

describe("no usable answer", () => {
  const reply = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, result: suiGetFund.example.result });

  test("the reply that the cases below are made from is a good one", async () => {
    expect(await answering(reply(1)).getFund({})).toMatchObject({ ok: true });
  });

  test.each([
    ["an empty body", ""],
    ["no JSON", "<html>"],
    ["another shape", '{"message":"no"}'],
    ["a batch", `[${reply(1)}]`],
    ["the id of another request", reply(2)],
    ["a result under the id null", reply(null)],
    ["an id of another type", reply("1")],
    ["another version of JSON-RPC", reply(1).replace("2.0", "1.0")],
    ["a result of another shape", '{"jsonrpc":"2.0","id":1,"result":{"network":"SUI_LOCALNET"}}'],
    [
      "an amount that is no u64",
      '{"jsonrpc":"2.0","id":1,"result":{"network":"SUI_LOCALNET","name":"","balance":18446744073709551616,"inFlight":0,"depositAddress":null}}',
    ],
    ["nesting that is too deep", `{"jsonrpc":"2.0","id":1,"result":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`],
    ["an error without a code", '{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}'],
  ])("%s is a bad reply", async (_name, body) => {
    expect(await answering(body).getFund({})).toMatchObject({ ok: false, error: { kind: "bad_reply" } });
  });

  test("a reply longer than the limit is not read", async () => {
    expect(await answering(new Uint8Array(8_388_609)).getFund({})).toMatchObject({ error: { kind: "bad_reply" } });
  });

  test("a refusal is read whatever its HTTP status, also under the id null, and its texts are cut", async () => {
    const error = { code: -32001, message: "Unauthorized", data: { details: "x".repeat(10_000) } };
    const client = answering(JSON.stringify({ jsonrpc: "2.0", id: null, error }), 401);
    expect(await client.getFund({})).toMatchObject({
      error: { kind: "refused", code: -32001, reason: null, details: "x".repeat(4_096) },
    });
  });

  test("a refusal that its text alone tells has its reason again", async () => {
    for (const [details, reason] of [
      ["Bad session token", "bad_session_token"],
      ["Wallet ID already exists", "wallet_exists"],
      ["Bad session token.", null],
    ] as const) {
      const error = { code: -32602, message: "Invalid params", data: { details } };
      const client = answering(JSON.stringify({ jsonrpc: "2.0", id: 1, error }));
      expect(await client.getFund({})).toMatchObject({ error: { kind: "refused", reason, details } });
    }
  });

  test("a broken connection is unreachable", async () => {
    const client = clientOf(() => Promise.reject(new TypeError("fetch failed")));
    expect(await client.getFund({})).toEqual({ ok: false, error: { kind: "unreachable", details: "fetch failed" } });
  });

  test("a service that never answers is a time-out, whether or not its fetch heeds the signal", async () => {
    const deaf = clientOf(() => new Promise(() => {}), 20);
    expect(await deaf.getFund({})).toMatchObject({ error: { kind: "timeout" } });
    const stalled = clientOf(async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })), 20);
    expect(await stalled.getFund({})).toMatchObject({ error: { kind: "timeout" } });
  });
});
