import * as z from "zod";
import { u64Input } from "../amounts.ts";
import { hexOrByteNumbers } from "../api/aptos-values.ts";
import { parseAddress } from "../chain/aptos/address.ts";
import { decodeBcs } from "../chain/aptos/bcs.ts";
import { MAX_NESTING } from "../chain/aptos/entry-argument.ts";
import { type EntryCall, entryCallPayload, nestsTooDeeply } from "../chain/aptos/entry-call.ts";
import { MAX_GAS_UNITS, MAX_TRANSACTION_BYTES, MIN_GAS_UNITS } from "../chain/aptos/limits.ts";
import type { AptosNode } from "../chain/aptos/node.ts";
import { type TransactionPayload, transactionPayload } from "../chain/aptos/payload.ts";
import { nodeFailed, type WorkflowResult, workflowFailed } from "./errors.ts";

const MAX_FUNCTION_CHARACTERS = 600;
const MAX_TYPE_CHARACTERS = 1_000;
const MAX_TYPE_ARGUMENTS = 32;
const MAX_ARGUMENTS = 255;

const FUNCTION = /^(0x[0-9a-fA-F]{1,64})::([a-zA-Z_$][a-zA-Z0-9_$]*)::([a-zA-Z_$][a-zA-Z0-9_$]*)$/;
const NOT_A_FUNCTION = "must be 0x…::module::function";

/** The most gas units that a transaction may use. */
export const aptosGasUnits = u64Input.refine(
  (units) => units >= MIN_GAS_UNITS && units <= MAX_GAS_UNITS,
  `must be ${MIN_GAS_UNITS} to ${MAX_GAS_UNITS}`,
);

/** BCS of a payload. The built transaction has exactly these bytes, so that its sender can compare them. */
export const aptosPayloadBytes = hexOrByteNumbers(MAX_TRANSACTION_BYTES);

/**
 * An entry function payload as nodes write it. Omitted fields are empty. The address is in full length after parsing.
 */
export const aptosPayload = z.strictObject({
  type: z.literal("entry_function_payload").optional(),
  function: z
    .string(NOT_A_FUNCTION)
    .max(MAX_FUNCTION_CHARACTERS, NOT_A_FUNCTION)
    .transform((text, context) => {
      const [, written = "", module, name] = FUNCTION.exec(text) ?? [];
      const address = parseAddress(written);
      if (address !== null) return { address, module: module ?? "", name: name ?? "" };
      context.addIssue(NOT_A_FUNCTION);
      return z.NEVER;
    }),
  type_arguments: z.array(z.string().max(MAX_TYPE_CHARACTERS)).max(MAX_TYPE_ARGUMENTS).default([]),
  arguments: z
    .array(z.unknown().refine((argument) => !nestsTooDeeply(argument), `must not be nested deeper than ${MAX_NESTING}`))
    .max(MAX_ARGUMENTS)
    .default([]),
  max_gas_amount: aptosGasUnits.optional(),
});

/** A call of an entry function, as a front end names it. */
export type Payload = z.output<typeof aptosPayload>;

/** A payload that a front end has encoded itself. */
export interface EncodedPayload {
  readonly payloadBytes: Uint8Array;
  readonly max_gas_amount: bigint | undefined;
}

/** Decodes a payload. The transaction gets exactly these bytes. */
export function decodePayload(bytes: Uint8Array): WorkflowResult<TransactionPayload> {
  const decoded = decodeBcs(transactionPayload, bytes, MAX_TRANSACTION_BYTES);
  if (!decoded.ok) return workflowFailed(400, "bad_request", `payloadBytes: ${decoded.error.details}`);
  const { $kind } = decoded.value;
  return $kind === "EntryFunction" || $kind === "Script"
    ? decoded
    : workflowFailed(400, "bad_request", "payloadBytes must be an entry function's call or a script");
}

/** Builds the payload of a call, whose argument types a node names. */
export async function buildPayload(
  { function: { address, module, name }, type_arguments: typeArguments, arguments: values }: Payload,
  node: AptosNode,
): Promise<WorkflowResult<TransactionPayload>> {
  const call: EntryCall = { function: `${address}::${module}::${name}`, typeArguments, arguments: values };
  const abi = await node.functionAbi(address, module, name);
  if (!abi.ok) return nodeFailed(abi.error);
  if (abi.value === null)
    return workflowFailed(
      400,
      "bad_request",
      `payload.function: the chain has no ${call.function}: check its address, module and name`,
    );
  const built = entryCallPayload(call, abi.value);
  return built.ok ? built : workflowFailed(400, "bad_request", `payload.${built.error.details}`);
}
