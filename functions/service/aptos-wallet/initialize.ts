import { ed25519Authenticator } from "../../../shared/chain/aptos/authenticator.ts";
import type { PendingTransaction } from "../../../shared/chain/aptos/pending-transaction.ts";
import { aptosAddress, signingMessage } from "../../../shared/chain/aptos/transaction.ts";
import { refuseOtherSender } from "../../../shared/chain/aptos/wallet-signing.ts";
import { done, type Outcome } from "../../../shared/errors.ts";
import { type AptosNetwork, isAptosNetwork } from "../../../shared/networks.ts";
import type { CallContext } from "../../../shared/rpc/handler.ts";
import type { DerivedSecret } from "../../../shared/wallet/derivation.ts";
import { executeAsFeePayer, onBehalfOf, type SecondarySigner, secondaryOf } from "../calls/aptos-fund.ts";
import { withFund } from "../calls/fund.ts";
import { walletOf } from "../calls/wallet.ts";

/** A wallet within a session. */
export interface SessionWallet {
  readonly walletId: string;
  /** The sender of what it is to sign, in full length. Another wallet refuses. */
  readonly address: string;
  readonly secret: DerivedSecret;
}

/** A transaction that a wallet is to send, and the fund to pay for. */
export interface GaslessTransaction {
  readonly rawTransaction: Uint8Array;
  /** The signers in the order of their signatures. */
  readonly secondarySigners: readonly SecondarySigner[];
  /** The fund's address. The fee payer is known, so the wallet signs over this address. */
  readonly feePayerAddress: string;
  /** Whether it has sequence number 0. It then creates its sender's account if none exists. */
  readonly isFirst: boolean;
}

/**
 * Signs as sender with the wallet and as fee payer with the fund, which submits. The fund's refusals were screened
 * before.
 */
export async function signAndExecute(
  { rawTransaction, secondarySigners, feePayerAddress, isFirst }: GaslessTransaction,
  { walletId, address, secret }: SessionWallet,
  context: CallContext,
): Promise<Outcome<{ readonly pendingTransaction: PendingTransaction }>> {
  const message = signingMessage(rawTransaction, {
    kind: "fee_payer",
    secondarySigners: secondarySigners.map(({ address }) => address),
    feePayer: feePayerAddress,
  });
  const { ref, stub } = walletOf(walletId, context);
  const signed = await stub.sign({
    wallet: ref,
    secret,
    keyId: context.caller.keyId,
    message,
    sender: address,
    opensAccountOn: isFirst ? aptosNetworkOf(context) : null,
  });
  if (!signed.ok) return signed;
  // An object of an earlier build does not compare the sender.
  const otherSender = refuseOtherSender({ sender: address }, aptosAddress(signed.value.publicKey));
  if (otherSender !== null) return otherSender;
  const senderAuthenticator = ed25519Authenticator(signed.value.publicKey, signed.value.signature);
  return executeAsFeePayer({ rawTransaction, senderAuthenticator, ...secondaryOf(secondarySigners) }, context);
}

function aptosNetworkOf({ caller }: CallContext): AptosNetwork | null {
  return isAptosNetwork(caller.network) ? caller.network : null;
}

/** `initialized`: the account was on the chain already. `pending`: a transaction that makes it is under way. */
export type Initialization = "initialized" | "pending";

/**
 * Has the chain make a wallet's account. The wallet sends a transaction that does nothing, and the fund pays.
 *
 * If two calls run at once, one stores the promise for sequence number 0, and the other finds it.
 */
export async function initializeOnChain(wallet: SessionWallet, context: CallContext): Promise<Outcome<Initialization>> {
  const lookUp = () =>
    context.deadline.within(
      withFund(context, (fund) => fund.aptosInitialization({ ...onBehalfOf(context), sender: wallet.address })),
    );
  const found = await lookUp();
  if (!found.ok) return found;
  if (found.value.state !== "absent") return done(found.value.state);
  const { rawTransaction, feePayerAddress } = found.value;
  const first = { rawTransaction, feePayerAddress, secondarySigners: [], isFirst: true };
  const executed = await signAndExecute(first, wallet, context);
  if (executed.ok) return done("pending");
  if (executed.error.reason !== "sequence_conflict") return executed;
  const foundAgain = await lookUp();
  if (!foundAgain.ok) return foundAgain;
  return foundAgain.value.state === "absent" ? executed : done(foundAgain.value.state);
}
