import { SuiGrpcClient } from "@mysten/sui/grpc";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import * as z from "zod";
import { chainOrders } from "./chain-orders.ts";
import { type Foreign, foreignOf, sendDust, sendForeign } from "./foreign-objects.ts";
import { sendPartyCoins } from "./party-coins.ts";

const CHAIN = "http://chain.test";
export const TEST_ENDPOINT = "test";

/** The methods of a node that a fund calls. */
export const EPOCH = "LedgerService/GetEpoch";
export const LOOK_UP = "LedgerService/BatchGetTransactions";
export const SUBMIT = "TransactionExecutionService/ExecuteTransaction";
export const DRY_RUN = "TransactionExecutionService/SimulateTransaction";
export const BALANCE = "StateService/GetBalance";
export const OBJECTS = "LedgerService/BatchGetObjects";
export const LIST = "StateService/ListOwnedObjects";
export const LIST_BALANCES = "StateService/ListBalances";
const EVERY_METHOD = [
  EPOCH,
  LOOK_UP,
  SUBMIT,
  DRY_RUN,
  BALANCE,
  "LedgerService/GetServiceInfo",
  OBJECTS,
  LIST,
  LIST_BALANCES,
] as const;

/**
 * The stock client on an endpoint of its own: what it says of the chain owes nothing to our code, and no fault or
 * alteration that a test orders for the service's endpoint touches it.
 */
const client = new SuiGrpcClient({
  network: "localnet",
  baseUrl: `${CHAIN}/sui/${TEST_ENDPOINT}`,
  format: "binary",
  fetch: (input, init) => fetch(input, init),
});

const orders = chainOrders(CHAIN);
export const { orderFault, clearFaults, orderLag, nextEpoch, holdConsensus } = orders;

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${CHAIN}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** From the faucet, as a coin or into the address balance. */
export function give(address: string, amountMist: bigint, form: "coin" | "address_balance" = "coin"): Promise<unknown> {
  return ask("POST", "/faucet", { network: "SUI_LOCALNET", address, amount: amountMist.toString(), form });
}

/** Sends a transaction that the signer pays for, and answers its effects. Past the service. */
export async function sendAs(signer: Ed25519Keypair, change: (transaction: Transaction) => void) {
  const transaction = new Transaction();
  transaction.setSender(signer.toSuiAddress());
  change(transaction);
  const bytes = await transaction.build({ client });
  const { signature } = await signer.signTransaction(bytes);
  const result = await client.executeTransaction({
    transaction: bytes,
    signatures: [signature],
    include: { effects: true },
  });
  const sent = result.Transaction ?? result.FailedTransaction;
  if (!sent.status.success) throw new Error(sent.status.error.message);
  return sent.effects;
}

/** A kind as an app builds it, with what only a node can resolve. */
export function resolvedKind(sender: string, change: (transaction: Transaction) => void): Promise<Uint8Array> {
  const transaction = new Transaction();
  transaction.setSender(sender);
  change(transaction);
  return transaction.build({ client, onlyTransactionKind: true });
}

/** What an address holds of a coin type outside of coins. */
export async function fundsOnChain(owner: string, coinType: string): Promise<bigint> {
  return BigInt((await client.getBalance({ owner, coinType })).balance.addressBalance);
}

/** Coins that the address owns through consensus; their ids. */
export function giveParty(address: string, ...amountsMist: readonly bigint[]): Promise<readonly string[]> {
  return sendPartyCoins(client, give, address, amountsMist);
}

/** One thing of every kind that a stranger can send to an address. */
export function giveForeign(address: string): Promise<void> {
  return sendForeign(client, give, address);
}

/** Coins of 1 MIST each. */
export function giveDust(address: string, count: number): Promise<void> {
  return sendDust(client, give, address, count);
}

/** What of it the address has. */
export function foreignOnChain(address: string): Promise<Omit<Foreign, "partyMist">> {
  return foreignOf(client, address);
}

/** The node answers nothing any more, until `clearFaults`. */
export async function nodeDown(): Promise<void> {
  for (const method of EVERY_METHOD) await orderFault(method, "unavailable", 1_000_000);
}

/** How long an execution waits for an input that the chain does not have. */
export function setInputWait(waitMs: number): Promise<unknown> {
  return ask("POST", "/control/inputs", { waitMs });
}

/** How often the service's endpoint has been asked by this method since the run began. */
export async function callsOf(method: string): Promise<number> {
  return (await orders.calls())[method] ?? 0;
}

/** How often the service's endpoint of each chain has been asked anything since the run began. */
export async function allCalls(): Promise<number> {
  return Object.values(await orders.calls()).reduce((sum, count) => sum + count, 0);
}

/** The service's endpoint answers as this release of the node software, until it is told to be the latest. */
export function answerAs(release: "1.62" | "latest"): Promise<unknown> {
  return ask("POST", "/control/release", { release });
}

/** Whether the chain lets `0x2::coin::send_funds` have the gas coin itself, as today's protocol does. */
export function sendsGasCoin(sends: boolean): Promise<unknown> {
  return ask("POST", "/control/protocol", { sendsGasCoin: sends });
}

/** How many transactions are admitted and wait while consensus is held. */
export async function admittedCount(): Promise<number> {
  return z.object({ waiting: z.number() }).parse(await ask("GET", "/control/consensus")).waiting;
}

export interface CoinOnChain {
  readonly objectId: string;
  readonly version: bigint;
  readonly digest: string;
  readonly balanceMist: bigint;
  /** Owned through consensus: it pays for nothing. */
  readonly isParty: boolean;
}

/** Every SUI coin of an address, in the order of their ids. */
export async function coinsOnChain(owner: string): Promise<readonly CoinOnChain[]> {
  const coins: CoinOnChain[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof client.listCoins>> = await client.listCoins({ owner, cursor });
    for (const { objectId, version, digest, balance, owner: held } of page.objects) {
      const isParty = held.$kind === "ConsensusAddressOwner";
      coins.push({ objectId, version: BigInt(version), digest, balanceMist: BigInt(balance), isParty });
    }
    cursor = page.hasNextPage ? page.cursor : null;
  } while (cursor !== null);
  return coins.sort((a, b) => (a.objectId < b.objectId ? -1 : 1));
}

/** What an address holds, MIST. */
export async function balanceOnChain(
  owner: string,
): Promise<{ readonly totalMist: bigint; readonly coinMist: bigint; readonly addressBalanceMist: bigint }> {
  const { balance } = await client.getBalance({ owner });
  return {
    totalMist: BigInt(balance.balance),
    coinMist: BigInt(balance.coinBalance),
    addressBalanceMist: BigInt(balance.addressBalance),
  };
}

/** What the chain charged for a transaction, rebate deducted, MIST; null where it has not executed it. */
export async function gasOnChain(digest: string): Promise<bigint | null> {
  const found = await client.getTransaction({ digest, include: { effects: true } }).catch(() => null);
  if (found === null) return null;
  const { effects } = found.Transaction ?? found.FailedTransaction;
  const { computationCost, storageCost, storageRebate } = effects.gasUsed;
  return BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate);
}

/** What a node says of a transaction that names a version of an object that is not the current one any more. */
export const STALE = /is unavailable for consumption/;

/** Sends a transaction past the service. `executed`: success or failure; otherwise the node's own words. */
export async function submitToChain(transaction: Uint8Array, signatures: readonly string[]): Promise<string> {
  try {
    await client.executeTransaction({ transaction, signatures: [...signatures], include: {} });
    return "executed";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
