import { forbidsCall } from "../access/admission-at-fund.ts";
import type { Caller } from "../access/caller.ts";
import type { MethodContract, Right } from "../api/contract.ts";
import { type Outcome, type Refusal, refuse } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import { refusalOfFault } from "./faults.ts";
import type { DecodedParams, Handler } from "./handler.ts";
import { claimOf, readIdempotencyKey } from "./idempotency.ts";
import { type LoggedParts, loggedParts } from "./logged.ts";
import type { RawParams, RpcCall } from "./request.ts";

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

/** One interface: its handlers, its admission, and its log of faults. */
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
  /** The methods whose requests a fund can admit. Absent if it can admit none. */
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

/** The first refusal of an admitted caller's calls. */
export interface RefusedOfCaller {
  readonly method: string;
  readonly caller: Caller;
  readonly error: Refusal;
  /** The params of the call. Null if they were bad. */
  readonly params: DecodedParams | null;
}

/** The answers to the calls of a request, with the parts that the log may show: no params, no key. */
export interface AnsweredCalls extends LoggedParts {
  /** One for each call, in the order of the request. */
  readonly outcomes: readonly Outcome<unknown>[];
  /** The names of existing methods. Names that a caller made up are replaced. */
  readonly methods: readonly string[];
  readonly keyId: string | null;
  /** The first refusal of an admitted caller's calls. Only its reason may be logged. */
  readonly refusal?: RefusedOfCaller;
}

/** Calls that were read, and whose caller is still to be admitted. */
interface ReadCalls {
  readonly calls: readonly Outcome<RpcCall>[];
  /** Undefined for a member that is no request, and for a method that does not exist. */
  readonly contracts: readonly (MethodContract | undefined)[];
  /** The names of existing methods. */
  readonly methods: readonly string[];
  /** Null if the caller sent none. */
  readonly idempotencyKey: string | null;
}

const NO_RIGHTS: readonly Right[] = [];

async function answerCall<Context>(
  endpoint: DispatchOptions<Context>,
  call: Outcome<RpcCall>,
  verdict: Outcome<null>,
  contextFor: (contract: MethodContract, params: DecodedParams) => Context,
): Promise<Outcome<unknown>> {
  if (!verdict.ok) return verdict;
  if (!call.ok) return call;
  const { method, params } = call.value;
  const handler = endpoint.handlers.get(method);
  if (handler === undefined) return refuse("method_not_found", "unknown method: call rpc.discover for the list");
  return orRefusal(endpoint, method, () => handler.answer(params, (decoded) => contextFor(handler.contract, decoded)));
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

/** Refuses every call of a request. */
function allRefused({ calls, methods }: Pick<ReadCalls, "calls" | "methods">, error: Refusal): AnsweredCalls {
  return { outcomes: calls.map(() => ({ ok: false, error })), methods, keyId: null, reason: error.reason };
}

/** Returns true if a request has one call, of a method whose requests a fund can admit. */
function isAtFund<Context>({ contracts }: ReadCalls, { atFund }: DispatchOptions<Context>): boolean {
  const [contract] = contracts;
  return contracts.length === 1 && contract !== undefined && atFund?.has(contract.name) === true;
}

/** Answers a request of one call that its fund admits. Null if it has to be admitted before. */
async function answerAtFund<Context>(
  read: ReadCalls,
  endpoint: DispatchOptions<Context>,
): Promise<AnsweredCalls | null> {
  const { calls, contracts, methods, idempotencyKey: key } = read;
  const [contract] = contracts;
  const [call] = calls;
  if (!isAtFund(read, endpoint) || contract === undefined || call?.ok !== true) return null;
  const atFund = endpoint.atFund?.begin(contract.name) ?? null;
  if (atFund === null) return null;
  const { keyId } = atFund;
  const claimFor = (params: DecodedParams) => (key === null ? null : claimOf(contract, params, { keyId, key }));
  const outcome = await orRefusal(endpoint, contract.name, () => atFund.answer(call.value.params, claimFor));
  const verdict = await atFund.verdict();
  if (verdict === null) return null;
  if (verdict === "failed") return answerFailed(read, endpoint, outcome);
  if (!verdict.ok) return allRefused(read, verdict.error);
  const outcomes = [verdict.value.ok ? outcome : verdict.value];
  return { outcomes, methods, keyId, ...loggedParts(outcomes) };
}

/** Answers a request whose call threw at the fund, which may not have authenticated the key. The access key does. */
async function answerFailed<Context>(
  { contracts, methods }: ReadCalls,
  endpoint: DispatchOptions<Context>,
  outcome: Outcome<unknown>,
): Promise<AnsweredCalls> {
  const rights = contracts.map((contract) => contract?.rights ?? NO_RIGHTS);
  const admission = await orRefusal(endpoint, "admission", () => endpoint.admit(rights, [], false));
  const verdict = admission.ok ? (admission.value?.calls[0] ?? admission) : admission;
  const keyId = admission.ok ? (admission.value?.caller.keyId ?? null) : null;
  const outcomes = [forbidsCall(verdict, outcome) ? verdict : outcome];
  return { outcomes, methods, keyId, ...loggedParts(outcomes) };
}

/** Admits a request at its access key, and answers its calls. Null if the fund admits it. */
async function answerAdmitted<Context>(
  read: ReadCalls,
  endpoint: DispatchOptions<Context>,
  fundMayAdmit: boolean,
): Promise<AnsweredCalls | null> {
  const { calls: asked, contracts, methods, idempotencyKey: key } = read;
  const rights = contracts.map((contract) => contract?.rights ?? NO_RIGHTS);
  const derivations = contracts.map((contract) => contract?.derivations ?? 0);
  const admission = await orRefusal(endpoint, "admission", () => endpoint.admit(rights, derivations, fundMayAdmit));
  if (!admission.ok) return allRefused(read, admission.error);
  if (admission.value === null) return null;
  const { caller, calls } = admission.value;
  const decoded: DecodedParams[] = [];
  const outcomes = await Promise.all(
    asked.map((call, index) => {
      const verdict =
        calls[index] ?? refuse("internal", "admission gave no verdict on this call: search the log for the request id");
      return answerCall(endpoint, call, verdict, (contract, params) => {
        decoded[index] = params;
        return endpoint.context(caller, key === null ? null : claimOf(contract, params, { keyId: caller.keyId, key }));
      });
    }),
  );
  const at = outcomes.findIndex(({ ok }) => !ok);
  const refused = outcomes[at];
  const refusal =
    refused?.ok === false
      ? { method: methods[at] ?? "", caller, error: refused.error, params: decoded[at] ?? null }
      : null;
  return { outcomes, methods, keyId: caller.keyId, ...loggedParts(outcomes), ...(refusal && { refusal }) };
}

/**
 * Admits one request, and answers its calls. The order is: the idempotency key, the caller, then each call. The calls
 * of a batch run at the same time. Never rejects.
 *
 * @param calls at least one. A member that could not be read is its own refusal.
 * @param headers of the request, for its Idempotency-Key.
 */
export async function answerCalls<Context>(
  calls: readonly Outcome<RpcCall>[],
  headers: Headers,
  endpoint: DispatchOptions<Context>,
): Promise<AnsweredCalls> {
  const contracts = calls.map((call) => (call.ok ? endpoint.handlers.get(call.value.method)?.contract : undefined));
  const methods = contracts.map((contract) => contract?.name ?? "unknown");
  const idempotencyKey = readIdempotencyKey(headers, contracts);
  if (!idempotencyKey.ok) return allRefused({ calls, methods }, idempotencyKey.error);
  const read = { calls, contracts, methods, idempotencyKey: idempotencyKey.value };
  // If this isolate does not know a key yet, the access key names its fund in the answer.
  const answered =
    (await answerAtFund(read, endpoint)) ??
    (await answerAdmitted(read, endpoint, isAtFund(read, endpoint))) ??
    (await answerAtFund(read, endpoint)) ??
    (await answerAdmitted(read, endpoint, false));
  return answered ?? allRefused(read, { reason: "internal", details: "nobody admitted this request" });
}
