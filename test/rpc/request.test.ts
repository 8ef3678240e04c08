import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_BATCH_CALLS, readBody } from "../../shared/rpc/request.ts";

function single(body: unknown) {
  const read = readBody(typeof body === "string" ? body : JSON.stringify(body));
  if (!read.ok || read.value.batch) throw new Error("not a single request");
  const [member] = read.value.requests;
  if (member === undefined) throw new Error("no member");
  return member;
}

describe("ids", () => {
  test.each([[0], [1], [-7], [9_007_199_254_740_991], [""], ["0"], ["1"], ["a\u0000\ud800"], [null]])(
    "%j is kept with its JSON type",
    (id) => {
      expect(single({ jsonrpc: "2.0", method: "m", id })).toMatchObject({ id, call: { ok: true } });
    },
  );

  test.each(["1.5", "9007199254740993", "-9007199254740992", "1e400", "true", "{}", "[1]"])(
    "%s is refused under the id null",
    (id) => {
      expect(single(`{"jsonrpc":"2.0","method":"m","id":${id}}`)).toMatchObject({
        id: null,
        call: { ok: false, error: { reason: "invalid_request" } },
      });
    },
  );

  test("an id that can be read stays on the refusal of an invalid request", () => {
    expect(single({ jsonrpc: "1.0", method: "m", id: "seven" })).toMatchObject({ id: "seven", call: { ok: false } });
    expect(single({ jsonrpc: "2.0", id: 7 })).toMatchObject({ id: 7, call: { ok: false } });
    expect(single({ jsonrpc: "2.0", method: "m", params: "x", id: 8 })).toMatchObject({ id: 8, call: { ok: false } });
  });

  test("any string and any safe integer survives", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger()), (id) => {
        // JSON has no minus zero to keep.
        expect(single({ jsonrpc: "2.0", method: "m", id }).id).toBe(id === 0 ? 0 : id);
      }),
    );
  });
});

describe("members", () => {
  test("only a valid request without an id is a notification", () => {
    expect(single({ jsonrpc: "2.0", method: "m" })).toEqual({
      id: undefined,
      call: { ok: true, value: { method: "m", params: [] } },
    });
    expect(single({ jsonrpc: "2.0", method: 5 })).toMatchObject({ id: null, call: { ok: false } });
  });

  test("params that are null count as absent", () => {
    expect(single({ jsonrpc: "2.0", method: "m", params: null, id: 1 }).call).toEqual({
      ok: true,
      value: { method: "m", params: [] },
    });
  });

  test("a batch holds at most twenty requests", () => {
    const batch = (length: number) => readBody(JSON.stringify(Array.from({ length }, () => 0)));
    expect(batch(MAX_BATCH_CALLS)).toMatchObject({ ok: true });
    expect(batch(MAX_BATCH_CALLS + 1)).toMatchObject({ ok: false, error: { reason: "invalid_request" } });
  });
});
