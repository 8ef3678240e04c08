import * as z from "zod";
import { serializedSignature, transactionBytes } from "../shared/api/sui-values.ts";
import { transactionDigest } from "../shared/chain/sui/transaction.ts";
import { type Flow, flowFailureOf } from "./flow.ts";

const bodySchema = z.strictObject({ txBytes: transactionBytes, signature: serializedSignature });

/**
 * The user has signed what `sponsor` answered: the fund signs too, and the transaction is executed. Only what `sponsor`
 * prepared can be executed, because the digest must be one of the fund's rows. Repeated, it answers what the chain
 * shows. A transaction that aborts on chain has been executed: `status` is `failure`.
 */
export const executeSponsored: Flow<typeof bodySchema> = {
  bodySchema,
  needsIdempotencyKey: true,
  run: async ({ body: { txBytes, signature }, gas }) => {
    const digest = transactionDigest(txBytes);
    const executed = await gas.executeTransactionBlock({ txDigest: digest, senderSignature: signature });
    if (!executed.ok) return flowFailureOf(executed.error, digest);
    const { effects } = executed.value;
    return { ok: true, body: { digest, status: effects.status.status, effects } };
  },
};
