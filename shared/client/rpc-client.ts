import type * as z from "zod";
import type { MethodContract } from "../api/contract.ts";
import { encodeParams } from "../rpc/params.ts";
import { type Call, createCalls, type RpcClientOptions } from "./calls.ts";

export { type CallOptions, type RpcClientOptions, waitBefore } from "./calls.ts";
export { type ClientError, isRefused, type Refused, type Reply, type TransportFailure } from "./reply.ts";

/** One method of an interface, typed by its contract. */
export type Method<Params extends z.ZodObject, Result extends z.ZodType> = Call<z.output<Params>, z.output<Result>>;

/**
 * Creates calls of one JSON-RPC interface, typed by its contracts, which encode params and parse results. They work as
 * those of `createCalls`.
 *
 * @param path path of the interface, as `ApiContract.path`.
 */
export function createRpcClient(path: string, options: RpcClientOptions) {
  const call = createCalls(path, options);
  return function method<Params extends z.ZodObject, Result extends z.ZodType>(
    contract: MethodContract<Params, Result>,
  ): Method<Params, Result> {
    return call({
      name: contract.name,
      idempotent: contract.idempotent,
      encode: (params: z.output<Params>) => encodeParams(contract, params),
      decode: (result) => {
        const value = contract.result.safeParse(result);
        return value.success ? { ok: true, value: value.data } : null;
      },
    });
  };
}
