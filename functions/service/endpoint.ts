import type { Context } from "hono";
import type { Deps } from "../../shared/bindings/deps.ts";
import { CALL_TIME_MS, Deadline } from "../../shared/deadline.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import type { Chain } from "../../shared/networks.ts";
import type { CallAtFund, DispatchOptions } from "../../shared/rpc/answer-calls.ts";
import type { CallContext, FundCallContext, Handler } from "../../shared/rpc/handler.ts";
import type { RequestAdmission } from "./admission.ts";

/** The parts of the service that every interface uses. */
export interface ServiceParts {
  readonly deps: Deps;
  readonly admission: RequestAdmission;
}

/** One interface: the handlers of its methods. */
export interface ServedMethods {
  readonly chain: Chain;
  readonly handlers: DispatchOptions<CallContext>["handlers"];
  /** The handlers whose requests a fund can admit. */
  readonly atFund: ReadonlyMap<string, Handler<FundCallContext>>;
}

/** The parts of a request that its interface reads in its own way. */
export interface SentTo {
  /** The access keys that the request carries. */
  readonly keys: readonly string[];
  /** The path of the interface. */
  readonly path: string;
}

/** Ties the handlers of an interface to the admission of one request. */
export function endpointFor(
  c: Context<AppEnv>,
  { deps, admission }: ServiceParts,
  { chain, handlers, atFund }: ServedMethods,
  { keys, path }: SentTo,
): DispatchOptions<CallContext> {
  const { env } = c;
  const { arrivedAtMs, requestId, upstream } = c.var;
  // The deadline counts from the arrival, as the caller does. Admission takes a part of it.
  const deadline = new Deadline(CALL_TIME_MS - Math.max(0, deps.clock.nowMs() - arrivedAtMs), upstream);
  const common = { env, deps, arrivedAtMs, requestId, upstream, deadline };
  return {
    handlers,
    admit: (calls, derivations, fundMayAdmit) =>
      admission.atKey(c, keys, { chain, calls, derivations, ...(fundMayAdmit && { fundMayAdmit }) }),
    atFund: {
      has: (method) => atFund.has(method),
      begin: (method) => {
        const handler = atFund.get(method);
        const wanted = { chain, calls: [handler?.contract.rights ?? []] };
        const caller = handler === undefined ? null : admission.atFund(c, keys, wanted);
        if (handler === undefined || caller === null) return null;
        const answer: CallAtFund["answer"] = (params, claimFor) =>
          handler.answer(params, (decoded) => {
            const idempotency = claimFor(decoded);
            return { ...common, caller, idempotency };
          });
        return { keyId: caller.keyId, answer, verdict: () => caller.verdict() };
      },
    },
    context: (caller, idempotency) => ({
      ...common,
      caller,
      idempotency,
      // The URL is computed only for a document that needs it.
      get interfaceUrl() {
        return new URL(path, c.req.url).href;
      },
    }),
    logFault: (method, error) => deps.log("fault", { requestId, method, error: String(error), stack: stackOf(error) }),
  };
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined;
}
