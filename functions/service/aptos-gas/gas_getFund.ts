import { aptosGetFund } from "../../../shared/api/aptos-gas.ts";
import { done } from "../../../shared/errors.ts";
import { isAptosNetwork } from "../../../shared/networks.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";
import { callFund, shownFund } from "../calls/fund.ts";

/** Answers with the fund that the access key is linked to. Amounts are octas. `orderless` is there only if it is true. */
export const gas_getFund = fundHandler(aptosGetFund, async (_params, context) => {
  const fund = await callFund(context, "view", null);
  if (!fund.ok) return fund;
  const view = fund.value;
  if (view === null || !isAptosNetwork(view.network))
    throw new Error("an access key names a fund that has no record, or one of another chain");
  return done({ network: view.network, ...shownFund(view), ...(view.orderless === true && { orderless: true }) });
});
