import { serializedSignature, signingDigest } from "../../../shared/chain/sui/transaction.ts";
import { readWalletTransaction } from "../../../shared/chain/sui/wallet-transaction.ts";
import { done, type Outcome, refuse } from "../../../shared/errors.ts";
import type { ExecuteInput } from "../../../shared/fund/sui/engine/execution.ts";
import type { Prepared } from "../../../shared/fund/sui/engine/sponsor.ts";
import type { CallContext } from "../../../shared/rpc/handler.ts";
import type { DerivedSecret } from "../../../shared/wallet/derivation.ts";
import { withFund } from "../calls/fund.ts";
import { executeSponsored, onBehalfOf, type SponsoredExecution } from "../calls/sui-fund.ts";
import { walletOf, withSession } from "../calls/wallet.ts";

/** The transaction that a wallet is to execute, and its terms. */
export interface GaslessCall extends Pick<ExecuteInput, "waitForLocalExecution" | "alsoShow"> {
  readonly walletId: string;
  readonly sessionToken: string;
  /** BCS of transaction data or of a transaction kind. */
  readonly txBytes: Uint8Array;
  /** Null if a dry run sets it. */
  readonly gasBudgetMist: bigint | null;
  /** Null for the reference gas price. */
  readonly gasPriceMist: bigint | null;
}

/** A wallet's transaction that was executed, with its bytes. */
export interface GaslessExecution extends SponsoredExecution {
  /** BCS of the transaction data that was executed, with the fund's gas data. */
  readonly txBytes: Uint8Array;
}

/**
 * Executes a wallet's transaction. The fund prepares it, the wallet signs as sender, and the fund signs and submits.
 * Nothing is held before the secret has opened the wallet.
 */
export async function executeGasless(call: GaslessCall, context: CallContext): Promise<Outcome<GaslessExecution>> {
  const read = readWalletTransaction(call.txBytes);
  if (!read.ok) return read;
  const { kindBytes, sender, lastEpoch } = read.value;
  return withSession(call.sessionToken, context, async (secret) => {
    const { ref, stub } = walletOf(call.walletId, context);
    const opened = await stub.verifySecret({ wallet: ref, secret, keyId: context.caller.keyId });
    if (!opened.ok) return opened;
    const address = opened.value;
    if (sender !== null && sender !== address)
      return refuse(
        "wrong_sender",
        `the sender of the transaction is ${sender}, the wallet is ${address}: build it with the wallet as the sender`,
      );
    const { gasBudgetMist, gasPriceMist } = call;
    const terms = { kindBytes, sender: address, lastEpoch, gasBudgetMist, gasPriceMist, maxGasBudgetMist: null };
    // The call has begun. From here, only the time that the fund lets it wait counts.
    const asked = { ...onBehalfOf(context), arrivedAtMs: context.deps.clock.nowMs(), ...terms };
    const prepared = await withFund(context, (fund) => fund.prepareExecution(asked));
    return prepared.ok
      ? releaseUnlessSigned(prepared.value, context, () => signAndExecute(prepared.value, call, secret, context))
      : prepared;
  });
}

async function signAndExecute(
  { txBytes, digest }: Prepared,
  { walletId, waitForLocalExecution, alsoShow }: GaslessCall,
  secret: DerivedSecret,
  context: CallContext,
): Promise<Outcome<GaslessExecution>> {
  const { ref, stub } = walletOf(walletId, context);
  const signed = await stub.sign({ wallet: ref, secret, keyId: context.caller.keyId, message: signingDigest(txBytes) });
  if (!signed.ok) return signed;
  const senderSignature = serializedSignature(signed.value.signature, signed.value.publicKey);
  const input = { digest, senderSignature, waitForLocalExecution, ...(alsoShow && { alsoShow }) };
  const executed = await executeSponsored(input, context);
  return executed.ok ? done({ ...executed.value, txBytes }) : executed;
}

/** Releases the gas of a call that ends before the fund's signature. If the fund has signed, this changes nothing. */
async function releaseUnlessSigned<Result>(
  { digest }: Prepared,
  context: CallContext,
  finish: () => Promise<Outcome<Result>>,
): Promise<Outcome<Result>> {
  let finished = false;
  try {
    const outcome = await finish();
    finished = outcome.ok || outcome.error.reason === "outcome_unknown";
    return outcome;
  } finally {
    if (!finished) await abandon(digest, context);
  }
}

/** Abandons a sponsorship. If that fails, its gas becomes free after its ten minutes. */
async function abandon(digest: string, { caller, deps, env, idempotency }: CallContext): Promise<void> {
  if (caller.fundId === null) return;
  try {
    await env.FUND.getByName(caller.fundId).abandon(digest, idempotency);
  } catch (error) {
    deps.log("fund.abandon_failed", { fund: caller.fundId, digest, error: String(error) });
  }
}
