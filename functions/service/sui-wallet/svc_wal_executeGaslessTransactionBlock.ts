import { suiExecuteGaslessBlock } from "../../../shared/api/sui-wallet.ts";
import { requestTypeFor, shownResponse } from "../../../shared/chain/sui/shown-response.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { executeGasless } from "./gasless.ts";

export const svc_wal_executeGaslessTransactionBlock = handler(suiExecuteGaslessBlock, async (params, context) => {
  const { options = {} } = params;
  const executed = await executeGasless(
    {
      walletId: params.wallet_id,
      sessionToken: params.session_token,
      txBytes: params.tx_bytes,
      gasBudgetMist: params.gas_budget ?? null,
      gasPriceMist: params.gas_price ?? null,
      alsoShow: {
        signatures: options.showInput === true || options.showRawInput === true,
        rawEffects: options.showRawEffects === true,
      },
      waitForLocalExecution: (params.request_type ?? requestTypeFor(options)) === "WaitForLocalExecution",
    },
    context,
  );
  return executed.ok ? done(shownResponse(executed.value.response, executed.value, options)) : executed;
});
