import * as z from "zod";
import { base64Bytes } from "../api/sui-values.ts";
import { inspectKind } from "../chain/sui/kind.ts";
import { toBase64 } from "../crypto/base64.ts";
import { suiEmbeddedWallet } from "./embedded-wallet.ts";
import type { WorkflowOutcome } from "./errors.ts";
import { workflowFailed, workflowFailureOf } from "./errors.ts";
import type { ExecutingContext } from "./handler.ts";
import { sponsorOnSui } from "./sui.ts";
import { executeOnSui } from "./sui-submit.ts";

/** The transaction in the form that an attempt keeps. */
const keptSchema = z.object({ txBytes: base64Bytes, sponsorship: z.string().nullable() });

/** Has the fund pay for a transaction kind, signs it with the user's wallet and executes it, once. */
export async function executeKind(
  transactionKind: Uint8Array,
  call: ExecutingContext<unknown>,
): Promise<WorkflowOutcome> {
  const kind = inspectKind(transactionKind);
  if (!kind.ok) return workflowFailed(400, "bad_request", kind.error.details);
  const wallet = suiEmbeddedWallet(call);
  if (!wallet.ok) return wallet;
  const { access, client, walletId, inSession } = wallet.value;
  return call.once({
    chain: "sui",
    asked: toBase64(kind.value.bytes),
    origin: "made",
    async buildTransaction() {
      const sender = await wallet.value.address();
      if (!sender.ok) return sender;
      const asked = { action: "execute", kind: kind.value, sender: sender.value, gasBudgetMist: undefined } as const;
      const sponsored = await sponsorOnSui(asked, access, call);
      if (!sponsored.ok) return sponsored;
      const { txBytes, txDigest, gasBudgetMist, sponsorship } = sponsored.value;
      const content = JSON.stringify(z.encode(keptSchema, { txBytes, sponsorship }));
      return { ok: true, value: { id: txDigest, content, capUsage: { chain: "sui", gasBudgetAtoms: gasBudgetMist } } };
    },
    async execute(content, wasSent) {
      const { txBytes, sponsorship } = keptSchema.parse(JSON.parse(content));
      const signed = await inSession((session_token) =>
        client.signTransaction({ wallet_id: walletId, session_token, tx_bytes: txBytes }),
      );
      if (!signed.ok) return workflowFailureOf(signed.error, "sui");
      return executeOnSui({ txBytes, signature: signed.value, sponsorship, wasSent }, access, call);
    },
  });
}
