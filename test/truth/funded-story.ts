import { EntryFunction, MoveVector } from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { type AdminAccess, createKey, refreshPast } from "../../shared/cli/client/admin.ts";
import { createFundInProject, type ProjectFund } from "../../shared/cli/client/funds.ts";
import { UnexpectedAnswer } from "../../shared/cli/client/http.ts";
import { runWalletJob } from "../../shared/cli/story/aptos.ts";
import { gasCalls, kindOf, signatureOf, submit, untilComplete } from "../../shared/cli/story/gas-calls.ts";
import type { Chain } from "../devchain/truth/listed-differences.ts";
import { aptosAt, type Purse, STAKES, suiAt } from "./purse.ts";
import { NETWORKS, type Step } from "./story.ts";

/** What a story with money needs. */
export interface FundedStage {
  readonly access: AdminAccess;
  readonly chain: Chain;
  /** Of the node. */
  readonly url: string;
  readonly purse: Purse;
  readonly fund: ProjectFund;
  /** Notes that the deposit may arrive, whatever happens from now on. */
  readonly sending: () => Promise<void>;
}

/** Makes the story's fund, which owns nothing yet. */
export function createStoryFund(access: AdminAccess, chain: Chain): Promise<ProjectFund> {
  const project = { secretDerivation: "hkdf" };
  return createFundInProject(access, `funded story on ${chain}`, { network: NETWORKS[chain] }, project);
}

/** The part of the end-to-end stories that a fund pays for, up to the moment when the rest is given back. */
export function fundedSteps(stage: FundedStage): readonly Step[] {
  return [
    { title: "the key's deposit arrives in a fund", run: () => deposit(stage) },
    ...(stage.chain === "Sui" ? suiSteps(stage) : aptosSteps(stage)),
  ];
}

async function deposit({ access, chain, purse, fund, sending }: FundedStage): Promise<void> {
  const { depositAtoms, gasAtoms } = STAKES[chain];
  const owned = await purse.balance();
  if (owned < depositAtoms + gasAtoms)
    throw new UnexpectedAnswer(`the key owns ${owned}, and the story needs ${depositAtoms + gasAtoms}`);
  await purse.pay(fund.depositAddress, depositAtoms, sending);
  await refreshPast(access, fund.fundId, 0n);
}

function keyOf({ access, chain, fund }: FundedStage, rights: readonly string[]) {
  return createKey(access, fund.projectId, {
    name: "funded story",
    network: NETWORKS[chain],
    rights,
    fundId: fund.fundId,
  });
}

/** A call that any network of Sui executes, of a user who owns nothing. */
function clockKind(): Promise<string> {
  return kindOf((transaction) => {
    transaction.moveCall({ target: "0x2::clock::timestamp_ms", arguments: [transaction.object.clock()] });
  });
}

function suiSteps(stage: FundedStage): readonly Step[] {
  const { access, url } = stage;
  const user = new Ed25519Keypair();
  const sender = user.toSuiAddress();
  const calls = async () => gasCalls(access.serviceUrl, (await keyOf(stage, ["gas"])).key);

  const sponsors = async () => {
    const gas = await calls();
    const { txBytes, txDigest, signature } = await gas.sponsor(await clockKind(), sender);
    const { executedSuccessfully, digest } = await submit(suiAt(url), txBytes, [
      await signatureOf(user, txBytes),
      signature,
    ]);
    if (!executedSuccessfully || digest !== txDigest) throw new UnexpectedAnswer(`${digest} has failed on chain`);
    await untilComplete(gas, digest);
  };
  const prepares = async () => {
    const gas = await calls();
    const { txBytes, txDigest } = await gas.prepare(await clockKind(), sender);
    const { effects } = await gas.execute(txDigest, await signatureOf(user, txBytes));
    if (effects.status.status !== "success") throw new UnexpectedAnswer(`${txDigest} has failed on chain`);
    await untilComplete(gas, txDigest);
  };
  return [
    { title: "a sponsored transaction is executed by the stock client, and is COMPLETE", run: sponsors },
    { title: "a prepared transaction is executed by the service, and is COMPLETE", run: prepares },
  ];
}

function aptosSteps(stage: FundedStage): readonly Step[] {
  const { access, url, fund } = stage;
  const paysForWallet = async () => {
    const { key } = await keyOf(stage, ["wallet", "gas", "node"]);
    const nobody = [new MoveVector([]), new MoveVector([])];
    const call = EntryFunction.build("0x1::aptos_account", "batch_transfer", [], nobody);
    await runWalletJob(access, { fundId: fund.fundId, key, aptos: aptosAt(url), call }, () => undefined);
  };
  return [
    { title: "an embedded wallet is made on chain and executes a transaction, and owns no APT", run: paysForWallet },
  ];
}
