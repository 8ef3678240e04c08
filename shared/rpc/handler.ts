import * as z from "zod";
import type { AdmissionAtFund } from "../access/admission-at-fund.ts";
import type { Caller } from "../access/caller.ts";
import type { MethodContract } from "../api/contract.ts";
import type { Deps } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import type { Deadline } from "../deadline.ts";
import { done, type Outcome } from "../errors.ts";
import type { IdempotencyClaim } from "../idempotency.ts";
import type { UpstreamTally } from "../observe/upstream-calls.ts";
import { decodeParams } from "./params.ts";
import type { RawParams } from "./request.ts";

/** The context of a call that its fund can admit. */
export interface FundCallContext {
  /** The admitted caller, or the request that the fund is to admit with its call. */
  readonly caller: Caller | AdmissionAtFund;
  /** Null if the caller sent no key, and always for methods that do not honour one. */
  readonly idempotency: IdempotencyClaim | null;
  readonly env: Env;
  readonly deps: Deps;
  /** The arrival at the edge, Unix milliseconds. An object that gets the call too late refuses it. */
  readonly arrivedAtMs: number;
  /** The `x-request-id` of the answer. */
  readonly requestId: string;
  /** The calls to nodes and indexers of the request until now. */
  readonly upstream: UpstreamTally;
  /** The one deadline of the whole call, for all calls that it makes. */
  readonly deadline: Deadline;
}

/** The context that a handler of the service gets beside its params. */
export interface CallContext extends FundCallContext {
  readonly caller: Caller;
  /** The URL of this interface that the caller used, without a key. */
  readonly interfaceUrl: string;
}

/** The params of a call by name, decoded by its contract. */
export type DecodedParams = Readonly<Record<string, unknown>>;

/** A contract and its implementation. Their types are tied together, and then hidden from the dispatcher. */
export interface Handler<Context = CallContext> {
  readonly contract: MethodContract;
  /**
   * Answers a call with params and result as on the wire. Runs only for callers that carry the contract's rights.
   *
   * @param contextFor is called once the params are known to be good.
   */
  answer(params: RawParams, contextFor: (params: DecodedParams) => Context): Promise<Outcome<unknown>>;
}

/** Ties an implementation to its contract. It gets decoded params and returns the result before encoding. */
export function handler<Params extends z.ZodObject, Result extends z.ZodType, Context = CallContext>(
  contract: MethodContract<Params, Result>,
  run: (params: z.output<Params>, context: Context) => Promise<Outcome<z.output<Result>>>,
): Handler<Context> {
  return {
    contract,
    answer: async (params, contextFor) => {
      const decoded = decodeParams(contract, params);
      if (!decoded.ok) return decoded;
      const outcome = await run(decoded.value, contextFor(decoded.value));
      return outcome.ok ? done(z.encode(contract.result, outcome.value)) : outcome;
    },
  };
}

/** Works as `handler`, for a method whose fund can admit the request with the call. */
export const fundHandler = <Params extends z.ZodObject, Result extends z.ZodType>(
  contract: MethodContract<Params, Result>,
  run: (params: z.output<Params>, context: FundCallContext) => Promise<Outcome<z.output<Result>>>,
): Handler<FundCallContext> => handler(contract, run);

/** Builds the table of handlers by wire method. @throws Error if two handlers claim one method. */
export function methodTable<Context>(handlers: readonly Handler<Context>[]): ReadonlyMap<string, Handler<Context>> {
  const table = new Map(handlers.map((entry) => [entry.contract.name, entry]));
  if (table.size !== handlers.length) throw new Error("two handlers for one method");
  return table;
}

const PREFIXED = /^[a-z][a-z0-9]{1,15}_((?:key|wal)_[A-Za-z]+)$/;

/** Returns the same table for callers who use another product's prefix in place of ours. */
export function anyPrefix<Method>(table: ReadonlyMap<string, Method>): Pick<ReadonlyMap<string, Method>, "get"> {
  return { get: (name) => table.get(name) ?? table.get(name.replace(PREFIXED, "svc_$1")) };
}
