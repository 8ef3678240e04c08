import { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import * as z from "zod";
import { adminCall, SUI_NETWORK } from "../../shared/cli/client/admin.ts";
import { faucet } from "../../shared/cli/client/faucet.ts";
import type { ProjectFund, ServiceAccess } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { createSuiGasClient } from "../../shared/client/gas-client.ts";
import type { Reply } from "../../shared/client/rpc-client.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { sendPartyCoins } from "../support/party-coins.ts";

const SUI_MIST = 1_000_000_000n;
const SMALL_BUDGET_MIST = 5_000_000n;
/** No coin covers it once the pool is stocked, so that some are merged, and gone. */
const LARGE_BUDGET_MIST = SUI_MIST;
export const DEPOSITS_MIST = [(3n * SUI_MIST) / 2n, (7n * SUI_MIST) / 5n];
/** Makes the stock of larger coins too small, so that the fund wants to split. */
const LATE_DEPOSIT_MIST = 20n * SUI_MIST;
const FEE_MIST = 1_000n;
/** One is taken in, and one waits in the end. */
const PARTY_MIST = SUI_MIST / 50n;
const SUBMIT = "TransactionExecutionService/ExecuteTransaction";
const SPONSORSHIP_TTL_MS = 3_600_000;
/** One is expired and at rest at the moment in which the fund is about to recycle the other one. */
const BETWEEN_ABANDONED_MS = 37_000;
const AFTER_LAST_EXPIRY_MS = 6_000;
const LIMIT_MS = 30_000;
const AGED_FACTS_MS = 31_000;
const POLL_MS = 200;

/** The clocks of the service and of the chain, which move by restarting both. */
export interface Clocks {
  /** Sets both clocks to so much after the start of the simulation. */
  set(aheadMs: number): Promise<void>;
  /** As `set`, with the chain ready for orders before the service starts. */
  setWith(aheadMs: number, order: () => Promise<void>): Promise<void>;
}

function resultOf<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(JSON.stringify(reply.error));
  return reply.value;
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; !(await condition()); await new Promise((r) => setTimeout(r, POLL_MS)))
    if (Date.now() > deadline) throw new Error(`${what} did not happen`);
}

async function post(url: string, body: object): Promise<void> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
}

async function kind(name: string): Promise<Uint8Array> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
  return transaction.build({ onlyTransactionKind: true });
}

const listSchema = z.object({ items: z.array(z.object({ digest: z.string(), state: z.string() })) });

/** Runs a fund through every state of its rows, and ends with one row in each of them. */
export async function simulateFund(
  access: ServiceAccess,
  key: string,
  funded: ProjectFund,
  clocks: Clocks,
): Promise<void> {
  const gas = createSuiGasClient({ baseUrl: access.serviceUrl, accessKey: key });
  const sui = new SuiGrpcClient({ network: "localnet", baseUrl: `${access.chainUrl}/sui` });
  const user = new Ed25519Keypair();
  const path = `/funds/${funded.fundId}`;

  const order = async (method: string, orderPath: string, body?: object, idempotencyKey?: string) =>
    expectAnswer(orderPath, await adminCall(access, method, orderPath, body, idempotencyKey), z.unknown());
  const params = async (name: string, gasBudget = SMALL_BUDGET_MIST) => ({
    transactionBytes: await kind(name),
    sender: user.toSuiAddress(),
    gasBudget,
  });
  const sponsor = async (name: string, gasBudget?: bigint) =>
    resultOf(await gas.sponsorTransactionBlock(await params(name, gasBudget), { idempotencyKey: name }));
  const prepare = async (name: string) =>
    resultOf(await gas.prepareTransactionBlock(await params(name), { idempotencyKey: name }));
  const stateOf = async (digest: string) =>
    listSchema.parse(await order("GET", `${path}/sponsorships?limit=200`)).items.find((item) => item.digest === digest)
      ?.state;
  const untilState = (state: string, { txDigest }: { readonly txDigest: string }) =>
    until(`${state} of ${txDigest}`, async () => (await stateOf(txDigest)) === state);
  const failSubmits = () =>
    post(`${access.chainUrl}/control/fault`, { method: SUBMIT, mode: "unavailable_before_commit", times: 1_000 });

  const address = funded.depositAddress;
  const sendParty = () =>
    sendPartyCoins(sui, (to, amountMist) => faucet(access.chainUrl, to, amountMist), address, [PARTY_MIST]);

  await order("PATCH", path, { sponsorshipFee: String(FEE_MIST), lowBalance: String(SUI_MIST) });
  await order("PATCH", path, { policy: { maxGasBudget: null, senders: { deny: ["0xbad"] } } });
  await post(`${access.chainUrl}/faucet`, {
    network: SUI_NETWORK,
    address,
    amount: `${SUI_MIST}`,
    form: "address_balance",
  });
  await order("POST", `${path}/refresh`);
  await sendParty();
  await order("POST", `${path}/refresh`);
  const dead = await prepare("dead");
  const merged = await sponsor("complete", LARGE_BUDGET_MIST);
  const { signature } = await user.signTransaction(merged.txBytes);
  await sui.executeTransaction({ transaction: merged.txBytes, signatures: [signature, merged.signature] });
  await untilState("complete", merged);
  // By a second look the fund believes its chain: its facts have to be old enough to be asked for again.
  await new Promise((r) => setTimeout(r, AGED_FACTS_MS));
  await order("POST", `${path}/refresh`);
  const prepared = await prepare("complete too");
  const { signature: senderSignature } = await user.signTransaction(prepared.txBytes);
  resultOf(await gas.executeTransactionBlock({ txDigest: prepared.txDigest, senderSignature }));
  const recycled = await sponsor("recycled");

  const firstHourMs = SPONSORSHIP_TTL_MS + 60_000 + AGED_FACTS_MS;
  await clocks.set(firstHourMs);
  await untilState("dead", dead);
  await untilState("dead", recycled);
  const withdrawal = { to: user.toSuiAddress(), amount: String(FEE_MIST), from: "fees" };
  await order("POST", `${path}/withdraw`, withdrawal, "the fixture's withdrawal");
  const recycling = await sponsor("to be recycled");
  const secondAbandonedMs = firstHourMs + BETWEEN_ABANDONED_MS;
  await clocks.set(secondAbandonedMs);
  const quarantined = await sponsor("quarantined");
  await clocks.setWith(secondAbandonedMs + SPONSORSHIP_TTL_MS + AFTER_LAST_EXPIRY_MS, async () => {
    await sendParty();
    await failSubmits();
  });
  await untilState("expired", recycling);
  await untilState("expired", quarantined);
  await sponsor("signed");
  await prepare("prepared");
  await faucet(access.chainUrl, address, LATE_DEPOSIT_MIST);
  await order("POST", `${path}/refresh`);
}
