import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import * as z from "zod";
import { formatSui, MIST_PER_SUI } from "../../amounts.ts";
import { adminCall, createKey, getFund, SUI_NETWORK } from "../client/admin.ts";
import { createFundInProject, deposit, type ProjectFund, type ServiceAccess } from "../client/funds.ts";
import { expectAnswer, http, UnexpectedAnswer } from "../client/http.ts";
import { rpcCall, SUI_GAS_PATH } from "../client/rpc.ts";
import type { LocalDemo } from "../demo-state.ts";
import { heading, step } from "../terminal.ts";
import { tellAptosStory } from "./aptos.ts";
import type { DemoContracts } from "./demo-contracts.ts";
import {
  effectsSchema,
  type GasCalls,
  gasCalls,
  kindOf,
  mintKind,
  netChargeMist,
  type Prepared,
  signatureOf,
  stockClient,
  submit,
  untilComplete,
} from "./gas-calls.ts";
import { tellCharge, tellMainJob } from "./main-job.ts";

/** Where the story is told: a running service beside its development chain. */
export interface Stage extends ServiceAccess {
  readonly callerSecret: string;
  /** Its keys are the ones that the workflows use. */
  readonly demo: LocalDemo;
  readonly contracts: DemoContracts;
  /** Moves the clocks of service and chain; null where they are not ours to move. */
  readonly advance: ((ms: number) => Promise<void>) | null;
}

const DEPOSIT_MIST = 10n * MIST_PER_SUI;
const AFTER_PREPARED_EXPIRY_MS = 601_000;
const FEE_MIST = MIST_PER_SUI / 1_000n;

/** What all chapters after the first share. */
interface Teller {
  readonly stage: Stage;
  readonly fund: ProjectFund;
  readonly key: string;
  readonly gas: GasCalls;
  readonly user: Ed25519Keypair;
  readonly sender: string;
}

/** Tells a chapter and returns what it cost the story's fund, MIST. */
type Chapter = (teller: Teller) => Promise<bigint>;

function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new UnexpectedAnswer(otherwise);
}

/**
 * What an operator, a back end and a user do with the service, from the first deposit to the last figure, against a
 * fund of its own.
 *
 * @throws UnexpectedAnswer as soon as anything is not as it must be.
 */
export async function tellStory(stage: Stage): Promise<void> {
  heading("1. An operator makes a fund, and deposits to it");
  const fund = await createFundInProject(stage, `story of ${new Date().toISOString()}`);
  step("fund", `${fund.fundId} on ${SUI_NETWORK}`);
  step("deposit", `${formatSui(DEPOSIT_MIST)} from the faucet to ${fund.depositAddress}`);
  await deposit(stage, fund, [DEPOSIT_MIST]);
  const { key } = await createKey(stage, fund.projectId, { name: "story", rights: ["gas"], fundId: fund.fundId });
  const gas = gasCalls(stage.serviceUrl, key);
  const before = await gas.fund();
  step("balance", `${formatSui(before.balance)}: it paid its own gas for splitting the deposit into coins to lend`);

  const user = new Ed25519Keypair();
  const teller: Teller = { stage, fund, key, gas, user, sender: user.toSuiAddress() };
  let chargedMist = 0n;
  for (const [index, [title, chapter]] of chapters.entries()) {
    heading(`${index + 2}. ${title}`);
    chargedMist += await chapter(teller);
  }
  heading(`${chapters.length + 2}. The books`);
  await tellBooks(teller, before.balance, chargedMist);
}

const chapters: readonly (readonly [title: string, chapter: Chapter])[] = [
  ["Sponsor: the fund signs first, and the user's client executes", tellSponsor],
  ["Prepare and execute: the fund signs only after the user", tellPrepareAndExecute],
  ["The app's workflows, and its policy", tellWorkflows],
  ["A user who walks away costs nothing", tellAbandoned],
  ["What the service refuses", tellRefusals],
  ["The operator earns a fee, and takes it out", tellFee],
  ["A wallet on Aptos, whose user owns no APT", tellAptos],
];

async function tellSponsor({ stage, fund, key, user }: Teller): Promise<bigint> {
  const job = { ...stage, key, user, demoPackage: stage.contracts.suiPackage, badgeName: "Sponsored" };
  return (await tellMainJob(stage, fund.fundId, job)).chargedMist;
}

const clock = (atMs: number) => new Date(atMs).toISOString();

async function tellPrepared({ stage, gas, sender }: Teller, badgeName: string): Promise<Prepared> {
  const prepared = await gas.prepare(await mintKind(stage.contracts.suiPackage, badgeName), sender);
  step("prepared", `until ${clock(prepared.expireAtTime * 1_000)}, ${prepared.txDigest}: nobody has signed yet`);
  return prepared;
}

async function tellPrepareAndExecute(teller: Teller): Promise<bigint> {
  const { stage, fund, gas, user } = teller;
  const { txBytes, txDigest } = await tellPrepared(teller, "Prepared");
  const signature = await signatureOf(user, txBytes);
  const refusal = await submit(stockClient(stage.chainUrl), txBytes, [signature]).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (refusal === null) throw new UnexpectedAnswer("the chain executed what the user alone had signed");
  must(/signature/i.test(refusal), `the chain refused the user's signature for another reason: ${refusal}`);
  step("user alone", `refused by the chain: ${refusal}`);

  const { effects } = await gas.execute(txDigest, signature);
  must(effects.status.status === "success", "the prepared transaction failed on chain");
  step("executed", `by the service, which added the fund's signature: ${effects.status.status}`);
  step("status", await untilComplete(gas, txDigest));
  const chargedMist = netChargeMist(effects.gasUsed);
  await tellCharge(stage, fund.fundId, txDigest, chargedMist);
  return chargedMist;
}

const flowSponsoredSchema = z.object({ txBytes: z.base64(), txDigest: z.string() });
const flowExecutedSchema = z.object({ status: z.literal("success"), effects: effectsSchema });
const flowErrorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

async function tellWorkflows({ stage, user, sender }: Teller): Promise<bigint> {
  const flow = (name: string, body: object, headers: object = {}) =>
    http(`${stage.serviceUrl}/flows/${name}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${stage.callerSecret}`,
        "x-user-id": "ada",
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const kind = await mintKind(stage.contracts.suiPackage, "From a workflow");
  const answer = await flow("sponsor", { transactionKind: kind, sender });
  const { txBytes, txDigest } = expectAnswer("/flows/sponsor", answer, flowSponsoredSchema);
  step(
    "sponsor",
    `the policy allows a badge; prepared ${txDigest} with the app's own access key: the demo's fund pays`,
  );
  const signed = { txBytes, signature: await signatureOf(user, txBytes) };
  const execution = await flow("execute-sponsored", signed, { "idempotency-key": txDigest });
  const { status, effects } = expectAnswer("/flows/execute-sponsored", execution, flowExecutedSchema);
  step("executed", `the user has signed: ${status}`);
  await tellCharge(stage, stage.demo.fundId, txDigest, netChargeMist(effects.gasUsed));

  const foreign = await kindOf((transaction) => {
    transaction.moveCall({ target: "0x2::coin::zero", typeArguments: ["0x2::sui::SUI"] });
  });
  const refused = await flow("sponsor", { transactionKind: foreign, sender });
  const { error } = flowErrorSchema.safeParse(refused.body).data ?? { error: { code: "", message: "" } };
  must(
    refused.status === 403 && error.code === "policy_refused",
    `the policy should refuse 0x2::coin::zero, but /flows/sponsor answered ${refused.status}: ${JSON.stringify(refused.body)}`,
  );
  step("refused", `0x2::coin::zero: ${refused.status} ${error.code}: ${error.message}`);
  // The workflows' access key belongs to the demo's fund, so the story's own pays nothing here.
  return 0n;
}

async function tellAbandoned(teller: Teller): Promise<bigint> {
  const { stage, gas } = teller;
  const before = await gas.fund();
  const { txDigest } = await tellPrepared(teller, "Abandoned");
  const held = await gas.fund();
  must(held.inFlight > before.inFlight, "a prepared sponsorship holds no budget");
  must(held.balance === before.balance, "a sponsorship that nobody signed has cost something");
  step("held", `${formatSui(held.inFlight)} of the fund, until then; the user never signs`);
  if (stage.advance === null) return 0n;

  await stage.advance(AFTER_PREPARED_EXPIRY_MS);
  const status = await gas.status(txDigest);
  const after = await gas.fund();
  must(status === "INVALID", `a prepared sponsorship is ${status} after its ten minutes`);
  must(after.inFlight === before.inFlight, `${formatSui(after.inFlight)} is still held after the ten minutes`);
  must(after.balance === before.balance, "an abandoned sponsorship has cost something");
  step("later", `after ten minutes (the clocks were moved) ${status}, ${formatSui(after.inFlight)} held, nothing paid`);
  return 0n;
}

const rpcErrorSchema = z.object({
  error: z.object({
    code: z.int(),
    data: z.object({ reason: z.string(), details: z.string(), rule: z.string().optional() }),
  }),
});

async function patchStoryFund({ stage, fund }: Teller, fields: object): Promise<void> {
  expectAnswer("changing the fund", await adminCall(stage, "PATCH", `/funds/${fund.fundId}`, fields), z.object({}));
}

async function tellRefusals(teller: Teller): Promise<bigint> {
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

async function tellFee(teller: Teller): Promise<bigint> {
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

/** The demo's fund on Aptos pays, so the story's own pays nothing here. */
async function tellAptos({ stage }: Teller): Promise<bigint> {
  await tellAptosStory(stage);
  return 0n;
}

const reconciliationSchema = z.object({ exact: z.literal(true), coins: z.int() });

async function tellBooks({ stage, fund }: Teller, beforeMist: bigint, chargedMist: bigint): Promise<void> {
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
