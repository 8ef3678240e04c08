import * as z from "zod";
import { u64Input } from "../shared/amounts.ts";
import { toBase64 } from "../shared/api/base64.ts";
import { suiAddress, transactionBytes } from "../shared/api/sui-values.ts";
import { inspectKind } from "../shared/chain/sui/kind.ts";
import type { Flow } from "./flow.ts";
import { flowFailed } from "./flow-failure.ts";
import { sponsorOnSui } from "./sui-sponsoring.ts";

const inputSchema = z.strictObject({
  transactionKind: transactionBytes,
  sender: suiAddress,
  gasBudget: u64Input.optional(),
});

/**
 * A user of the app wants a transaction sponsored. The app's policy decides; the answer is what the user signs. No
 * signature of the fund is handed out: `execute-sponsored` asks for it once the user has signed, and where the service
 * gave it before, the answer holds it sealed.
 */
export const sponsor: Flow<typeof inputSchema> = {
  name: "sponsor",
  inputSchema,
  kind: "ask",
  run: async (call) => {
    const { transactionKind, sender, gasBudget } = call.input;
    const sui = call.service.sui();
    if (!sui.ok) return sui;
    const kind = inspectKind(transactionKind);
    if (!kind.ok) return flowFailed(400, "bad_request", kind.refusal.details);
    const sponsored = await sponsorOnSui({ kind: kind.value, sender, gasBudgetMist: gasBudget }, sui.value, call);
    if (!sponsored.ok) return sponsored;
    const { txBytes, txDigest, expiresAtMs, sponsorship } = sponsored.value;
    const body = { txBytes: toBase64(txBytes), txDigest, expiresAtMs };
    return { ok: true, body: sponsorship === null ? body : { ...body, sponsorship } };
  },
};
