import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import * as z from "zod";
import { MIST_PER_SUI } from "../../amounts.ts";
import { formatSui } from "../../coin-text.ts";
import { adminCall, createKey, getFund } from "../client/admin.ts";
import { expectAnswer } from "../client/http.ts";
import { rpcCall, SUI_GAS_PATH } from "../client/rpc.ts";
import { step } from "../terminal.ts";
import { must, type StoryContext } from "./chapter.ts";
import { gasCalls, kindOf, mintKind, netChargeMist, signatureOf, stockClient } from "./gas-calls.ts";

const FEE_MIST = MIST_PER_SUI / 1_000n;

const rpcErrorSchema = z.object({
  error: z.object({
    code: z.int(),
    data: z.object({ reason: z.string(), details: z.string(), rule: z.string().optional() }),
  }),
});

async function patchStoryFund({ stage, fund }: StoryContext, fields: object): Promise<void> {
  expectAnswer("changing the fund", await adminCall(stage, "PATCH", `/funds/${fund.fundId}`, fields), z.object({}));
}

/** Runs the chapter of refused calls. */
export async function tellRefusals(teller: StoryContext): Promise<bigint> {
  const { stage, fund, key, sender } = teller;
  const call = (accessKey: string, method: string, params: readonly unknown[]) =>
    rpcCall(`${stage.serviceUrl}${SUI_GAS_PATH}`, accessKey, method, params);
  const refused = async (what: string, reason: string, answer: ReturnType<typeof call>, rule?: string) => {
    const { status, body } = await answer;
    const error = rpcErrorSchema.safeParse(body).data?.error;
    must(
      error?.data.reason === reason && error.data.rule === rule,
      `${what} should be refused (${reason}), but: ${status} ${JSON.stringify(body)}`,
    );
    step(what, `${error?.code} ${reason}: ${error?.data.details}`);
  };
  const theft = await kindOf((transaction) => {
    transaction.transferObjects([transaction.gas], sender);
  });
  await refused("gas coin", "gas_coin_used", call(key, "gas_sponsorTransactionBlock", [theft, sender]));

  await patchStoryFund(teller, { policy: { maxGasBudget: "1000000" } });
  const badge = await mintKind(stage.contracts.suiPackage, "Too dear");
  await refused("limit", "policy_refused", call(key, "gas_sponsorTransactionBlock", [badge, sender]), "maxGasBudget");
  await patchStoryFund(teller, { policy: { maxGasBudget: "500000000" } });

  const terms = { name: "to be disabled", rights: ["gas"], fundId: fund.fundId };
  const made = await createKey(stage, fund.projectId, terms);
  await gasCalls(stage.serviceUrl, made.key).fund();
  step("key", `${made.id} is new, and serves`);
  const patched = await adminCall(stage, "PATCH", `/keys/${made.id}`, { status: "disabled" });
  expectAnswer("disabling the key", patched, z.object({ status: z.literal("disabled") }));
  await refused("disabled", "bad_key", call(made.key, "gas_getFund", []));
  return 0n;
}

const toMist = z.string().transform(BigInt);

const withdrawalSchema = z.object({ digest: z.string(), state: z.literal("complete") });

const ledgerSchema = z.object({ items: z.array(z.object({ reference: z.string(), balance: toMist })) });

/** Runs the chapter of a sponsorship with a fee. */
export async function tellFee(teller: StoryContext): Promise<bigint> {
  const { stage, fund, gas, user, sender } = teller;
  await patchStoryFund(teller, { sponsorshipFee: FEE_MIST.toString() });
  const { txBytes, txDigest } = await gas.prepare(await mintKind(stage.contracts.suiPackage, "With a fee"), sender);
  const { effects } = await gas.execute(txDigest, await signatureOf(user, txBytes));
  const { accruedFees } = await getFund(stage, fund.fundId);
  must(accruedFees === FEE_MIST.toString(), `the fund has earned ${accruedFees} MIST, not ${FEE_MIST}`);
  step("earned", `${formatSui(FEE_MIST)} by a sponsorship that completed`);

  const to = new Ed25519Keypair().toSuiAddress();
  const withdraw = async () => {
    const body = { to, amount: accruedFees, from: "fees" };
    const answer = await adminCall(stage, "POST", `/funds/${fund.fundId}/withdraw`, body, "the story's fee");
    return expectAnswer("the withdrawal", answer, withdrawalSchema).digest;
  };
  const digest = await withdraw();
  step("collected", `to the operator's own address, ${digest}`);
  must((await withdraw()) === digest, "a repeated withdrawal is another one");
  const chain = stockClient(stage.chainUrl);
  // The node shows it with its checkpoint.
  await chain.waitForTransaction({ digest });
  const received = (await chain.getBalance({ owner: to })).balance.balance;
  must(received === accruedFees, `the operator has ${received} MIST, not ${accruedFees}`);
  step("repeated", "with the same Idempotency-Key: the same digest, paid once");
  const listed = await adminCall(stage, "GET", `/funds/${fund.fundId}/ledger`);
  const { items } = expectAnswer("the ledger", listed, ledgerSchema);
  const paidMist = items.find(({ reference }) => reference === digest)?.balance ?? 0n;
  return netChargeMist(effects.gasUsed) - paidMist;
}

const reconciliationSchema = z.object({ exact: z.literal(true), coins: z.int() });

/** Compares the fund's books with the story's charges and with the chain. */
export async function tellBooks({ stage, fund }: StoryContext, beforeMist: bigint, chargedMist: bigint): Promise<void> {
  const { balance, inFlight } = await getFund(stage, fund.fundId);
  const balanceMist = toMist.parse(balance);
  const onChain = await stockClient(stage.chainUrl).getBalance({ owner: fund.depositAddress });
  step("before", formatSui(beforeMist));
  step("charges", `${formatSui(chargedMist)}, with the fee that was taken out and the gas of that`);
  step("balance", `${formatSui(balanceMist)} = before − charges, ${formatSui(toMist.parse(inFlight))} in flight`);
  step("on chain", `${formatSui(toMist.parse(onChain.balance.balance))}, counted by the stock client`);
  must(balanceMist === beforeMist - chargedMist, `the balance should be ${formatSui(beforeMist - chargedMist)}`);
  must(toMist.parse(onChain.balance.balance) === balanceMist, "the chain counts another balance than the fund");
  const compared = await adminCall(stage, "POST", `/funds/${fund.fundId}/reconcile`);
  const { coins } = expectAnswer("the reconciliation", compared, reconciliationSchema);
  step("reconciled", `exact: ${coins} coins, each as the chain has it`);
}
