import type { SuiGrpcClient } from "@mysten/sui/grpc";
import * as z from "zod";
import { adminCall } from "../../shared/cli/client/admin.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { untilAllIsShown } from "../../shared/cli/client/shown.ts";

/** What an operator and the chain show of a fund, whichever service holds it. Amounts are MIST or octas. */

const atoms = z
  .string()
  .regex(/^-?(0|[1-9][0-9]*)$/)
  .transform(BigInt);
export const figuresSchema = z.object({
  balance: atoms,
  inFlight: atoms,
  available: atoms,
  accruedFees: atoms,
  maintenanceReserve: atoms,
  unconverted: z.object({ amount: atoms }).nullable(),
  sponsorshipFee: atoms,
  paused: z.boolean(),
  pausedCause: z.string().nullable(),
});
export type FundFigures = z.output<typeof figuresSchema>;

/** Reads a fund over the admin API. */
export async function readFigures(access: Parameters<typeof adminCall>[0], fundId: string): Promise<FundFigures> {
  return expectAnswer("the fund", await adminCall(access, "GET", `/funds/${fundId}`), figuresSchema);
}

/** Reads what an address owns on a development chain, in every form, after all that was executed until now. */
export async function readSui(chainUrl: string, sui: SuiGrpcClient, owner: string): Promise<bigint> {
  await untilAllIsShown(chainUrl);
  return BigInt((await sui.getBalance({ owner })).balance.balance);
}
