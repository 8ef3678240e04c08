import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { http } from "../../../shared/cli/client/http.ts";
import { rpcCall, SUI_GAS_PATH } from "../../../shared/cli/client/rpc.ts";
import { type Door, type DoorOptions, openDoor } from "../../../shared/cli/door/door.ts";
import { DOOR_LIMITS } from "../../../shared/cli/door/queue.ts";
import { LOOPBACK } from "../../../shared/cli/ports.ts";
import { CALLER_ADDRESS_HEADER } from "../../../shared/http/caller-address.ts";
import { ARRIVAL_HEADER, LIVE_PATH } from "../../../shared/http/overload.ts";
import { waitUntil } from "../../harness/launcher.ts";

const WAIT_MS = 30_000;

interface Came {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What stands for the runtime: it answers what has come, unless it is told to keep silent. */
let runtime: Server;
let came: Came[];
let silent: boolean;
/** Whether it answers at once when it is asked for nothing, and how often it was asked. */
let isLive: boolean;
let probes: number;
let unanswered: ServerResponse | undefined;
let door: Door;
let url: string;

beforeEach(async () => {
  came = [];
  silent = false;
  isLive = true;
  probes = 0;
  runtime = createServer((incoming, response) => {
    if (incoming.url === LIVE_PATH) {
      probes += 1;
      if (isLive) response.writeHead(204).end();
      else unanswered = response;
      return;
    }
    let body = "";
    incoming.on("data", (chunk) => {
      body += chunk;
    });
    incoming.on("end", () => {
      came.push({ headers: incoming.headers, body });
      if (!silent) response.writeHead(201, { "x-answer": ["one", "two"] }).end(`${incoming.url} ${body.length}`);
    });
  }).listen(0, LOOPBACK);
  await once(runtime, "listening");
  await openWith({ requestLimitMs: 1_000 });
});
afterEach(async () => {
  runtime.closeAllConnections();
  runtime.close();
  await door.close();
});

async function openWith(options: Partial<DoorOptions>): Promise<void> {
  const address = runtime.address();
  const upstreamPort = typeof address === "object" && address !== null ? address.port : 0;
  door = await openDoor({ port: 0, upstreamPort, maxConnections: 100, ...options });
  url = `http://${LOOPBACK}:${door.port}`;
}

async function reopen(options: Partial<DoorOptions>): Promise<void> {
  await door.close();
  await openWith(options);
}

async function raw(text: string): Promise<{ readonly socket: Socket; readonly ended: Promise<string> }> {
  const socket = connect(door.port, LOOPBACK);
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
  });
  await once(socket, "connect");
  socket.write(text);
  socket.on("error", () => {});
  return { socket, ended: once(socket, "close").then(() => answer) };
}

test("a request and its answer pass whole, with the time of arrival that the door has seen", async () => {
  const headers = { [ARRIVAL_HEADER]: "1", "x-api-key": "k" };
  const answer = await http(`${url}/path?query`, { method: "POST", body: "hello", headers });
  expect(answer).toMatchObject({ status: 201, body: "/path?query 5" });
  expect(answer.headers.get("x-answer")).toBe("one, two");
  expect(came).toMatchObject([{ body: "hello", headers: { "x-api-key": "k" } }]);
  expect(Math.abs(Date.now() - Number(came[0]?.headers[ARRIVAL_HEADER]))).toBeLessThan(60_000);
});

/** Returns how many connections wait to be taken at a port. The system keeps them. */
function waitingAt(port: number): number {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const listening = new RegExp(`:${hex} [0-9A-F]+:0000 0A [0-9A-F]+:([0-9A-F]+)`);
  return Number.parseInt(listening.exec(readFileSync("/proc/net/tcp", "utf8"))?.[1] ?? "", 16);
}

test("a thousand connections at one moment all wait until the door takes them, and none tries again", async () => {
  await reopen({ maxConnections: 4_096 });
  const wanted = Math.min(1_000, Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8")));
  const sockets = Array.from({ length: wanted }, () => connect(door.port, LOOPBACK).on("error", () => {}));
  // They connect in this turn. The door, in the same process, takes none of them before the next one.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waitingAt(door.port) < wanted && waited < 300; waited += 1) Atomics.wait(pause, 0, 0, 10);
  expect(waitingAt(door.port)).toBe(wanted);
  for (const socket of sockets) socket.destroy();
});

test("the runtime gets the address of the connection, and none that a caller names", async () => {
  const claims = ["", "cf-connecting-ip: 192.0.2.1\r\n", "CF-Connecting-IP: 192.0.2.1\r\ncf-connecting-ip: ::1\r\n"];
  for (const claim of claims) {
    const { ended } = await raw(`GET /a HTTP/1.1\r\nhost: a\r\n${claim}connection: close\r\n\r\n`);
    expect(await ended).toContain("201");
  }
  expect(came.map(({ headers }) => headers[CALLER_ADDRESS_HEADER])).toEqual(claims.map(() => LOOPBACK));
});

test("a body in chunks has a length once it has come, and one that is too long to keep passes as it comes", async () => {
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("hello"));
      controller.close();
    },
  });
  const chunked: RequestInit & { duplex: "half" } = { method: "POST", body: stream, duplex: "half" };
  expect(await http(`${url}/a`, chunked)).toMatchObject({ body: "/a 5" });
  expect(came[0]?.headers).toMatchObject({ "content-length": "5" });
  const long = "x".repeat(3 * 1024 * 1024);
  expect(await http(`${url}/b`, { method: "POST", body: long })).toMatchObject({ body: `/b ${long.length}` });
});

test("a body that breaks off never reaches the runtime", async () => {
  const { socket, ended } = await raw("POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf");
  socket.destroy();
  await ended;
  await http(url);
  expect(came).toHaveLength(1);
});

test("bodies that have come in part take no more memory than is kept for them", async () => {
  await reopen({ upstreamPort: 1, maxKeptBytes: 30_000 });
  const part = `POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 30000\r\n\r\n${"x".repeat(20_000)}`;
  const first = await raw(part);
  const { ended } = await raw(part);
  expect(await Promise.race([ended, first.ended])).toMatch(/^HTTP\/1\.1 503 /);
  first.socket.destroy();
});

test.each([
  [
    "whose length the caller calls a matter of the connection",
    (inner: string) =>
      `GET /a HTTP/1.1\r\nhost: a\r\nconnection: content-length\r\ncontent-length: ${inner.length}\r\n\r\n${inner}`,
  ],
  [
    "that is too long to keep, in chunks",
    (inner: string) => {
      const long = inner.repeat(Math.ceil((2.5 * 1024 * 1024) / inner.length));
      return `GET /a HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`;
    },
  ],
])("a body %s is never read as a request of its own", async (_, request) => {
  const { socket } = await raw(request("GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n"));
  await waitUntil(
    () => came.length > 0,
    WAIT_MS,
    () => "it never came",
  );
  for (let after = 0; after < 5; after++) expect(await http(`${url}/next`)).toMatchObject({ body: "/next 0" });
  socket.destroy();
  expect(came).toHaveLength(6);
  expect(came[0]?.body).toContain("GET /smuggled");
});

test.each(["GET //", "TRACE /a", "GET http://a:b@x/", "POST //"])(
  "%s is refused like any other, and stops nobody",
  async (start) => {
    await reopen({ limits: { ...DOOR_LIMITS, lateMs: 500 } });
    door.setOpen(false);
    const { ended, socket } = await raw(`${start} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
    expect(await ended).toMatch(/^HTTP\/1\.1 503 /);
    socket.destroy();
    door.setOpen(true);
    expect(await http(`${url}/next`)).toMatchObject({ body: "/next 0" });
  },
);

test.each([-30_000, 30_000])("a proxy whose clock is %i ms off has nobody refused", async (offMs) => {
  const nowMs = Date.now();
  for (const stamp of [`t=${(nowMs + offMs) / 1_000}`, String(nowMs + offMs)])
    expect(await http(url, { headers: { "x-request-start": stamp } })).toMatchObject({ status: 201 });
  for (const { headers } of came) expect(Math.abs(Number(headers[ARRIVAL_HEADER]) - nowMs)).toBeLessThan(20_000);
});

test("a runtime that is behind is given no more, and one that waits for others is", async () => {
  await reopen({ limits: { ...DOOR_LIMITS, atWork: 1, atWorkForMs: 1_000, lateMs: 60_000 } });
  const untilTrue = (condition: () => boolean) => waitUntil(condition, WAIT_MS, () => `${came.length} came`);
  const ask = () => void http(url).catch(() => undefined);
  silent = true;
  ask();
  await untilTrue(() => came.length === 1);
  ask();
  await untilTrue(() => came.length === 2);

  isLive = false;
  const before = probes;
  await untilTrue(() => probes > before);
  const sinceMs = performance.now();
  ask();
  await untilTrue(() => door.waiting() === 1 && performance.now() - sinceMs > 1_200);
  expect(came).toHaveLength(2);
  isLive = true;
  unanswered?.writeHead(204).end();
  await untilTrue(() => came.length === 3);
});

test("small requests pass while large bodies of others take all the room", async () => {
  await reopen({ maxKeptBytes: 30_000 });
  const { socket } = await raw(`POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 30000\r\n\r\n${"x".repeat(29_000)}`);
  expect(await http(`${url}/small`, { method: "POST", body: "x".repeat(2_000) })).toMatchObject({
    body: "/small 2000",
  });
  socket.destroy();
});

test("the head of an answer comes before its first byte", async () => {
  silent = true;
  runtime.on("request", ({ url: path }, response) => {
    // The door's own probe has its answer already.
    if (path !== "/stream") return;
    response.writeHead(200, { "x-head": "first" });
    response.flushHeaders();
  });
  const answer = await fetch(`${url}/stream`);
  expect(answer.headers.get("x-head")).toBe("first");
  await answer.body?.cancel();
});

test("a body that comes too slowly is answered 408 and closed", async () => {
  const { ended } = await raw("POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf");
  expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
  expect(came).toEqual([]);
});

test("who waits while the runtime is away is served afterwards, and who has left by then is not", async () => {
  door.setOpen(false);
  const left = await raw("GET /left HTTP/1.1\r\nhost: a\r\n\r\n");
  await waitUntil(
    () => door.waiting() === 1,
    WAIT_MS,
    () => "it never came",
  );
  left.socket.destroy();
  await waitUntil(
    () => door.waiting() === 0,
    WAIT_MS,
    () => "it never left",
  );
  const waiting = http(`${url}/waits`);
  door.setOpen(true);
  expect(await waiting).toMatchObject({ status: 201 });
  expect(came).toHaveLength(1);
});

test("where no runtime answers, callers are refused in the words of their interface", async () => {
  runtime.closeAllConnections();
  runtime.close();
  const refused = await rpcCall(`${url}${SUI_GAS_PATH}`, "key", "gas_getFund", []);
  expect(refused).toMatchObject({
    status: 200,
    body: { id: 1, error: { code: -32016, data: { reason: "overloaded", retryAfterMs: expect.any(Number) } } },
  });
  for (const path of ["/aptos/node/v1/", "/aptos/graphql/v1", "/admin/v1/projects", "/flows/wallet"]) {
    const answer = await http(`${url}${path}`);
    expect([path, answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([path, 503, true]);
  }
});

test("an answer that breaks off is one for the caller too", async () => {
  silent = true;
  const asked = http(`${url}/a`).catch(() => "broke off");
  while (came.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  runtime.closeAllConnections();
  expect(await asked).toBe("broke off");
});

test.each([["/aptos/wallet/%761"], ["/a/../aptos/wallet/v1"], ["http://a/aptos/wallet/v1"]])(
  "on a full disk nothing new is made under another writing of its path: %s",
  async (path) => {
    door.setDisk("full");
    const body = '{"jsonrpc":"2.0","id":1,"method":"wal_createWalletOnChain","params":[]}';
    const { ended, socket } = await raw(
      `POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(await ended).toMatch(/storage/);
    socket.destroy();
    expect(came).toEqual([]);
  },
);

test("/live is answered past the queue, and tells whether the runtime answers", async () => {
  await reopen({ limits: { ...DOOR_LIMITS, atWork: 0, lateMs: 60_000 } });
  const { socket, ended } = await raw("GET /waits HTTP/1.1\r\nhost: a\r\n\r\n");
  await waitUntil(
    () => door.waiting() === 1,
    WAIT_MS,
    () => "it never came",
  );
  expect(await http(`${url}${LIVE_PATH}`)).toMatchObject({ status: 204 });
  runtime.closeAllConnections();
  runtime.close();
  expect(await http(`${url}${LIVE_PATH}`)).toMatchObject({ status: 503 });
  socket.destroy();
  await ended;
});

test("a page of the app can read why it was turned away, and its preflight does not wait", async () => {
  const origin = "https://app.example.com";
  await reopen({ origins: [origin], upstreamPort: 1, limits: { ...DOOR_LIMITS, atWork: 1 } });
  const ask = (from: string, method: string, path = "/flows/wallet") =>
    http(`${url}${path}`, { method, headers: { origin: from, "access-control-request-method": "POST" } });
  const refused = await ask(origin, "POST");
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([503, origin]);
  expect(refused.headers.get("access-control-expose-headers")).toContain("retry-after");
  const strange = await ask("https://other.example.com", "POST");
  expect([strange.status, strange.headers.get("access-control-allow-origin")]).toEqual([503, null]);
  expect((await ask(origin, "POST", "/admin/v1/projects")).headers.get("access-control-allow-origin")).toBeNull();
  door.setOpen(false);
  const preflight = await ask(origin, "OPTIONS");
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, origin]);
  expect((await ask("https://other.example.com", "OPTIONS")).status).toBe(403);
});
