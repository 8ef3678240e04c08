import { services } from "../../shared/api/services.ts";
import { type Refusal, refuse } from "../../shared/errors.ts";
import { refused, retryAfterSeconds } from "../../shared/gateway/refusal.ts";
import { jsonError } from "../../shared/http/app.ts";
import { refuseOverloaded } from "../../shared/http/overload.ts";
import { answerRefused } from "../../shared/rpc/dispatch.ts";
import { ADMIN_PATH, problemResponse } from "./admin/problem.ts";
import { upstreams } from "./gateway/upstreams.ts";

/** Whether a path is an interface's own, or has one more segment, such as a key. */
export function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

/** Longer than it takes to be told of a disk. */
const STORAGE_RETRY_AFTER_MS = 30_000;

/**
 * Says in the shape of the interface that a request was turned away before anything was done for it. Uses nothing of
 * the platform, so that whoever stands in front of the service says it in the same words.
 */
export function answerOverloaded(request: Request, random?: () => number): Promise<Response> {
  const { error: refusal } = refuseOverloaded(random);
  return answerTurnedAway(request, "overloaded", refusal, Number(refusal.data?.retryAfterMs));
}

/** As `answerOverloaded`, for what is not begun because its effects could not be stored. */
export function answerStorage(request: Request): Promise<Response> {
  const details = "the disk of the service is nearly full or read-only: nothing was done, send it again later";
  return answerTurnedAway(request, "storage", refuse("storage", details).error, STORAGE_RETRY_AFTER_MS);
}

async function answerTurnedAway(
  request: Request,
  reason: "overloaded" | "storage",
  refusal: Refusal,
  retryAfterMs: number,
): Promise<Response> {
  const { details } = refusal;
  const path = new URL(request.url).pathname;
  const isRpc = services.some(
    (service) => isBelow(path, service.path) || (service.oldPath !== undefined && isBelow(path, service.oldPath)),
  );
  if (isRpc) return answerRefused(request, refusal);
  const upstream = upstreams.find((one) => isBelow(path, one.path));
  if (upstream !== undefined) return upstream.refuse(refused(reason, details, { retryAfterMs }).error, request);
  const headers = { "retry-after": retryAfterSeconds(retryAfterMs) };
  return isBelow(path, ADMIN_PATH)
    ? problemResponse({ status: 503, detail: details }, headers)
    : jsonError(503, reason, details, headers, true);
}
