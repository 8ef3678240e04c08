import { apiAt, restAt } from "../api/apis.ts";
import { restErrorResponse } from "../api/rest.ts";
import { type Refusal, refuse } from "../errors.ts";
import { refused } from "../gateway/errors.ts";
import { nodeInterfaces } from "../gateway/interfaces.ts";
import { answerRefused } from "../rpc/dispatch.ts";
import { jsonError } from "./app.ts";
import { refuseOverloaded } from "./overload.ts";
import { isBelow } from "./path.ts";
import { ADMIN_PATH, problemResponse } from "./problem.ts";
import { retryAfterHeader } from "./retry-after.ts";

/** The wait is longer than the launcher takes to notice that a disk has room again. */
const STORAGE_RETRY_AFTER_MS = 30_000;

/**
 * Answers, in the shape of its interface, that a request was turned away before anything was done for it. It does not
 * use the platform, so the self-hosted door in front of the service answers in the same words.
 *
 * @param random spreads the times after which callers may return.
 */
export function answerOverloaded(request: Request, random?: () => number): Promise<Response> {
  const { error: refusal } = refuseOverloaded(random);
  return answerTurnedAway(request, "overloaded", refusal, Number(refusal.data?.retryAfterMs));
}

/** Answers as `answerOverloaded` does, for a request whose effects could not be stored. */
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
  if (apiAt(path) !== undefined) return answerRefused(request, refusal);
  const rest = restAt(path);
  if (rest !== undefined)
    return restErrorResponse(rest, { status: 503, code: reason, message: details, data: {} }, { retryAfterMs });
  const node = nodeInterfaces.find((one) => isBelow(path, one.path));
  if (node !== undefined) return node.errorResponse(refused(reason, details, { retryAfterMs }).error, request);
  const headers = retryAfterHeader(retryAfterMs);
  return isBelow(path, ADMIN_PATH)
    ? problemResponse({ status: 503, detail: details }, headers)
    : jsonError(503, reason, details, headers, true);
}
