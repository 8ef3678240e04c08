import { type Outcome, type Refusal, rpcErrorOf } from "../errors.ts";
import { type AnsweredCalls, answerCalls, type DispatchOptions } from "./answer-calls.ts";
import { stringifyJson } from "./json.ts";
import { type HttpRefusal, httpRefusal, readRequest, refusalOfBrowser, refusalOfHead } from "./read-request.ts";
import type { ParsedRequest, RequestObject } from "./request.ts";

/** An answer of JSON-RPC, with the parts of its request that the log may show. */
export interface Answered extends Omit<AnsweredCalls, "outcomes"> {
  readonly response: Response;
}

const UNAUTHORIZED_CODE = rpcErrorOf({ reason: "bad_key", details: "" }).code;

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
 * The order is: the head of the request, the body, then what `answerCalls` does. Never rejects.
 */
export async function dispatch<Context>(request: Request, endpoint: DispatchOptions<Context>): Promise<Answered> {
  const { body, refused } = await readRequest(request, refusalOfHead(request));
  if (refused !== null) {
    const { refusal } = refused;
    return { response: refuseAll(body, refusal, refused), methods: [], keyId: null, reason: refusal.reason };
  }
  const { outcomes, ...answered } = await answerCalls(
    body.requests.map(({ call }) => call),
    request.headers,
    endpoint,
  );
  return { ...answered, response: respond(body, outcomes, null) };
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
