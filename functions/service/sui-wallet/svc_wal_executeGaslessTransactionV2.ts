import { pathsOf, suiExecuteGaslessV2 } from "../../../shared/api/sui-wallet-v2.ts";
import { executedJson, readMaskOf, shows } from "../../../shared/chain/sui/grpc/executed-json.ts";
import { done, refuse } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { executeGasless } from "./execute-gasless.ts";

/** Executes as `svc_wal_executeGaslessTransaction` of `/wallet/v1`. The result is the protobuf JSON of a node. */
export const svc_wal_executeGaslessTransactionV2 = handler(suiExecuteGaslessV2, async (params, context) => {
  const mask = readMaskOf(pathsOf(params.read_mask));
  if (!mask.ok) return refuse("bad_params", mask.error);
  const executed = await executeGasless(
    {
      walletId: params.wallet_id,
      sessionToken: params.session_token,
      txBytes: params.tx_bytes,
      gasBudgetMist: params.gas_budget ?? null,
      gasPriceMist: params.gas_price ?? null,
      alsoShow: { signatures: shows(mask.value, "signatures"), rawEffects: shows(mask.value, "effects.bcs") },
      waitForLocalExecution: false,
    },
    context,
  );
  return executed.ok ? done(executedJson(executed.value, mask.value)) : executed;
});
