import { done, type Outcome, refuse } from "../../errors.ts";
import type { AptosNetwork } from "../../networks.ts";
import { formatAddress } from "./address.ts";
import { matchesNetwork } from "./chain-id.ts";
import { decodeRawTransaction, type RawTransaction } from "./raw-transaction.ts";
import { type CoSigners, signingMessage } from "./transaction.ts";

/** A caller's request for a wallet's signature. Addresses are in full length. */
export interface SigningRequest {
  readonly rawTransaction: Uint8Array;
  /** The order is that of their signatures. Clients send an empty list for a transaction without secondary signers. */
  readonly secondaryAddresses?: readonly string[] | undefined;
  /** The zero address if the fee payer will be known later (AIP-53). */
  readonly feePayerAddress?: string | undefined;
}

/** A transaction that a wallet may sign. */
export interface TransactionToSign {
  readonly rawTransaction: RawTransaction;
  readonly coSigners: CoSigners;
  /** The message that the wallet signs. */
  readonly message: Uint8Array;
}

function coSignersOf({ secondaryAddresses = [], feePayerAddress }: SigningRequest): CoSigners {
  if (feePayerAddress !== undefined)
    return { kind: "fee_payer", secondarySigners: secondaryAddresses, feePayer: feePayerAddress };
  if (secondaryAddresses.length > 0) return { kind: "multi_agent", secondarySigners: secondaryAddresses };
  return { kind: "none" };
}

/** Refuses with `wrong_sender` if the wallet is not the transaction's sender. Null if it is. */
export function refuseOtherSender({ sender }: Pick<RawTransaction, "sender">, walletAddress: string) {
  return sender === walletAddress
    ? null
    : refuse(
        "wrong_sender",
        `rawTransaction is sent by ${formatAddress(sender)}, not by the wallet: its sender must be ${walletAddress}`,
      );
}

/**
 * Determines the message that a wallet signs for a request. The wallet is always the sender. In another role it would
 * sign a transaction that somebody else composed, which wallets do not serve.
 *
 * A wallet has one address on all networks of its chain. So a key of one network must not make a transaction that
 * executes on another. Expiration and gas are not judged here, because the sender pays and waits.
 *
 * @returns refuses with `non_canonical_bytes`, `unsupported_transaction`, `wrong_sender`, `wrong_chain_id` or
 * `duplicate_signer` (sender and secondary signers, as the chain counts them; a fee payer may be one of them).
 */
export function transactionToSign(
  request: SigningRequest,
  walletAddress: string,
  network: AptosNetwork,
): Outcome<TransactionToSign> {
  const decoded = decodeRawTransaction(request.rawTransaction);
  if (!decoded.ok) return decoded;
  const rawTransaction = decoded.value;
  const otherSender = refuseOtherSender(rawTransaction, walletAddress);
  if (otherSender !== null) return otherSender;
  if (!matchesNetwork(rawTransaction.chainId, network))
    return refuse(
      "wrong_chain_id",
      `rawTransaction has chain id ${rawTransaction.chainId}, which is not ${network}'s: build it for that network`,
    );
  const coSigners = coSignersOf(request);
  const signers = [walletAddress, ...(request.secondaryAddresses ?? [])];
  const duplicate = signers.find((signer, index) => signers.indexOf(signer) !== index);
  if (duplicate !== undefined)
    return refuse(
      "duplicate_signer",
      `${formatAddress(duplicate)} signs twice, as sender or in secondaryAddresses: name it once`,
    );
  return done({ rawTransaction, coSigners, message: signingMessage(request.rawTransaction, coSigners) });
}
