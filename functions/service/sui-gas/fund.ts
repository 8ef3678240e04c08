import type * as z from "zod";
import type { sponsorTransactionBlock } from "../../../shared/api/sui-gas.ts";
import type { SponsorInput } from "../../../shared/objects/sui-fund/sponsoring.ts";
import type { CallContext } from "../../../shared/rpc/handler.ts";

/** What sponsoring and preparing ask of the fund: the same params, on behalf of the same caller. */
export function sponsorInput(
  params: z.output<typeof sponsorTransactionBlock.params>,
  { caller, idempotency }: CallContext,
): SponsorInput {
  return {
    keyId: caller.keyId,
    keyPolicy: caller.policy,
    idempotency,
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
