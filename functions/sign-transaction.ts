import * as z from "zod";
import { aptosAddress, rawTransactionBytes, secondaryAddresses } from "../shared/api/aptos-values.ts";
import { transactionBytes } from "../shared/api/sui-values.ts";
import { toHex } from "../shared/bytes.ts";
import { payloadTraits } from "../shared/chain/aptos/payload.ts";
import { transactionToSign } from "../shared/chain/aptos/signing.ts";
import { inspectTransaction } from "../shared/chain/sui/inspect-transaction.ts";
import { judge } from "../shared/policy/rules.ts";
import { aptosEmbeddedWallet, suiEmbeddedWallet } from "./embedded-wallet.ts";
import type { Flow, FlowCall, FlowOutcome } from "./flow.ts";
import { flowFailed, flowFailureOf } from "./flow-failure.ts";

const suiInput = z.strictObject({ chain: z.literal("sui"), transaction: transactionBytes });
const aptosInput = z.strictObject({
  chain: z.literal("aptos"),
  transaction: rawTransactionBytes,
  secondaryAddresses: secondaryAddresses.optional(),
  feePayerAddress: aptosAddress.optional(),
});
const inputSchema = z.discriminatedUnion("chain", [suiInput, aptosInput]);

/**
 * The user's wallet signs a transaction of which it is the sender, and nothing is sent. The policy judges it like one
 * that is sponsored, whoever pays: an embedded wallet does what the app is for.
 */
export const signTransaction: Flow<typeof inputSchema> = {
  name: "sign-transaction",
  inputSchema,
  kind: "ask",
  run: (call) => {
    const { input } = call;
    return input.chain === "sui" ? signOnSui({ ...call, input }) : signOnAptos({ ...call, input });
  },
};

async function signOnSui(call: FlowCall<z.output<typeof suiInput>>): Promise<FlowOutcome> {
  const { transaction } = call.input;
  const wallet = suiEmbeddedWallet(call);
  if (!wallet.ok) return wallet;
  const { access, client, walletId, inSession } = wallet.value;
  const address = await wallet.value.address();
  if (!address.ok) return address;
  const inspected = inspectTransaction(transaction);
  if (!inspected.ok) return flowFailed(400, "bad_request", inspected.refusal.details);
  const { sender, gasBudgetMist, moveTargets, publishesCode } = inspected.value;
  if (sender !== address.value) return otherSender(address.value);
  const { policy, user } = call;
  const { network } = access;
  const asked = { network, user, sender, moveTargets, bringsCode: publishesCode, gasBudgetAtoms: gasBudgetMist };
  const verdict = judge(policy, asked);
  if (!verdict.allowed) return flowFailed(403, "policy_refused", `${verdict.rule}: ${verdict.why}`);
  const signed = await inSession((session_token) =>
    client.signTransaction({ wallet_id: walletId, session_token, tx_bytes: transaction }),
  );
  return signed.ok ? { ok: true, body: { signature: signed.value } } : flowFailureOf(signed.error, "sui");
}

async function signOnAptos(call: FlowCall<z.output<typeof aptosInput>>): Promise<FlowOutcome> {
  const { transaction: rawTransaction, secondaryAddresses, feePayerAddress } = call.input;
  const wallet = aptosEmbeddedWallet(call);
  if (!wallet.ok) return wallet;
  const { access, client, walletId, inSession } = wallet.value;
  const address = await wallet.value.address();
  if (!address.ok) return address;
  const request = { rawTransaction, secondaryAddresses, feePayerAddress };
  const toSign = transactionToSign(request, address.value, access.network);
  if (!toSign.ok)
    return toSign.refusal.reason === "wrong_sender"
      ? otherSender(address.value)
      : flowFailed(400, "bad_request", toSign.refusal.details);
  const { payload, maxGasAmount, gasUnitPriceOctas } = toSign.value.rawTransaction;
  const { moveTarget, isScript, isMultisig } = payloadTraits(payload);
  const verdict = judge(call.policy, {
    network: access.network,
    user: call.user,
    sender: address.value,
    moveTargets: moveTarget === null ? [] : [moveTarget],
    bringsCode: isScript || isMultisig || moveTarget === null,
    gasBudgetAtoms: maxGasAmount * gasUnitPriceOctas,
  });
  if (!verdict.allowed) return flowFailed(403, "policy_refused", `${verdict.rule}: ${verdict.why}`);
  const signed = await inSession((sessionToken) => client.signTransaction({ walletId, sessionToken, ...request }));
  if (!signed.ok) return flowFailureOf(signed.error, "aptos");
  return { ok: true, body: { signature: `0x${toHex(signed.value.signature)}` } };
}

function otherSender(address: string) {
  return flowFailed(400, "bad_request", `transaction is not sent by the user's wallet ${address}`);
}
