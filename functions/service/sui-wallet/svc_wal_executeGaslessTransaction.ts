import { suiExecuteGasless } from "../../../shared/api/sui-wallet.ts";
import { handler } from "../../../shared/rpc/handler.ts";
import { executeGasless } from "./gasless.ts";

export const svc_wal_executeGaslessTransaction = handler(suiExecuteGasless, (params, context) =>
  executeGasless(
    {
      walletId: params.wallet_id,
      sessionToken: params.session_token,
      txBytes: params.tx_bytes,
      gasBudgetMist: params.gas_budget ?? null,
      gasPriceMist: null,
      waitForLocalExecution: params.request_type === "WaitForLocalExecution",
    },
    context,
  ),
);
