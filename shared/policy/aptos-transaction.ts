import { commandOf } from "../chain/aptos/commands.ts";
import type { RawTransaction } from "../chain/aptos/raw-transaction.ts";
import type { AptosNetwork } from "../networks.ts";
import type { TransactionRequest } from "./request.ts";

interface Asked {
  readonly network: AptosNetwork;
  readonly user: TransactionRequest["user"];
  readonly action: TransactionRequest["action"];
  readonly payer: TransactionRequest["gas"]["payer"];
}

/** Builds the request that an app's policy judges for an Aptos transaction. The gas budget is in octas. */
export function aptosTransactionRequest(
  { sender, payload, maxGasAmount, gasUnitPriceOctas }: RawTransaction,
  { payer, ...asked }: Asked,
): TransactionRequest & { readonly gas: { readonly budgetAtoms: bigint } } {
  const gas = { budgetAtoms: maxGasAmount * gasUnitPriceOctas, payer };
  return { ...asked, chain: "aptos", sender, commands: [commandOf(payload)], gas };
}
