import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { ProjectFund } from "../../../shared/cli/client/funds.ts";
import { expectAnswer, type HttpAnswer } from "../../../shared/cli/client/http.ts";
import { APTOS_KEY_PATH, APTOS_WALLET_PATH, rpcCall, rpcResult } from "../../../shared/cli/client/rpc.ts";
import { serviceUrl } from "../../harness/harness.ts";
import { newAptosFund, newAptosKey } from "../../support/aptos.ts";

const url = `${serviceUrl}${APTOS_WALLET_PATH}`;
const wallet = z.strictObject({ accountAddress: z.string() });

/** An app with embedded wallets on Aptos: its fund, an access key with all rights, and a session. */
export interface AptosApp {
  readonly fund: ProjectFund;
  readonly key: string;
  readonly keyId: string;
  readonly secret: string;
  readonly token: string;
}

export async function newAptosApp(octas?: bigint): Promise<AptosApp> {
  const fund = await newAptosFund(octas);
  const { key, keyId } = await newAptosKey(fund);
  const secret = randomBytes(32).toString("hex");
  return { fund, key, keyId, secret, token: await newSession(key, secret) };
}

export function newSession(key: string, secret: string): Promise<string> {
  return rpcResult(`${serviceUrl}${APTOS_KEY_PATH}`, key, "key_createSession", [secret], z.string());
}

/** A wallet method, refusals included. */
export function call(key: string, method: string, params: readonly unknown[], idempotencyKey?: string) {
  return rpcCall(url, key, method, params, idempotencyKey);
}

/** The address that a method answers. */
export function addressIn(answer: HttpAnswer): string {
  return expectAnswer("the wallet", answer, z.object({ result: wallet })).result.accountAddress;
}

let wallets = 0;
export async function newWallet({ key, token }: Pick<AptosApp, "key" | "token">) {
  wallets += 1;
  const walletId = `wallet ${wallets}`;
  return { walletId, address: addressIn(await call(key, "wal_createWallet", [walletId, token])) };
}

const executed = z.object({
  result: z.strictObject({ pendingTransaction: z.looseObject({ hash: z.string(), sender: z.string() }) }),
});

/** The pending transaction of an execution that must be accepted. */
export function pendingIn(answer: HttpAnswer) {
  return expectAnswer("the execution", answer, executed).result.pendingTransaction;
}
