import * as z from "zod";
import { suiTransactionBlock } from "./block-schema.ts";
import { suiTransactionResponse } from "./response-schema.ts";

const shown = z.boolean("must be true or false").optional();

/** `SuiTransactionBlockResponseOptions` (`@mysten/sui/jsonRpc`). */
export const responseOptions = z.object(
  {
    showEffects: shown,
    showEvents: shown,
    showObjectChanges: shown,
    showBalanceChanges: shown,
    showInput: shown.describe("The transaction as it was executed, with the fund's gas data and both signatures."),
    showRawInput: shown.describe("The same transaction as base64 of BCS of SenderSignedData."),
    showRawEffects: shown.describe("BCS of the effects. It is left out if no node shows them in time."),
  },
  "must be an object of show… options, or a request type",
);

/** The parts of an executed transaction that a caller requests. */
export type ResponseOptions = z.output<typeof responseOptions>;

/** An option that was set adds its parts, as in the answers of a full node's JSON-RPC. */
export const shownResponseSchema = suiTransactionResponse
  .partial({ effects: true, events: true, objectChanges: true, balanceChanges: true })
  .extend({
    transaction: suiTransactionBlock.exactOptional(),
    rawTransaction: z.string().exactOptional(),
    rawEffects: z.array(z.int()).exactOptional(),
  });

/** An executed transaction with the parts that a caller requested. */
export type ShownTransactionResponse = z.output<typeof shownResponseSchema>;
