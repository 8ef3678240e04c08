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
  /** Addresses in full length, in the order of their signatures. */
  readonly secondaryAddresses: readonly string[];
  readonly secondaryAuthenticators: readonly Uint8Array[];
  /** The fee payer that the transaction names. Absent if its form names none. */
  readonly namedFeePayer?: string;
}

/** Lists the addresses and the signatures of signers apart, as a fund takes them. */
export function secondaryOf(signers: readonly SecondarySigner[]) {
  return {
    secondaryAddresses: signers.map(({ address }) => address),
    secondaryAuthenticators: signers.map(({ signature }) => signature),
  };
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
  signed: SenderSigned,
  context: FundCallContext,
  arrivedAtMs?: number,
): Promise<Outcome<{ readonly pendingTransaction: PendingTransaction }>> {
  const input = {
    idempotency: context.idempotency,
    leftMs: context.deadline.leftMs(),
    ...(arrivedAtMs !== undefined && { arrivedAtMs }),
    ...signed,
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
