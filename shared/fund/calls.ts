import type { ObjectMethods } from "../bindings/env.ts";
import type { FundObject } from "../bindings/fund.ts";
import type { CallingKey, FundCall, FundCalls, FundMethod } from "../bindings/fund-calls.ts";
import { done } from "../errors.ts";
import { askingUpstreamCalls, countInto, tellUpstreamCalls, type UpstreamTally } from "../observe/upstream-calls.ts";

/** A fund's methods that the gas interfaces call: of the object itself, or of a stub. */
export type CalledFund = ObjectMethods<
  Pick<FundObject, "prepare" | "prepareBounded" | "execute" | "status" | "view" | "aptosSponsor" | "aptosExecute">
> & {
  /** @param tally of the calls to nodes. Only the object itself takes it. */
  sponsor(...args: [...Parameters<FundObject["sponsor"]>, tally?: UpstreamTally]): ReturnType<FundObject["sponsor"]>;
};

/** The methods of a fund that may call a node. */
const ASKING_METHODS = [
  "admitAndCall",
  "create",
  "update",
  "refresh",
  "sponsor",
  "prepare",
  "prepareBounded",
  "prepareExecution",
  "execute",
  "status",
  "aptosScreen",
  "aptosSponsor",
  "aptosExecute",
  "aptosScreenInitialization",
  "aptosInitialization",
  "withdraw",
  "revoke",
  "reconcile",
  "recover",
  "forceClose",
  "dropCoin",
  "tell",
] as const satisfies readonly (keyof FundObject)[];

const ASKING = new Set<string>(ASKING_METHODS);

/** The methods that may call a node, but hardly do: a sponsorship with a gas budget calls none. */
const LATE = new Set(["admitAndCall", "sponsor"] as const);

/** Makes a fund's answers carry the number of their calls to nodes, for callers of `countedFund`. */
export function countNodeCalls(prototype: ObjectMethods<FundObject>): void {
  tellUpstreamCalls(prototype, ASKING_METHODS, LATE);
}

/**
 * Returns the fund for the calls of a request. It counts the fund's calls to nodes as the request's own.
 *
 * @param tally of the request. If absent, `countInto` around the call has it.
 */
export function countedFund(fund: FundObject, tally?: UpstreamTally): FundObject {
  return askingUpstreamCalls(fund, ASKING, tally);
}

type Runners = {
  readonly [Method in FundMethod]: (
    fund: CalledFund,
    key: CallingKey,
    input: FundCalls[Method]["input"],
    tally?: UpstreamTally,
  ) => Promise<FundCalls[Method]["outcome"]>;
};

const runners: Runners = {
  sponsor: async (fund, key, input, tally) =>
    tally === undefined ? fund.sponsor({ ...input, ...key }) : fund.sponsor({ ...input, ...key }, tally),
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

/** Returns true if this build knows a method. The edge may have a later build. */
export function isFundMethod(method: string): boolean {
  return Object.hasOwn(runners, method);
}

/**
 * Runs a call for an admitted access key.
 *
 * @param tally of the call's requests of nodes, inside the object. A caller of a stub uses `countedFund`.
 */
export function runFundCall<Method extends FundMethod>(
  fund: CalledFund,
  key: CallingKey,
  { method, input }: FundCall<Method>,
  tally?: UpstreamTally,
): Promise<FundCalls[Method]["outcome"]> {
  const run = (): Promise<FundCalls[Method]["outcome"]> => runners[method](fund, key, input, tally);
  return tally === undefined || method === "sponsor" ? run() : countInto(tally, run);
}
