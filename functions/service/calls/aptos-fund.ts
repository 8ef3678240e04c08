import type { PendingTransaction } from "../../../shared/chain/aptos/pending-transaction.ts";
import { type Outcome, refuse } from "../../../shared/errors.ts";
import { mayHaveSubmitted } from "../../../shared/rpc/faults.ts";
import type { CallContext, FundCallContext } from "../../../shared/rpc/handler.ts";
import { callFund } from "./fund.ts";

/** A signer beside the sender: its address, and the BCS of its account authenticator. */
export interface SecondarySigner {
  readonly address: string;
  readonly signature: Uint8Array;
}

/** A transaction that its sender has signed. Bytes are BCS. */
export interface SenderSigned {
  readonly rawTransaction: Uint8Array;
  readonly senderAuthenticator: Uint8Array;
  /** The signers in the order of their signatures. */
  readonly secondarySigners: readonly SecondarySigner[];
}

/** Returns the key, with its policy, for which the fund is called. */
export function onBehalfOf({ caller, requestId }: CallContext) {
  return { keyId: caller.keyId, keyPolicy: caller.policy, requestId };
}

/**
 * Has the fund sign as fee payer and submit.
 *
 * @param arrivedAtMs the arrival of a request that only submits. Absent if a wallet has already signed for the request.
 */
export async function executeAsFeePayer(
  { rawTransaction, senderAuthenticator, secondarySigners }: SenderSigned,
  context: FundCallContext,
  arrivedAtMs?: number,
): Promise<Outcome<{ readonly pendingTransaction: PendingTransaction }>> {
  const input = {
    idempotency: context.idempotency,
    leftMs: context.deadline.leftMs(),
    ...(arrivedAtMs !== undefined && { arrivedAtMs }),
    rawTransaction,
    secondaryAddresses: secondarySigners.map(({ address }) => address),
    senderAuthenticator,
    secondaryAuthenticators: secondarySigners.map(({ signature }) => signature),
  };
  try {
    return await callFund(context, "aptosExecute", input);
  } catch (error) {
    if (!mayHaveSubmitted(error)) throw error;
    // The fund may have submitted already. Its signature is part of the hash, so the hash is not known here.
    context.deps.log("fund.execution_reset", { fund: context.caller.fundId, error: String(error) });
    return refuse("outcome_unknown", "the service was interrupted: repeat the call, which submits the same bytes");
  }
}
