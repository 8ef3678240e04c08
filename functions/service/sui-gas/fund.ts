import type { ObjectStub } from "../../../shared/env.ts";
import { type Outcome, refuse } from "../../../shared/errors.ts";
import type { Fund } from "../../../shared/objects/fund.ts";
import type { CallContext } from "../../../shared/rpc/handler.ts";

/** Calls the one fund that the access key is linked to. The caller never names a fund. */
export async function withFund<Result>(
  { caller, env }: CallContext,
  call: (fund: ObjectStub<Fund>) => Promise<Outcome<Result>>,
): Promise<Outcome<Result>> {
  if (caller.fundId === null) return refuse("missing_right", "this access key is not linked to a fund");
  return call(env.FUND.getByName(caller.fundId));
}

/** Rounded down: a caller must not believe in a gas object for longer than it is assigned. */
export function unixSeconds(atMs: number): number {
  return Math.floor(atMs / 1000);
}
