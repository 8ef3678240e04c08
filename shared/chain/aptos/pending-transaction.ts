import * as z from "zod";
import { parseNodeAddress } from "./address.ts";
import { MAX_MULTI_KEYS, MAX_SECONDARY_SIGNERS, MAX_SIGNATURES, MAX_TRANSACTION_BYTES } from "./limits.ts";

/**
 * The JSON of a transaction that waits in a mempool (spec 2.3), as a node renders it (aptos-core,
 * `api/types/src/transaction.rs`). Values are kept as received, and fields that are not listed here are dropped.
 */

const MAX_HEX_CHARACTERS = 2 + 2 * MAX_TRANSACTION_BYTES;
/** The longest texts are names of types: nested identifiers of 255 bytes. */
const MAX_TEXT_CHARACTERS = MAX_TRANSACTION_BYTES;
/** Each value of a Move type takes at most two levels of JSON, and types nest at most 20 deep (`max_type_depth`). */
const MAX_ARGUMENT_DEPTH = 64;
/** A value takes a byte at least, and an option is two nodes of JSON. */
const MAX_ARGUMENT_NODES = 4 * MAX_TRANSACTION_BYTES;

const U64_MAX = 2n ** 64n - 1n;
const U8_MAX = 255;

/** A u64 in decimal, kept as text. */
export const u64Text = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,19})$/, { abort: true })
  .refine((text) => BigInt(text) <= U64_MAX, "exceeds u64");

/** A transaction hash: `0x` and 64 lower-case hex digits. */
export const hashText = z.string().regex(/^0x[0-9a-f]{64}$/);

/** Nodes write addresses without leading zeros. */
export const addressText = z
  .string()
  .max(66)
  .refine((text) => parseNodeAddress(text) !== null, "not an address");

const hex = z
  .string()
  .max(MAX_HEX_CHARACTERS)
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/);
const text = z.string().max(MAX_TEXT_CHARACTERS);
const texts = z.array(text).max(MAX_TRANSACTION_BYTES);
const u8 = z.int().min(0).max(U8_MAX);

/** Returns true if a value from `JSON.parse` is no deeper and no larger than the arguments of a transaction can be. */
function isBounded(value: unknown): boolean {
  let nodes = 0;
  const within = (item: unknown, depth: number): boolean => {
    nodes += 1;
    if (depth > MAX_ARGUMENT_DEPTH || nodes > MAX_ARGUMENT_NODES) return false;
    if (typeof item !== "object" || item === null) return item !== undefined;
    return Object.values(item).every((inner) => within(inner, depth + 1));
  };
  return within(value, 0);
}

const callArguments = z
  .custom<readonly unknown[]>((value) => Array.isArray(value) && isBounded(value))
  .meta({ type: "array" });

const entryFunctionPayload = z.object({
  function: text,
  type_arguments: texts,
  arguments: callArguments,
  type: z.literal("entry_function_payload"),
});

const scriptAbi = z.object({
  name: text,
  visibility: z.enum(["private", "public", "friend"]),
  is_entry: z.boolean(),
  is_view: z.boolean(),
  generic_type_params: z.array(z.object({ constraints: texts })).max(MAX_TRANSACTION_BYTES),
  params: texts,
  return: texts,
});

const scriptPayload = z.object({
  code: z.object({
    bytecode: hex,
    /** Null if the node cannot read the ABI from the bytecode. */
    abi: scriptAbi.nullable().default(null),
  }),
  type_arguments: texts,
  arguments: callArguments,
  type: z.literal("script_payload"),
});

/** Acts for an on-chain multisig account. Without a payload, runs the one that is stored on chain. */
const multisigPayload = z.object({
  multisig_address: addressText,
  transaction_payload: entryFunctionPayload.nullable().default(null),
  type: z.literal("multisig_payload"),
});

const payload = z.discriminatedUnion("type", [entryFunctionPayload, scriptPayload, multisigPayload]);

/** A key or a signature of one of the schemes beside the legacy ones. */
const typedHex = z.object({ value: hex, type: text });

const singleKey = { public_key: typedHex, signature: typedHex };
const multiKey = {
  public_keys: z.array(typedHex).max(MAX_MULTI_KEYS),
  signatures: z.array(z.object({ index: u8, signature: typedHex })).max(MAX_SIGNATURES),
  signatures_required: u8,
};

const knownSignature = z.discriminatedUnion("type", [
  z.object({ public_key: hex, signature: hex, type: z.literal("ed25519_signature") }),
  z.object({
    public_keys: z.array(hex).max(MAX_SIGNATURES),
    signatures: z.array(hex).max(MAX_SIGNATURES),
    threshold: u8,
    bitmap: hex,
    type: z.literal("multi_ed25519_signature"),
  }),
  z.object({ ...singleKey, type: z.literal("single_key_signature") }),
  z.object({ ...multiKey, type: z.literal("multi_key_signature") }),
  z.object({ function_info: text, auth_data: hex, type: z.literal("abstract_signature") }),
]);

/**
 * A kind that a newer node has: its name alone. The chain has verified the signature, so a node that knows more must not
 * keep a transaction from being settled.
 */
const laterSignature = z.object({
  type: z
    .string()
    .regex(
      /^(?!(?:ed25519|multi_ed25519|single_key|multi_key|abstract|multi_agent|fee_payer)_signature$|single_sender$)[a-z0-9_]{1,64}$/,
    ),
});

const accountSignature = z.union([knownSignature, laterSignature]);

const withSecondarySigners = {
  sender: accountSignature,
  secondary_signer_addresses: z.array(addressText).max(MAX_SECONDARY_SIGNERS),
  secondary_signers: z.array(accountSignature).max(MAX_SECONDARY_SIGNERS),
};

/** A sole sender with a key that is not a legacy one. Nodes name the form, or the scheme as elsewhere. */
const singleSender = z.union([
  z.object({ ...singleKey, type: z.literal("single_sender") }),
  z.object({ ...multiKey, type: z.literal("single_sender") }),
]);

const signature = z.union([
  knownSignature,
  singleSender,
  z.object({ ...withSecondarySigners, type: z.literal("multi_agent_signature") }),
  z.object({
    ...withSecondarySigners,
    fee_payer_address: addressText,
    fee_payer_signer: accountSignature,
    type: z.literal("fee_payer_signature"),
  }),
]);

/** A look-up adds `type: "pending_transaction"`, and the answer of a submission does not. Both are read alike. */
export const pendingTransaction = z.object({
  hash: hashText,
  sender: addressText,
  sequence_number: u64Text,
  max_gas_amount: u64Text,
  gas_unit_price: u64Text,
  expiration_timestamp_secs: u64Text,
  payload,
  signature,
  /** Null except in an orderless transaction (AIP-123). */
  replay_protection_nonce: u64Text.nullable().default(null),
});

/** The result of a submission, as callers get it (spec 2.3). */
export type PendingTransaction = z.infer<typeof pendingTransaction>;
