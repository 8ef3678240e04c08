import { styleText } from "node:util";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { formatSui } from "../coin-text.ts";
import { dashboardUrl, makeDashboardLink } from "./client/dashboard.ts";
import { UnexpectedAnswer } from "./client/http.ts";
import { SUI_GAS_PATH } from "./client/rpc.ts";
import { type Hold, runCommand } from "./command.ts";
import { DEMO_DEPOSIT_MIST, type Demo } from "./demo-state.ts";
import { type Local, launchLocal, launchOnTestnet, type OnTestnet } from "./launch.ts";
import { LOCAL, shown, TESTNET_PLACE } from "./place.ts";
import { tellMainJob } from "./story/main-job.ts";
import { heading, parseOptions, print, step } from "./terminal.ts";
import { tellDeposits, watchDeposits } from "./testnet.ts";

const USAGE = `Usage: npm start [-- --testnet]

Runs Gasworks on this machine until Ctrl-C, and keeps its state for the next start.

  (nothing)   with a development chain: sponsors and executes one transaction, no network needed
  --testnet   on Sui testnet through public nodes: makes a fund and shows where to send testnet SUI
  --help      this text

PORT (8787) and CHAIN_PORT (8788) in the environment choose other ports.`;

function curlOfFund(serviceUrl: string, { key }: Demo): string {
  const body = '{"jsonrpc":"2.0","id":1,"method":"gas_getFund","params":[]}';
  return `curl -s ${serviceUrl}${SUI_GAS_PATH} -H 'content-type: application/json' -H 'x-api-key: ${key}' -d '${body}'`;
}

const ENDING = styleText("dim", "Ctrl-C stops everything. The next start keeps the state.");

/** Prints the address of the dashboard. Its link is the only text of the terminal that logs a reader in. */
async function dashboardLines(service: Local | OnTestnet): Promise<string> {
  const link = await makeDashboardLink(service);
  return `  dashboard   ${dashboardUrl(service)}
  log in      ${link}  (once, within ten minutes; later with ADMIN_TOKEN)`;
}

function printHowTo({ serviceUrl, chainUrl, demo, contracts }: Local, dashboard: string): void {
  const state = shown(LOCAL.stateRoot);
  heading("Running");
  print(`${dashboard}
  service     ${serviceUrl}
  chain       ${chainUrl}  (Sui gRPC-web at /sui, Aptos REST at /aptos/v1, faucet at /faucet)
  example     ${serviceUrl}/example  (sign in, get a wallet, mint without gas)
  access key  ${demo.key}
  on Aptos    ${demo.aptosKey}
  workflows   /flows/…, with access keys of their own: what functions/policy.ts allows
  admin       ADMIN_TOKEN in .dev.vars, for ${serviceUrl}/admin/v1
  logs        ${state}/service.log
  state       ${state}/  (delete it to start afresh)`);
  heading("Try it");
  print(curlOfFund(serviceUrl, demo));
  heading("From your code");
  print(`  const tx = new Transaction();                                        // @mysten/sui/transactions
  tx.moveCall({ target: "${contracts.suiPackage}::demo::mint", arguments: [tx.pure.string("Hi")] });
  const kind = toBase64(await tx.build({ onlyTransactionKind: true }));
  const { txBytes, signature } = await rpc("gas_sponsorTransactionBlock", [kind, sender]);
  const user = await keypair.signTransaction(fromBase64(txBytes));
  await sui.executeTransaction({ transaction: fromBase64(txBytes), signatures: [user.signature, signature] });

${ENDING}`);
}

async function startLocal(hold: Hold): Promise<void> {
  const local = await launchLocal(LOCAL, hold);
  const { serviceUrl, chainUrl, demo, contracts } = local;
  heading("One sponsored transaction");
  const user = Ed25519Keypair.fromSecretKey(demo.userSecretKey);
  const wanted = { user, demoPackage: contracts.suiPackage, badgeName: "Hello from Gasworks" };
  const job = { serviceUrl, chainUrl, key: demo.key, ...wanted };
  try {
    const { after, chargedMist } = await tellMainJob(local, demo.fundId, job);
    const splitMist = DEMO_DEPOSIT_MIST - after.balance - chargedMist;
    if (local.isFirst)
      step("", `the other ${formatSui(splitMist)} of the deposit paid for splitting it into gas coins`);
  } catch (error) {
    // The operator may have paused the demo fund or disabled its key. The service must run to undo that.
    if (local.isFirst || !(error instanceof UnexpectedAnswer)) throw error;
    step("failed", error.message);
  }
  printHowTo(local, await dashboardLines(local));
}

function printNextSteps({ serviceUrl, demo }: OnTestnet, dashboard: string): void {
  const state = shown(TESTNET_PLACE.stateRoot);
  heading("Running");
  print(`${dashboard}
  service     ${serviceUrl}
  access key  ${demo.key}
  admin       ADMIN_TOKEN in .dev.vars, for ${serviceUrl}/admin/v1
  logs        ${state}/service.log
  state       ${state}/  (holds the fund's sealed key: without it, or without .dev.vars, its SUI is lost)`);
  heading("Next");
  print(`  1. Send testnet SUI to ${demo.depositAddress}
     for example from https://faucet.sui.io. The fund finds the deposit by itself.
  2. See what the fund holds:

${curlOfFund(serviceUrl, demo)}

  3. Sponsor with this access key, as the README shows, for users on testnet.`);
}

async function startOnTestnet(hold: Hold): Promise<void> {
  const onTestnet = await launchOnTestnet(TESTNET_PLACE, hold);
  printNextSteps(onTestnet, await dashboardLines(onTestnet));
  heading("Testnet");
  const fromMist = await tellDeposits(onTestnet);
  print(`\n${ENDING}`);
  const tell = (balanceMist: bigint) => {
    step("deposit", `has come: the fund holds ${formatSui(balanceMist)}`);
    step("next", "sponsor with the access key above, as step 3 says");
  };
  hold(watchDeposits(onTestnet, onTestnet.demo.fundId, { fromMist }, tell));
}

await runCommand({
  exitCodeWhenInterrupted: 0,
  run: async (hold) => {
    const options = parseOptions(USAGE, { testnet: { type: "boolean" } });
    if (options === null) return 0;
    await (options.testnet === true ? startOnTestnet(hold) : startLocal(hold));
    return "stay";
  },
});
