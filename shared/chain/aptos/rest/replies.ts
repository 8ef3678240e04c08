import * as z from "zod";
import { InvalidReplyError } from "../../failover.ts";
import { parseNodeAddress, withFullAddresses } from "../address.ts";
import { FEE_STATEMENT } from "../lean-transaction.ts";
import { MAX_SECONDARY_SIGNERS } from "../limits.ts";
import type { AptosExecution } from "../node.ts";
import { addressText, hashText, pendingTransaction, u64Text } from "../pending-transaction.ts";
import type { AptosLedgerState } from "../seen.ts";

/** The parts of a node's answers that the service reads (aptos-core, `api/doc/spec.yaml`). */

const MAX_STATUS_CHARACTERS = 1_000;
/** `max_price_per_gas_unit` (aptos-gas-schedule, `transaction.rs`). */
const MAX_GAS_UNIT_PRICE_OCTAS = 10_000_000_000;
const MICROSECONDS_PER_MS = 1_000n;

/** Cuts a text that is too long, which is no reason to refuse the rest of a reply. */
const clippedText = z.string().transform((text) => text.slice(0, MAX_STATUS_CHARACTERS));

const u64 = u64Text.transform(BigInt);
const u8Text = z
  .string()
  .regex(/^[0-9]{1,3}$/)
  .transform(Number)
  .refine((value) => value <= 255, "exceeds u8");
const fullAddress = addressText.transform((text, context) => {
  const address = parseNodeAddress(text);
  if (address !== null) return address;
  context.addIssue("not an address");
  return z.NEVER;
});
const timeMs = u64
  .refine((microseconds) => microseconds / MICROSECONDS_PER_MS <= BigInt(Number.MAX_SAFE_INTEGER), "is absurd")
  .transform((microseconds) => Number(microseconds / MICROSECONDS_PER_MS));

const ledgerHeaders = z.object({
  "x-aptos-chain-id": u8Text,
  "x-aptos-ledger-version": u64,
  "x-aptos-ledger-oldest-version": u64,
  "x-aptos-ledger-timestampusec": timeMs,
});

/** The reply of `GET /`: the chain id alone. The headers hold the rest. */
export const ledgerInfo = z.object({ chain_id: z.int().min(0).max(255) });

/** The reply of `GET /accounts/:address`: the next sequence number alone. */
export const account = z.object({ sequence_number: u64 });

/** The reply of `GET /accounts/:address`, with the authentication key. */
export const accountWithKey = account.extend({ authentication_key: hashText });

/** Reads only the presence of `account::Account`, whose fields may grow. */
export const accountResource = z.object({ type: z.literal("0x1::account::Account") });

/** A view's only result, a u64. */
export const viewedU64 = z.tuple([u64]);

/** The reply of `GET /estimate_gas_price`, in octas per unit of gas. */
export const gasEstimate = z.object({
  gas_estimate: z.int().min(1).max(MAX_GAS_UNIT_PRICE_OCTAS).transform(BigInt),
});

const MAX_TYPE_CHARACTERS = 1_000;
const MAX_PARAMETERS = 255;

/** A module's functions. Null if the node cannot read the bytecode. */
export const moduleAbi = z.object({
  abi: z
    .object({
      exposed_functions: z.array(
        z.object({
          name: z.string(),
          is_entry: z.boolean(),
          generic_type_params: z.array(z.unknown()).max(MAX_PARAMETERS),
          params: z.array(z.string().max(MAX_TYPE_CHARACTERS).transform(withFullAddresses)).max(MAX_PARAMETERS),
        }),
      ),
    })
    .nullish(),
});

/** An error of the node itself, not of a proxy before it (aptos-core, `api/types/src/error.rs`). */
export const apiError = z.object({
  message: clippedText,
  error_code: z.string().regex(/^[a-z_]{1,64}$/),
  vm_error_code: z
    .int()
    .min(0)
    .nullish()
    .transform((code) => code ?? null),
});
/** A parsed error of the node. */
export type ApiError = z.infer<typeof apiError>;

const feeStatement = z.object({ total_charge_gas_units: u64, storage_fee_refund_octas: u64 });

const secondarySigners = z.array(fullAddress).max(MAX_SECONDARY_SIGNERS);

/**
 * The payer and the other signers. The schemes of the signatures do not matter here, because the chain has verified
 * them.
 */
const signers = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("fee_payer_signature"),
    fee_payer_address: fullAddress,
    secondary_signer_addresses: secondarySigners,
  }),
  z.object({ type: z.literal("multi_agent_signature"), secondary_signer_addresses: secondarySigners }),
  z.object({
    type: z.enum([
      "ed25519_signature",
      "multi_ed25519_signature",
      "single_sender",
      "single_key_signature",
      "multi_key_signature",
      "abstract_signature",
      "no_account_signature",
    ]),
  }),
]);

const committed = z.object({
  type: z.literal("user_transaction"),
  hash: hashText,
  version: u64,
  success: z.boolean(),
  vm_status: clippedText,
  sender: fullAddress,
  sequence_number: u64,
  replay_protection_nonce: u64.nullish().transform((nonce) => nonce ?? null),
  max_gas_amount: u64,
  gas_unit_price: u64,
  expiration_timestamp_secs: u64,
  signature: signers,
  gas_used: u64,
  timestamp: timeMs,
  events: z.array(z.object({ type: z.string(), data: z.unknown() })),
});

const pending = pendingTransaction.extend({ type: z.literal("pending_transaction") });

/** The reply of a look-up of a transaction. */
export const transactionReply = z.discriminatedUnion("type", [committed, pending]);

/** The reply of a simulation, which has one transaction. If it used no gas, no block would include it. */
export const simulated = z.tuple([z.object({ success: z.boolean(), vm_status: clippedText, gas_used: u64 })]);

/** The list holds at most one, because the request limits it to one. */
export const accountTransactions = z.array(committed).max(1);

const MAX_SUMMARIES = 1_000;

/**
 * The reply of `GET /accounts/:address/transaction_summaries` (aptos-core, `api/types/src/transaction.rs`). A node
 * writes both a nonce and a sequence number as digits. Null for a form without meaning here.
 */
export const accountSummaries = z
  .array(z.object({ version: u64, transaction_hash: hashText, replay_protector: u64.nullable().catch(null) }))
  .max(MAX_SUMMARIES);

/**
 * Reports an unreadable reply of a node of the right chain, or one that the node no longer knows. The node itself
 * works.
 */
export class UnreadableReply extends InvalidReplyError {}

/** @throws UnreadableReply if the reply does not have this shape. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UnreadableReply(`the node's ${what} is malformed at ${issue?.path.join(".") || "its root"}`);
}

/** @throws InvalidReplyError if one of the headers is missing, because the answer is then not a node's. */
export function readLedgerState(url: string, headers: Headers): AptosLedgerState {
  const values = Object.fromEntries(Object.keys(ledgerHeaders.shape).map((name) => [name, headers.get(name)]));
  const state = parsed(ledgerHeaders, values, "ledger state");
  return {
    endpoint: new URL(url).host,
    chain: state["x-aptos-chain-id"],
    version: state["x-aptos-ledger-version"],
    lowestAvailable: state["x-aptos-ledger-oldest-version"],
    timestampMs: state["x-aptos-ledger-timestampusec"],
  };
}

/**
 * @throws UnreadableReply if the amounts contradict each other: more gas than was offered, or not exactly one fitting
 * fee statement. Without the statement, the payer's storage refund is unknown.
 */
export function readExecution(transaction: z.output<typeof committed>): AptosExecution {
  const { signature, events } = transaction;
  const statements = events.filter(({ type }) => type === FEE_STATEMENT);
  const [statement] = statements;
  if (statement === undefined || statements.length > 1)
    throw new UnreadableReply(`the transaction has ${statements.length} fee statements`);
  const fee = parsed(feeStatement, statement.data, "fee statement");
  if (fee.total_charge_gas_units !== transaction.gas_used || transaction.gas_used > transaction.max_gas_amount)
    throw new UnreadableReply("the transaction's gas does not add up");
  return {
    hash: transaction.hash,
    version: transaction.version,
    success: transaction.success,
    vmStatus: transaction.vm_status,
    sender: transaction.sender,
    sequenceNumber: transaction.sequence_number,
    nonce: transaction.replay_protection_nonce,
    maxGasUnits: transaction.max_gas_amount,
    gasUnitPriceOctas: transaction.gas_unit_price,
    expirationSecs: transaction.expiration_timestamp_secs,
    feePayer: signature.type === "fee_payer_signature" ? signature.fee_payer_address : null,
    secondarySigners: "secondary_signer_addresses" in signature ? signature.secondary_signer_addresses : [],
    gasUsedUnits: transaction.gas_used,
    storageRefundOctas: fee.storage_fee_refund_octas,
    timestampMs: transaction.timestamp,
  };
}
