import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { MIST_PER_SUI } from "../../amounts.ts";
import { formatSui } from "../../coin-text.ts";
import { createKey, SUI_NETWORK } from "../client/admin.ts";
import { createFundInProject, deposit } from "../client/funds.ts";
import { heading, step } from "../terminal.ts";
import { tellAptosStory } from "./aptos.ts";
import type { Chapter, StoryContext, StoryService } from "./chapter.ts";
import { gasCalls } from "./gas-calls.ts";
import { tellBooks, tellFee, tellRefusals } from "./operating.ts";
import { tellAbandoned, tellPrepareAndExecute, tellSponsor } from "./sponsoring.ts";
import { tellWorkflows } from "./workflows.ts";

const DEPOSIT_MIST = 10n * MIST_PER_SUI;

/**
 * Runs the work of an operator, a back end and a user, with a fund of its own. It goes from the first deposit to the
 * last figure.
 *
 * @throws UnexpectedAnswer as soon as any step fails.
 */
export async function tellStory(stage: StoryService): Promise<void> {
  heading("1. An operator makes a fund, and deposits to it");
  const fund = await createFundInProject(stage, `story of ${new Date().toISOString()}`);
  step("fund", `${fund.fundId} on ${SUI_NETWORK}`);
  step("deposit", `${formatSui(DEPOSIT_MIST)} from the faucet to ${fund.depositAddress}`);
  await deposit(stage, fund, [DEPOSIT_MIST]);
  const { key } = await createKey(stage, fund.projectId, { name: "story", rights: ["gas"], fundId: fund.fundId });
  const gas = gasCalls(stage.serviceUrl, key);
  const before = await gas.fund();
  step("balance", `${formatSui(before.balance)}: it paid its own gas for splitting the deposit into gas coins`);

  const user = new Ed25519Keypair();
  const teller: StoryContext = { stage, fund, key, gas, user, sender: user.toSuiAddress() };
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

/** Runs the Aptos chapter. The demo's fund on Aptos pays, so the story's own fund pays nothing here. */
async function tellAptos({ stage }: StoryContext): Promise<bigint> {
  await tellAptosStory(stage);
  return 0n;
}
