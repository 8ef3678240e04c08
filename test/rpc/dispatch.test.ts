import { describe, expect, test } from "vitest";
import * as z from "zod";
import { done, type Outcome, refuse, STORAGE_FAILED } from "../../shared/errors.ts";
import type { CallAtFund } from "../../shared/rpc/answer-calls.ts";
import { answerUnknownPath, dispatch } from "../../shared/rpc/dispatch.ts";
import { mayHaveSubmitted } from "../../shared/rpc/faults.ts";
import { MAX_BODY_BYTES } from "../../shared/rpc/json.ts";
import { caller, endpoint, errorOf, exchange, letEverybodyIn, method, post, url } from "../support/rpc.ts";

const none = z.object({});
const echo = method("echo", z.object({ text: z.string() }), z.string(), async ({ text }) => done(text));

function call(name: string, params: readonly unknown[], id?: unknown) {
  return { jsonrpc: "2.0", method: name, params, ...(id === undefined ? {} : { id }) };
}

const oneCall = JSON.stringify(call("echo", ["hello"], "0"));

describe("HTTP", () => {
  const service = endpoint([echo]);

  test("a result is 200 and JSON, and is not cached", async () => {
    const { status, body, headers } = await exchange(post(oneCall), service);
    expect(status).toBe(200);
    expect(body).toEqual({ jsonrpc: "2.0", result: "hello", id: "0" });
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test.each(["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"])(
    "%s is 405 and says what is allowed",
    async (verb) => {
      const { response } = await dispatch(new Request(url, { method: verb }), service);
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("POST");
      expect(await response.json()).toEqual(errorOf(-32600, null, "invalid_request"));
    },
  );

  test("a refusal by the head carries the id of the body", async () => {
    const put = new Request(url, { method: "PUT", body: oneCall });
    expect(await exchange(put, service)).toMatchObject({ status: 405, body: errorOf(-32600, "0", "invalid_request") });
    const plain = post(oneCall, { "content-type": "text/plain" });
    expect(await exchange(plain, service)).toMatchObject({
      status: 415,
      body: errorOf(-32600, "0", "invalid_request"),
    });
    const browser = post(oneCall, { origin: "https://app.example" });
    expect(await exchange(browser, service)).toMatchObject({
      status: 403,
      body: errorOf(-32003, "0", "browser_origin"),
    });
    expect(await exchange(post("{", { origin: "null" }), service)).toMatchObject({
      status: 403,
      body: errorOf(-32003, null, "browser_origin"),
    });
  });

  test.each(["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"])(
    "the content type %s is accepted",
    async (type) => {
      expect((await exchange(post(oneCall, { "content-type": type }), service)).status).toBe(200);
    },
  );

  test.each(["application/jsonp", "application/json-patch+json", "text/json", "application/x-www-form-urlencoded"])(
    "the content type %s is 415",
    async (type) => {
      expect((await exchange(post(oneCall, { "content-type": type }), service)).status).toBe(415);
    },
  );

  test("a body up to the limit is read, a longer one is 413, with or without its length", async () => {
    const ofLength = (length: number) => oneCall + " ".repeat(length - oneCall.length);
    expect((await exchange(post(ofLength(MAX_BODY_BYTES)), service)).status).toBe(200);
    const tooLong = { status: 413, body: errorOf(-32600, null, "invalid_request") };
    expect(await exchange(post(ofLength(MAX_BODY_BYTES + 1)), service)).toMatchObject(tooLong);
    const declared = post(oneCall, { "content-length": String(MAX_BODY_BYTES + 1) });
    expect(await exchange(declared, service)).toMatchObject(tooLong);
  });

  test("a body that is not UTF-8 is a parse error", async () => {
    expect(await exchange(post(Uint8Array.of(0x22, 0xff, 0x22)), service)).toMatchObject({
      status: 200,
      body: errorOf(-32700, null, "parse_error"),
    });
  });

  test("an unknown path is 404 in the shape of JSON-RPC; a browser learns not even that", async () => {
    const unknown = await answerUnknownPath(post(oneCall));
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toEqual(errorOf(-32600, "0", "invalid_request"));
    expect((await answerUnknownPath(post(oneCall, { origin: "null" }))).status).toBe(403);
  });

  test("no answer has a CORS header", async () => {
    const preflight = new Request(url, {
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-method": "POST" },
    });
    for (const request of [post(oneCall), preflight, post(oneCall, { origin: "https://app.example" })]) {
      const { headers } = await exchange(request, service);
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });
});

describe("admission", () => {
  test("is asked once per HTTP request, with the rights that each call needs", async () => {
    const asked: unknown[] = [];
    const service = endpoint([echo], (calls) => {
      asked.push(calls);
      return letEverybodyIn(calls);
    });
    await exchange(post(JSON.stringify([call("echo", ["a"], 1), call("no_such", [], 2), 3])), service);
    expect(asked).toEqual([[["gas"], [], []]]);
  });

  test("is not asked about a request that is refused before", async () => {
    let asked = 0;
    const service = endpoint([echo], (calls) => {
      asked += 1;
      return letEverybodyIn(calls);
    });
    for (const request of [
      post("{"),
      post(Uint8Array.of(0xff)),
      post("[]"),
      post(JSON.stringify(Array(21).fill(0))),
      post(oneCall, { origin: "null" }),
      post(oneCall, { "content-type": "text/plain" }),
      new Request(url),
    ])
      await exchange(request, service);
    expect(asked).toBe(0);
  });

  test("a refused key is 401, one error for each member that has an id", async () => {
    const service = endpoint([echo], async () => refuse("bad_key", "no"));
    expect(await exchange(post(oneCall), service)).toMatchObject({
      status: 401,
      body: errorOf(-32001, "0", "bad_key"),
    });
    const batch = [call("echo", ["a"], 1), call("echo", ["b"]), call("echo", ["c"], "3"), { id: 4 }];
    expect(await exchange(post(JSON.stringify(batch)), service)).toMatchObject({
      status: 401,
      body: [errorOf(-32001, 1), errorOf(-32001, "3"), errorOf(-32001, 4)],
    });
  });

  test("a refused notification still says so under the id null, because HTTP needs an answer", async () => {
    const service = endpoint([echo], async () => refuse("bad_key", "no"));
    expect(await exchange(post(JSON.stringify(call("echo", ["a"]))), service)).toMatchObject({
      status: 401,
      body: errorOf(-32001, null, "bad_key"),
    });
  });

  test("a call that misses a right is refused alone; 401 only when every call is", async () => {
    const rightless = refuse("missing_right", "no");
    const service = endpoint([echo], async (calls) =>
      done({ caller, calls: calls.map((_, index) => (index === 0 ? rightless : done(null))) }),
    );
    expect(await exchange(post(oneCall), service)).toMatchObject({ status: 401, body: errorOf(-32001, "0") });
    const batch = [call("echo", ["a"], 1), call("echo", ["b"], 2)];
    expect(await exchange(post(JSON.stringify(batch)), service)).toMatchObject({
      status: 200,
      body: [errorOf(-32001, 1, "missing_right"), { result: "b", id: 2 }],
    });
  });

  test("a rate limit is 200, because some clients read no other body", async () => {
    const service = endpoint([echo], async (calls) =>
      done({ caller, calls: calls.map(() => refuse("rate_limited", "slower", { retryAfterMs: 40 })) }),
    );
    expect(await exchange(post(oneCall), service)).toMatchObject({
      status: 200,
      body: { error: { code: -32010, message: "Too many requests", data: { retryAfterMs: 40 } }, id: "0" },
    });
  });

  test("a key that changes while its fund fails hides no call that may have submitted", async () => {
    const { keyId } = caller;
    const answered = async (outcome: Outcome<never>, verdict: Outcome<never>) => {
      const atFund: CallAtFund = { keyId, answer: async () => outcome, verdict: async () => "failed" };
      const service = endpoint([echo], async () => verdict);
      return exchange(post(oneCall), { ...service, atFund: { has: () => true, begin: () => atFund } });
    };
    const unknown = refuse("outcome_unknown", "look it up", { digest: "d" });
    for (const reason of ["bad_key", "wrong_network", "missing_right", "rate_limited"] as const)
      expect(await answered(unknown, refuse(reason, "no"))).toMatchObject({
        status: 200,
        body: errorOf(-32017, "0", "outcome_unknown"),
      });
    const failed = await answered(refuse("internal", "a fault"), refuse("bad_key", "no"));
    expect(failed).toMatchObject({ status: 401, body: errorOf(-32001, "0", "bad_key") });
  });

  test("an admission that leaves a call without verdict lets nothing in", async () => {
    const service = endpoint([echo], async () => done({ caller, calls: [] }));
    expect((await exchange(post(oneCall), service)).body).toEqual(errorOf(-32603, "0", "internal"));
  });
});

describe("calls", () => {
  test("of a batch run at the same time and are answered in order", async () => {
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    const service = endpoint([
      method("waits", none, z.string(), async () => {
        await gate.promise;
        order.push("waits");
        return done("waited");
      }),
      method("opens", none, z.string(), async () => {
        order.push("opens");
        gate.resolve();
        return done("opened");
      }),
    ]);
    const { body } = await exchange(post(JSON.stringify([call("waits", [], 1), call("opens", [], 2)])), service);
    expect(body).toEqual([
      { jsonrpc: "2.0", result: "waited", id: 1 },
      { jsonrpc: "2.0", result: "opened", id: 2 },
    ]);
    expect(order).toEqual(["opens", "waits"]);
  });

  test("wrong params never reach the handler", async () => {
    let ran = 0;
    const service = endpoint([
      method("strict", z.object({ text: z.string("must be text") }), z.null(), async () => {
        ran += 1;
        return done(null);
      }),
    ]);
    expect((await exchange(post(JSON.stringify(call("strict", [5], 1))), service)).body).toEqual({
      jsonrpc: "2.0",
      error: {
        code: -32602,
        message: "Invalid params",
        data: { details: "text: must be text", reason: "bad_params" },
      },
      id: 1,
    });
    expect(ran).toBe(0);
  });

  test("a fault is internal: told to the log, not to the caller, and the rest of the batch is answered", async () => {
    const service = endpoint([
      echo,
      method("breaks", none, z.null(), async () => {
        throw new Error("password=hunter2");
      }),
    ]);
    const request = post(JSON.stringify([call("breaks", [], 1), call("echo", ["a"], 2)]));
    const { status, body } = await exchange(request, service);
    expect(status).toBe(200);
    expect(body).toEqual([errorOf(-32603, 1, "internal"), { jsonrpc: "2.0", result: "a", id: 2 }]);
    expect(JSON.stringify(body)).not.toContain("hunter2");
    expect(service.faults).toEqual([{ method: "breaks", error: new Error("password=hunter2") }]);
  });

  test("a result that breaks its contract is a fault", async () => {
    const service = endpoint([method("breaks its contract", none, z.string().max(3), async () => done("too long"))]);
    expect((await exchange(post(JSON.stringify(call("breaks its contract", [], 1))), service)).body).toEqual(
      errorOf(-32603, 1),
    );
    expect(service.faults).toHaveLength(1);
  });

  test("an object that the platform overloaded did nothing, one that threw the flag itself may have", async () => {
    const fails = (flags: object) =>
      endpoint([
        method("fails", none, z.null(), async () => {
          throw Object.assign(new Error("object"), flags);
        }),
      ]);
    const body = JSON.stringify(call("fails", [], 1));
    expect((await exchange(post(body), fails({ overloaded: true }))).body).toEqual(errorOf(-32016, 1, "overloaded"));
    for (const flags of [{ overloaded: true, remote: true }, { retryable: true }])
      expect((await exchange(post(body), fails(flags))).body).toEqual(errorOf(-32603, 1, "internal"));
  });

  test("a commit that failed is safe to repeat, whether the object threw it or aborted itself with it", async () => {
    const fails = (message: string, flags: object) =>
      endpoint([
        method("fails", none, z.null(), async () => {
          throw Object.assign(new Error(message), flags);
        }),
      ]);
    const body = JSON.stringify(call("fails", [], 1));
    for (const [message, flags] of [
      [`${STORAGE_FAILED}: disk is full`, { remote: true }],
      [`Error: ${STORAGE_FAILED}: disk is full`, { durableObjectReset: true }],
    ] as const) {
      const service = fails(message, flags);
      const answered = (await exchange(post(body), service)).body;
      expect(answered).toEqual(errorOf(-32016, 1, "storage"));
      expect(JSON.stringify(answered)).not.toContain("disk");
      expect(service.faults).toHaveLength(1);
    }
    for (const message of ["Error: reset", `it says ${STORAGE_FAILED}`])
      expect((await exchange(post(body), fails(message, { durableObjectReset: true }))).body).toEqual(
        errorOf(-32603, 1, "internal"),
      );
  });

  test.each(["database or disk is full: SQLITE_FULL", "disk I/O error: SQLITE_IOERR_WRITE", "it is: SQLITE_READONLY"])(
    "a disk that takes nothing more (%s) is told as such",
    async (message) => {
      const service = endpoint([
        method("fails", none, z.null(), async () => {
          throw new Error(message);
        }),
      ]);
      const answered = (await exchange(post(JSON.stringify(call("fails", [], 1))), service)).body;
      expect(answered).toEqual(errorOf(-32016, 1, "storage"));
      expect(mayHaveSubmitted(new Error(message))).toBe(true);
    },
  );

  test("a fault of admission is told like any other", async () => {
    const service = endpoint([echo], async () => {
      throw Object.assign(new Error("object"), { overloaded: true });
    });
    expect((await exchange(post(oneCall), service)).body).toEqual(errorOf(-32016, "0", "overloaded"));
    expect(service.faults).toEqual([{ method: "admission", error: expect.any(Error) }]);
  });

  test("names that callers make up do not reach the log", async () => {
    const { methods, keyId } = await dispatch(
      post(JSON.stringify([call("us1_sui_secret", [], 1), call("echo", ["a"], 2), 5])),
      endpoint([echo]),
    );
    expect(methods).toEqual(["unknown", "echo", "unknown"]);
    expect(keyId).toBe(caller.keyId);
  });
});
