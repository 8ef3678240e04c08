import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { jsonError } from "../../http/app.ts";
import { ARRIVAL_HEADER, LIVE_PATH } from "../../http/overload.ts";
import { storesOf } from "../../http/stored-data.ts";
import { answerOverloaded, answerStorage } from "../../http/turned-away.ts";
import { answerPreflight, originHeaders, WORKFLOWS_PATH } from "../../workflow/cors.ts";
import { type DiskState, isRefusedOn } from "../disk-watch.ts";
import { LOOPBACK } from "../ports.ts";
import { Probe } from "./probe.ts";
import { DOOR_LIMITS, type DoorLimits, DoorQueue, type Visitor } from "./queue.ts";

/** The longest body that any interface reads. What is longer is passed on as it comes, to be refused in the right words. */
const MAX_KEPT_BODY_BYTES = 2 * 1024 * 1024;
/** Of all that come and wait. Beyond this a request is refused at once. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
/** The runtime closes a connection that is idle for 5 s: ours are given up before that. */
const IDLE_UPSTREAM_MS = 3_000;
/** A head, and a whole request, must have come by then. */
const HEAD_LIMIT_MS = 10_000;
const REQUEST_LIMIT_MS = 20_000;
const LIMIT_CHECK_MS = 1_000;
/** Longer than proxies keep theirs. */
const KEEP_ALIVE_MS = 65_000;
const ADVANCE_MS = 20;

/** RFC 9110, 7.6.1: of one connection, not of the message. */
const HOP_BY_HOP = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const STORAGE_DETAILS = {
  full: "the disk of the objects is nearly full: free some room",
  read_only: "the disk of the objects is read-only: stop the service, check and mount the disk, and start it again",
};

/** Those that a `Request` takes, and an interface reads. */
const PLAIN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** A smaller body is never turned away for want of room: large ones of others must not stop it. */
const SMALL_BODY_BYTES = 16 * 1024;
/** A connection on which nothing moves for longer ends, also one whose caller reads no answer. Streams of nodes rest 2 min. */
const IDLE_MS = 150_000;

export interface DoorOptions {
  readonly port: number;
  /** Of the runtime. */
  readonly upstreamPort: number;
  /** More connections than this are closed at once. */
  readonly maxConnections: number;
  /** FLOWS_ORIGINS: these pages can read why they were turned away. */
  readonly origins?: readonly string[];
  readonly requestLimitMs?: number;
  readonly maxKeptBytes?: number;
  readonly limits?: DoorLimits;
}

/** What stands between the network and a self-hosted runtime. */
export interface Door {
  readonly port: number;
  /** While closed, requests wait, and those that wait too long are refused. */
  setOpen(open: boolean): void;
  /** By how much room there is, some requests are refused before they start. */
  setDisk(state: DiskState): void;
  /** How many requests have not started. */
  waiting(): number;
  close(): Promise<void>;
}

/**
 * Takes connections, reads requests whole, and gives the runtime as many at a time as it can serve soon. The runtime
 * accepts whatever comes, and its Worker sees a request only when it is run: what waits before that, it cannot refuse.
 * A request that breaks off, comes too slowly, or whose caller has left before its turn never reaches the runtime.
 */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const {
    requestLimitMs = REQUEST_LIMIT_MS,
    maxKeptBytes = MAX_KEPT_BYTES,
    limits = DOOR_LIMITS,
    origins = [],
  } = options;
  const agent = new Agent({ keepAlive: true, timeout: IDLE_UPSTREAM_MS, maxFreeSockets: 1_024 });
  const probe = new Probe({ host: LOOPBACK, port: options.upstreamPort, path: LIVE_PATH, agent });
  const queue = new DoorQueue(
    () => performance.now(),
    () => probe.isBehind(),
    limits,
  );
  let keptBytes = 0;
  let disk: DiskState = "ok";

  function passOn(incoming: IncomingMessage, response: ServerResponse, body: readonly Buffer[], arrivedAtMs: number) {
    const isWhole = incoming.readableEnded;
    const sent = request({
      host: LOOPBACK,
      port: options.upstreamPort,
      // A connection that a body passes over as it comes serves nobody else.
      agent: isWhole ? agent : false,
      method: incoming.method,
      path: incoming.url,
      headers: { ...framed(endToEnd(incoming.headers), isWhole ? body : null), [ARRIVAL_HEADER]: stampOf(arrivedAtMs) },
    });
    sent.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.headers));
      // A stream may say nothing for minutes after its head.
      response.flushHeaders();
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    sent.on("error", (error) => {
      // Nothing was sent. Otherwise nobody but the caller knows whether it may be asked again, as without a door.
      if ("code" in error && error.code === "ECONNREFUSED") turnAway(incoming, response, body);
      else response.destroy();
    });
    response.on("close", () => sent.destroy());
    for (const chunk of body) sent.write(chunk);
    if (isWhole) sent.end();
    else incoming.pipe(sent);
  }

  /** A refusal that cannot be said ends the connection of its caller, and nothing else. */
  function say(response: ServerResponse, answer: () => Promise<Response>): void {
    tell(response, answer).catch(() => response.destroy());
  }

  async function tell(response: ServerResponse, say: () => Promise<Response>): Promise<void> {
    const answer = await say();
    // What is still to come of the body, nobody reads.
    const isWhole = response.req.complete;
    response.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      ...(isWorkflow(response.req) && originHeaders(response.req.headers.origin ?? null, origins)),
      ...(!isWhole && { connection: "close" }),
    });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }

  function turnAway(incoming: IncomingMessage, response: ServerResponse, body: readonly Buffer[]): void {
    say(response, () => answerOverloaded(asRequest(incoming, body)));
  }

  /** What the disk forbids. */
  function forbidden(incoming: IncomingMessage, body: readonly Buffer[]): (() => Promise<Response>) | null {
    if (disk === "ok") return null;
    const path = new URL(urlOf(incoming)).pathname;
    if (disk !== "low" && path === "/health") {
      const health = { status: "storage_failed", detail: STORAGE_DETAILS[disk] };
      return async () => Response.json(health, { status: 503 });
    }
    const { method = "GET" } = incoming;
    // As it is passed on. What stands in a URL may be another path.
    const [sent = ""] = (incoming.url ?? "").split("?");
    const stores = storesOf({ method, path: sent, body: Buffer.concat(body).toString() });
    return isRefusedOn(disk, stores) ? () => answerStorage(asRequest(incoming, body)) : null;
  }

  /** What costs next to nothing, and is asked before or about everything else. Null: it is something else. */
  function atOnce({ method, url, headers }: IncomingMessage): (() => Promise<Response>) | null {
    if (url === LIVE_PATH && method === "GET")
      return async () =>
        (await probe.answers())
          ? new Response(null, { status: 204 })
          : jsonError(503, "overloaded", "no runtime answers");
    const { origin } = headers;
    const isPreflight = method === "OPTIONS" && origin !== undefined && isWorkflow({ url });
    return isPreflight && origins.length > 0 ? async () => answerPreflight(origin, origins) : null;
  }

  function meet(incoming: IncomingMessage, response: ServerResponse, body: readonly Buffer[]): void {
    const refusal = atOnce(incoming) ?? forbidden(incoming, body);
    if (refusal !== null) {
      say(response, refusal);
      return;
    }
    const arrivedAtMs = performance.now();
    const visitor: Visitor = {
      arrivedAtMs,
      start: () => {
        try {
          passOn(incoming, response, body, arrivedAtMs);
        } catch {
          // Node sends no such request on. Its caller is the only one to notice.
          response.destroy();
        }
      },
      refuse: () => turnAway(incoming, response, body),
    };
    response.on("close", () => queue.leave(visitor));
    if (keptBytes > maxKeptBytes && bytesOf(body) > SMALL_BODY_BYTES) visitor.refuse();
    else queue.arrive(visitor);
  }

  /** Counts what is kept of a body while it comes, so that many slow ones take no more than many that wait. */
  function receive(incoming: IncomingMessage, response: ServerResponse): void {
    let ownBytes = 0;
    response.on("close", () => {
      keptBytes -= ownBytes;
    });
    const mayKeep = (bytes: number): boolean => {
      ownBytes += bytes;
      keptBytes += bytes;
      const hasRoom = keptBytes <= maxKeptBytes || ownBytes <= SMALL_BODY_BYTES;
      return ownBytes <= MAX_KEPT_BODY_BYTES && hasRoom;
    };
    readBody(incoming, mayKeep, (body) => meet(incoming, response, body));
  }

  const server = createServer(
    {
      headersTimeout: Math.min(HEAD_LIMIT_MS, requestLimitMs),
      requestTimeout: requestLimitMs,
      connectionsCheckingInterval: LIMIT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: true,
    },
    (incoming, response) => {
      incoming.on("error", () => response.destroy());
      receive(incoming, response);
    },
  );
  server.maxConnections = options.maxConnections;
  server.timeout = IDLE_MS;
  server.listen(options.port, LOOPBACK);
  await once(server, "listening");
  const address = server.address();
  const advancing = setInterval(() => {
    if (queue.hasWork) probe.send();
    queue.advance();
  }, ADVANCE_MS);
  return {
    port: typeof address === "object" && address !== null ? address.port : options.port,
    setOpen: (open) => queue.setOpen(open),
    setDisk: (state) => {
      disk = state;
    },
    waiting: () => queue.waiting,
    async close() {
      clearInterval(advancing);
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      await closed;
      agent.destroy();
    },
  };
}

/** Gives what has come of a body, once all of it has, or more than may be kept. */
function readBody(
  incoming: IncomingMessage,
  mayKeep: (bytes: number) => boolean,
  ready: (body: readonly Buffer[]) => void,
): void {
  const chunks: Buffer[] = [];
  const done = () => {
    incoming.off("data", take);
    incoming.off("end", done);
    if (!incoming.readableEnded) incoming.pause();
    ready(chunks);
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    if (!mayKeep(chunk.length)) done();
  };
  incoming.on("data", take);
  incoming.on("end", done);
}

function endToEnd(headers: IncomingMessage["headers"]): Record<string, string | string[]> {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name) || named.includes(name) ? [] : [[name, value]],
    ),
  );
}

/**
 * Frames a body for the runtime (RFC 9112, 6.3), whatever the caller has said of it: what Node sends without a frame, the
 * runtime would read as the next request of the connection.
 *
 * @param body null: it passes as it comes.
 */
function framed(
  { "content-length": _, ...headers }: Record<string, string | string[]>,
  body: readonly Buffer[] | null,
): Record<string, string | string[]> {
  if (body === null) return { ...headers, "transfer-encoding": "chunked" };
  return body.length === 0 ? headers : { ...headers, "content-length": String(bytesOf(body)) };
}

function bytesOf(body: readonly Buffer[]): number {
  return body.reduce((sum, { length }) => sum + length, 0);
}

/** By the clock that the runtime reads too, and by what has passed here since: a clock that was set meanwhile changes nothing. */
function stampOf(arrivedAtMs: number): string {
  return String(Date.now() - Math.round(performance.now() - arrivedAtMs));
}

function urlOf({ url = "" }: IncomingMessage): string {
  const origin = `http://${LOOPBACK}`;
  const target = `${origin}${url}`;
  return URL.canParse(target) ? target : origin;
}

function isWorkflow({ url = "" }: Pick<IncomingMessage, "url">): boolean {
  return url.startsWith(WORKFLOWS_PATH);
}

/** What the words of a refusal depend on. Never throws: targets and methods are whatever callers send. */
function asRequest(incoming: IncomingMessage, body: readonly Buffer[]): Request {
  const url = urlOf(incoming);
  const headers = new Headers();
  for (const [name, value] of Object.entries(endToEnd(incoming.headers)))
    for (const one of [value].flat()) headers.append(name, one);
  const { method = "GET" } = incoming;
  if (!PLAIN_METHODS.has(method)) return new Request(url, { method: "GET", headers });
  const bare = method === "GET" || method === "HEAD" || body.length === 0;
  return new Request(url, { method, headers, ...(!bare && { body: Buffer.concat(body) }) });
}
