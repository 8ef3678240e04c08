import * as z from "zod";
import type { MethodContract } from "../api/contract.ts";
import type { Fetch } from "../bindings/ports.ts";
import { codeOf, type Refusal, reasonWithoutData, rpcErrorOf } from "../errors.ts";
import { retryAfterMs } from "../http/retry-after.ts";
import { BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY } from "../idempotency.ts";
import type { Failure, Result } from "../result.ts";
import { parseExactJson, readBoundedText, stringifyJson } from "../rpc/json.ts";
import { encodeParams } from "../rpc/params.ts";
import { sleep, unlessAborted } from "../timing.ts";

const MAX_REPLY_BYTES = 8_388_608;
const MAX_TEXT_CHARACTERS = 4_096;
const DEFAULT_TIMEOUT_MS = 30_000;
const REQUEST_ID = 1;

const DEFAULT_RETRIES = 2;
const FIRST_WAIT_MS = 200;
/** The client does not sleep longer than this. The caller gets the error and decides. */
const MAX_WAIT_MS = 5_000;
const HTTP_TOO_MANY_REQUESTS = 429;
/** Statuses of a proxy: the service gave no answer, or is away. The call may or may not have been carried out. */
const HTTP_NO_SERVICE = new Set([502, 503, 504]);
const RATE_LIMITED = codeOf("rate_limited");
const TEMPORARILY_UNAVAILABLE = codeOf("node_unavailable");
const OUTCOME_UNKNOWN = codeOf("outcome_unknown");

/** A refusal by the service, or by this client for params that it would not send. */
export interface Refused {
  readonly kind: "refused";
  readonly code: number;
  /**
   * Machine-readable. Null if the service gave none, and text and code imply none. A newer service may give reasons
   * that are not known here.
   */
  readonly reason: string | null;
  readonly details: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * A call without a usable answer. After `timeout` and `bad_reply` the service may or may not have carried it out. The
 * same holds after `unreachable` by a proxy or by a connection that broke off.
 */
export interface TransportFailure {
  readonly kind: "timeout" | "unreachable" | "bad_reply";
  readonly details: string;
  /** The wait that a proxy requests. Left out if it requests none. */
  readonly retryAfterMs?: number;
}

/** The error of a call: a refusal, or no usable answer. */
export type ClientError = Refused | TransportFailure;
/** The result of a call. Calls never reject. */
export type Reply<T> = Result<T, ClientError>;

/** Returns true if the service has refused a call for this reason. */
export function isRefused<T>(reply: Reply<T>, reason: string): boolean {
  return !reply.ok && reply.error.kind === "refused" && reply.error.reason === reason;
}

/** Settings of a client. */
export interface RpcClientOptions {
  /** Origin of the service, without a path: `https://gasworks.example.com`. */
  readonly baseUrl: string;
  readonly accessKey: string;
  /** Replaces the global `fetch`. In the same process it can call the service's app. */
  readonly fetch?: Fetch;
  /** Limits one call from start to end, repeats included. */
  readonly timeoutMs?: number;
  /** Limits how often a call is repeated, if a repeat is safe. 0 means never. */
  readonly retries?: number;
  /** Returns 0 up to 1. Random waits keep callers that were refused together from returning together. */
  readonly random?: () => number;
}

/** Settings of one call. */
export interface CallOptions {
  /** Names this attempt, so that a repeat under the same key has no second effect. Null if there is none. */
  readonly idempotencyKey?: string | null;
}

/** One method of an interface, typed by its contract. */
export type Method<Params extends z.ZodObject, Result extends z.ZodType> = (
  params: z.output<Params>,
  options?: CallOptions,
) => Promise<Reply<z.output<Result>>>;

const text = z.string().transform((value) => value.slice(0, MAX_TEXT_CHARACTERS));

const envelope = z.union([
  z.object({
    jsonrpc: z.literal("2.0"),
    id: z.literal([REQUEST_ID, null]),
    error: z.object({
      code: z.int(),
      message: text,
      data: z.looseObject({ details: text.optional(), reason: text.optional() }).optional(),
    }),
  }),
  z.object({ jsonrpc: z.literal("2.0"), id: z.literal(REQUEST_ID), result: z.unknown() }),
]);

function failed(error: ClientError): Failure<ClientError> {
  return { ok: false, error };
}

function badReply(details: string): Failure<ClientError> {
  return failed({ kind: "bad_reply", details });
}

function refusedHere(refusal: Refusal): Failure<ClientError> {
  const { code, data } = rpcErrorOf(refusal);
  return failed({ kind: "refused", code, reason: refusal.reason, details: refusal.details, data });
}

/** Reads one reply. Some HTTP errors carry the id null. A result must carry the request's id. */
function readReply<Result extends z.ZodType>(body: string, result: Result): Reply<z.output<Result>> {
  const parsed = envelope.safeParse(parseReply(body));
  if (!parsed.success) return badReply("the reply is not a JSON-RPC 2.0 response to this request");
  if ("error" in parsed.data) {
    const { code, message, data = {} } = parsed.data.error;
    const { details = message, reason = reasonWithoutData({ code, details }) } = data;
    return failed({ kind: "refused", code, reason, details, data });
  }
  const value = result.safeParse(parsed.data.result);
  return value.success ? { ok: true, value: value.data } : badReply("the result has not the shape of its contract");
}

/** Returns undefined if the body is not JSON. */
function parseReply(body: string): unknown {
  try {
    return parseExactJson(body);
  } catch {
    return undefined;
  }
}

/**
 * Creates calls of one JSON-RPC interface, typed by its contracts. The reply is hostile input: it is bounded, parsed
 * by the contract's result schema and tied to the request by its id. Redirects are not followed, so that the access
 * key goes nowhere else. A call never rejects.
 *
 * Safe calls are repeated after a wait if the service was too busy or not reachable. Safe are calls without an effect,
 * and effects under an Idempotency-Key. All other calls are sent once. A refusal after an unanswered try of an effect
 * (rate limit, ended session) proves nothing about that try. The call then ends as one without an answer.
 *
 * @param path path of the interface, as `ApiContract.path`.
 */
export function createRpcClient(path: string, options: RpcClientOptions) {
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

  async function once<Result extends z.ZodType>(
    body: string,
    idempotencyKey: string | null,
    result: Result,
    signal: AbortSignal,
  ): Promise<Reply<z.output<Result>>> {
    try {
      const { response, text } = await unlessAborted(signal, exchange(body, idempotencyKey, signal));
      const reply = text === null ? badReply("the reply is too long") : readReply(text, result);
      return reply.ok || reply.error.kind === "refused" ? reply : (saidByProxy(response) ?? reply);
    } catch (error) {
      if (signal.aborted) return failed({ kind: "timeout", details: `no answer within ${timeoutMs} ms` });
      return failed({
        kind: "unreachable",
        details: error instanceof Error ? error.message : "the connection failed",
      });
    }
  }

  return function method<Params extends z.ZodObject, Result extends z.ZodType>(
    contract: MethodContract<Params, Result>,
  ): Method<Params, Result> {
    return async (params, { idempotencyKey = null } = {}) => {
      if (idempotencyKey !== null && !IDEMPOTENCY_KEY.test(idempotencyKey))
        return refusedHere({ reason: "invalid_request", details: BAD_IDEMPOTENCY_KEY });
      const encoded = encodeParams(contract, params);
      if (!encoded.ok) return refusedHere(encoded.error);
      const body = stringifyJson({ jsonrpc: "2.0", id: REQUEST_ID, method: contract.name, params: encoded.value });
      const isSafe = !contract.idempotent || idempotencyKey !== null;
      const deadlineMs = Date.now() + timeoutMs;
      const signal = AbortSignal.timeout(timeoutMs);
      let lost: TransportFailure | null = null;
      for (let repeated = 0; ; repeated++) {
        const reply = await once(body, idempotencyKey, contract.result, signal);
        if (reply.ok) return reply;
        const { error } = reply;
        const said = failed(lost === null || isOutcomeUnknown(error) ? error : lost);
        if (!isSafe || repeated >= retries) return said;
        const waitMs = waitBefore(error, repeated, random());
        if (waitMs === null || waitMs > MAX_WAIT_MS || Date.now() + waitMs >= deadlineMs) return said;
        if (contract.idempotent && error.kind !== "refused") lost ??= error;
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
  return HTTP_NO_SERVICE.has(status) ? failed({ kind: "unreachable", details, ...wait }) : null;
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
