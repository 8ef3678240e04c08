import {
  Account,
  AccountAddress,
  AccountAuthenticator,
  ChainId,
  Deserializer,
  type Ed25519Account,
  EntryFunction,
  type EntryFunctionArgument,
  generateSignedTransaction,
  MultiAgentTransaction,
  RawTransaction,
  SimpleTransaction,
  TransactionExecutableEntryFunction,
  TransactionExtraConfigV1,
  TransactionInnerPayloadV1,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import * as z from "zod";
import { APTOS_DEMO_MODULE } from "../devchain/demo.ts";
import { chainOrders } from "./chain-orders.ts";

const CHAIN = "http://chain.test";
/** Another endpoint than the service's. No fault or alteration that a test orders touches it. */
const NODE = `${CHAIN}/aptos/test/v1`;
const CHAIN_ID = 4;
export const APT_OCTAS = 100_000_000n;
export const PRICE_OCTAS = 100n;

/** The methods of a node that a fund calls. */
export const SUBMIT = "POST /transactions";
export const LOOK_UP = "GET /transactions/by_hash/:hash";
export const AT_SEQUENCE = "GET /accounts/:address/transactions";
export const GET_ACCOUNT = "GET /accounts/:address";
const EVERY_METHOD = [
  SUBMIT,
  LOOK_UP,
  AT_SEQUENCE,
  GET_ACCOUNT,
  "GET /accounts/:address/resource/:type",
  "GET /",
  "GET /estimate_gas_price",
  "POST /view",
] as const;

export const { orderFault, orderLag } = chainOrders(CHAIN);

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${CHAIN}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** The node answers nothing any more, until `clearFaults`. */
export async function aptosNodeDown(): Promise<void> {
  for (const method of EVERY_METHOD) await orderFault(method, "unavailable", 1_000_000);
}

/** From the faucet, committed once this returns. */
export function giveOctas(address: string, amountOctas: bigint): Promise<unknown> {
  return ask("POST", "/faucet", { network: "APTOS_LOCALNET", address, amount: amountOctas.toString() });
}

/** The answer of the tests' own endpoint, as JSON; null: it knows nothing of that. */
async function read(path: string): Promise<unknown> {
  const response = await fetch(`${NODE}${path}`);
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

export async function octasOnChain(address: string): Promise<bigint> {
  return BigInt(z.int().parse(await read(`/accounts/${address}/balance/0x1::aptos_coin::AptosCoin`)));
}

/** Of an asset other than APT. */
export async function assetOnChain(address: string, metadata: string): Promise<bigint> {
  return BigInt(z.int().parse(await read(`/accounts/${address}/balance/${metadata}`)));
}

/** Of its next transaction. */
/** The chain's own clock, whatever the service's one shows. */
export async function chainTimeMs(): Promise<number> {
  const { headers } = await fetch(NODE);
  return Number(headers.get("x-aptos-ledger-timestampusec")) / 1_000;
}

export async function sequenceOnChain(address: string): Promise<bigint> {
  const account = z.object({ sequence_number: z.string() }).parse(await read(`/accounts/${address}`));
  return BigInt(account.sequence_number);
}

export async function hasAccount(address: string): Promise<boolean> {
  return (await read(`/accounts/${address}/resource/0x1::account::Account`)) !== null;
}

const committed = z.object({
  type: z.literal("user_transaction"),
  hash: z.string(),
  success: z.boolean(),
  gas_used: z.string().transform(BigInt),
  gas_unit_price: z.string().transform(BigInt),
  events: z.array(z.object({ type: z.string(), data: z.unknown() })),
});
const fee = z.object({ storage_fee_refund_octas: z.string().transform(BigInt) });

export interface OnChain {
  readonly hash: string;
  readonly success: boolean;
  /** Gas used × price less the storage refund, octas. */
  readonly chargedOctas: bigint;
}

function onChain(json: unknown): OnChain | null {
  const transaction = committed.safeParse(json).data;
  if (transaction === undefined) return null;
  const statement = transaction.events.find(({ type }) => type === "0x1::transaction_fee::FeeStatement");
  const { storage_fee_refund_octas: refundOctas } = fee.parse(statement?.data);
  const { hash, success, gas_used: units, gas_unit_price: priceOctas } = transaction;
  return { hash, success, chargedOctas: units * priceOctas - refundOctas };
}

/** What a sender's sequence number was used for; null: nothing yet. */
export async function committedAt(sender: string, sequenceNumber: bigint): Promise<OnChain | null> {
  const list = await read(`/accounts/${sender}/transactions?start=${sequenceNumber}&limit=1`);
  return onChain(z.array(z.unknown()).parse(list ?? [])[0]);
}

export async function committedAs(hash: string): Promise<OnChain | null> {
  return onChain(await read(`/transactions/by_hash/${hash}`));
}

export interface AptosUser {
  readonly account: Ed25519Account;
  readonly address: string;
}

/** Somebody of whom the chain has not heard. */
export function newUser(): AptosUser {
  const account = Account.generate();
  return { account, address: account.accountAddress.toStringLong() };
}

export interface DraftTerms {
  readonly sequenceNumber: bigint;
  /** Null: the sequence number protects it. */
  readonly nonce: bigint | null;
  readonly call: readonly [name: string, ...args: EntryFunctionArgument[]];
  /** `address::module`. */
  readonly module: `0x${string}::${string}`;
  readonly maxGasUnits: bigint;
  readonly priceOctas: bigint;
  readonly expirationSecs: bigint;
  readonly chainId: number;
  readonly secondaries: readonly AptosUser[];
}

/** A transaction of the stock SDK's making that somebody else shall pay for. */
export interface Draft {
  readonly raw: RawTransaction;
  readonly rawTransaction: Uint8Array;
  readonly sender: AptosUser;
  readonly sequenceNumber: bigint;
  readonly secondaries: readonly AptosUser[];
  readonly expiresAtMs: number;
  readonly budgetOctas: bigint;
}

/** Expires a minute from now, by the service's clock. */
export function draftOf(sender: AptosUser, terms: Partial<DraftTerms> = {}): Draft {
  const { sequenceNumber = 0n, call = ["increment"], maxGasUnits = 12_000n, priceOctas = PRICE_OCTAS } = terms;
  const { chainId = CHAIN_ID, secondaries = [], module = APTOS_DEMO_MODULE as `0x${string}::${string}` } = terms;
  const { expirationSecs = BigInt(Math.floor(Date.now() / 1_000)) + 60n, nonce = null } = terms;
  const [name, ...args] = call;
  const entryFunction = EntryFunction.build(module, name, [], args);
  const raw = new RawTransaction(
    AccountAddress.from(sender.address),
    sequenceNumber,
    nonce === null
      ? new TransactionPayloadEntryFunction(entryFunction)
      : new TransactionInnerPayloadV1(
          new TransactionExecutableEntryFunction(entryFunction),
          new TransactionExtraConfigV1(undefined, nonce),
        ),
    maxGasUnits,
    priceOctas,
    expirationSecs,
    new ChainId(chainId),
  );
  return {
    raw,
    rawTransaction: raw.bcsToBytes(),
    sender,
    sequenceNumber,
    secondaries,
    expiresAtMs: Number(expirationSecs) * 1_000,
    budgetOctas: maxGasUnits * priceOctas,
  };
}

/** The transaction that somebody else has made for a sender. */
export function draftFrom(sender: AptosUser, rawTransaction: Uint8Array): Draft {
  const raw = RawTransaction.deserialize(new Deserializer(rawTransaction));
  const { sequence_number: sequenceNumber, max_gas_amount, gas_unit_price, expiration_timestamp_secs } = raw;
  return {
    raw,
    rawTransaction,
    sender,
    sequenceNumber,
    secondaries: [],
    expiresAtMs: Number(expiration_timestamp_secs) * 1_000,
    budgetOctas: max_gas_amount * gas_unit_price,
  };
}

function transactionOf({ raw, secondaries }: Draft, feePayer: string) {
  const payer = AccountAddress.from(feePayer);
  return secondaries.length === 0
    ? new SimpleTransaction(raw, payer)
    : new MultiAgentTransaction(
        raw,
        secondaries.map(({ account }) => account.accountAddress),
        payer,
      );
}

export interface DraftSignatures {
  readonly senderAuthenticator: Uint8Array;
  readonly secondaryAuthenticators: readonly Uint8Array[];
}

/** By everybody but the fee payer, as the stock SDK signs, over a fee payer's address. */
export function signDraft(draft: Draft, feePayer: string): DraftSignatures {
  const transaction = transactionOf(draft, feePayer);
  const sign = ({ account }: AptosUser) => account.signTransactionWithAuthenticator(transaction).bcsToBytes();
  return { senderAuthenticator: sign(draft.sender), secondaryAuthenticators: draft.secondaries.map(sign) };
}

function authenticatorOf(bytes: Uint8Array): AccountAuthenticator {
  return AccountAuthenticator.deserialize(new Deserializer(bytes));
}

/** The transaction as it is submitted, signed by all. */
export function assembleDraft(draft: Draft, feePayer: string, feePayerAuthenticator: Uint8Array): Uint8Array {
  const signatures = signDraft(draft, feePayer);
  return generateSignedTransaction({
    transaction: transactionOf(draft, feePayer),
    senderAuthenticator: authenticatorOf(signatures.senderAuthenticator),
    feePayerAuthenticator: authenticatorOf(feePayerAuthenticator),
    additionalSignersAuthenticators: signatures.secondaryAuthenticators.map(authenticatorOf),
  });
}

/** Submits past the service, signed by all: `accepted`, or the node's own words. */
export function submitDraft(draft: Draft, feePayer: string, feePayerAuthenticator: Uint8Array): Promise<string> {
  return submitToAptos(assembleDraft(draft, feePayer, feePayerAuthenticator));
}

/** The sender pays for the same, or for something else, alone. */
export async function submitAlone(draft: Draft): Promise<string> {
  const transaction = new SimpleTransaction(draft.raw);
  const senderAuthenticator = draft.sender.account.signTransactionWithAuthenticator(transaction);
  return submitToAptos(generateSignedTransaction({ transaction, senderAuthenticator }));
}

export async function submitToAptos(body: Uint8Array, node = NODE): Promise<string> {
  const headers = { "content-type": "application/x.aptos.signed_transaction+bcs" };
  const response = await fetch(`${node}/transactions`, { method: "POST", headers, body: Uint8Array.from(body) });
  if (response.status === 202) return "accepted";
  return z.object({ message: z.string() }).parse(await response.json()).message;
}
