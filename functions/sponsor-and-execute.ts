import * as z from "zod";
import { toBase64 } from "../shared/api/base64.ts";
import { transactionBytes } from "../shared/api/sui-values.ts";
import { inspectKind } from "../shared/chain/sui/kind.ts";
import { aptosPayload, executePayload } from "./aptos-executing.ts";
import { suiEmbeddedWallet } from "./embedded-wallet.ts";
import type { Flow, FlowCall, FlowOutcome } from "./flow.ts";
import type { ExecuteOnce } from "./flow-attempt.ts";
import { flowFailed, flowFailureOf } from "./flow-failure.ts";
import { executeOnSui, sponsorOnSui } from "./sui-sponsoring.ts";

const suiInput = z.strictObject({ chain: z.literal("sui"), transactionKind: transactionBytes });
const aptosInput = z.strictObject({ chain: z.literal("aptos"), payload: aptosPayload });
const inputSchema = z.discriminatedUnion("chain", [suiInput, aptosInput]);

/**
 * The user's wallet sends a transaction and the fund pays for it, in one call. The app's policy decides. Repeated with
 * the same key, it answers how the one transaction stands.
 */
export const sponsorAndExecute: Flow<typeof inputSchema> = {
  name: "sponsor-and-execute",
  inputSchema,
  kind: "execute",
  run: (call, once) => {
    const { input } = call;
    return input.chain === "sui" ? executeKind({ ...call, input }, once) : executePayload(input.payload, call, once);
  },
};

/** What an attempt keeps of its transaction. */
const keptSchema = z.object({ txBytes: transactionBytes, sponsorship: z.string().nullable() });

async function executeKind(call: FlowCall<z.output<typeof suiInput>>, once: ExecuteOnce): Promise<FlowOutcome> {
  const kind = inspectKind(call.input.transactionKind);
  if (!kind.ok) return flowFailed(400, "bad_request", kind.refusal.details);
  const wallet = suiEmbeddedWallet(call);
  if (!wallet.ok) return wallet;
  const { access, client, walletId, inSession } = wallet.value;
  return once({
    chain: "sui",
    asked: toBase64(kind.value.bytes),
    async make() {
      const sender = await wallet.value.address();
      if (!sender.ok) return sender;
      const asked = { kind: kind.value, sender: sender.value, gasBudgetMist: undefined };
      const sponsored = await sponsorOnSui(asked, access, call);
      if (!sponsored.ok) return sponsored;
      const { txBytes, txDigest, gasBudgetMist, sponsorship } = sponsored.value;
      const content = JSON.stringify(z.encode(keptSchema, { txBytes, sponsorship }));
      return { ok: true, value: { id: txDigest, content, charge: { chain: "sui", gasBudgetAtoms: gasBudgetMist } } };
    },
    async execute(content) {
      const { txBytes, sponsorship } = keptSchema.parse(JSON.parse(content));
      const signed = await inSession((session_token) =>
        client.signTransaction({ wallet_id: walletId, session_token, tx_bytes: txBytes }),
      );
      if (!signed.ok) return flowFailureOf(signed.error, "sui");
      return executeOnSui({ txBytes, signature: signed.value, sponsorship }, access, call);
    },
  });
}
