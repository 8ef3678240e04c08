import * as z from "zod";

/** A slot of storage as it is kept in a table. */
export const ItemJson = z.object({
  resources: z.record(z.string(), z.json()),
  bytes: z.int(),
  depositOctas: z.string().transform(BigInt),
});
