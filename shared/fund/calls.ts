import type { ObjectMethods } from "../bindings/env.ts";
import type { FundObject } from "../bindings/fund.ts";
import type { CallingKey, FundCall, FundCalls, FundMethod } from "../bindings/fund-calls.ts";
import { done } from "../errors.ts";

/** A fund's methods that the gas interfaces call: of the object itself, or of a stub. */
export type CalledFund = ObjectMethods<
  Pick<
    FundObject,
    "sponsor" | "prepare" | "prepareBounded" | "execute" | "status" | "view" | "aptosSponsor" | "aptosExecute"
  >
>;

type Runners = {
  readonly [Method in FundMethod]: (
    fund: CalledFund,
    key: CallingKey,
    input: FundCalls[Method]["input"],
  ) => Promise<FundCalls[Method]["outcome"]>;
};

const runners: Runners = {
  sponsor: async (fund, key, input) => fund.sponsor({ ...input, ...key }),
  prepare: async (fund, key, input) => fund.prepare({ ...input, ...key }),
  prepareBounded: async (fund, key, input) => fund.prepareBounded({ ...input, ...key }),
  execute: async (fund, { keyPolicy: _, ...key }, input) => fund.execute({ ...input, ...key }),
  status: async (fund, _key, { digest, leftMs }) => fund.status(digest, leftMs),
  view: async (fund, { keyPolicy }) => {
    const view = await fund.view();
    return done(view && { ...view, orderless: keyPolicy.orderless && view.policy.orderless });
  },
  aptosSponsor: async (fund, key, input) => fund.aptosSponsor({ ...input, ...key }),
  aptosExecute: async (fund, key, input) => fund.aptosExecute({ ...input, ...key }),
};

/** Tells whether this build knows a method. The edge may be of a later build. */
export function isFundMethod(method: string): boolean {
  return Object.hasOwn(runners, method);
}

/** Runs a call for an admitted access key. */
export function runFundCall<Method extends FundMethod>(
  fund: CalledFund,
  key: CallingKey,
  { method, input }: FundCall<Method>,
): Promise<FundCalls[Method]["outcome"]> {
  return runners[method](fund, key, input);
}
