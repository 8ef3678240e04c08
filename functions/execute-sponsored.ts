import * as z from "zod";
import { toBase64 } from "../shared/api/base64.ts";
import { serializedSignature, transactionBytes } from "../shared/api/sui-values.ts";
import { readSponsored } from "../shared/chain/sui/sponsored.ts";
import { transactionDigest } from "../shared/chain/sui/transaction.ts";
import type { Flow } from "./flow.ts";
import { flowFailed } from "./flow-failure.ts";
import { executeOnSui } from "./sui-sponsoring.ts";

const MAX_SPONSORSHIP_CHARACTERS = 1_024;

const inputSchema = z.strictObject({
  txBytes: transactionBytes,
  signature: serializedSignature,
  sponsorship: z.string().min(1).max(MAX_SPONSORSHIP_CHARACTERS).optional(),
});

/**
 * The user has signed what `sponsor` answered: the fund signs too, and the transaction is executed. Only what `sponsor`
 * made can be executed, because the digest must be one of the fund's, or that of its sealed signature. Repeated, it
 * answers what the chain shows. A transaction that aborts on chain has been executed: `status` is `failure`.
 */
export const executeSponsored: Flow<typeof inputSchema> = {
  name: "execute-sponsored",
  inputSchema,
  kind: "execute",
  run: async (call, once) => {
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
  },
};
