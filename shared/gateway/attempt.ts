import type { Fetch } from "../bindings/ports.ts";
import { ByteSink } from "../bytes.ts";
import { bodyLength, readAtOnce } from "../http/bounded-body.ts";
import { retryAfterMs } from "../http/retry-after.ts";
import type { Network } from "../networks.ts";
import { allowedHeaders, type HeaderRecord } from "./headers.ts";
import type { EndpointRateLimit, HeadVerdict, Upstream, UpstreamRequest } from "./upstream.ts";

/** Time-outs of one attempt. They are data, so that tests need not wait. */
export interface AttemptTimeouts {
  /** The time from the request to the end of the look-ahead, before anything is passed on. */
  readonly answerMs: number;
  /** The same for a write. Nodes answer a write once it is final. */
  readonly writeMs: number;
  /** The time between two pieces of a body. */
  readonly idleMs: number;
  /** The time between two pieces of an endless stream, which may have no data for a while. */
  readonly streamIdleMs: number;
}

/** The time-outs in use. */
export const ATTEMPT_TIMEOUTS: AttemptTimeouts = {
  answerMs: 10_000,
  writeMs: 30_000,
  idleMs: 20_000,
  streamIdleMs: 120_000,
};

/**
 * An answer up to this length is read whole before it is passed on. If it breaks off, another endpoint can still
 * answer.
 */
const LOOK_AHEAD_BYTES = 65_536;

/** A body that is still to come. */
export interface StreamedBody {
  /**
   * Writes the body piece by piece, as fast as the pieces are taken. It uses one buffer again after each write. It
   * aborts the stream if the body breaks off or goes silent. Never rejects.
   */
  pipeTo(writable: WritableStream<Uint8Array>): Promise<void>;
}

/** The answer that passes to the caller. A body that breaks off ends with an error, never as if it were complete. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: HeaderRecord;
  readonly body: Uint8Array | StreamedBody | null;
  /** The length of a body that is still to come. Null if it is not known. */
  readonly lengthBytes: number | null;
}

/** An answer that can be passed on. */
export interface Passing {
  readonly kind: "passing";
  readonly passing: UpstreamResponse;
  readonly ofNetwork: boolean;
  /** The place of the history that the endpoint has pruned, as the endpoint names it. */
  readonly archive?: string;
}

/** The result of one attempt at one endpoint. */
export type Attempted =
  | Passing
  | (Extract<HeadVerdict, { kind: "failed" }> & { readonly tooOften?: EndpointRateLimit });

/** The request that goes to an endpoint. */
export interface OutgoingRequest {
  readonly method: string;
  readonly headers: HeaderRecord;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

const TOO_MANY_REQUESTS = 429;

class TimeoutError extends Error {}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new TimeoutError("the endpoint went silent")), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface LookedAhead {
  readonly body: Uint8Array;
  /** Null if the body has ended. */
  readonly rest: ReadableStream<Uint8Array> | null;
}

async function lookAhead(response: Response, lengthBytes: number | null): Promise<LookedAhead> {
  const { body } = response;
  if (lengthBytes !== null && lengthBytes <= LOOK_AHEAD_BYTES) {
    const whole = await readAtOnce(body, lengthBytes);
    if (whole !== null) return { body: whole, rest: null };
  }
  if (body === null) return { body: new Uint8Array(), rest: null };
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const sink = new ByteSink();
  for (let bytes = 0; bytes <= LOOK_AHEAD_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) return { body: sink.bytes(), rest: null };
    sink.push(value);
    bytes += value.length;
  }
  reader.releaseLock();
  return { body: sink.bytes(), rest: body };
}

const PIECE_BYTES = 65_536;

function streamedBody(beginning: Uint8Array, body: ReadableStream<Uint8Array>, idleMs: number): StreamedBody {
  return {
    pipeTo: async (writable) => {
      const writer = writable.getWriter();
      const reader = body.getReader({ mode: "byob" });
      try {
        if (beginning.length > 0) await writer.write(beginning);
        for (let buffer = new ArrayBuffer(PIECE_BYTES); ; ) {
          const { done, value } = await within(idleMs, reader.read(new Uint8Array(buffer)));
          if (done) break;
          await writer.write(value);
          buffer = value.buffer;
        }
        await writer.close();
      } catch (error) {
        await Promise.allSettled([reader.cancel(error), writer.abort(error)]);
      }
    },
  };
}

/** Statuses whose answers have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

interface Sending {
  readonly url: string;
  readonly ask: UpstreamRequest;
  readonly network: Network;
  readonly outgoing: OutgoingRequest;
}

interface Sender {
  readonly fetch: Fetch;
  readonly timeouts: AttemptTimeouts;
}

async function answerOf(
  upstream: Upstream,
  { url, ask, network, outgoing }: Sending,
  { fetch, timeouts: patience }: Sender,
): Promise<Attempted> {
  const { method, headers, body } = outgoing;
  // Redirects are not followed: only this endpoint gets the request.
  const response = await fetch(`${url}${ask.target}`, { method, headers, body, redirect: "manual" });
  const verdict = upstream.checkHead(response, ask, network);
  if (verdict.kind === "failed") {
    // The rest of the answer is not read, and its connection is free for another attempt.
    void response.body?.cancel().catch(() => {});
    if (response.status !== TOO_MANY_REQUESTS) return verdict;
    return { ...verdict, tooOften: { retryAfterMs: retryAfterMs(response.headers, Date.now()) } };
  }
  const { status } = response;
  const passing = (passed: UpstreamResponse["body"], lengthBytes: number | null): Passing => ({
    kind: "passing",
    passing: {
      status,
      headers: allowedHeaders(response.headers, upstream.responseHeaders),
      body: WITHOUT_BODY.has(status) ? null : passed,
      lengthBytes,
    },
    ofNetwork: verdict.ofNetwork,
  });
  if (ask.streams && response.body !== null)
    return passing(streamedBody(new Uint8Array(), response.body, patience.streamIdleMs), null);
  const lengthBytes = bodyLength(response.headers);
  const ahead = await lookAhead(response, lengthBytes);
  if (ahead.rest !== null && upstream.mustTransform?.(response) === true)
    return { kind: "failed", fault: "an answer that is longer than any honest one" };
  if (ahead.rest !== null) return passing(streamedBody(ahead.body, ahead.rest, patience.idleMs), lengthBytes);
  const whole = { status, headers: response.headers, body: ahead.body };
  const revised = upstream.transformBody?.(whole, ask) ?? { kind: "pass", body: ahead.body };
  if (revised.kind === "failed") return revised;
  const answer = passing(revised.body, revised.body.length);
  return revised.archive === undefined ? answer : { ...answer, archive: revised.archive };
}

/**
 * Sends one request to one endpoint, and returns when its answer can be passed on. Never rejects. A late request is
 * given up, but ends only with the caller's own request. A signal that aborts it sooner would cost every request a
 * twentieth of its time.
 */
export async function attempt(upstream: Upstream, sending: Sending, sender: Sender): Promise<Attempted> {
  const { timeouts: patience } = sender;
  const limitMs = sending.ask.kind === "write" ? patience.writeMs : patience.answerMs;
  try {
    return await within(limitMs, answerOf(upstream, sending, sender));
  } catch (error) {
    return {
      kind: "failed",
      fault: error instanceof TimeoutError ? "no answer in time" : "no connection, or one that broke off",
    };
  }
}
