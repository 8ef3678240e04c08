import { suiGetFund } from "../../../shared/api/sui-gas.ts";
import { done } from "../../../shared/errors.ts";
import { isSuiNetwork } from "../../../shared/networks.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { shownFund, shownUnconverted, withFund } from "../calls/fund.ts";

/** Answers with the fund that the access key is linked to. Amounts are MIST. */
export const gas_getFund = handler(suiGetFund, (_params, context) =>
  withFund(context, async (fund) => {
    const view = await fund.view();
    if (view === null || !isSuiNetwork(view.network))
      throw new Error("an access key names a fund that has no record, or one of another chain");
    return done({ network: view.network, ...shownFund(view), ...shownUnconverted(view) });
  }),
);
