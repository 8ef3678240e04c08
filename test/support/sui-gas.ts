import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { expect } from "vitest";
import * as z from "zod";
import { refreshPast } from "../../shared/cli/client/admin.ts";
import { createFundInProject } from "../../shared/cli/client/funds.ts";
import { expectAnswer, type HttpAnswer, http } from "../../shared/cli/client/http.ts";
import {
  admin,
  chainUrl,
  gas,
  gasResult,
  gasUrl,
  harness,
  newFund,
  newKey,
  sui,
  uniqueName,
  untilAllIsShown,
  untilShown,
} from "../harness/harness.ts";
import { faucetIntoBalance } from "./faucet.ts";

/** Enough for every transaction of these tests. */
export const BUDGET_MIST = 5_000_000n;
export const BUDGET = BUDGET_MIST.toString();
/** Covers the budget, and is too small for the fund to split: what a fund of such coins owns changes only as it pays. */
export const COIN_MIST = 20_000_000n;

const wrappedSchema = { txBytes: z.base64(), txDigest: z.string(), expireAtTime: z.int() };
const sponsoredSchema = z.strictObject({ ...wrappedSchema, signature: z.base64() });
const preparedSchema = z.strictObject(wrappedSchema);
export type Sponsored = z.output<typeof sponsoredSchema>;
export type Prepared = z.output<typeof preparedSchema>;

export const newUser = (): Ed25519Keypair => new Ed25519Keypair();

/** A fund that owns this many coins of `COIN_MIST`, and an access key for it. */
export async function fundWithKey(coins = 1) {
  const fund = await newFund(Array.from({ length: coins }, () => COIN_MIST));
  return { ...fund, ...(await newKey(fund)) };
}

/** A fund that pays from its address balance, which holds this much, and an access key for it. No coin is involved. */
export async function balanceFundWithKey(amountMist: bigint) {
  const fund = await createFundInProject(harness, uniqueName("fund"), { mode: "address_balance" });
  await faucetIntoBalance(chainUrl, fund.depositAddress, amountMist);
  await refreshPast(harness, fund.fundId, 0n);
  return { ...fund, ...(await newKey(fund)) };
}

type TermsOfGas = readonly [gasBudget?: string | number | null, gasPrice?: string | number | null];

export function sponsor(key: string, kind: Uint8Array, sender: string, ...terms: TermsOfGas): Promise<Sponsored> {
  return gasResult(key, "gas_sponsorTransactionBlock", [toBase64(kind), sender, ...terms], sponsoredSchema);
}

export function prepare(key: string, kind: Uint8Array, sender: string, ...terms: TermsOfGas): Promise<Prepared> {
  return gasResult(key, "gas_prepareTransactionBlock", [toBase64(kind), sender, ...terms], preparedSchema);
}

export function status(key: string, digest: string): Promise<"IN_FLIGHT" | "COMPLETE" | "INVALID"> {
  const schema = z.enum(["IN_FLIGHT", "COMPLETE", "INVALID"]);
  return gasResult(key, "gas_getSponsoredTransactionBlockStatus", [digest], schema);
}

const fundSchema = z.strictObject({
  network: z.literal("SUI_LOCALNET"),
  name: z.string(),
  balance: z.int().transform(BigInt),
  inFlight: z.int().transform(BigInt),
  depositAddress: z.string().nullable(),
  /** Only while something waits to be converted. */
  unconverted: z.strictObject({ amount: z.int().transform(BigInt), coins: z.int(), cause: z.string() }).optional(),
});

export function getFund(key: string): Promise<z.output<typeof fundSchema>> {
  return gasResult(key, "gas_getFund", [], fundSchema);
}

const rowsSchema = z.object({
  items: z.array(
    z.looseObject({ digest: z.string(), state: z.string(), createdAt: z.coerce.date(), expiresAt: z.coerce.date() }),
  ),
});

/** The fund's rows as its operator sees them, newest first. */
export async function sponsorshipRows(fundId: string) {
  const answer = await admin("GET", `/funds/${fundId}/sponsorships?limit=200`);
  return expectAnswer("the fund's sponsorships", answer, rowsSchema).items;
}

/** A request of any shape with the key in the header. */
export function post(key: string, body: object): Promise<HttpAnswer> {
  const headers = { "content-type": "application/json", "x-api-key": key };
  return http(gasUrl, { method: "POST", headers, body: JSON.stringify(body) });
}

export const refusalSchema = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.literal(1),
  error: z.strictObject({
    code: z.int(),
    message: z.string(),
    data: z.looseObject({ details: z.string().min(1), reason: z.string() }),
  }),
});

/** The error object of a call that must have been refused with HTTP 200. */
export function refusalOf({ status, body }: HttpAnswer): z.output<typeof refusalSchema>["error"] {
  expect(status, JSON.stringify(body)).toBe(200);
  return refusalSchema.parse(body).error;
}

export async function refused(key: string, method: string, params: readonly unknown[]) {
  return refusalOf(await gas(key, method, params));
}

/** Nothing of a refused call stays behind: no budget is withheld and no row was written. */
export async function expectNothingHeld({ fundId, key }: { fundId: string; key: string }): Promise<void> {
  expect((await getFund(key)).inFlight).toBe(0n);
  expect(await sponsorshipRows(fundId)).toEqual([]);
}

export async function signatureOf(user: Ed25519Keypair, { txBytes }: { readonly txBytes: string }): Promise<string> {
  return (await user.signTransaction(fromBase64(txBytes))).signature;
}

/** Submits to the chain with the stock client, past the service. No read need show it yet. */
export async function send(txBytes: string, signatures: string[]) {
  const result = await sui.executeTransaction({
    transaction: fromBase64(txBytes),
    signatures,
    include: { effects: true },
  });
  return result.$kind === "Transaction" ? result.Transaction : result.FailedTransaction;
}

/** Submits as the app's user would, who then waits until reads show it. */
export async function submit(txBytes: string, signatures: string[]) {
  const executed = await send(txBytes, signatures);
  await untilShown(executed.digest);
  return executed;
}

/** The sender signs what was sponsored, and the stock client submits it with both signatures. */
export async function submitSponsored(user: Ed25519Keypair, sponsored: Pick<Sponsored, "txBytes" | "signature">) {
  return submit(sponsored.txBytes, [await signatureOf(user, sponsored), sponsored.signature]);
}

type GasUsed = Readonly<Record<"computationCost" | "storageCost" | "storageRebate", string>>;

/** What the chain charges for it: computation + storage − rebate, MIST. */
export function netMist({ computationCost, storageCost, storageRebate }: GasUsed): bigint {
  return BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate);
}

/** The coins that pay for sponsored bytes, as the SDK decodes them. */
export function gasPayment(txBytes: string) {
  return Transaction.from(fromBase64(txBytes)).getData().gasData.payment ?? [];
}

/** The objects that an address owns, after all that was executed until now. */
export async function ownedObjects(owner: string) {
  await untilAllIsShown();
  return (await sui.listOwnedObjects({ owner })).objects;
}

/** The chain's own clock, which moves with the service's: never behind what was executed before. */
export async function chainNowMs(): Promise<number> {
  await untilAllIsShown();
  const { timestamp } = (await sui.ledgerService.getServiceInfo({})).response;
  if (timestamp === undefined) throw new Error("the chain has no clock");
  return Number(timestamp.seconds) * 1_000 + timestamp.nanos / 1e6;
}
