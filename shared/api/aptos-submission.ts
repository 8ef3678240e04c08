import * as z from "zod";
import { u64Input } from "../amounts.ts";
import { aptosAddress, secondaryAddresses } from "./aptos-values.ts";

const MAX_FUNCTION_CHARACTERS = 600;
const MAX_TYPE_CHARACTERS = 1_000;
const MAX_TYPE_ARGUMENTS = 32;
const MAX_ARGUMENTS = 255;

const argument = z.unknown().meta({
  type: ["string", "number", "boolean", "array", "object", "null"],
  description: "In the form of nodes: numbers up to u32 as numbers, larger ones as decimal strings.",
});

const payload = z.strictObject({
  type: z.literal("entry_function_payload", "must be entry_function_payload"),
  function: z.string().max(MAX_FUNCTION_CHARACTERS).describe("`0x…::module::function`"),
  type_arguments: z.array(z.string().max(MAX_TYPE_CHARACTERS)).max(MAX_TYPE_ARGUMENTS).describe("Move types as text."),
  arguments: z.array(argument).max(MAX_ARGUMENTS).describe("Without the signer."),
});

/**
 * A transaction in JSON, before it is signed, as nodes take it at `POST /transactions`. Unknown fields are refused,
 * because a node could encode them.
 */
export const submission = z.strictObject({
  sender: aptosAddress.describe("The sender's address."),
  sequence_number: u64Input,
  max_gas_amount: u64Input.describe("Gas units."),
  gas_unit_price: u64Input.describe("Octas."),
  expiration_timestamp_secs: u64Input.describe("Unix seconds."),
  payload: payload.describe("The call of an entry function."),
  secondary_signers: secondaryAddresses
    .optional()
    .describe("The signers of a multi-agent transaction beside the sender, in their order."),
});
