import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { vi } from "vitest";
import * as z from "zod";
import { createSuiNode } from "../../shared/chain/sui/grpc-node.ts";
import type { Env } from "../../shared/env.ts";
import type {} from "../../shared/objects/fund.ts";
import type { Sponsored, SponsorInput } from "../../shared/objects/fund-sponsoring.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { alteration } from "./altered-node.ts";

export const bindings: Env = env;
export const SUI_MIST = 1_000_000_000n;
export const BUDGET_MIST = 5_000_000n;
const CHAIN = "http://chain.test";
/** Tests move their own clock. It starts this far ahead, so that the platform's alarms never fire by themselves. */
const AHEAD_MS = 3_600_000;

export const user = new Ed25519Keypair();
let funds = 0;

/** The service's clock stands still from here on, ahead of the chain's. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AHEAD_MS });
}

export function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

/** Ends all instances at once, as a crash does. An eviction would wait for the time-outs of calls that have ended. */
export const crash = abortAllDurableObjects;

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${CHAIN}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

export function giveCoin(address: string, amountMist: bigint): Promise<unknown> {
  return ask("POST", "/faucet", { network: "SUI_LOCALNET", address, amount: amountMist.toString() });
}

export function orderFault(method: string, mode: string, times = 1): Promise<unknown> {
  return ask("POST", "/control/fault", { method, mode, times });
}

export async function clearFaults(): Promise<void> {
  await ask("DELETE", "/control/fault");
}

/** How often the chain has been asked by this method since the run began. */
export async function callsOf(method: string): Promise<number> {
  return z.record(z.string(), z.number()).parse(await ask("GET", "/control/calls"))[method] ?? 0;
}

/** The endpoint has seen the chain up to the service's own clock. */
export const withOurTime = alteration("LedgerService/GetServiceInfo", GrpcTypes.GetServiceInfoResponse, (reply) => {
  reply.timestamp = { seconds: BigInt(Math.floor(Date.now() / 1_000)), nanos: 0 };
});

export interface TestFund {
  readonly id: string;
  readonly address: string;
}

export async function newFund(...coinsMist: readonly bigint[]): Promise<TestFund> {
  funds += 1;
  const id = `fund_${funds.toString(16).padStart(20, "0")}`;
  const fund = bindings.FUND.getByName(id);
  await fund.create({ fundId: id, projectId: "prj_000000000000000000d1", network: "SUI_LOCALNET", name: "fund" });
  const depositAddress = (await fund.createDepositAddress())?.depositAddress ?? null;
  if (depositAddress === null) throw new Error("the fund has no deposit address");
  for (const amountMist of coinsMist) await giveCoin(depositAddress, amountMist);
  if (coinsMist.length > 0) await fund.refresh();
  return { id, address: depositAddress };
}

/** The same object, as the test tools want it. */
export function platformStub({ id }: TestFund) {
  return env.FUND.getByName(id);
}

export function stub({ id }: TestFund) {
  return bindings.FUND.getByName(id);
}

async function kindOf(name: string): Promise<Uint8Array> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
  return transaction.build({ onlyTransactionKind: true });
}

export async function sponsorInput(name: string): Promise<SponsorInput> {
  return {
    keyId: "key_000000000000000000d1",
    kindBytes: await kindOf(name),
    sender: user.toSuiAddress(),
    gasBudgetMist: BUDGET_MIST,
    maxGasBudgetMist: null,
    gasPriceMist: null,
  };
}

export async function sponsor(fund: TestFund, name: string): Promise<Sponsored> {
  const sponsored = await stub(fund).sponsor(await sponsorInput(name));
  if (!sponsored.ok) throw new Error(JSON.stringify(sponsored.refusal));
  return sponsored.value;
}

/** Why the fund does not sponsor; null where it does. */
export async function refusalOf(fund: TestFund, name: string): Promise<string | null> {
  const sponsored = await stub(fund).sponsor(await sponsorInput(name));
  return sponsored.ok ? null : sponsored.refusal.reason;
}

export function termsOf({ txBytes }: Sponsored) {
  const { gasData, expiration } = bcs.TransactionData.parse(txBytes).V1;
  return { priceMist: BigInt(gasData.price), expirationEpoch: BigInt(expiration.Epoch ?? -1) };
}

/** The user submits it to the chain, past the service. */
export async function executeOnChain({ txBytes, signature, digest }: Sponsored): Promise<void> {
  const node = createSuiNode({
    network: "SUI_LOCALNET",
    urls: [`${CHAIN}/sui`],
    fetch: (input, init) => fetch(input, init),
    clock: { nowMs: () => Date.now(), alarmAtMs: (atMs) => atMs },
  });
  const { signature: senderSignature } = await user.signTransaction(txBytes);
  const outcome = await node.submit(txBytes, [senderSignature, signature], digest);
  if (outcome.kind !== "executed") throw new Error(outcome.text);
}

export async function stateOf(fund: TestFund, digest: string): Promise<string | undefined> {
  const page = await stub(fund).sponsorships({ limit: 100, cursor: null });
  return page?.items.find((item) => item.digest === digest)?.state;
}

/** When each row of a kind falls due, counted from the service's clock. */
export function dueInMs(fund: TestFund, kind: string): Promise<readonly number[]> {
  return runInDurableObject(platformStub(fund), (_, { storage }) =>
    storage.sql
      .exec<{ at_ms: number }>("SELECT at_ms FROM due WHERE kind = ? ORDER BY at_ms", kind)
      .toArray()
      .map(({ at_ms }) => at_ms - Date.now()),
  );
}

export function alarmInMs(fund: TestFund): Promise<number | null> {
  return runInDurableObject(platformStub(fund), async (_, { storage }) => {
    const atMs = await storage.getAlarm();
    return atMs === null ? null : atMs - Date.now();
  });
}
