import {
  Account,
  AccountAddress,
  Aptos,
  AptosConfig,
  ChainId,
  type Ed25519Account,
  Ed25519PrivateKey,
  EntryFunction,
  type EntryFunctionArgument,
  MultiAgentTransaction,
  Network,
  RawTransaction,
  SimpleTransaction,
  type TransactionPayload,
  TransactionPayloadEntryFunction,
  U64,
} from "@aptos-labs/ts-sdk";
import { expect } from "vitest";
import * as z from "zod";
import { APTOS_NETWORK, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { faucetApt } from "../../shared/cli/client/faucet.ts";
import { createAptosFund, type ProjectFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer, type HttpAnswer } from "../../shared/cli/client/http.ts";
import { APTOS_GAS_PATH, rpcCall } from "../../shared/cli/client/rpc.ts";
import { admin, chainUrl, harness, serviceUrl, uniqueName } from "../harness/harness.ts";
import { figuresOf } from "./operator.ts";

/** What tests of Aptos over HTTP share: the stock client, transactions made with its classes, and a fund with a key. */

export const OCTAS_PER_APT = 100_000_000n;
/** Enough for a first transaction, which makes the sender's account. */
export const MAX_GAS_UNITS = 20_000n;
export const GAS_PRICE_OCTAS = 100n;
const CHAIN_ID = 4;

/** The stock client, at the development chain. */
export const aptos = new Aptos(new AptosConfig({ network: Network.LOCAL, fullnode: `${chainUrl}/aptos/v1` }));

export async function giveApt(address: string, amountOctas: bigint): Promise<void> {
  await faucetApt(chainUrl, address, amountOctas);
}

export async function balanceOf(address: string): Promise<bigint> {
  return BigInt(await aptos.getAccountAPTAmount({ accountAddress: address }));
}

/** The chain's own time, by which transactions expire: a test may have moved the clocks. */
export async function chainSeconds(): Promise<bigint> {
  const { ledger_timestamp: nowUs } = await aptos.getLedgerInfo();
  return BigInt(nowUs) / 1_000_000n;
}

/** In a project of its own, which takes random secrets only. */
export async function newAptosFund(octas: bigint = 10n * OCTAS_PER_APT): Promise<ProjectFund> {
  const projectId = await createProject(harness, uniqueName("aptos project"), { secretDerivation: "hkdf" });
  return createAptosFund(harness, projectId, uniqueName("aptos fund"), octas);
}

/** An access key of a fund's project; `fields` override. */
export async function newAptosKey(fund: ProjectFund, fields: object = {}) {
  const { id: keyId, key } = await createKey(harness, fund.projectId, {
    name: uniqueName("key"),
    network: APTOS_NETWORK,
    rights: ["wallet", "gas", "node"],
    fundId: fund.fundId,
    limits: { qps: 10_000, cups: 1_000 },
    ...fields,
  });
  return { keyId, key };
}

export interface Terms {
  readonly sequenceNumber?: bigint;
  readonly maxGasUnits?: bigint;
  readonly gasPriceOctas?: bigint;
  readonly expiresInSeconds?: bigint;
  readonly chainId?: number;
}

export function entryFunction(target: `${string}::${string}`, args: EntryFunctionArgument[]): TransactionPayload {
  const at = target.lastIndexOf("::");
  const module = target.slice(0, at);
  if (!module.includes("::")) throw new Error("a target is an address, a module and a function");
  return new TransactionPayloadEntryFunction(
    EntryFunction.build(module as `${string}::${string}`, target.slice(at + 2), [], args),
  );
}

export function transferTo(receiver: string, octas: bigint): TransactionPayload {
  return entryFunction("0x1::aptos_account::transfer", [AccountAddress.from(receiver), new U64(octas)]);
}

export async function rawTransaction(sender: string, payload: TransactionPayload, terms: Terms = {}) {
  const { sequenceNumber = 0n, maxGasUnits = MAX_GAS_UNITS, gasPriceOctas = GAS_PRICE_OCTAS } = terms;
  const expirationSeconds = (await chainSeconds()) + (terms.expiresInSeconds ?? 60n);
  const chainId = new ChainId(terms.chainId ?? CHAIN_ID);
  return new RawTransaction(
    AccountAddress.from(sender),
    sequenceNumber,
    payload,
    maxGasUnits,
    gasPriceOctas,
    expirationSeconds,
    chainId,
  );
}

/** A transaction as a caller without an encoder writes it. */
export function jsonTransaction(raw: RawTransaction, call: string, args: string[] = []) {
  return {
    sender: raw.sender.toString(),
    sequence_number: raw.sequence_number.toString(),
    max_gas_amount: raw.max_gas_amount.toString(),
    gas_unit_price: raw.gas_unit_price.toString(),
    expiration_timestamp_secs: raw.expiration_timestamp_secs.toString(),
    payload: { type: "entry_function_payload", function: call, type_arguments: [], arguments: args },
  };
}

/** BCS of an account's authenticator for a transaction with a fee payer; over 0x0 where nobody says who pays. */
export function authenticatorOf(
  signer: Account,
  raw: RawTransaction,
  { feePayer = "0x0", secondary = [] }: { readonly feePayer?: string; readonly secondary?: readonly string[] } = {},
): string {
  const payer = AccountAddress.from(feePayer);
  const addresses = secondary.map((address) => AccountAddress.from(address));
  const transaction =
    addresses.length > 0 ? new MultiAgentTransaction(raw, addresses, payer) : new SimpleTransaction(raw, payer);
  return signer.signTransactionWithAuthenticator(transaction).bcsToHex().toString();
}

/** A user's own key pair. */
export function newAccount(): Ed25519Account {
  return Account.generate();
}

/**
 * A key pair whose address begins with five zeros, which nodes leave out: 0x00000eadb905…4740. Found by counting up the
 * last four bytes of the seed.
 */
export function groundAccount(): Ed25519Account {
  const privateKey = new Ed25519PrivateKey(`0x${"11".repeat(28)}0014c5b9`);
  return Account.fromPrivateKey({ privateKey });
}

/** A call of the Aptos gas interface, refusals included. */
export function aptosGas(key: string, method: string, params: readonly unknown[], idempotencyKey?: string) {
  return rpcCall(`${serviceUrl}${APTOS_GAS_PATH}`, key, method, params, idempotencyKey);
}

const errorSchema = z.object({
  error: z.object({
    code: z.int(),
    data: z.looseObject({ details: z.string(), reason: z.string().optional() }),
  }),
});

/** Code and reason of a refusal; its details where it is told by them alone. */
export function refusalOf({ body }: HttpAnswer): { readonly code: number; readonly reason: string } {
  const { code, data } = errorSchema.parse(body).error;
  return { code, reason: data.reason ?? data.details };
}

const octas = z.string().transform(BigInt);

const rowsSchema = z.object({
  items: z.array(
    z.object({ digest: z.string(), state: z.string(), sender: z.string(), charged: z.string().nullable() }),
  ),
});

export async function sponsorshipsOf(fundId: string) {
  const answer = await admin("GET", `/funds/${fundId}/sponsorships?limit=200`);
  return expectAnswer("the sponsorships", answer, rowsSchema).items;
}

/** Once everything has settled, the fund's books are the chain's, to the last octa. */
export async function expectReconciled({ fundId, depositAddress }: ProjectFund): Promise<void> {
  const answer = await admin("POST", `/funds/${fundId}/reconcile`);
  const { exact } = expectAnswer("the reconciliation", answer, z.object({ exact: z.boolean() }));
  expect(exact).toBe(true);
  expect((await figuresOf(fundId)).balance).toBe(await balanceOf(depositAddress));
}

/** What the chain charged the fee payer for a committed transaction. */
export async function chargeOf(hash: string): Promise<bigint> {
  const committed = await aptos.waitForTransaction({ transactionHash: hash, options: { checkSuccess: false } });
  const events = "events" in committed ? committed.events : [];
  const statement = events.find(({ type }) => type === "0x1::transaction_fee::FeeStatement");
  const { storage_fee_refund_octas: refund } = z.object({ storage_fee_refund_octas: octas }).parse(statement?.data);
  return (
    BigInt(committed.gas_used) * BigInt(z.object({ gas_unit_price: z.string() }).parse(committed).gas_unit_price) -
    refund
  );
}

/** Writes a raw transaction as the wire takes it. */
export const hexOf = (raw: RawTransaction) => raw.bcsToHex().toString();
