import type { Fault } from "../control.ts";
import { MAX_HANG_MS, pause } from "../pause.ts";
import { ApiError } from "./errors.ts";

/**
 * Answers a call the way an ordered fault has it. The call is carried out, and a transaction admitted, by
 * `drop_after_commit`, `delay` and `half_body` only.
 */
export async function serveFaulty(
  { mode, delayMs }: Fault,
  request: Request,
  answer: () => Promise<Response>,
): Promise<Response> {
  switch (mode) {
    case "drop_after_commit": {
      const response = await answer();
      await pause(delayMs);
      // What is refused is refused as ever: only an admission gets lost.
      return response.ok ? new Response("upstream request timeout", { status: 504 }) : response;
    }
    case "half_body": {
      const response = await answer();
      await pause(delayMs);
      const whole = await response.text();
      return new Response(whole.slice(0, Math.floor(whole.length / 2)), response);
    }
    case "delay": {
      // The call comes first, so that what a caller does not wait for has happened nevertheless.
      return await answer().finally(() => pause(delayMs));
    }
    case "hang":
      await request.arrayBuffer();
      await pause(MAX_HANG_MS, request.signal);
      return unavailable();
    default:
      // The runtime complains of a body that nobody reads.
      await request.arrayBuffer();
      await pause(delayMs);
      return refuse(mode);
  }
}

function refuse(mode: Fault["mode"]): Response {
  switch (mode) {
    case "http_500":
      return new Response("Internal Server Error", { status: 500 });
    case "garbage":
      return new Response("<!doctype html><title>Welcome</title>", { headers: { "content-type": "text/html" } });
    default:
      return unavailable();
  }
}

function unavailable(): Response {
  const { status, body } = new ApiError(503, "internal_error", "the service is currently unavailable");
  return Response.json(body, { status });
}
