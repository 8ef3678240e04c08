import { randomBytes } from "node:crypto";
import {
  AccountAddress,
  Aptos,
  AptosConfig,
  ChainId,
  EntryFunction,
  Network,
  RawTransaction,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import * as z from "zod";
import { formatCoin } from "../../coin-text.ts";
import { type AdminAccess, adminCall, getFund } from "../client/admin.ts";
import type { ServiceAccess } from "../client/funds.ts";
import { expectAnswer, UnexpectedAnswer } from "../client/http.ts";
import { APTOS_KEY_PATH, APTOS_WALLET_PATH, rpcResult } from "../client/rpc.ts";
import type { LocalDemo } from "../demo-state.ts";
import { step } from "../terminal.ts";
import type { DemoContracts } from "./demo-contracts.ts";

const MAX_GAS_UNITS = 20_000n;
const GAS_PRICE_OCTAS = 100n;
const LIFETIME_SECONDS = 60n;
const SETTLED_WITHIN_MS = 60_000;
const POLL_MS = 200;

const walletSchema = z.object({ accountAddress: z.string() });
const executedSchema = z.object({ pendingTransaction: z.object({ hash: z.string() }) });

/** Builds a gasless transaction. It is the wallet's second, because the first made its account. */
async function secondTransaction(aptos: Aptos, call: EntryFunction, sender: string): Promise<string> {
  const { chain_id: chainId, ledger_timestamp: nowUs } = await aptos.getLedgerInfo();
  const raw = new RawTransaction(
    AccountAddress.from(sender),
    1n,
    new TransactionPayloadEntryFunction(call),
    MAX_GAS_UNITS,
    GAS_PRICE_OCTAS,
    BigInt(nowUs) / 1_000_000n + LIFETIME_SECONDS,
    new ChainId(chainId),
  );
  return raw.bcsToHex().toString();
}

async function untilSettled(stage: AdminAccess, fundId: string): Promise<bigint> {
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; Date.now() < deadline; ) {
    const answer = await adminCall(stage, "POST", `/funds/${fundId}/reconcile`);
    const { exact } = expectAnswer("the reconciliation", answer, z.object({ exact: z.boolean() }));
    const { balance, inFlight } = await getFund(stage, fundId);
    if (exact && inFlight === "0") return BigInt(balance);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new UnexpectedAnswer("the fund on Aptos has not settled");
}

/** An embedded wallet and its work. */
export interface WalletJob {
  /** The fund that pays. Nothing else uses it during the story. */
  readonly fundId: string;
  /** An access key of the fund with the wallet right. */
  readonly key: string;
  /** A client of the chain, independent of the service. */
  readonly aptos: Aptos;
  /** The call that the wallet sends. */
  readonly call: EntryFunction;
}

/**
 * Runs an embedded wallet on Aptos. Its account is made on chain, and it sends a transaction. A fund pays for both.
 *
 * @param progress called with each step as it is done.
 * @throws UnexpectedAnswer as soon as any step fails.
 */
export async function runWalletJob(
  access: AdminAccess,
  { fundId, key, aptos, call }: WalletJob,
  progress: (label: string, text: string) => void,
): Promise<void> {
  const beforeOctas = await untilSettled(access, fundId);
  const secret = randomBytes(32).toString("base64url");
  const keyUrl = `${access.serviceUrl}${APTOS_KEY_PATH}`;
  const token = await rpcResult(keyUrl, key, "key_createSession", [secret], z.string());
  const walletUrl = `${access.serviceUrl}${APTOS_WALLET_PATH}`;
  const walletId = `story ${new Date().toISOString()}`;
  const made = await rpcResult(walletUrl, key, "wal_createWalletOnChain", [walletId, token], walletSchema);
  const { accountAddress } = made;
  const createdOctas = await untilSettled(access, fundId);
  const paidOctas = beforeOctas - createdOctas;
  progress("wallet", `${accountAddress}, made on chain: the fund paid ${formatCoin("aptos", paidOctas)}`);

  const params = [walletId, token, await secondTransaction(aptos, call, accountAddress)];
  const executed = await rpcResult(walletUrl, key, "wal_executeGaslessTransaction", params, executedSchema);
  const { hash: transactionHash } = executed.pendingTransaction;
  const { success } = await aptos.waitForTransaction({ transactionHash });
  progress("executed", `${transactionHash}: ${success ? "success" : "failure"}`);
  const afterOctas = await untilSettled(access, fundId);
  const ownOctas = await aptos.getAccountAPTAmount({ accountAddress });
  if (!success || afterOctas >= createdOctas || ownOctas !== 0)
    throw new UnexpectedAnswer("the wallet's transaction was not executed at the fund's cost");
  const callOctas = createdOctas - afterOctas;
  progress("fund paid", `${formatCoin("aptos", callOctas)}; the wallet owns no APT. Books and chain agree`);
}

/**
 * Runs an embedded wallet that calls the demo module. The demo's fund pays.
 *
 * @throws UnexpectedAnswer as soon as any step fails.
 */
export async function tellAptosStory(
  stage: ServiceAccess & { readonly demo: LocalDemo; readonly contracts: DemoContracts },
): Promise<void> {
  const { aptosFundId: fundId, aptosKey: key } = stage.demo;
  const aptos = new Aptos(new AptosConfig({ network: Network.LOCAL, fullnode: `${stage.chainUrl}/aptos/v1` }));
  const call = EntryFunction.build(stage.contracts.aptosModule, "increment", [], []);
  await runWalletJob(stage, { fundId, key, aptos, call }, step);
}
