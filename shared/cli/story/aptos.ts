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
import { adminCall, getFund } from "../client/admin.ts";
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

/** Sends a gasless transaction of the demo module. It is the wallet's second, because the first made its account. */
async function increment(aptos: Aptos, demoModule: DemoContracts["aptosModule"], sender: string): Promise<string> {
  const { chain_id: chainId, ledger_timestamp: nowUs } = await aptos.getLedgerInfo();
  const payload = new TransactionPayloadEntryFunction(EntryFunction.build(demoModule, "increment", [], []));
  const raw = new RawTransaction(
    AccountAddress.from(sender),
    1n,
    payload,
    MAX_GAS_UNITS,
    GAS_PRICE_OCTAS,
    BigInt(nowUs) / 1_000_000n + LIFETIME_SECONDS,
    new ChainId(chainId),
  );
  return raw.bcsToHex().toString();
}

async function untilSettled(stage: ServiceAccess, fundId: string): Promise<bigint> {
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; Date.now() < deadline; ) {
    const answer = await adminCall(stage, "POST", `/funds/${fundId}/reconcile`);
    const { exact } = expectAnswer("the reconciliation", answer, z.object({ exact: z.boolean() }));
    const { balance, inFlight } = await getFund(stage, fundId);
    if (exact && inFlight === "0") return BigInt(balance);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new UnexpectedAnswer("the fund on Aptos has not settled");
}

/**
 * Runs an embedded wallet on Aptos. Its account is made on chain, and it sends a transaction. The demo's fund pays for
 * both.
 *
 * @throws UnexpectedAnswer as soon as any step fails.
 */
export async function tellAptosStory(
  stage: ServiceAccess & { readonly demo: LocalDemo; readonly contracts: DemoContracts },
): Promise<void> {
  const { aptosFundId, aptosKey } = stage.demo;
  const aptos = new Aptos(new AptosConfig({ network: Network.LOCAL, fullnode: `${stage.chainUrl}/aptos/v1` }));
  const beforeOctas = await untilSettled(stage, aptosFundId);
  const secret = randomBytes(32).toString("base64url");
  const token = await rpcResult(
    `${stage.serviceUrl}${APTOS_KEY_PATH}`,
    aptosKey,
    "key_createSession",
    [secret],
    z.string(),
  );
  const walletUrl = `${stage.serviceUrl}${APTOS_WALLET_PATH}`;
  const walletId = `story ${new Date().toISOString()}`;
  const { accountAddress } = await rpcResult(
    walletUrl,
    aptosKey,
    "wal_createWalletOnChain",
    [walletId, token],
    walletSchema,
  );
  const createdOctas = await untilSettled(stage, aptosFundId);
  step("wallet", `${accountAddress}, made on chain: the fund paid ${formatCoin("aptos", beforeOctas - createdOctas)}`);

  const params = [walletId, token, await increment(aptos, stage.contracts.aptosModule, accountAddress)];
  const { pendingTransaction } = await rpcResult(
    walletUrl,
    aptosKey,
    "wal_executeGaslessTransaction",
    params,
    executedSchema,
  );
  const { hash: transactionHash } = pendingTransaction;
  const { success } = await aptos.waitForTransaction({ transactionHash });
  step("executed", `${transactionHash}: ${success ? "success" : "failure"}`);
  const afterOctas = await untilSettled(stage, aptosFundId);
  const ownOctas = await aptos.getAccountAPTAmount({ accountAddress });
  if (!success || afterOctas >= createdOctas || ownOctas !== 0)
    throw new UnexpectedAnswer("the wallet's transaction was not executed at the fund's cost");
  step("fund paid", `${formatCoin("aptos", createdOctas - afterOctas)}; the wallet owns no APT. Books and chain agree`);
}
