import { suiPrepareTransactionBlock } from "../../../shared/api/sui-gas.ts";
import { done } from "../../../shared/errors.ts";
import type { Simulation } from "../../../shared/fund/sui/engine/sponsor.ts";
import { netGasMist } from "../../../shared/fund/sui/gas.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";
import { callFund } from "../calls/fund.ts";
import { sponsorInput, unixSeconds } from "../calls/sui-fund.ts";

function shown({ gasUsed, balanceChanges }: Simulation) {
  const changes = balanceChanges?.map((change) => ({ ...change, amount: change.amount.toString() })) ?? null;
  return { gasUsed: netGasMist(gasUsed).toString(), balanceChanges: changes };
}

/** Reserves gas for a transaction kind, without a signature. */
export const gas_prepareTransactionBlock = fundHandler(suiPrepareTransactionBlock, async (params, context) => {
  const prepared = await callFund(context, "prepare", {
    ...sponsorInput(params, context),
    maxGasBudgetMist: params.maxGasBudget ?? null,
    simulate: params.simulate ?? false,
  });
  if (!prepared.ok) return prepared;
  const { txBytes, digest, expiresAtMs, simulation } = prepared.value;
  const wrapped = { txBytes, txDigest: digest, expireAtTime: unixSeconds(expiresAtMs) };
  return done(simulation === null ? wrapped : { ...wrapped, simulation: shown(simulation) });
});
