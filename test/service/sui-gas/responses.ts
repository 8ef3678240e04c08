import * as z from "zod";

/** What the tests read of a JSON-RPC `SuiTransactionBlockResponse`, written down here and not taken from the service. */
export const executedSchema = z.looseObject({
  digest: z.string(),
  effects: z.looseObject({
    status: z.looseObject({ status: z.enum(["success", "failure"]) }),
    gasUsed: z.object({ computationCost: z.string(), storageCost: z.string(), storageRebate: z.string() }),
  }),
  events: z.array(z.looseObject({ parsedJson: z.unknown(), bcs: z.base64() })),
  objectChanges: z.array(z.looseObject({ type: z.string() })),
  balanceChanges: z.array(z.unknown()),
});
