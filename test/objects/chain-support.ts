import { SuiGrpcClient } from "@mysten/sui/grpc";
import * as z from "zod";

const CHAIN = "http://chain.test";
const SERVICE_ENDPOINT = "default";
export const TEST_ENDPOINT = "test";

/** The methods of a node that a fund calls. */
export const EPOCH = "LedgerService/GetEpoch";
export const LOOK_UP = "LedgerService/BatchGetTransactions";
export const SUBMIT = "TransactionExecutionService/ExecuteTransaction";
export const DRY_RUN = "TransactionExecutionService/SimulateTransaction";
export const BALANCE = "StateService/GetBalance";
export const OBJECTS = "LedgerService/BatchGetObjects";
const EVERY_METHOD = [
  EPOCH,
  LOOK_UP,
  SUBMIT,
  DRY_RUN,
  BALANCE,
  "LedgerService/GetServiceInfo",
  OBJECTS,
  "StateService/ListOwnedObjects",
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

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${CHAIN}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** From the faucet, as a coin or into the address balance. */
export function give(address: string, amountMist: bigint, form: "coin" | "address_balance" = "coin"): Promise<unknown> {
  return ask("POST", "/faucet", { network: "SUI_LOCALNET", address, amount: amountMist.toString(), form });
}

export function orderFault(method: string, mode: string, times = 1, delayMs = 0): Promise<unknown> {
  return ask("POST", "/control/fault", { method, mode, times, delayMs });
}

/** The node answers nothing any more, until `clearFaults`. */
export async function nodeDown(): Promise<void> {
  for (const method of EVERY_METHOD) await orderFault(method, "unavailable", 1_000_000);
}

export async function clearFaults(): Promise<void> {
  await ask("DELETE", "/control/fault");
}

/** How often an endpoint, usually the service's, has been asked by this method since the run began. */
export async function callsOf(method: string, endpoint = SERVICE_ENDPOINT): Promise<number> {
  const calls = await ask("GET", `/control/calls?endpoint=${endpoint}`);
  return z.record(z.string(), z.number()).parse(calls)[method] ?? 0;
}

export function nextEpoch(referenceGasPrice?: bigint): Promise<unknown> {
  return ask("POST", "/control/epoch", {
    advance: 1,
    ...(referenceGasPrice && { referenceGasPrice: `${referenceGasPrice}` }),
  });
}

/** While it is held, transactions are admitted and wait; on release they are executed in the order in which they came. */
export function holdConsensus(held: boolean): Promise<unknown> {
  return ask("POST", "/control/consensus", { held });
}

export interface CoinOnChain {
  readonly objectId: string;
  readonly version: bigint;
  readonly digest: string;
  readonly balanceMist: bigint;
}

/** Every SUI coin of an address, in the order of their ids. */
export async function coinsOnChain(owner: string): Promise<readonly CoinOnChain[]> {
  const coins: CoinOnChain[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof client.listCoins>> = await client.listCoins({ owner, cursor });
    for (const { objectId, version, digest, balance } of page.objects)
      coins.push({ objectId, version: BigInt(version), digest, balanceMist: BigInt(balance) });
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
