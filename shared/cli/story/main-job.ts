import { styleText } from "node:util";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { formatSui } from "../../coin-text.ts";
import { type AdminAccess, chargedToFund } from "../client/admin.ts";
import type { ServiceAccess } from "../client/funds.ts";
import { UnexpectedAnswer } from "../client/http.ts";
import { step } from "../terminal.ts";
import { type FundFigures, gasCalls, mintKind, signatureOf, stockClient, submit, untilComplete } from "./gas-calls.ts";

/** The input of one sponsored transaction. */
export interface MainJob {
  readonly serviceUrl: string;
  readonly chainUrl: string;
  /** An access key with the gas right. */
  readonly key: string;
  /** The user, who owns no SUI and needs none. */
  readonly user: Ed25519Keypair;
  /** Address of the Sui demo package. */
  readonly demoPackage: string;
  readonly badgeName: string;
}

/** The result of one sponsored transaction. */
export interface MainJobReport {
  readonly digest: string;
  readonly status: "COMPLETE";
  readonly executedSuccessfully: boolean;
  /** Computed from the effects that the stock client got: computation + storage − rebate. */
  readonly chargedMist: bigint;
  readonly before: FundFigures;
  readonly after: FundFigures;
}

/**
 * Runs the main job from the caller's side. A user without SUI mints a badge, and the fund pays. The stock SDK builds
 * and signs the transaction, and its stock client executes it. So this code is independent of the service's internals.
 *
 * @param progress called with each step as it is done.
 * @throws UnexpectedAnswer when any step fails.
 */
export async function runMainJob(
  job: MainJob,
  progress: (label: string, text: string) => void,
): Promise<MainJobReport> {
  const gas = gasCalls(job.serviceUrl, job.key);
  const sender = job.user.toSuiAddress();

  const before = await gas.fund();
  const kind = await mintKind(job.demoPackage, job.badgeName);
  progress("user", `${sender}, who owns no SUI, mints "${job.badgeName}"`);

  const sponsored = await gas.sponsor(kind, sender);
  progress("sponsored", `until ${new Date(sponsored.expireAtTime * 1000).toISOString()}, signed by the fund`);

  const signatures = [await signatureOf(job.user, sponsored.txBytes), sponsored.signature];
  const executed = await submit(stockClient(job.chainUrl), sponsored.txBytes, signatures);
  if (executed.digest !== sponsored.txDigest)
    throw new UnexpectedAnswer(`the chain executed ${executed.digest}, but ${sponsored.txDigest} was sponsored`);
  progress(
    "executed",
    `by the stock SuiGrpcClient, with both signatures: ${executed.executedSuccessfully ? "success" : "failure"}`,
  );

  const status = await untilComplete(gas, executed.digest);
  const after = await gas.fund();
  return { ...executed, status, before, after };
}

/**
 * Runs the main job for a person at the terminal. Prints each step, and the fund's payment.
 *
 * @throws UnexpectedAnswer when the transaction failed on chain, or when the fund's books differ from the chain's
 *   charge.
 */
export async function tellMainJob(access: ServiceAccess, fundId: string, job: MainJob): Promise<MainJobReport> {
  const report = await runMainJob(job, step);
  const { digest, status, executedSuccessfully, chargedMist, before, after } = report;
  step("digest", digest);
  step("status", styleText("bold", status));
  await tellCharge(access, fundId, digest, chargedMist);
  step("balance", `${formatSui(before.balance)} → ${formatSui(after.balance)}, ${formatSui(after.inFlight)} in flight`);
  if (!executedSuccessfully) throw new UnexpectedAnswer("the chain executed the transaction, but it failed");
  return report;
}

/** Prints the cost of a sponsorship, once the fund's own books and the chain agree on it. */
export async function tellCharge(
  access: AdminAccess,
  fundId: string,
  digest: string,
  chargedMist: bigint,
): Promise<void> {
  const paidMist = await chargedToFund(access, fundId, digest);
  if (paidMist !== chargedMist)
    throw new UnexpectedAnswer(`the chain charged ${chargedMist} MIST, but the fund's books say ${paidMist}`);
  step("fund paid", `${formatSui(paidMist)} (${paidMist} MIST)`);
}
