import { aptosGetFund } from "../../../shared/api/aptos-gas.ts";
import { done } from "../../../shared/errors.ts";
import { isAptosNetwork } from "../../../shared/networks.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { shownFund, withFund } from "../calls/fund.ts";

/** Answers with the fund that the access key is linked to. Amounts are octas. */
export const gas_getFund = handler(aptosGetFund, (_params, context) =>
  withFund(context, async (fund) => {
    const view = await fund.view();
    if (view === null || !isAptosNetwork(view.network))
      throw new Error("an access key names a fund that has no record, or one of another chain");
    return done({ network: view.network, ...shownFund(view) });
  }),
);
