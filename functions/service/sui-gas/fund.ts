import type * as z from "zod";
import type { sponsorTransactionBlock } from "../../../shared/api/sui-gas.ts";
import type { ObjectStub } from "../../../shared/env.ts";
import { type Outcome, refuse } from "../../../shared/errors.ts";
import type { Fund } from "../../../shared/objects/fund.ts";
import type { SponsorInput } from "../../../shared/objects/fund-sponsoring.ts";
import type { CallContext } from "../../../shared/rpc/handler.ts";

/** Calls the one fund that the access key is linked to. The caller never names a fund. */
export async function withFund<Result>(
  { caller, env }: CallContext,
  call: (fund: ObjectStub<Fund>) => Promise<Outcome<Result>>,
): Promise<Outcome<Result>> {
  if (caller.fundId === null) return refuse("missing_right", "this access key is not linked to a fund");
  return call(env.FUND.getByName(caller.fundId));
}

/** What sponsoring and preparing ask of the fund: the same params, on behalf of the same caller. */
export function sponsorInput(
  params: z.output<typeof sponsorTransactionBlock.params>,
  { caller }: CallContext,
): SponsorInput {
  return {
    keyId: caller.keyId,
    kindBytes: params.transactionBytes,
    sender: params.sender,
    gasBudgetMist: params.gasBudget ?? null,
    gasPriceMist: params.gasPrice ?? null,
    maxGasBudgetMist: null,
  };
}

/** Rounded down: a caller must not believe in a gas object for longer than it is assigned. */
export function unixSeconds(atMs: number): number {
  return Math.floor(atMs / 1000);
}
