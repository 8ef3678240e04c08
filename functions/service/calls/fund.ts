import { AdmissionAtFund } from "../../../shared/access/admission-at-fund.ts";
import type { FundObject } from "../../../shared/bindings/fund.ts";
import type { FundCalls, FundMethod } from "../../../shared/bindings/fund-calls.ts";
import { type Refusal, refuse } from "../../../shared/errors.ts";
import { countedFund, runFundCall } from "../../../shared/fund/calls.ts";
import type { FundView } from "../../../shared/fund/views.ts";
import type { Failure } from "../../../shared/result.ts";
import type { CallContext, FundCallContext } from "../../../shared/rpc/handler.ts";

/** Calls the one fund that the access key of an admitted caller is linked to. The caller never names a fund. */
export async function withFund<Answer>(
  { caller, env, deps, upstream }: Pick<CallContext, "caller" | "env" | "deps" | "upstream">,
  call: (fund: FundObject) => Promise<Answer>,
): Promise<Answer | Failure<Refusal>> {
  const { fundId } = caller;
  if (fundId === null)
    return refuse("missing_right", "this access key is not linked to a fund: use one with the right gas");
  return logged({ caller, deps }, () => call(countedFund(env.FUND.getByName(fundId), upstream)));
}

/** Calls the fund of an admitted caller, or has the fund admit the request and run the call. */
export function callFund<Method extends FundMethod>(
  { caller, env, deps, requestId, upstream }: FundCallContext,
  method: Method,
  input: FundCalls[Method]["input"],
): Promise<FundCalls[Method]["outcome"] | Failure<Refusal>> {
  if (caller instanceof AdmissionAtFund) return logged({ caller, deps }, () => caller.call(method, input));
  const key = { keyId: caller.keyId, keyPolicy: caller.policy, requestId };
  return withFund({ caller, env, deps, upstream }, (fund) => runFundCall(fund, key, { method, input }));
}

async function logged<Answer>(
  { caller, deps }: Pick<FundCallContext, "caller" | "deps">,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    deps.log("fund.failed", { fund: caller.fundId, keyId: caller.keyId, error: String(error) });
    throw error;
  }
}

/** Returns the answer of `gas_getFund` without the network, whose names differ by chain. */
export function shownFund({ name, balanceAtoms, inFlightAtoms, depositAddress }: FundView) {
  return { name, balance: balanceAtoms, inFlight: inFlightAtoms, depositAddress };
}

/** Returns `unconverted` only if something waits. Otherwise the answer has the specified fields alone. */
export function shownUnconverted({ unconverted }: FundView) {
  if (unconverted === null) return {};
  const { amountAtoms: amount, coins, cause } = unconverted;
  return { unconverted: { amount, coins, cause } };
}
