import * as z from "zod";
import type { Caller } from "../access/caller.ts";
import type { Contract } from "../api/contract.ts";
import type { Deps } from "../deps.ts";
import type { Env } from "../env.ts";
import { done, type Outcome } from "../errors.ts";
import { decodeParams } from "./params.ts";
import type { RawParams } from "./request.ts";

/** What a handler of the service is given beside its params. */
export interface CallContext {
  readonly caller: Caller;
  readonly env: Env;
  readonly deps: Deps;
}

/** A contract and what carries it out, with their types tied together and then hidden from the dispatcher. */
export interface Handler<Context = CallContext> {
  readonly contract: Contract;
  /** Params and result as on the wire. Runs only for callers that carry the contract's rights. */
  answer(params: RawParams, context: Context): Promise<Outcome<unknown>>;
}

/** Ties an implementation to its contract: it gets decoded params and returns the result before encoding. */
export function handler<Params extends z.ZodObject, Result extends z.ZodType, Context = CallContext>(
  contract: Contract<Params, Result>,
  run: (params: z.output<Params>, context: Context) => Promise<Outcome<z.output<Result>>>,
): Handler<Context> {
  return {
    contract,
    answer: async (params, context) => {
      const decoded = decodeParams(contract, params);
      if (!decoded.ok) return decoded;
      const outcome = await run(decoded.value, context);
      return outcome.ok ? done(z.encode(contract.result, outcome.value)) : outcome;
    },
  };
}

/** @throws Error when two handlers claim one wire method. */
export function methodTable<Context>(handlers: readonly Handler<Context>[]): ReadonlyMap<string, Handler<Context>> {
  const table = new Map(handlers.map((entry) => [entry.contract.name, entry]));
  if (table.size !== handlers.length) throw new Error("two handlers for one method");
  return table;
}
