import { suiExecuteGasless } from "../../../shared/api/sui-wallet.ts";
import { done } from "../../../shared/errors.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { executeGasless } from "./execute-gasless.ts";

/** Signs a transaction with the wallet's key, has the fund pay for it, and executes it. */
export const svc_wal_executeGaslessTransaction = handler(suiExecuteGasless, async (params, context) => {
  const executed = await executeGasless(
    {
      walletId: params.wallet_id,
      sessionToken: params.session_token,
      txBytes: params.tx_bytes,
      gasBudgetMist: params.gas_budget ?? null,
      gasPriceMist: null,
      waitForLocalExecution: params.request_type === "WaitForLocalExecution",
    },
    context,
  );
  return executed.ok ? done(executed.value.response) : executed;
});
