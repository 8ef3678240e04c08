import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { readTransactions } from "../../shared/chain/aptos/lean-transaction.ts";
import { readReply } from "../../shared/chain/bounded-reply.ts";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { bodyLength, readRequestBytes } from "../../shared/http/bounded-body.ts";

const LIMIT_BYTES = 64 * 1024;
const LONG = "x".repeat(1024 * 1024);
const CHUNKED = `${LONG.length.toString(16)}\r\n${LONG}\r\n0\r\n\r\n`;

/** A server that answers every request with exactly this head and this body, whatever they say of each other. */
async function answering(head: string, body: string): Promise<Response> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`));
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return fetch(`http://${LOOPBACK}:${address.port}/`);
}

const sizeOf = (read: Promise<{ readonly length: number }>) =>
  read.then(
    ({ length }) => length,
    () => 0,
  );

describe("a server that lies about content-length gets no more than the bound through", () => {
  test.each([
    ["a short length, and more than it", "content-length: 10", LONG, 10],
    ["a length, and a body that is shorter", "content-length: 2000", "short", 0],
    ["two lengths", `content-length: 10\r\ncontent-length: ${LONG.length}`, LONG, 0],
    ["a length with a sign", "content-length: +10", LONG, 0],
    ["a length beside chunks", "content-length: 10\r\ntransfer-encoding: chunked", CHUNKED, 0],
    ["chunks alone", "transfer-encoding: chunked", CHUNKED, 0],
    ["no length at all", "connection: close", LONG, 0],
    ["a length over the bound", `content-length: ${LONG.length}`, LONG, 0],
  ])("%s", async (_what, head, body, bytes) => {
    const asked = answering(head, body);
    expect(await sizeOf(asked.then((response) => readReply(response, LIMIT_BYTES)))).toBe(bytes);
    const again = answering(head, "x");
    expect(await sizeOf(again.then((response) => readTransactions(response)))).toBeLessThanOrEqual(1);
  });
});

test("a body that its head bounds comes in one read, and any other one in pieces", async () => {
  const bounded = new Response("12345", { headers: { "content-length": "5" } });
  const pieces: number[] = [];
  await readReply(bounded, 5, (piece) => pieces.push(piece.length));
  expect(pieces).toEqual([5]);
  const [first, second] = [Uint8Array.of(1), Uint8Array.of(2, 3)];
  const body = new ReadableStream({
    start: (controller) => {
      for (const piece of [first, second]) controller.enqueue(piece);
      controller.close();
    },
  });
  await readReply(new Response(body), 5, (piece) => pieces.push(piece.length));
  expect(pieces).toEqual([5, 1, 2]);
});

test("a body in memory that is longer than its head says is refused", async () => {
  const lying = () => new Response("123456", { headers: { "content-length": "1" } });
  await expect(readReply(lying(), 5)).rejects.toThrow("exceeds 5 bytes");
  expect(await readReply(lying(), 6)).toHaveLength(6);
  const request = new Request("http://localhost", {
    method: "POST",
    headers: { "content-length": "1" },
    body: "123456",
  });
  expect(await readRequestBytes(request, 5)).toBeNull();
});

test("a head bounds a body only if HTTP ends the body there", () => {
  expect(bodyLength(new Headers({ "content-length": "12" }))).toBe(12);
  for (const name of ["content-encoding", "transfer-encoding"])
    expect(bodyLength(new Headers({ "content-length": "12", [name]: "gzip" }))).toBe(null);
  for (const length of ["", "-1", "1.5", "0x10", "1, 1"])
    expect(bodyLength(new Headers({ "content-length": length }))).toBe(null);
});
