import { getFund } from "../../../shared/api/sui-gas.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { withFund } from "./fund.ts";

export const gas_getFund = handler(getFund, (_params, context) =>
  withFund(context, async (fund) => {
    const view = await fund.view();
    if (view === null) throw new Error("an access key names a fund that has no record");
    return done({
      network: view.network,
      name: view.name,
      balance: view.balanceMist,
      inFlight: view.inFlightMist,
      depositAddress: view.depositAddress,
    });
  }),
);
