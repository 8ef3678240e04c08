import { forbidsCall } from "../access/admission-at-fund.ts";
import type { Caller } from "../access/caller.ts";
import type { MethodContract, Right } from "../api/contract.ts";
import { type Outcome, type Refusal, refuse, rpcErrorOf } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import { refusalOfFault } from "./faults.ts";
import type { DecodedParams, Handler } from "./handler.ts";
import { claimOf, readIdempotencyKey } from "./idempotency.ts";
import { stringifyJson } from "./json.ts";
import { type LoggedParts, loggedParts } from "./logged.ts";
import { type HttpRefusal, httpRefusal, readRequest, refusalOfBrowser, refusalOfHead } from "./read-request.ts";
import type { ParsedRequest, RawParams, RequestObject } from "./request.ts";

/** The calls that an admitted caller may make: one verdict for each call of the batch, in its order. */
export interface Admission {
  readonly caller: Caller;
  readonly calls: readonly Outcome<null>[];
}

/** The only call of a request, which the fund of its key admits. */
export interface CallAtFund {
  readonly keyId: string;
  /** Answers the call. The answer does not count unless `verdict` admits the call. */
  answer(params: RawParams, claimFor: (params: DecodedParams) => IdempotencyClaim | null): Promise<Outcome<unknown>>;
  /**
   * Returns whether the request and its call were admitted. Null if `admit` has to admit them: nothing was done then.
   * `failed` if the call threw: `admit` has to admit them, and the call must not run again.
   */
  verdict(): Promise<Outcome<Outcome<null>> | "failed" | null>;
}

/** One JSON-RPC interface: its handlers, its admission, and its log of faults. */
export interface DispatchOptions<Context> {
  readonly handlers: Pick<ReadonlyMap<string, Handler<Context>>, "get">;
  /**
   * Called once per HTTP request. It gets the rights that each call needs, and the keys that each derives from a
   * secret.
   *
   * @returns a value of null if the fund admits the request: call `atFund` again. Only with `fundMayAdmit`.
   */
  admit(
    calls: readonly (readonly Right[])[],
    derivations: readonly number[],
    fundMayAdmit: boolean,
  ): Promise<Outcome<Admission | null>>;
  /** The methods whose requests a fund can admit. Absent if there are none. */
  readonly atFund?: {
    has(method: string): boolean;
    /** Begins a call of such a method. Null if the request has to be admitted before. */
    begin(method: string): CallAtFund | null;
  };
  /**
   * Builds the context of one call. `idempotency` is null if the caller sent no key or the method does not honour one.
   */
  context(caller: Caller, idempotency: IdempotencyClaim | null): Context;
  /** Writes the fault to the log only. The caller learns that there was a fault, not which. */
  logFault(method: string, error: unknown): void;
}

/** An answer, with the parts of its request that the log may show: no params, no key. */
export interface Answered extends LoggedParts {
  readonly response: Response;
  /** The names of existing methods. Names that a caller made up are replaced. */
  readonly methods: readonly string[];
  readonly keyId: string | null;
  /** The first refusal of an admitted caller's calls. Only its reason may be logged. */
  readonly refusal?: { readonly method: string; readonly caller: Caller; readonly error: Refusal };
}

const NO_RIGHTS: readonly Right[] = [];
const UNAUTHORIZED_CODE = rpcErrorOf({ reason: "bad_key", details: "" }).code;

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
  return orRefusal(endpoint, method, () => handler.answer(params, (decoded) => contextFor(handler.contract, decoded)));
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

/** Runs a part of a request. Logs its fault, and returns it as a refusal. */
async function orRefusal<Context, T>(
  endpoint: DispatchOptions<Context>,
  method: string,
  run: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  try {
    return await run();
  } catch (error) {
    endpoint.logFault(method, error);
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

/** Refuses every call of a request, and says why in the log. */
function allRefused(
  body: ParsedRequest,
  refusal: Refusal,
  refused: HttpRefusal | null,
  methods: readonly string[],
): Answered {
  return { response: refuseAll(body, refusal, refused), methods, keyId: null, reason: refusal.reason };
}

/** A request that was read, and whose callers are still to be admitted. */
interface ReadCalls {
  readonly body: ParsedRequest;
  readonly contracts: readonly (MethodContract | undefined)[];
  /** The names of existing methods. */
  readonly methods: readonly string[];
  /** Null if the caller sent none. */
  readonly idempotencyKey: string | null;
}

/** Tells whether a request has one call, of a method whose requests a fund can admit. */
function isAtFund<Context>({ contracts }: ReadCalls, { atFund }: DispatchOptions<Context>): boolean {
  const [contract] = contracts;
  return contracts.length === 1 && contract !== undefined && atFund?.has(contract.name) === true;
}

/** Answers a request of one call that its fund admits. Null if it has to be admitted before. */
async function answerAtFund<Context>(read: ReadCalls, endpoint: DispatchOptions<Context>): Promise<Answered | null> {
  const { body, contracts, methods, idempotencyKey: key } = read;
  const [contract] = contracts;
  const call = body.requests[0]?.call;
  if (!isAtFund(read, endpoint) || contract === undefined || call?.ok !== true) return null;
  const atFund = endpoint.atFund?.begin(contract.name) ?? null;
  if (atFund === null) return null;
  const { keyId } = atFund;
  const claimFor = (params: DecodedParams) => (key === null ? null : claimOf(contract, params, { keyId, key }));
  const outcome = await orRefusal(endpoint, contract.name, () => atFund.answer(call.value.params, claimFor));
  const verdict = await atFund.verdict();
  if (verdict === null) return null;
  if (verdict === "failed") return answerFailed(read, endpoint, outcome);
  if (!verdict.ok) return allRefused(body, verdict.error, null, methods);
  const outcomes = [verdict.value.ok ? outcome : verdict.value];
  return { response: respond(body, outcomes, null), methods, keyId, ...loggedParts(outcomes) };
}

/** Answers a request whose call threw at the fund, which may not have authenticated the key. The access key does. */
async function answerFailed<Context>(
  { body, contracts, methods }: ReadCalls,
  endpoint: DispatchOptions<Context>,
  outcome: Outcome<unknown>,
): Promise<Answered> {
  const rights = contracts.map((contract) => contract?.rights ?? NO_RIGHTS);
  const admission = await orRefusal(endpoint, "admission", () => endpoint.admit(rights, [], false));
  const verdict = admission.ok ? (admission.value?.calls[0] ?? admission) : admission;
  const keyId = admission.ok ? (admission.value?.caller.keyId ?? null) : null;
  const outcomes = [forbidsCall(verdict, outcome) ? verdict : outcome];
  return { response: respond(body, outcomes, null), methods, keyId, ...loggedParts(outcomes) };
}

/** Admits a request at its access key, and answers its calls. Null if the fund admits it. */
async function answerAdmitted<Context>(
  { body, contracts, methods, idempotencyKey: key }: ReadCalls,
  endpoint: DispatchOptions<Context>,
  fundMayAdmit: boolean,
): Promise<Answered | null> {
  const rights = contracts.map((contract) => contract?.rights ?? NO_RIGHTS);
  const derivations = contracts.map((contract) => contract?.derivations ?? 0);
  const admission = await orRefusal(endpoint, "admission", () => endpoint.admit(rights, derivations, fundMayAdmit));
  if (!admission.ok) return allRefused(body, admission.error, null, methods);
  if (admission.value === null) return null;
  const { caller, calls } = admission.value;
  const contextFor = (contract: MethodContract, params: DecodedParams) =>
    endpoint.context(caller, key === null ? null : claimOf(contract, params, { keyId: caller.keyId, key }));
  const outcomes = await Promise.all(
    body.requests.map((member, index) => {
      const verdict = calls[index] ?? refuse("internal", "admission gave no verdict on this call");
      return answerCall(endpoint, member, verdict, contextFor);
    }),
  );
  const at = outcomes.findIndex(({ ok }) => !ok);
  const refused = outcomes[at];
  const refusal = refused?.ok === false ? { method: methods[at] ?? "", caller, error: refused.error } : null;
  const answered = { response: respond(body, outcomes, null), methods, keyId: caller.keyId };
  return { ...answered, ...loggedParts(outcomes), ...(refusal && { refusal }) };
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
  if (refused !== null) return allRefused(body, refused.refusal, refused, []);

  const contracts = contractsOf(endpoint, body);
  const methods = contracts.map((contract) => contract?.name ?? "unknown");
  const idempotencyKey = readIdempotencyKey(request.headers, contracts);
  if (!idempotencyKey.ok) return allRefused(body, idempotencyKey.error, null, methods);
  const read = { body, contracts, methods, idempotencyKey: idempotencyKey.value };
  // A request of a key that this isolate does not know yet learns from the access key that the fund has it.
  const answered =
    (await answerAtFund(read, endpoint)) ??
    (await answerAdmitted(read, endpoint, isAtFund(read, endpoint))) ??
    (await answerAtFund(read, endpoint)) ??
    (await answerAdmitted(read, endpoint, false));
  const refusal = { reason: "internal", details: "nobody admitted this request" } as const;
  return answered ?? allRefused(body, refusal, null, methods);
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
