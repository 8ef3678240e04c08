import * as z from "zod";
import { accountAuthenticatorBytes, rawTransactionBytes } from "../shared/api/aptos-values.ts";
import { toBase64 } from "../shared/api/base64.ts";
import { serializedSignature, transactionBytes } from "../shared/api/sui-values.ts";
import { toHex } from "../shared/bytes.ts";
import { decodeRawTransaction } from "../shared/chain/aptos/raw-transaction.ts";
import { readSponsored } from "../shared/chain/sui/sponsored.ts";
import { transactionDigest } from "../shared/chain/sui/transaction.ts";
import { createAptosGasClient } from "../shared/client/gas-client.ts";
import { aptosTransactionAsked } from "../shared/policy/aptos-transaction.ts";
import { judge } from "../shared/policy/rules.ts";
import { fixed, pendingOnAptos } from "./aptos-executing.ts";
import type { Flow, FlowCall, FlowOutcome } from "./flow.ts";
import type { ExecuteOnce } from "./flow-attempt.ts";
import { flowFailed, flowFailureOf } from "./flow-failure.ts";
import { executeOnSui } from "./sui-sponsoring.ts";

const MAX_SPONSORSHIP_CHARACTERS = 1_024;

const suiInput = z.strictObject({
  chain: z.literal("sui").optional(),
  txBytes: transactionBytes,
  signature: serializedSignature,
  sponsorship: z.string().min(1).max(MAX_SPONSORSHIP_CHARACTERS).optional(),
});
const aptosInput = z.strictObject({
  chain: z.literal("aptos"),
  rawTransaction: rawTransactionBytes,
  senderAuthenticator: accountAuthenticatorBytes,
});
const inputSchema = z.discriminatedUnion("chain", [suiInput, aptosInput]);

/**
 * The user has signed what `sponsor` answered: the fund signs too, and the transaction is executed. Repeated, it answers
 * what became of it. A transaction that aborts on chain has been executed: on Sui, `status` is `failure`.
 */
export const executeSponsored: Flow<typeof inputSchema> = {
  name: "execute-sponsored",
  inputSchema,
  kind: "execute",
  run: (call, once) => {
    const { input } = call;
    return input.chain === "aptos" ? executePayload({ ...call, input }, once) : executeKind({ ...call, input }, once);
  },
};

type Executing<Input> = FlowCall<Input> & { readonly idempotencyKey: string };

/** Only what `sponsor` made can be executed: the digest must be one of the fund's, or that of its sealed signature. */
async function executeKind(call: Executing<z.output<typeof suiInput>>, once: ExecuteOnce): Promise<FlowOutcome> {
  const { txBytes, signature, sponsorship = null } = call.input;
  const sui = call.service.sui();
  if (!sui.ok) return sui;
  const sponsored = readSponsored(txBytes);
  if (sponsored === null) return flowFailed(400, "bad_request", "txBytes is not what sponsor answered");
  const charge = { chain: "sui", gasBudgetAtoms: sponsored.gasBudgetMist } as const;
  return once({
    chain: "sui",
    asked: { txBytes: toBase64(txBytes), signature },
    make: async () => ({ ok: true, value: { id: transactionDigest(txBytes), content: "", charge } }),
    execute: () => executeOnSui({ txBytes, signature, sponsorship }, sui.value, call),
  });
}

/** Nothing is kept of what `sponsor` made, so the policy is asked about what the user has signed. */
async function executePayload(call: Executing<z.output<typeof aptosInput>>, once: ExecuteOnce): Promise<FlowOutcome> {
  const { input, policy, user, service, idempotencyKey } = call;
  const { rawTransaction, senderAuthenticator } = input;
  const aptos = service.aptos();
  if (!aptos.ok) return aptos;
  const { network, options } = aptos.value;
  const decoded = decodeRawTransaction(rawTransaction);
  if (!decoded.ok) return flowFailed(400, "bad_request", decoded.refusal.details);
  const asked = aptosTransactionAsked(decoded.value, { network, user });
  const verdict = judge(policy, asked);
  if (!verdict.allowed) return flowFailed(403, "policy_refused", `${verdict.rule}: ${verdict.why}`);
  const { gasBudgetAtoms } = asked;
  return once({
    chain: "aptos",
    asked: { rawTransaction: toHex(rawTransaction), senderAuthenticator: toHex(senderAuthenticator) },
    make: async () => ({ ok: true, value: fixed({ rawTransaction, gasBudgetAtoms }) }),
    async execute() {
      const signed = { rawTransaction, senderAuthenticator };
      const submitted = await createAptosGasClient(options).sponsorAndSubmitSignedTransaction(signed, {
        idempotencyKey,
      });
      return submitted.ok ? pendingOnAptos(submitted.value) : flowFailureOf(submitted.error, "aptos", {});
    },
  });
}
