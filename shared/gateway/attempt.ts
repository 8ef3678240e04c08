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

/** A body that is still to come. */
export interface Rest {
  /**
   * Writes it piece by piece, as fast as they are taken, through one buffer that is used again once a write has ended.
   * Aborts the stream where the body breaks off or goes silent. Never rejects.
   */
  passTo(writable: WritableStream<Uint8Array>): Promise<void>;
}

/** What passes to the caller. A body that breaks off ends with an error, never as if it were complete. */
export interface Passing {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array | Rest | null;
  /** Of a body that is still to come, where it is known. */
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

interface LookedAhead {
  readonly chunks: readonly Uint8Array[];
  /** Null: the body has ended. */
  readonly rest: ReadableStream<Uint8Array> | null;
}

async function lookAhead(body: ReadableStream<Uint8Array> | null, abort: AbortSignal): Promise<LookedAhead> {
  if (body === null) return { chunks: [], rest: null };
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes <= LOOK_AHEAD_BYTES; ) {
    const { done, value } = await unlessAborted(abort, reader.read());
    if (done) return { chunks, rest: null };
    chunks.push(value);
    bytes += value.length;
  }
  reader.releaseLock();
  return { chunks, rest: body };
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("the endpoint went silent within its answer")), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const PIECE_BYTES = 65_536;

function restOf(chunks: readonly Uint8Array[], body: ReadableStream<Uint8Array>, idleMs: number): Rest {
  return {
    passTo: async (writable) => {
      const writer = writable.getWriter();
      const reader = body.getReader({ mode: "byob" });
      try {
        for (const chunk of chunks) await writer.write(chunk);
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
    if (ask.streams && response.body !== null) return passing(restOf([], response.body, patience.streamIdleMs), null);
    const { chunks, rest } = await lookAhead(response.body, aborting.signal);
    if (rest !== null) return passing(restOf(chunks, rest, patience.idleMs), bodyLength(response.headers));
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
