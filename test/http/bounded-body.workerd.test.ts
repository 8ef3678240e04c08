import { describe, expect, test } from "vitest";
import { readTransactions } from "../../shared/chain/aptos/lean-transaction.ts";
import { readReply } from "../../shared/chain/bounded-reply.ts";
import { ATTEMPT_TIMEOUTS, attempt } from "../../shared/gateway/attempt.ts";
import { readAtOnce } from "../../shared/http/bounded-body.ts";

const LENGTH_BYTES = 10;
const PIECE_BYTES = 1_024;
const PIECES = 1_024;
const LIMIT_BYTES = 64 * 1_024;

/** A reply whose head says 10 bytes, and whose body has a MiB. workerd shows such a one as it shows an honest one. */
function lyingReply() {
  let pieces = 0;
  const body = new ReadableStream({
    type: "bytes",
    pull: (controller) => {
      pieces += 1;
      controller.enqueue(new Uint8Array(PIECE_BYTES));
      if (pieces === PIECES) controller.close();
    },
  });
  const response = new Response(body, { headers: { "content-length": `${LENGTH_BYTES}` } });
  return { response, pieces: () => pieces };
}

/** Sends a request through the gateway's attempt. */
const attempted = (response: Response) =>
  attempt(
    { checkHead: () => ({ kind: "passing", ofNetwork: true }), responseHeaders: { names: [] } } as never,
    {
      url: "http://node.test",
      ask: { kind: "read", target: "/", streams: false } as never,
      network: "APTOS_LOCALNET",
      outgoing: { method: "GET", headers: {}, body: null },
    },
    { fetch: async () => response, timeouts: ATTEMPT_TIMEOUTS },
  );

describe("a body that is longer than its head says is refused after one byte more", () => {
  test.each([
    ["a reply of a node", (response: Response) => readReply(response, LIMIT_BYTES)],
    ["a transaction", readTransactions],
  ])("%s", async (_what, read) => {
    const { response, pieces } = lyingReply();
    await expect(read(response)).rejects.toThrow("longer than its head says");
    expect(pieces()).toBeLessThanOrEqual(2);
  });

  test("an answer that the gateway would pass on", async () => {
    const { response, pieces } = lyingReply();
    expect(await attempted(response)).toMatchObject({ kind: "failed" });
    expect(pieces()).toBeLessThanOrEqual(2);
  });
});

/** A reply whose head says 10 bytes, and whose body ends after these. */
function cutOff(text: string): Response {
  const body = new ReadableStream({
    type: "bytes",
    start: (controller) => {
      if (text !== "") controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-length": `${LENGTH_BYTES}` } });
}

describe.each(["012345678", "0", ""])("a body that ends at %j, before the length in its head, is refused", (text) => {
  test.each([
    ["a reply of a node", (response: Response) => readReply(response, LIMIT_BYTES)],
    ["a transaction", readTransactions],
  ])("%s", async (_what, read) => {
    await expect(read(cutOff(text))).rejects.toThrow("shorter than its head says");
  });

  test("an answer that the gateway would pass on", async () => {
    expect(await attempted(cutOff(text))).toEqual({ kind: "failed", fault: "no connection, or one that broke off" });
  });
});

test("a reply whose status has no body is empty, whatever its head says", async () => {
  const headers = { "content-length": `${LENGTH_BYTES}` };
  expect(await attempted(new Response(null, { status: 304, headers }))).toMatchObject({ kind: "passing" });
  expect(await readAtOnce(null, LENGTH_BYTES)).toHaveLength(0);
});

test("a body of the length in its head comes in one read", async () => {
  for (const text of ["0123456789", ""]) {
    const headers = { "content-length": `${text.length}` };
    const pieces: string[] = [];
    const bytes = await readReply(new Response(text, { headers }), LIMIT_BYTES, (piece) =>
      pieces.push(new TextDecoder().decode(piece)),
    );
    expect([new TextDecoder().decode(bytes), pieces]).toEqual([text, [text]]);
  }
});

test("a stream without such a read is left whole for a reader by pieces", async () => {
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new Uint8Array(LENGTH_BYTES));
      controller.close();
    },
  });
  expect(await readAtOnce(body, LENGTH_BYTES)).toBeNull();
  const headers = { "content-length": `${LENGTH_BYTES}` };
  expect(await readReply(new Response(body, { headers }), LIMIT_BYTES)).toHaveLength(LENGTH_BYTES);
});
