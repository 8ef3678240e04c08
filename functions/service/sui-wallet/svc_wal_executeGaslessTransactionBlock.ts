import { suiExecuteGaslessBlock } from "../../../shared/api/sui-wallet.ts";
import { requestTypeFor, shownResponse } from "../../../shared/chain/sui/json-rpc/shown-response.ts";
import { functionsCalled, type ParametersOf } from "../../../shared/chain/sui/json-rpc/transaction-block.ts";
import { done } from "../../../shared/errors.ts";
import { isSuiNetwork } from "../../../shared/networks.ts";
import { type CallContext, handler } from "../../../shared/rpc/handler.ts";
import { executeGasless } from "./execute-gasless.ts";

/** Executes as `svc_wal_executeGaslessTransaction`. The result has only the parts that the options show. */
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
  if (!executed.ok) return executed;
  const { response, ...input } = executed.value;
  if (options.showInput !== true) return done(shownResponse(response, input, options));
  return done(
    shownResponse(response, { ...input, parametersOf: await parametersFor(input.txBytes, context) }, options),
  );
});

/** Reads the parameters of the called functions. The execution is answered even if no node returns them in time. */
function parametersFor(txBytes: Uint8Array, { caller, deps, deadline }: CallContext): Promise<ParametersOf> {
  const { network } = caller;
  return isSuiNetwork(network)
    ? deadline.asking(() => deps.functionSignatures.of(network, functionsCalled(txBytes), deadline.leftMs()))
    : Promise.resolve(() => null);
}
