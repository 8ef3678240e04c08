import * as z from "zod";
import { payFromFaucet } from "../../shared/cli/client/faucet.ts";

/** Pays SUI into an address balance. This makes no coin. */
export function faucetIntoBalance(chainUrl: string, address: string, amountMist: bigint) {
  return payFromFaucet(chainUrl, { address, amountMist, form: "address_balance" }, z.object({ digest: z.string() }));
}
