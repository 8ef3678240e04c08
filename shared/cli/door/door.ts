import { once } from "node:events";
import { Agent, createServer } from "node:http";
import { LIVE_PATH } from "../../http/overload.ts";
import type { DiskState } from "../disk-watch.ts";
import { LOOPBACK } from "../ports.ts";
import { KeptBodies } from "./body.ts";
import { type DoorRequest, forward } from "./forward.ts";
import { immediateAnswer, refuseRequest, sendAnswer, storageRefusal } from "./own-answers.ts";
import { Probe } from "./probe.ts";
import { DOOR_LIMITS, type DoorLimits, DoorQueue, type QueuedRequest } from "./queue.ts";

/** Limit of all bodies that arrive and wait. Further requests are refused at once. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
/** The runtime closes a connection that is idle for 5 s. The door closes its own before that. */
const IDLE_UPSTREAM_MS = 3_000;
const MAX_FREE_UPSTREAM_SOCKETS = 1_024;
/** Time limit of a request's head. */
const HEAD_LIMIT_MS = 10_000;
/** Time limit of a whole request. */
const REQUEST_LIMIT_MS = 20_000;
const LIMIT_CHECK_MS = 1_000;
/** Exceeds the time for which proxies keep their connections. */
const KEEP_ALIVE_MS = 65_000;
const ADVANCE_MS = 20;
/** An idle connection ends after this time, also if its caller reads no answer. Streams of nodes rest 2 min. */
const IDLE_MS = 150_000;

/** The ports and limits of a `Door`. */
export interface DoorOptions {
  readonly port: number;
  /** The port of the runtime. */
  readonly upstreamPort: number;
  /** More connections than this are closed at once. */
  readonly maxConnections: number;
  /** FLOWS_ORIGINS. These pages can read why they were refused. */
  readonly origins?: readonly string[];
  readonly requestLimitMs?: number;
  readonly maxKeptBytes?: number;
  readonly limits?: DoorLimits;
}

/** The server between the network and a self-hosted runtime. */
export interface Door {
  readonly port: number;
  /** Opens or closes the door. Requests wait at a closed one. After too long a wait they are refused. */
  setOpen(open: boolean): void;
  /** Refuses requests for which the disk has no room before they start. */
  setDisk(state: DiskState): void;
  /** Counts the requests that have not started. */
  waiting(): number;
  close(): Promise<void>;
}

/**
 * Takes connections, reads requests whole, and gives the runtime as many at a time as it can serve soon. The runtime
 * itself accepts every request, and its Worker sees one only when it runs it. So it cannot refuse the requests that
 * wait. A request never reaches the runtime if it breaks off, comes too slowly, or its caller leaves before its turn.
 */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const { requestLimitMs = REQUEST_LIMIT_MS, limits = DOOR_LIMITS, origins = [] } = options;
  const agent = new Agent({ keepAlive: true, timeout: IDLE_UPSTREAM_MS, maxFreeSockets: MAX_FREE_UPSTREAM_SOCKETS });
  const upstream = { port: options.upstreamPort, agent };
  const probe = new Probe({ host: LOOPBACK, port: options.upstreamPort, path: LIVE_PATH, agent });
  const queue = new DoorQueue(
    () => performance.now(),
    () => probe.isBehind(),
    limits,
  );
  const bodies = new KeptBodies(options.maxKeptBytes ?? MAX_KEPT_BYTES);
  let disk: DiskState = "ok";

  function queueUp(request: DoorRequest): void {
    const { response, body } = request;
    const arrivedAtMs = performance.now();
    const refuse = () => refuseRequest(request, origins);
    const queued: QueuedRequest = {
      arrivedAtMs,
      start: () => {
        try {
          forward(request, arrivedAtMs, upstream, refuse);
        } catch {
          // Node does not send such a request. Only its caller notices.
          response.destroy();
        }
      },
      refuse,
    };
    response.on("close", () => queue.leave(queued));
    if (bodies.mayWait(body)) queue.arrive(queued);
    else refuse();
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
      bodies.receive(incoming, response, (body) => {
        const answer = immediateAnswer(incoming, probe, origins) ?? storageRefusal(incoming, body, disk);
        if (answer === null) queueUp({ incoming, response, body });
        else sendAnswer(response, answer, origins);
      });
    },
  );
  server.maxConnections = options.maxConnections;
  server.timeout = IDLE_MS;
  // By default 511 connections wait to be taken. The system drops further ones, and their callers try again after 1 s,
  // 3 s and 7 s.
  server.listen({ port: options.port, host: LOOPBACK, backlog: options.maxConnections });
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
