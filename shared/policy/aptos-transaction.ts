import { payloadTraits } from "../chain/aptos/payload.ts";
import type { RawTransaction } from "../chain/aptos/raw-transaction.ts";
import type { AptosNetwork } from "../networks.ts";
import type { SponsoredTransaction } from "./rules.ts";

/** What an app's policy is told of an Aptos transaction. */
export function aptosTransactionAsked(
  { sender, payload, maxGasAmount, gasUnitPriceOctas }: RawTransaction,
  { network, user }: { readonly network: AptosNetwork; readonly user: string },
): SponsoredTransaction & { readonly gasBudgetAtoms: bigint } {
  const { moveTarget, isScript, isMultisig } = payloadTraits(payload);
  return {
    network,
    user,
    sender,
    moveTargets: moveTarget === null ? [] : [moveTarget],
    bringsCode: isScript || isMultisig || moveTarget === null,
    gasBudgetAtoms: maxGasAmount * gasUnitPriceOctas,
  };
}
