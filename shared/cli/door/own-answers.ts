import type { IncomingMessage, ServerResponse } from "node:http";
import { jsonError } from "../../http/app.ts";
import { LIVE_PATH } from "../../http/overload.ts";
import { storesOf } from "../../http/stored-data.ts";
import { answerOverloaded, answerStorage } from "../../http/turned-away.ts";
import { answerPreflight, originHeaders } from "../../workflow/cors.ts";
import { type DiskState, isRefusedOn } from "../disk-watch.ts";
import type { DoorRequest } from "./forward.ts";
import { asRequest, isWorkflow, urlOf } from "./message.ts";
import type { Probe } from "./probe.ts";

const STORAGE_DETAILS = {
  full: "the disk of the objects is nearly full: free some room",
  read_only: "the disk of the objects is read-only: stop the service, check and mount the disk, and start it again",
};

/** Makes an answer of the door's own. */
export type Answer = () => Promise<Response>;

/**
 * Answers a liveness request or a preflight before the queue. Both cost next to nothing. Null for any other request.
 */
export function immediateAnswer(
  { method, url, headers }: IncomingMessage,
  probe: Probe,
  origins: readonly string[],
): Answer | null {
  if (url === LIVE_PATH && method === "GET")
    return async () =>
      (await probe.answers())
        ? new Response(null, { status: 204 })
        : jsonError(503, "overloaded", "no runtime answers: repeat later");
  const { origin } = headers;
  const isPreflight = method === "OPTIONS" && origin !== undefined && isWorkflow({ url });
  return isPreflight && origins.length > 0 ? async () => answerPreflight(origin, origins) : null;
}

/**
 * Refuses a request whose data the disk has no room for, and answers `/health`. Null if the disk allows the request.
 */
export function storageRefusal(incoming: IncomingMessage, body: readonly Buffer[], disk: DiskState): Answer | null {
  if (disk === "ok") return null;
  const path = new URL(urlOf(incoming)).pathname;
  if (disk !== "low" && path === "/health") {
    const health = { status: "storage_failed", detail: STORAGE_DETAILS[disk] };
    return async () => Response.json(health, { status: 503 });
  }
  const { method = "GET" } = incoming;
  // The path is read as it is passed on. A parsed URL may have another path.
  const [sentPath = ""] = (incoming.url ?? "").split("?");
  const stores = storesOf({ method, path: sentPath, body: Buffer.concat(body).toString() });
  return isRefusedOn(disk, stores) ? () => answerStorage(asRequest(incoming, body)) : null;
}

/** Refuses a request that could not start in time, in the words of its interface. */
export function refuseRequest({ incoming, response, body }: DoorRequest, origins: readonly string[]): void {
  sendAnswer(response, () => answerOverloaded(asRequest(incoming, body)), origins);
}

/** Sends an answer of the door's own. If that fails, only the connection of its caller ends. */
export function sendAnswer(response: ServerResponse, answer: Answer, origins: readonly string[]): void {
  writeAnswer(response, answer, origins).catch(() => response.destroy());
}

async function writeAnswer(response: ServerResponse, answer: Answer, origins: readonly string[]): Promise<void> {
  const { req } = response;
  const answered = await answer();
  // The rest of an incomplete body is never read.
  const isWhole = req.complete;
  response.writeHead(answered.status, {
    ...Object.fromEntries(answered.headers),
    ...(isWorkflow(req) && originHeaders(req.headers.origin ?? null, origins)),
    ...(!isWhole && { connection: "close" }),
  });
  response.end(Buffer.from(await answered.arrayBuffer()));
}
