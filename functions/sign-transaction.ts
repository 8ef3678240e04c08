import * as z from "zod";
import { aptosAddress, rawTransactionBytes, secondaryAddresses } from "../shared/api/aptos-values.ts";
import { base64Bytes } from "../shared/api/sui-values.ts";
import { toHex } from "../shared/bytes.ts";
import { transactionToSign } from "../shared/chain/aptos/wallet-signing.ts";
import { readCommands } from "../shared/chain/sui/commands.ts";
import { inspectTransaction } from "../shared/chain/sui/inspect-transaction.ts";
import type { SignAnswer } from "../shared/client/flows/wire.ts";
import { aptosTransactionRequest } from "../shared/policy/aptos-transaction.ts";
import { judge } from "../shared/policy/evaluate.ts";
import {
  type AptosEmbeddedWallet,
  aptosEmbeddedWallet,
  suiEmbeddedWallet,
} from "../shared/workflow/embedded-wallet.ts";
import type { WorkflowOutcome } from "../shared/workflow/errors.ts";
import { policyRefused, type WorkflowFailure, workflowFailed, workflowFailureOf } from "../shared/workflow/errors.ts";
import { type WorkflowContext, workflow } from "../shared/workflow/handler.ts";

const suiInput = z.strictObject({ chain: z.literal("sui"), transaction: base64Bytes });
const aptosInput = z.strictObject({
  chain: z.literal("aptos"),
  transaction: rawTransactionBytes,
  secondaryAddresses: secondaryAddresses.optional(),
  feePayerAddress: aptosAddress.optional(),
});

/**
 * Signs a transaction with the user's wallet, which is its sender, and sends nothing. The policy judges it like a
 * sponsored one, for any payer, because an embedded wallet serves the app's purpose.
 */
export const signTransaction = workflow({
  name: "sign-transaction",
  input: z.discriminatedUnion("chain", [suiInput, aptosInput]),
  handle(context) {
    const { input } = context;
    return input.chain === "sui" ? signOnSui({ ...context, input }) : signOnAptos({ ...context, input });
  },
});

async function signOnSui(call: WorkflowContext<z.output<typeof suiInput>>): Promise<WorkflowOutcome> {
  const { transaction } = call.input;
  const wallet = suiEmbeddedWallet(call);
  if (!wallet.ok) return wallet;
  const { access, client, walletId, inSession } = wallet.value;
  const address = await wallet.value.address();
  if (!address.ok) return address;
  const inspected = inspectTransaction(transaction);
  if (!inspected.ok) return workflowFailed(400, "bad_request", inspected.error.details);
  const { sender, gasOwner, gasBudgetMist, kindBytes } = inspected.value;
  if (sender !== address.value) return refuseOtherSender(wallet.value);
  const { policy, user } = call;
  const { network } = access;
  const verdict = judge(policy, {
    user,
    action: "sign",
    chain: "sui",
    network,
    sender,
    commands: readCommands(kindBytes),
    gas: { budgetAtoms: gasBudgetMist, payer: gasOwner === sender ? "sender" : "other" },
  });
  if (!verdict.allowed) return policyRefused(verdict);
  const signed = await inSession((session_token) =>
    client.signTransaction({ wallet_id: walletId, session_token, tx_bytes: transaction }),
  );
  return signed.ok
    ? { ok: true, value: { signature: signed.value } satisfies SignAnswer }
    : workflowFailureOf(signed.error, "sui");
}

async function signOnAptos(call: WorkflowContext<z.output<typeof aptosInput>>): Promise<WorkflowOutcome> {
  const { transaction: rawTransaction, secondaryAddresses, feePayerAddress } = call.input;
  const wallet = aptosEmbeddedWallet(call);
  if (!wallet.ok) return wallet;
  const { access, client, walletId, inSession } = wallet.value;
  const address = await wallet.value.address();
  if (!address.ok) return address;
  const request = { rawTransaction, secondaryAddresses, feePayerAddress };
  const toSign = transactionToSign(request, address.value, access.network);
  if (!toSign.ok)
    return toSign.error.reason === "wrong_sender"
      ? refuseOtherSender(wallet.value)
      : workflowFailed(400, "bad_request", toSign.error.details);
  const { policy, user } = call;
  // A wallet may be its own fee payer. Its one signature then counts for both.
  const isOwnPayer = feePayerAddress === undefined || feePayerAddress === address.value;
  const payer = isOwnPayer ? "sender" : "other";
  const terms = { network: access.network, user, action: "sign", payer } as const;
  const asked = aptosTransactionRequest(toSign.value.rawTransaction, terms);
  const verdict = judge(policy, asked);
  if (!verdict.allowed) return policyRefused(verdict);
  const signed = await inSession((sessionToken) => client.signTransaction({ walletId, sessionToken, ...request }));
  if (!signed.ok) return workflowFailureOf(signed.error, "aptos");
  return { ok: true, value: { signature: `0x${toHex(signed.value.signature)}` } satisfies SignAnswer };
}

/**
 * Refuses with the wallet's address, but only after the user's session has opened the wallet. Somebody else may have
 * taken its id.
 */
async function refuseOtherSender(wallet: Pick<AptosEmbeddedWallet, "ownAddress">): Promise<WorkflowFailure> {
  const own = await wallet.ownAddress();
  if (!own.ok) return own;
  return workflowFailed(400, "bad_request", `transaction: its sender must be the user's wallet ${own.value}`);
}
