import * as z from "zod";
import { transactionBytes } from "../shared/api/sui-values.ts";
import { aptosPayload, executePayload } from "../shared/workflow/aptos.ts";
import type { Flow } from "../shared/workflow/handler.ts";
import { executeKind } from "../shared/workflow/sui-execute.ts";

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
    return input.chain === "sui"
      ? executeKind(input.transactionKind, call, once)
      : executePayload(input.payload, call, once);
  },
};
