import { describe, expect, test } from "vitest";
import * as z from "zod";
import { done } from "../../shared/errors.ts";
import { endpoint, errorOf, exchange, method, post } from "../support/rpc.ts";

const received: unknown[] = [];
const number = z.number();
const none = z.object({});

/** The methods that section 7 of the JSON-RPC 2.0 specification calls. */
const service = endpoint([
  method("subtract", z.object({ minuend: number, subtrahend: number }), number, async ({ minuend, subtrahend }) =>
    done(minuend - subtrahend),
  ),
  method("sum", z.object({ a: number, b: number, c: number }), number, async ({ a, b, c }) => done(a + b + c)),
  method("update", z.object({ a: number, b: number, c: number, d: number, e: number }), z.null(), async (params) => {
    received.push(params);
    return done(null);
  }),
  method("notify_hello", z.object({ to: number }), z.null(), async () => done(null)),
  method("notify_sum", z.object({ a: number, b: number, c: number }), z.null(), async () => done(null)),
  method("get_data", none, z.array(z.unknown()), async () => done(["hello", 5])),
]);

/** What the specification shows after `-->`, and what it shows after `<--`; undefined where nothing is returned. */
const examples: readonly (readonly [string, string, unknown])[] = [
  [
    "positional parameters",
    '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}',
    { jsonrpc: "2.0", result: 19, id: 1 },
  ],
  [
    "positional parameters, the other way round",
    '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
    { jsonrpc: "2.0", result: -19, id: 2 },
  ],
  [
    "named parameters",
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    { jsonrpc: "2.0", result: 19, id: 3 },
  ],
  [
    "named parameters in another order",
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
    { jsonrpc: "2.0", result: 19, id: 4 },
  ],
  ["a notification", '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', undefined],
  ["a notification of a method that does not exist", '{"jsonrpc": "2.0", "method": "foobar"}', undefined],
  ["a method that does not exist", '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', errorOf(-32601, "1")],
  ["invalid JSON", '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', errorOf(-32700, null)],
  ["an invalid request", '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', errorOf(-32600, null)],
  [
    "a batch of invalid JSON",
    '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method"]',
    errorOf(-32700, null),
  ],
  ["an empty batch", "[]", errorOf(-32600, null)],
  ["a batch of one invalid request", "[1]", [errorOf(-32600, null)]],
  ["a batch of invalid requests", "[1,2,3]", [errorOf(-32600, null), errorOf(-32600, null), errorOf(-32600, null)]],
  [
    "a mixed batch",
    `[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
      {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
      {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
      {"foo": "boo"},
      {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
      {"jsonrpc": "2.0", "method": "get_data", "id": "9"}]`,
    [
      { jsonrpc: "2.0", result: 7, id: "1" },
      { jsonrpc: "2.0", result: 19, id: "2" },
      errorOf(-32600, null),
      errorOf(-32601, "5"),
      { jsonrpc: "2.0", result: ["hello", 5], id: "9" },
    ],
  ],
  [
    "a batch of notifications",
    `[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
      {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]`,
    undefined,
  ],
];

describe("section 7 of the JSON-RPC 2.0 specification", () => {
  test.each(examples)("%s", async (_name, sent, expected) => {
    const { status, body } = await exchange(post(sent), service);
    expect(body).toEqual(expected);
    expect(status).toBe(expected === undefined ? 204 : 200);
  });

  test("a notification is carried out", () => {
    expect(received).toEqual([{ a: 1, b: 2, c: 3, d: 4, e: 5 }]);
  });
});
