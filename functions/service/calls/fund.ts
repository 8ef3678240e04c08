import type { FundObject } from "../../../shared/bindings/fund.ts";
import { type Outcome, refuse } from "../../../shared/errors.ts";
import type { FundView } from "../../../shared/fund/views.ts";
import type { CallContext } from "../../../shared/rpc/handler.ts";

/** Calls the one fund that the access key is linked to. The caller never names a fund. */
export async function withFund<Result>(
  { caller, env, deps }: CallContext,
  call: (fund: FundObject) => Promise<Outcome<Result>>,
): Promise<Outcome<Result>> {
  if (caller.fundId === null)
    return refuse("missing_right", "this access key is not linked to a fund: use one with the right gas");
  try {
    return await call(env.FUND.getByName(caller.fundId));
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
