import { concatBytes } from "../bytes.ts";
import type { Network } from "../networks.ts";
import type { Fetch } from "../ports.ts";
import { unlessAborted } from "../timing.ts";
import { allowedHeaders, bodyLength } from "./headers.ts";
import type { Ask, Upstream, Verdict } from "./upstream.ts";

/** Time-outs of one attempt. Data, so that tests need not wait. */
export interface Patience {
  /** From the request to the end of what is looked at before anything is passed on. */
  readonly answerMs: number;
  /** Of a write, which nodes answer once it is final. */
  readonly writeMs: number;
  /** Between two pieces of a body. */
  readonly idleMs: number;
  /** Between two pieces of a stream without an end, which may have nothing to say for a while. */
  readonly streamIdleMs: number;
}

export const PATIENCE: Patience = { answerMs: 10_000, writeMs: 30_000, idleMs: 20_000, streamIdleMs: 120_000 };

/** An answer that is no longer comes whole before it is passed on, so that one that breaks off can still be had elsewhere. */
const LOOK_AHEAD_BYTES = 65_536;

/** What passes to the caller. A body that breaks off ends with an error, never as if it were complete. */
export interface Passing {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null;
  /** Of a stream, where it is known. */
  readonly lengthBytes: number | null;
}

export type Attempted =
  | { readonly kind: "passing"; readonly passing: Passing; readonly ofNetwork: boolean }
  | Extract<Verdict, { kind: "failed" }>;

export interface Outgoing {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

interface LookedAhead {
  readonly chunks: readonly Uint8Array[];
  /** Null: the body has ended. */
  readonly rest: Reader | null;
}

async function lookAhead(body: ReadableStream<Uint8Array> | null, abort: AbortSignal): Promise<LookedAhead> {
  if (body === null) return { chunks: [], rest: null };
  const reader: Reader = body.getReader();
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes <= LOOK_AHEAD_BYTES; ) {
    const { done, value } = await unlessAborted(abort, reader.read());
    if (done) return { chunks, rest: null };
    chunks.push(value);
    bytes += value.length;
  }
  return { chunks, rest: reader };
}

async function readWithin(reader: Reader, limitMs: number): Promise<ReadableStreamReadResult<Uint8Array>> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error("the endpoint went silent in the middle of its answer")),
    limitMs,
  );
  try {
    return await Promise.race([reader.read(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The rest of a body, piece by piece as the caller takes them. */
function streamOf({ chunks, rest }: { chunks: readonly Uint8Array[]; rest: Reader }, idleMs: number) {
  const ahead = [...chunks];
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = ahead.shift();
      if (next !== undefined) {
        controller.enqueue(next);
        return;
      }
      try {
        const { done, value } = await readWithin(rest, idleMs);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(error);
        await rest.cancel().catch(() => undefined);
      }
    },
    cancel: (reason) => rest.cancel(reason),
  });
}

/** Statuses whose answers have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** One request to one endpoint, up to where its answer can be passed on. Never rejects. */
export async function attempt(
  upstream: Upstream,
  { url, ask, network, outgoing }: { url: string; ask: Ask; network: Network; outgoing: Outgoing },
  { fetch, patience }: { readonly fetch: Fetch; readonly patience: Patience },
): Promise<Attempted> {
  const aborting = new AbortController();
  const limitMs = ask.kind === "write" ? patience.writeMs : patience.answerMs;
  const timer = setTimeout(() => aborting.abort(new Error("late")), limitMs);
  const fail = <V extends Attempted>(verdict: V): V => {
    aborting.abort();
    return verdict;
  };
  try {
    const response = await unlessAborted(
      aborting.signal,
      fetch(`${url}${ask.target}`, {
        method: outgoing.method,
        headers: outgoing.headers,
        body: outgoing.body,
        // What is asked is asked of this endpoint and of nobody that it names.
        redirect: "manual",
        signal: aborting.signal,
      }),
    );
    const verdict = upstream.judgeHead(response, ask, network);
    if (verdict.kind === "failed") return fail(verdict);
    const { status } = response;
    const headers = allowedHeaders(response.headers, upstream.responseHeaders);
    const passing = (body: Passing["body"], lengthBytes: number | null): Attempted => ({
      kind: "passing",
      passing: { status, headers, body: WITHOUT_BODY.has(status) ? null : body, lengthBytes },
      ofNetwork: verdict.ofNetwork,
    });
    if (ask.streams && response.body !== null) {
      const rest = response.body.getReader();
      return passing(streamOf({ chunks: [], rest }, patience.streamIdleMs), null);
    }
    const { chunks, rest } = await lookAhead(response.body, aborting.signal);
    if (rest !== null) return passing(streamOf({ chunks, rest }, patience.idleMs), bodyLength(response.headers));
    const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : concatBytes(...chunks);
    const revised = upstream.reviseWhole?.({ status, headers: response.headers, body }, ask) ?? { kind: "pass", body };
    return revised.kind === "failed" ? revised : passing(revised.body, revised.body.length);
  } catch {
    const late = aborting.signal.aborted;
    return fail({ kind: "failed", fault: late ? "no answer in time" : "no connection, or one that broke off" });
  } finally {
    clearTimeout(timer);
  }
}
