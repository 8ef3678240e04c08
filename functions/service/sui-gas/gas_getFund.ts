import { suiGetFund } from "../../../shared/api/sui-gas.ts";
import { done } from "../../../shared/errors.ts";
import { isSuiNetwork } from "../../../shared/networks.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";
import { callFund, shownFund, shownUnconverted } from "../calls/fund.ts";

/** Answers with the fund that the access key is linked to. Amounts are MIST. */
export const gas_getFund = fundHandler(suiGetFund, async (_params, context) => {
  const fund = await callFund(context, "view", null);
  if (!fund.ok) return fund;
  const view = fund.value;
  if (view === null || !isSuiNetwork(view.network))
    throw new Error("an access key names a fund that has no record, or one of another chain");
  return done({ network: view.network, ...shownFund(view), ...shownUnconverted(view) });
});
