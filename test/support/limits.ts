import { type AdminAccess, adminCall, idSchema } from "../../shared/cli/client/admin.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";

/** Removes the default limits of a fund and of a key that a load would reach. */
export async function raiseLimits(access: AdminAccess, ids: { readonly fundId: string; readonly keyId: string }) {
  const fundPolicy = { maxGasBudget: null, maxSpendPerDay: null };
  const keyPolicy = { maxInFlightCount: null, maxInFlightAmount: null, maxAbandonCostPerDay: null };
  const fund = await adminCall(access, "PATCH", `/funds/${ids.fundId}`, { policy: fundPolicy });
  expectAnswer("raising the fund's limits", fund, idSchema);
  const key = await adminCall(access, "PATCH", `/keys/${ids.keyId}`, { policy: keyPolicy });
  expectAnswer("raising the key's limits", key, idSchema);
}
