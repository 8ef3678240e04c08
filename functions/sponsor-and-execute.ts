import * as z from "zod";
import { base64Bytes } from "../shared/api/sui-values.ts";
import { executeWithEmbeddedWallet } from "../shared/workflow/aptos.ts";
import { aptosPayload } from "../shared/workflow/aptos-payload.ts";
import { workflow } from "../shared/workflow/handler.ts";
import { executeKind } from "../shared/workflow/sui-execute.ts";

const suiInput = z.strictObject({ chain: z.literal("sui"), transactionKind: base64Bytes });
const aptosInput = z.strictObject({ chain: z.literal("aptos"), payload: aptosPayload });

/**
 * Sends a transaction of the user's wallet, and the fund pays for it, in one call. The app's policy decides. A repeat
 * with the same key answers the state of the one transaction.
 */
export const sponsorAndExecute = workflow({
  name: "sponsor-and-execute",
  input: z.discriminatedUnion("chain", [suiInput, aptosInput]),
  needsKey: true,
  handle(context) {
    const { input } = context;
    return input.chain === "sui"
      ? executeKind(input.transactionKind, context)
      : executeWithEmbeddedWallet(input.payload, context);
  },
});
