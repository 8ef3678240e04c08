import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, SERVICE } from "../../shared/cli/build.ts";
import type { AdminAccess } from "../../shared/cli/client/admin.ts";
import { UnexpectedAnswer } from "../../shared/cli/client/http.ts";
import type { Hold } from "../../shared/cli/command.ts";
import type { Variables } from "../../shared/cli/platform.ts";
import { randomServiceSecrets } from "../../shared/cli/secrets.ts";
import { print } from "../../shared/cli/terminal.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";
import { formatCoin } from "../../shared/coin-text.ts";
import type { Chain } from "../devchain/truth/listed-differences.ts";
import { DepositGuard } from "./deposit-guard.ts";
import { createStoryFund, fundedSteps } from "./funded-story.ts";
import { giveBack } from "./give-back.ts";
import { type Kept, keep, readKept } from "./kept-fund.ts";
import type { Node } from "./node.ts";
import { type Purse, STAKES } from "./purse.ts";
import { tellSteps, tellStory } from "./story.ts";

/** A node by URL. */
export interface Given {
  readonly chain: Chain;
  readonly url: string;
  readonly node: Node;
  /** Null: no key is given. */
  readonly purse: Purse | null;
}

const STEP_TIMEOUT_MS = 60_000;
const NODES = { Sui: "SUI_LOCALNET_NODES", Aptos: "APTOS_LOCALNET_NODES" } as const;
/** The service asks no node but those that are given. */
const NO_NODES = Object.fromEntries(
  ["MAINNET", "TESTNET", "DEVNET", "LOCALNET"].flatMap((network) => [
    [`SUI_${network}_NODES`, ""],
    [`APTOS_${network}_NODES`, ""],
    [`APTOS_${network}_INDEXERS`, ""],
  ]),
);
const NEEDS_KEY = {
  Sui: "deposits, sponsorships, withdrawals and the books: CHAIN_TRUTH_SUI_KEY is not set",
  Aptos: "deposits, embedded wallets, withdrawals and the books: CHAIN_TRUTH_APTOS_KEY is not set",
} as const;
const NEEDS_ORDERS = "fees, the workflows, the demo, faults, lags and epochs: the development chain alone has them";

const coins = (chain: Chain, atoms: bigint) => formatCoin(chain === "Sui" ? "sui" : "aptos", atoms);

async function startService(stateDirectory: string, secrets: Variables, nodes: readonly Given[], hold: Hold) {
  const vars = { ...secrets, ...NO_NODES, ...Object.fromEntries(nodes.map(({ chain, url }) => [NODES[chain], url])) };
  const service = await startWorkerd({ bundle: await build(SERVICE), stateDirectory, vars });
  hold(() => service.kill());
  return { serviceUrl: service.url, adminToken: secrets.ADMIN_TOKEN ?? "", timeoutMs: STEP_TIMEOUT_MS };
}

/** Starts a service that knows these nodes, and tells what can be told. Returns false if a step fails. */
export async function tellStories(nodes: readonly Given[], hold: Hold): Promise<boolean> {
  const stateDirectory = await mkdtemp(join(tmpdir(), "gasworks-node-"));
  const kept: Kept = { secrets: randomServiceSecrets(), funds: [] };
  hold(() => (kept.funds.length > 0 ? undefined : rm(stateDirectory, { recursive: true, force: true })));
  const access = await startService(stateDirectory, kept.secrets, nodes, hold);
  let areWell = true;
  for (const { chain, url, node, purse } of nodes) {
    const told = (line: string) => print(node.withoutSecrets(line));
    print(`Gasworks with ${chain} at ${node.host}:`);
    areWell = (await tellStory(access, chain, told)) && areWell;
    if (purse === null) print(`  left out  ${NEEDS_KEY[chain]}`);
    else areWell = (await tellFunded({ access, chain, url, purse, stateDirectory, kept, told, hold })) && areWell;
  }
  print(`  left out  ${NEEDS_ORDERS}`);
  return areWell;
}

interface Funded {
  readonly access: AdminAccess;
  readonly chain: Chain;
  readonly url: string;
  readonly purse: Purse;
  readonly stateDirectory: string;
  readonly kept: Kept;
  readonly told: (line: string) => void;
  readonly hold: Hold;
}

/** Whatever ends the story, what is left in its fund goes back to the key before the service stops. */
async function tellFunded({ access, chain, url, purse, stateDirectory, kept, told, hold }: Funded): Promise<boolean> {
  const { depositAtoms, gasAtoms } = STAKES[chain];
  const fund = await createStoryFund(access, chain);
  const { fundId, depositAddress } = fund;
  const one = { chain, fundId, depositAddress, to: purse.address, isSent: false };
  kept.funds.push(one);
  await keep(stateDirectory, kept);
  told(
    `  money     at most ${coins(chain, depositAtoms + gasAtoms)} leaves ${purse.address}, and what is left comes back`,
  );
  told(`  money     until then it is in the fund at ${fund.depositAddress}, and its state in ${stateDirectory}`);
  const guard = new DepositGuard({
    noteSent: () => {
      one.isSent = true;
      return keep(stateDirectory, kept);
    },
    giveBack: () => tellGivenBack(access, one, stateDirectory, kept, told),
  });
  hold(async () => void (await guard.giveBackOnce()));
  const sending = () => guard.sending();
  const isWell = await tellSteps(fundedSteps({ access, chain, url, purse, fund, sending }), told);
  return (await guard.giveBackOnce()) && isWell;
}

async function tellGivenBack(
  access: AdminAccess,
  one: Kept["funds"][number],
  stateDirectory: string,
  kept: Kept,
  told: (line: string) => void,
): Promise<boolean> {
  const { chain, fundId, depositAddress, to } = one;
  try {
    const left = one.isSent ? await giveBack(access, fundId, to) : 0n;
    if (left > STAKES[chain].leftAtoms) throw new UnexpectedAnswer(`the fund still owns ${coins(chain, left)}`);
    if (one.isSent)
      told(
        `  ok        the rest is back at ${to}, the books are exact, and ${coins(chain, left)} stays for lack of gas`,
      );
    kept.funds.splice(kept.funds.indexOf(one), 1);
    await keep(stateDirectory, kept);
    return true;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    told(`  failed    giving the rest back to ${to}: ${error.message}`.slice(0, 300));
    told(`  money     it is in the fund at ${depositAddress}. Get it back with the same node:`);
    told(`  money     npm run check-node -- --give-back ${stateDirectory}`);
    return false;
  }
}

/** Gives back what stories have left in the funds of a state directory, and then removes it. */
export async function giveBackKept(stateDirectory: string, nodes: readonly Given[], hold: Hold): Promise<boolean> {
  const kept = await readKept(stateDirectory);
  hold(() => (kept.funds.length > 0 ? undefined : rm(stateDirectory, { recursive: true, force: true })));
  const access = await startService(stateDirectory, kept.secrets, nodes, hold);
  let areWell = true;
  for (const one of [...kept.funds]) {
    const given = nodes.find(({ chain }) => chain === one.chain);
    if (given === undefined) print(`${one.chain}: a fund at ${one.depositAddress} waits for a node.`);
    const told = (line: string) => print(given?.node.withoutSecrets(line) ?? line);
    areWell = given !== undefined && (await tellGivenBack(access, one, stateDirectory, kept, told)) && areWell;
  }
  return areWell;
}
