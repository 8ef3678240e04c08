import { randomBytes } from "node:crypto";
import { Transaction } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import { expect } from "vitest";
import * as z from "zod";
import type { ProjectFund } from "../../../shared/cli/client/funds.ts";
import { expectAnswer, type HttpAnswer } from "../../../shared/cli/client/http.ts";
import { rpcCall, rpcResult } from "../../../shared/cli/client/rpc.ts";
import { newFund, newKey, serviceUrl, sui, untilAllIsShown } from "../../harness/harness.ts";
import { COIN_MIST, ownedObjects } from "../../support/sui-gas.ts";
import { executedSchema } from "../sui-gas/responses.ts";

export const WALLET_URL = `${serviceUrl}/wallet/v1`;
export const CLIENT_URL = `${serviceUrl}/sui/wallet/v1`;
export const V2_URL = `${serviceUrl}/sui/wallet/v2`;
export const EXECUTE = "svc_wal_executeGaslessTransaction";
export const EXECUTE_BLOCK = "svc_wal_executeGaslessTransactionBlock";

/** An app with an embedded wallet on Sui: its fund, an access key that may use it, a session, and the wallet. */
export interface SuiApp extends ProjectFund {
  readonly key: string;
  readonly secret: string;
  readonly token: string;
  readonly walletId: string;
  readonly address: string;
}

export async function newSuiApp(coins = 2): Promise<SuiApp> {
  const fund = await newFund(Array.from({ length: coins }, () => COIN_MIST));
  const { key } = await newKey(fund, { rights: ["wallet", "gas"] });
  const secret = randomBytes(32).toString("hex");
  const token = await newSession(key, secret);
  const walletId = "user-1";
  const address = await rpcResult(WALLET_URL, key, "svc_wal_createWallet", [walletId, token], z.string());
  return { ...fund, key, secret, token, walletId, address };
}

export function newSession(key: string, secret: string): Promise<string> {
  return rpcResult(WALLET_URL, key, "svc_key_createSession", [secret], z.string());
}

/** A call of either method with the wallet and its session in front; refusals included. */
export function execute(
  { key, walletId, token }: Pick<SuiApp, "key" | "walletId" | "token">,
  bytes: Uint8Array,
  terms: readonly unknown[] = [],
  {
    method = EXECUTE,
    idempotencyKey,
    url = WALLET_URL,
  }: Readonly<{ method?: string; idempotencyKey?: string; url?: string }> = {},
): Promise<HttpAnswer> {
  return rpcCall(url, key, method, [walletId, token, toBase64(bytes), ...terms], idempotencyKey);
}

/** The response of an execution that must be answered. */
export function responseIn(answer: HttpAnswer): z.output<typeof executedSchema> {
  return expectAnswer("the execution", answer, z.object({ result: executedSchema })).result;
}

/** Transaction data around a kind, with gas data that nobody could pay with. */
export async function dataOf(kind: Uint8Array, sender: string, epoch: bigint | null = null): Promise<Uint8Array> {
  const transaction = Transaction.fromKind(kind);
  transaction.setSender(sender);
  transaction.setGasOwner(sender);
  transaction.setGasPrice(1);
  transaction.setGasBudget(1);
  transaction.setGasPayment([
    { objectId: `0x${"c0".repeat(32)}`, version: 1, digest: "11111111111111111111111111111112" },
  ]);
  transaction.setExpiration(epoch === null ? { None: true } : { Epoch: epoch.toString() });
  return transaction.build();
}

export async function badgesOf(owner: string): Promise<number> {
  return (await ownedObjects(owner)).filter(({ type }) => type.endsWith("::demo::Badge")).length;
}

/** What the chain itself shows of a digest, through the stock client, after all that was executed until now. */
export async function onChain(digest: string) {
  await untilAllIsShown();
  const shown = await sui.getTransaction({
    digest,
    include: { effects: true, events: true, balanceChanges: true, objectTypes: true, transaction: true },
  });
  const transaction = shown.$kind === "Transaction" ? shown.Transaction : shown.FailedTransaction;
  expect(transaction.digest).toBe(digest);
  return transaction;
}
