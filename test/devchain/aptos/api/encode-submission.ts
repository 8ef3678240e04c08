import {
  AccountAddress,
  ChainId,
  EntryFunction,
  FixedBytes,
  generateSigningMessageForTransaction,
  parseTypeTag,
  RawTransaction,
  Serializer,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import * as z from "zod";
import { ApiError, invalidInput, unparsableBody } from "../errors.ts";
import { toHex } from "../hex.ts";
import { canonicalType } from "../move/types.ts";
import { encodeValue } from "../move/values.ts";
import { CHAIN_ID } from "../prologue.ts";
import { argumentsOfJson, foundType, functionOf, parseJson, whileParsing } from "./json-body.ts";
import { requireContentType } from "./parameters.ts";
import type { Routes } from "./route.ts";

const JSON_TYPE = "application/json";
const FUNCTION_ID = /^0x[0-9a-fA-F]{1,64}::\w+::\w+$/;
const PAYLOAD = ["EntryFunctionPayload", "TransactionPayload"];
const REQUEST = ["UserTransactionRequestInner", "EncodeSubmissionRequest"];

const U64Text = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);
const Payload = z.object({
  type: z.literal("entry_function_payload"),
  function: z.unknown(),
  type_arguments: z.array(z.unknown()),
  arguments: z.array(z.unknown()),
});
const Submission = z.object({
  sender: z.string(),
  sequence_number: U64Text,
  max_gas_amount: U64Text,
  gas_unit_price: U64Text,
  expiration_timestamp_secs: U64Text,
  payload: z.unknown(),
});

export const encodeRoutes: Routes = {
  /** The bytes that the one signer of a transaction signs. */
  "POST /transactions/encode_submission": (call) => {
    requireContentType(call, JSON_TYPE);
    const request = Submission.safeParse(parseJson(call.body));
    if (!request.success) throw unparsableBody(`${z.prettifyError(request.error)}${whileParsing(...REQUEST)}`);
    const { sender, payload, ...fields } = request.data;
    const raw = new RawTransaction(
      AccountAddress.from(sender, { maxMissingChars: 63 }),
      fields.sequence_number,
      new TransactionPayloadEntryFunction(entryFunctionOf(payload)),
      fields.max_gas_amount,
      fields.gas_unit_price,
      fields.expiration_timestamp_secs,
      new ChainId(CHAIN_ID),
    );
    return { json: `0x${toHex(generateSigningMessageForTransaction(new SimpleTransaction(raw)))}` };
  },
};

function entryFunctionOf(json: unknown): EntryFunction {
  const payload = Payload.safeParse(json);
  if (!payload.success)
    throw unparsableBody(
      `Expected input type "TransactionPayload", found ${JSON.stringify(json)}.${whileParsing(...REQUEST)}`,
    );
  const { function: id, type_arguments: types, arguments: given } = payload.data;
  if (typeof id !== "string" || !FUNCTION_ID.test(id))
    throw unparsableBody(
      `failed to parse "string(EntryFunctionId)": Invalid entry function ID ${id}${whileParsing(...PAYLOAD, ...REQUEST)}`,
    );
  const typeArguments = types.map(typeOf);
  try {
    const definition = functionOf(id, "entry");
    const values = argumentsOfJson(definition, typeArguments, given);
    const args = values.map((value) => new FixedBytes(withLength(encodeValue(value))));
    const [address = "", module = "", name = ""] = id.split("::");
    return EntryFunction.build(
      `${AccountAddress.from(address, { maxMissingChars: 63 })}::${module}`,
      name,
      typeArguments.map((type) => parseTypeTag(type)),
      args,
    );
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const why = error instanceof Error ? error.message : "unknown error";
    throw invalidInput(`The given transaction is invalid: Failed to parse transaction payload: ${why}`);
  }
}

/** An argument of an entry function is bytes, whatever is in them. */
function withLength(bytes: Uint8Array): Uint8Array {
  const serializer = new Serializer();
  serializer.serializeBytes(bytes);
  return serializer.toUint8Array();
}

function typeOf(type: unknown): string {
  if (typeof type === "string") return canonicalType(type);
  const within = whileParsing("[string(MoveType)]", ...PAYLOAD, ...REQUEST);
  const why = `deserialize Move type failed, invalid type: ${foundType(type)}, expected a string`;
  throw unparsableBody(`failed to parse "string(MoveType)": ${why}${within}`);
}
