import type { FoundOperation, RestBody, RestContract, RestError } from "../../../shared/api/rest.ts";
import type { Outcome, Reason } from "../../../shared/errors.ts";
import type { Failure, Result } from "../../../shared/result.ts";
import type { AnsweredCalls } from "../../../shared/rpc/answer-calls.ts";
import type { RpcCall } from "../../../shared/rpc/request.ts";
import type { RestGround } from "./ground.ts";
import { STATUS_BY_REASON } from "./statuses.ts";

/** An answer, with the parts of its request that the log may show. */
export interface AnsweredRest extends Omit<AnsweredCalls, "outcomes"> {
  readonly response: Response;
}

/** The words of a request that is refused for its form, before its caller is admitted. */
type FormCode =
  | "bad_body"
  | "bad_content_type"
  | "bad_method"
  | "body_too_long"
  | "browser_origin"
  | "not_supported"
  | "unknown_path";

interface FormRefusal {
  readonly status: number;
  readonly code: FormCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function refusedForm(
  status: number,
  code: FormCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Failure<FormRefusal> {
  return { ok: false, error: { status, code, message, headers } };
}

/** Finds the operation of a request. Browsers are refused first: they must learn nothing else. */
function find(request: Request, contract: RestContract, ground: RestGround): Result<FoundOperation, FormRefusal> {
  if (ground.isFromPage(request.headers)) return refusedForm(403, "browser_origin", ground.pageRefusal.details);
  const { pathname } = new URL(request.url);
  const below = ground.isBelow(pathname, contract.path) ? pathname.slice(contract.path.length) : "";
  const elsewhere = contract.notServed.find(({ path }) => ground.isBelow(below, path));
  if (elsewhere !== undefined) return refusedForm(400, "not_supported", elsewhere.instead);
  const found = ground.operationsAt(contract, pathname);
  if (found.length === 0) return refusedForm(404, "unknown_path", "no such path or version: check the URL");
  const served = found.find(({ operation }) => operation.httpMethod === request.method);
  if (served !== undefined) return { ok: true, value: served };
  const allow = found.map(({ operation }) => operation.httpMethod).join(", ");
  return refusedForm(405, "bad_method", `only ${allow} is answered`, { allow });
}

function isObject(value: unknown): value is RestBody {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads the body of an operation. Refuses a field that is null. JSON-RPC reads it as absent, and an absent list allows
 * more than a list.
 */
async function readFields(request: Request, ground: RestGround): Promise<Result<RestBody, FormRefusal>> {
  if (request.method === "GET") return { ok: true, value: {} };
  const { headers } = request;
  if (!ground.isJson(headers)) return refusedForm(415, "bad_content_type", "content-type must be application/json");
  const tooLong = () => refusedForm(413, "body_too_long", `the body must have at most ${ground.maxBodyBytes} bytes`);
  if (Number(headers.get("content-length") ?? "0") > ground.maxBodyBytes) return tooLong();
  let body: unknown;
  try {
    const text = await ground.readRequestText(request, ground.maxBodyBytes);
    if (text === null) return tooLong();
    body = JSON.parse(text);
  } catch {
    return refusedForm(400, "bad_body", "the body must be a complete JSON object");
  }
  if (!isObject(body)) return refusedForm(400, "bad_body", "the body must be a JSON object");
  const empty = Object.keys(body).find((name) => body[name] === null);
  return empty === undefined
    ? { ok: true, value: body }
    : refusedForm(400, "bad_body", `${empty.slice(0, 64)} is null: leave it out`);
}

/** Reads a request to its call, or refuses it for its form. */
async function read(
  request: Request,
  contract: RestContract,
  ground: RestGround,
): Promise<Result<RpcCall, FormRefusal>> {
  const found = find(request, contract, ground);
  if (!found.ok) return found;
  const { operation, pathParams } = found.value;
  const fields = await readFields(request, ground);
  if (!fields.ok) return fields;
  const instead = operation.notServed?.(request.headers, fields.value) ?? null;
  if (instead !== null) return refusedForm(400, "not_supported", instead);
  const twice = Object.keys(pathParams).find((name) => Object.hasOwn(fields.value, name));
  if (twice !== undefined)
    return refusedForm(400, "bad_body", `${twice} is part of the path: leave it out of the body`);
  return { ok: true, value: { method: operation.contract.name, params: { ...fields.value, ...pathParams } } };
}

function errorOf(reason: Reason, message: string, data: RestError["data"] = {}): RestError {
  return { status: STATUS_BY_REASON[reason], code: reason, message, data };
}

function respond(outcome: Outcome<unknown>, contract: RestContract, ground: RestGround): Response {
  if (outcome.ok) {
    const headers = { "cache-control": "no-store", "content-type": "application/json" };
    return new Response(ground.stringifyJson(contract.resultBody(outcome.value)), { headers });
  }
  const { reason, details, data } = outcome.error;
  const retryAfterMs = typeof data?.retryAfterMs === "number" ? data.retryAfterMs : undefined;
  return ground.restErrorResponse(contract, errorOf(reason, details, data), { retryAfterMs });
}

/**
 * Answers one request to a REST interface. The order is: the head of the request, its path, its body, then what
 * `answerCalls` does. Never rejects.
 *
 * @param answerCall admits the request and answers its call.
 */
export async function answerRest(
  request: Request,
  contract: RestContract,
  ground: RestGround,
  answerCall: (call: Outcome<RpcCall>) => Promise<AnsweredCalls>,
): Promise<AnsweredRest> {
  const call = await read(request, contract, ground);
  if (!call.ok) {
    if (!request.bodyUsed) await ground.discardBody(request.body);
    const { headers, ...error } = call.error;
    const response = ground.restErrorResponse(contract, { ...error, data: {} }, { headers: headers ?? {} });
    return { response, methods: [], keyId: null, reason: error.code };
  }
  const { outcomes, ...answered } = await answerCall(call);
  const outcome = outcomes[0] ?? { ok: false, error: { reason: "internal", details: "the call has no answer" } };
  return { ...answered, response: respond(outcome, contract, ground) };
}
