import * as z from "zod";
import { serializedSignature, transactionBytes } from "../shared/api/sui-values.ts";
import { transactionDigest } from "../shared/chain/sui/transaction.ts";
import { createGasClient } from "../shared/client/gas-client.ts";
import type { Flow } from "./flow.ts";
import { flowFailureOf } from "./flow-failure.ts";

const bodySchema = z.strictObject({ txBytes: transactionBytes, signature: serializedSignature });

/**
 * The user has signed what `sponsor` answered: the fund signs too, and the transaction is executed. Only what `sponsor`
 * prepared can be executed, because the digest must be one of the fund's rows. Repeated, it answers what the chain
 * shows. A transaction that aborts on chain has been executed: `status` is `failure`.
 */
export const executeSponsored: Flow<typeof bodySchema> = {
  name: "execute-sponsored",
  bodySchema,
  needsIdempotencyKey: true,
  run: async ({ body: { txBytes, signature }, service, idempotencyKey }) => {
    const sui = service.sui();
    if (!sui.ok) return sui;
    const digest = transactionDigest(txBytes);
    const request = { txDigest: digest, senderSignature: signature };
    const executed = await createGasClient(sui.value.options).executeTransactionBlock(request, { idempotencyKey });
    if (!executed.ok) return flowFailureOf(executed.error, "sui", digest);
    const { effects } = executed.value;
    return { ok: true, body: { digest, status: effects.status.status, effects } };
  },
};
