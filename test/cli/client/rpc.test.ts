import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { JSON_HEADERS } from "../../../shared/cli/client/http.ts";
import { rpcCall } from "../../../shared/cli/client/rpc.ts";

let server: Server;

afterEach(() => {
  server.close();
});

function refusal(reason: string): object {
  return { error: { code: -32016, message: "Temporarily unavailable", data: { reason, retryAfterMs: 1 } } };
}

/** Answers the calls in turn, and the last answer from then on. Returns the bodies that came in. */
async function serve(...answers: readonly object[]) {
  const calls: string[] = [];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    calls.push(`${request.headers["idempotency-key"]} ${body}`);
    response.writeHead(200, JSON_HEADERS).end(JSON.stringify(answers[calls.length - 1] ?? answers.at(-1)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const call = async () => (await rpcCall(`http://127.0.0.1:${port}`, "key", "gas_getFund", [], "once")).body;
  return { calls, call };
}

test("a call that an overloaded service did not begin is made again, with the same Idempotency-Key", async () => {
  const { calls, call } = await serve(refusal("overloaded"), refusal("overloaded"), { result: 7 });
  expect(await call()).toEqual({ result: 7 });
  expect(calls).toHaveLength(3);
  expect(new Set(calls).size).toBe(1);
});

test("a service that stays overloaded is asked three times, and its refusal is the answer", async () => {
  const { calls, call } = await serve(refusal("overloaded"));
  expect(await call()).toEqual(refusal("overloaded"));
  expect(calls).toHaveLength(3);
});

test.each(["node_unavailable", "storage", "outcome_unknown"])("a refusal as %s is not repeated", async (reason) => {
  const { calls, call } = await serve(refusal(reason), { result: 7 });
  expect(await call()).toEqual(refusal(reason));
  expect(calls).toHaveLength(1);
});
