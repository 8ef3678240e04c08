import { formatSui } from "../../coin-text.ts";
import { UnexpectedAnswer } from "../client/http.ts";
import { step } from "../terminal.ts";
import { must, type StoryContext } from "./chapter.ts";
import type { Prepared } from "./gas-calls.ts";
import { mintKind, netChargeMist, signatureOf, stockClient, submit, untilComplete } from "./gas-calls.ts";
import { tellCharge, tellMainJob } from "./main-job.ts";

const AFTER_PREPARED_EXPIRY_MS = 601_000;

/** Runs the chapter of a sponsorship that the user's client submits. */
export async function tellSponsor({ stage, fund, key, user }: StoryContext): Promise<bigint> {
  const job = { ...stage, key, user, demoPackage: stage.contracts.suiPackage, badgeName: "Sponsored" };
  return (await tellMainJob(stage, fund.fundId, job)).chargedMist;
}

const clock = (atMs: number) => new Date(atMs).toISOString();

async function tellPrepared({ stage, gas, sender }: StoryContext, badgeName: string): Promise<Prepared> {
  const prepared = await gas.prepare(await mintKind(stage.contracts.suiPackage, badgeName), sender);
  step("prepared", `until ${clock(prepared.expireAtTime * 1_000)}, ${prepared.txDigest}: nobody has signed yet`);
  return prepared;
}

/** Runs the chapter of a prepared transaction that the service executes. */
export async function tellPrepareAndExecute(teller: StoryContext): Promise<bigint> {
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

/** Runs the chapter of a prepared transaction that is never executed. */
export async function tellAbandoned(teller: StoryContext): Promise<bigint> {
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
