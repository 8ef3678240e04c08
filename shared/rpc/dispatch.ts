import type { Caller } from "../access/caller.ts";
import type { MethodContract, Right } from "../api/contract.ts";
import { type Outcome, type Refusal, refuse, rpcErrorOf } from "../errors.ts";
import { discardBody } from "../http/bounded-body.ts";
import { isJson } from "../http/media-type.ts";
import { isFromPage, PAGE_REFUSAL } from "../http/origin.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import { refusalOfFault } from "./faults.ts";
import type { DecodedParams, Handler } from "./handler.ts";
import { claimOf, readIdempotencyKey } from "./idempotency.ts";
import { MAX_BODY_BYTES, readRequestText, stringifyJson } from "./json.ts";
import { type ParsedRequest, type RequestObject, readBody, unreadable } from "./request.ts";

/** The calls that an admitted caller may make: one verdict for each call of the batch, in its order. */
export interface Admission {
  readonly caller: Caller;
  readonly calls: readonly Outcome<null>[];
}

/** One JSON-RPC interface: its handlers, its admission, and its log of faults. */
export interface DispatchOptions<Context> {
  readonly handlers: Pick<ReadonlyMap<string, Handler<Context>>, "get">;
  /**
   * Called once per HTTP request. It gets the rights that each call needs, and the keys that each derives from a
   * secret.
   */
  admit(calls: readonly (readonly Right[])[], derivations: readonly number[]): Promise<Outcome<Admission>>;
  /**
   * Builds the context of one call. `idempotency` is null if the caller sent no key or the method does not honour one.
   */
  context(caller: Caller, idempotency: IdempotencyClaim | null): Context;
  /** Writes the fault to the log only. The caller learns that there was a fault, not which. */
  logFault(method: string, error: unknown): void;
}

/** An answer, with the parts of its request that the log may show: no params, no key. */
export interface Answered {
  readonly response: Response;
  /** The names of existing methods. Names that a caller made up are replaced. */
  readonly methods: readonly string[];
  readonly keyId: string | null;
}

interface HttpRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly refusal: Refusal;
}

const NO_RIGHTS: readonly Right[] = [];
const UNAUTHORIZED_CODE = rpcErrorOf({ reason: "bad_key", details: "" }).code;

function httpRefusal(status: number, details: string, headers: Readonly<Record<string, string>> = {}): HttpRefusal {
  return { status, headers, refusal: { reason: "invalid_request", details } };
}

/** Refuses browsers. This comes first: they must learn nothing else. */
function refusalOfBrowser(request: Request): HttpRefusal | null {
  return isFromPage(request.headers) ? { status: 403, refusal: PAGE_REFUSAL } : null;
}

/** Refuses by a request's line and headers alone. Null if they are right. */
function refusalOfHead(request: Request): HttpRefusal | null {
  const browser = refusalOfBrowser(request);
  if (browser !== null) return browser;
  if (request.method !== "POST") return httpRefusal(405, "only POST is answered", { allow: "POST" });
  if (!isJson(request.headers)) return httpRefusal(415, "content-type must be application/json");
  if (Number(request.headers.get("content-length") ?? "0") > MAX_BODY_BYTES) return tooLong();
  return null;
}

function tooLong(): HttpRefusal {
  return httpRefusal(413, `the body must have at most ${MAX_BODY_BYTES} bytes`);
}

/** Reads the body even if the head refuses it, because the refusal has to carry the ids. */
async function readRequest(
  request: Request,
  head: HttpRefusal | null,
): Promise<{ readonly body: ParsedRequest; readonly refused: HttpRefusal | null }> {
  const unread = (refused: HttpRefusal) => {
    const first = head ?? refused;
    return { body: unreadable(first.refusal), refused: first };
  };
  if (head?.status === 413) {
    await discardBody(request.body);
    return unread(head);
  }
  let text: string | null;
  try {
    text = await readRequestText(request, MAX_BODY_BYTES);
  } catch {
    const details = "the body must be complete UTF-8 text";
    return unread({ status: 200, refusal: { reason: "parse_error", details } });
  }
  if (text === null) return unread(tooLong());
  const read = readBody(text);
  return read.ok ? { body: read.value, refused: head } : unread({ status: 200, refusal: read.error });
}

async function answerCall<Context>(
  endpoint: DispatchOptions<Context>,
  { call }: RequestObject,
  verdict: Outcome<null>,
  contextFor: (contract: MethodContract, params: DecodedParams) => Context,
): Promise<Outcome<unknown>> {
  if (!verdict.ok) return verdict;
  if (!call.ok) return call;
  const { method, params } = call.value;
  const handler = endpoint.handlers.get(method);
  if (handler === undefined) return refuse("method_not_found", "no such method here; rpc.discover lists them");
  try {
    return await handler.answer(params, (decoded) => contextFor(handler.contract, decoded));
  } catch (error) {
    endpoint.logFault(method, error);
    return { ok: false, error: refusalOfFault(error) };
  }
}

/**
 * Returns the contract of each call. Undefined for a member that is no request, and for a method that does not exist.
 */
function contractsOf<Context>(
  endpoint: DispatchOptions<Context>,
  body: ParsedRequest,
): readonly (MethodContract | undefined)[] {
  return body.requests.map(({ call }) => (call.ok ? endpoint.handlers.get(call.value.method)?.contract : undefined));
}

async function admitted<Context>(
  endpoint: DispatchOptions<Context>,
  contracts: readonly (MethodContract | undefined)[],
): Promise<Outcome<Admission>> {
  try {
    return await endpoint.admit(
      contracts.map((contract) => contract?.rights ?? NO_RIGHTS),
      contracts.map((contract) => contract?.derivations ?? 0),
    );
  } catch (error) {
    endpoint.logFault("admission", error);
    return { ok: false, error: refusalOfFault(error) };
  }
}

function isUnauthorized(outcome: Outcome<unknown>): boolean {
  return !outcome.ok && rpcErrorOf(outcome.error).code === UNAUTHORIZED_CODE;
}

function responseObject(id: RequestObject["id"], outcome: Outcome<unknown>): Readonly<Record<string, unknown>> {
  return outcome.ok
    ? { jsonrpc: "2.0", result: outcome.value, id }
    : { jsonrpc: "2.0", error: rpcErrorOf(outcome.error), id };
}

function refuseAll(body: ParsedRequest, refusal: Refusal, refused: HttpRefusal | null): Response {
  return respond(
    body,
    body.requests.map(() => ({ ok: false, error: refusal })),
    refused,
  );
}

function respond(body: ParsedRequest, outcomes: readonly Outcome<unknown>[], refused: HttpRefusal | null): Response {
  const status = refused?.status ?? (outcomes.every(isUnauthorized) ? 401 : 200);
  const answers = body.requests.flatMap(({ id }, index) => {
    const outcome = outcomes[index];
    return id === undefined || outcome === undefined ? [] : [responseObject(id, outcome)];
  });
  const headers = { ...refused?.headers, "cache-control": "no-store" };
  if (answers.length === 0 && status === 200) return new Response(null, { status: 204, headers });

  const [first] = outcomes;
  if (answers.length === 0 && first !== undefined) answers.push(responseObject(null, first));
  const text = stringifyJson(body.batch ? answers : answers[0]);
  return new Response(text, { status, headers: { ...headers, "content-type": "application/json" } });
}

/**
 * Answers one HTTP request by JSON-RPC 2.0. Every refusal, whatever its HTTP status, is an RPC error that carries the
 * id of its request. Stock clients read neither the status nor a body of any other shape, and some wait for ever.
 * Requests without an id get no answer. An HTTP error without another body has the id null.
 *
 * The order is: the head of the request, the body, the idempotency key, the caller, then each call. The calls of a
 * batch run at the same time. Never rejects.
 */
export async function dispatch<Context>(request: Request, endpoint: DispatchOptions<Context>): Promise<Answered> {
  const { body, refused } = await readRequest(request, refusalOfHead(request));
  if (refused !== null) return { response: refuseAll(body, refused.refusal, refused), methods: [], keyId: null };

  const contracts = contractsOf(endpoint, body);
  const methods = contracts.map((contract) => contract?.name ?? "unknown");
  const idempotencyKey = readIdempotencyKey(request.headers, contracts);
  if (!idempotencyKey.ok) return { response: refuseAll(body, idempotencyKey.error, null), methods, keyId: null };
  const admission = await admitted(endpoint, contracts);
  if (!admission.ok) return { response: refuseAll(body, admission.error, null), methods, keyId: null };

  const { caller, calls } = admission.value;
  const key = idempotencyKey.value;
  const contextFor = (contract: MethodContract, params: DecodedParams) =>
    endpoint.context(caller, key === null ? null : claimOf(contract, params, { keyId: caller.keyId, key }));
  const outcomes = await Promise.all(
    body.requests.map((member, index) => {
      const verdict = calls[index] ?? refuse("internal", "admission gave no verdict on this call");
      return answerCall(endpoint, member, verdict, contextFor);
    }),
  );
  return { response: respond(body, outcomes, null), methods, keyId: caller.keyId };
}

/** Refuses a request that was not begun, in the shape and with the ids that it expects. */
export async function answerRefused(request: Request, refusal: Refusal): Promise<Response> {
  const { body, refused } = await readRequest(request, refusalOfHead(request));
  return refuseAll(body, refused?.refusal ?? refusal, refused);
}

/** Refuses an unknown path below a JSON-RPC interface: an unknown version, or segments after the key. */
export async function answerUnknownPath(request: Request): Promise<Response> {
  const head = refusalOfBrowser(request) ?? httpRefusal(404, "no such path or version: check the URL");
  const { body } = await readRequest(request, head);
  return refuseAll(body, head.refusal, head);
}
