import { done, type Outcome, type Refusal, refuse } from "../errors.ts";

/** The most calls in one batch. */
export const MAX_BATCH_CALLS = 20;

/** A request's id. It is echoed with its JSON type, because stock clients drop an answer whose id they do not know. */
export type RpcId = string | number | null;

/** Params by position or by name, as sent. Absent params are an empty list. */
export type RawParams = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A call by its method and params. The params are not decoded. */
export interface RpcCall {
  readonly method: string;
  readonly params: RawParams;
}

/** One request object of a body. */
export interface RequestObject {
  /** Undefined for a notification, which is carried out but never answered. */
  readonly id: RpcId | undefined;
  readonly call: Outcome<RpcCall>;
}

/** A body of JSON-RPC: one request, or a batch. */
export interface ParsedRequest {
  readonly batch: boolean;
  readonly requests: readonly RequestObject[];
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is RpcId {
  return value === null || typeof value === "string" || Number.isSafeInteger(value);
}

/** Reads params. Null counts as absent, because clients whose language has no empty list send null. */
function readParams(value: unknown): RawParams | null {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) || isObject(value) ? value : null;
}

function readCall(request: JsonObject): Outcome<RpcCall> {
  if (request.jsonrpc !== "2.0") return refuse("invalid_request", 'jsonrpc must be the string "2.0"');
  const method = request.method;
  if (typeof method !== "string") return refuse("invalid_request", "method must be a string");
  const params = readParams(request.params);
  if (params === null) return refuse("invalid_request", "params must be an array or an object");
  return done({ method, params });
}

/**
 * Reads one request object. A readable id is kept for the refusal too. Only a request that is right in all but the id
 * is a notification.
 */
function readRequestObject(value: unknown): RequestObject {
  if (!isObject(value))
    return { id: null, call: refuse("invalid_request", "a JSON-RPC request must be a JSON object: send one") };
  if (!Object.hasOwn(value, "id")) {
    const call = readCall(value);
    return { id: call.ok ? undefined : null, call };
  }
  const id = value.id;
  if (!isId(id))
    return { id: null, call: refuse("invalid_request", "id must be a string, an integer within ±(2^53 − 1) or null") };
  return { id, call: readCall(value) };
}

function parse(text: string): Outcome<unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return done(value);
  } catch {
    return refuse("parse_error", "the body is not valid JSON: send JSON");
  }
}

/** Reads a JSON-RPC 2.0 body. It refuses a text that is not JSON, an empty batch, and a batch over the limit. */
export function readBody(text: string): Outcome<ParsedRequest> {
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  if (!Array.isArray(parsed.value)) return done({ batch: false, requests: [readRequestObject(parsed.value)] });
  const values: readonly unknown[] = parsed.value;
  if (values.length === 0) return refuse("invalid_request", "the batch is empty: send at least one request");
  if (values.length > MAX_BATCH_CALLS)
    return refuse(
      "invalid_request",
      `a batch holds at most ${MAX_BATCH_CALLS} requests, this one ${values.length}: split it`,
    );
  return done({ batch: true, requests: values.map(readRequestObject) });
}

/** Returns one refused request in place of a body that could not be read. */
export function unreadable(refusal: Refusal): ParsedRequest {
  return { batch: false, requests: [{ id: null, call: { ok: false, error: refusal } }] };
}
