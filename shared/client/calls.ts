import { codeOf, type Outcome, type Refusal, rpcErrorOf } from "../errors.ts";
import { readBoundedText } from "../http/bounded-text.ts";
import type { Fetch } from "../http/fetch.ts";
import { retryAfterMs } from "../http/retry-after.ts";
import { BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY } from "../idempotency.ts";
import type { Failure, Success } from "../result.ts";
import { sleep, unlessAborted } from "../waits.ts";
import { REQUEST_ID, readResponse } from "./envelope.ts";
import { badReply, type ClientError, failed, type Reply, type TransportFailure } from "./reply.ts";

const MAX_REPLY_BYTES = 8_388_608;
const DEFAULT_TIMEOUT_MS = 30_000;

const DEFAULT_RETRIES = 2;
const FIRST_WAIT_MS = 200;
/** The longest sleep of the client. For a longer wait, the caller gets the error and decides. */
const MAX_WAIT_MS = 5_000;
const HTTP_TOO_MANY_REQUESTS = 429;
/** Statuses of a proxy: the service gave no answer, or is away. The call may have been carried out. */
const HTTP_NO_SERVICE = [502, 503, 504];
const RATE_LIMITED = codeOf("rate_limited");
const TEMPORARILY_UNAVAILABLE = codeOf("node_unavailable");
const OUTCOME_UNKNOWN = codeOf("outcome_unknown");

/** Settings of a client. */
export interface RpcClientOptions {
  /** Origin of the service, without a path: `https://gasworks.example.com`. */
  readonly baseUrl: string;
  readonly accessKey: string;
  /** Replaces the global `fetch`. In the same process it can call the service's app. */
  readonly fetch?: Fetch;
  /** The longest duration of one call, with its repeats, ms. */
  readonly timeoutMs?: number;
  /** The most repeats of a call that is safe to repeat. 0 means none. */
  readonly retries?: number;
  /** Returns a number from 0 up to 1. Random waits keep callers that were refused together from returning together. */
  readonly random?: () => number;
}

/** Settings of one call. */
export interface CallOptions {
  /** Names this attempt, so that a repeat under the same key has no second effect. Null for no key. */
  readonly idempotencyKey?: string | null;
}

/** One method of an interface. */
export type Call<Params, Value> = (params: Params, options?: CallOptions) => Promise<Reply<Value>>;

/** A wire method in the form that a client calls. */
export interface WireMethod<Params, Value> {
  readonly name: string;
  /** True if the header `Idempotency-Key` prevents a second effect of a repeat. */
  readonly idempotent: boolean;
  /** Returns the positional params of the wire, or the refusal of params that cannot be sent. */
  readonly encode: (params: Params) => Outcome<readonly unknown[]>;
  /** Reads a result, which is hostile input. Null if it does not have the shape of the method. */
  readonly decode: (result: unknown) => Success<Value> | null;
}

function refusedHere(refusal: Refusal): Failure<ClientError> {
  const { code, data } = rpcErrorOf(refusal);
  return failed({ kind: "refused", code, reason: refusal.reason, details: refusal.details, data });
}

/**
 * Creates calls of one JSON-RPC interface. The reply is hostile input: it is bounded, tied to the request by its id,
 * and read by the method. Redirects are not followed, so that the access key goes nowhere else. A call never rejects.
 *
 * Safe calls are repeated after a wait if the service was too busy or not reachable. A call is safe if it has no
 * effect, or has an Idempotency-Key for its effect. All other calls are sent once. A refusal after an unanswered try of
 * an effect (rate limit, ended session) proves nothing about that try. The call then ends as one without an answer.
 *
 * @param path path of the interface.
 */
export function createCalls(path: string, options: RpcClientOptions) {
  const url = options.baseUrl.replace(/\/+$/, "") + path;
  const send: Fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;

  const { retries = DEFAULT_RETRIES, random = Math.random } = options;

  async function exchange(
    body: string,
    idempotencyKey: string | null,
    signal: AbortSignal,
  ): Promise<{ readonly response: Response; readonly text: string | null }> {
    const headers = { "content-type": "application/json", "x-api-key": options.accessKey };
    const response = await send(url, {
      method: "POST",
      headers: idempotencyKey === null ? headers : { ...headers, [IDEMPOTENCY_HEADER]: idempotencyKey },
      body,
      redirect: "manual",
      signal,
    });
    return { response, text: await readBoundedText(response.body, MAX_REPLY_BYTES) };
  }

  async function once<Value>(
    body: string,
    idempotencyKey: string | null,
    decode: WireMethod<never, Value>["decode"],
    signal: AbortSignal,
  ): Promise<Reply<Value>> {
    try {
      const { response, text } = await unlessAborted(signal, exchange(body, idempotencyKey, signal));
      const reply = text === null ? badReply("the reply is too long") : readResponse(text);
      if (reply.ok) return decode(reply.value) ?? badReply("the result has not the shape of its contract");
      return reply.error.kind === "refused" ? reply : (saidByProxy(response) ?? reply);
    } catch (error) {
      if (signal.aborted) return failed({ kind: "timeout", details: `no answer within ${timeoutMs} ms` });
      return failed({
        kind: "unreachable",
        details: error instanceof Error ? error.message : "the connection failed",
      });
    }
  }

  return function call<Params, Value>(method: WireMethod<Params, Value>): Call<Params, Value> {
    return async (params, { idempotencyKey = null } = {}) => {
      if (idempotencyKey !== null && !IDEMPOTENCY_KEY.test(idempotencyKey))
        return refusedHere({ reason: "invalid_request", details: BAD_IDEMPOTENCY_KEY });
      const encoded = method.encode(params);
      if (!encoded.ok) return refusedHere(encoded.error);
      const body = JSON.stringify({ jsonrpc: "2.0", id: REQUEST_ID, method: method.name, params: encoded.value });
      const isSafe = !method.idempotent || idempotencyKey !== null;
      const deadlineMs = Date.now() + timeoutMs;
      const signal = AbortSignal.timeout(timeoutMs);
      let lost: TransportFailure | null = null;
      for (let repeated = 0; ; repeated++) {
        const reply = await once(body, idempotencyKey, method.decode, signal);
        if (reply.ok) return reply;
        const { error } = reply;
        const said = failed(lost === null || isOutcomeUnknown(error) ? error : lost);
        if (!isSafe || repeated >= retries) return said;
        const waitMs = waitBefore(error, repeated, random());
        if (waitMs === null || waitMs > MAX_WAIT_MS || Date.now() + waitMs >= deadlineMs) return said;
        if (method.idempotent && error.kind !== "refused") lost ??= error;
        await sleep(waitMs);
      }
    };
  };
}

function isOutcomeUnknown(error: ClientError): boolean {
  return error.kind === "refused" && error.code === OUTCOME_UNKNOWN;
}

/** Reads a proxy's reply without JSON-RPC: too many calls, or no service behind it. Null for any other reply. */
function saidByProxy({ status, headers }: Response): Failure<ClientError> | null {
  const waitMs = retryAfterMs(headers, Date.now());
  const wait = waitMs === null ? {} : { retryAfterMs: waitMs };
  const details = `HTTP ${status}`;
  if (status === HTTP_TOO_MANY_REQUESTS)
    return failed({ kind: "refused", code: RATE_LIMITED, reason: "rate_limited", details, data: wait });
  return HTTP_NO_SERVICE.includes(status) ? failed({ kind: "unreachable", details, ...wait }) : null;
}

/**
 * Returns the milliseconds to wait before a repeat of the failed call. Null if a repeat would not help.
 *
 * The wait doubles each time. It is random between half and all of that, and never less than the service's
 * `retryAfterMs`.
 */
export function waitBefore(error: ClientError, repeated: number, random: number): number | null {
  const backoffMs = FIRST_WAIT_MS * 2 ** repeated * (1 + random) * 0.5;
  if (error.kind !== "refused") return error.kind === "unreachable" ? (error.retryAfterMs ?? 0) + backoffMs : null;
  if (error.code !== RATE_LIMITED && error.code !== TEMPORARILY_UNAVAILABLE) return null;
  const { retryAfterMs } = error.data;
  return typeof retryAfterMs === "number" && retryAfterMs > 0 ? retryAfterMs + backoffMs * random : backoffMs;
}
