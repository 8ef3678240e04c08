import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, SERVICE } from "../../shared/cli/build.ts";
import { type Hold, runCommand } from "../../shared/cli/command.ts";
import { randomServiceSecrets } from "../../shared/cli/secrets.ts";
import { LaunchError, parseOptions, print } from "../../shared/cli/terminal.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";
import type { Chain } from "../devchain/truth/listed-differences.ts";
import { LIMITS, type Node, nodeAt } from "./node.ts";
import { reportOf } from "./report.ts";
import { NEEDS_FAUCET, tellStory } from "./story.ts";
import { askNode } from "./suites.ts";

const USAGE = `Usage: CHAIN_TRUTH_SUI=<url> CHAIN_TRUTH_APTOS=<url> npm run check-node

Asks your node what was recorded of others, and compares the answers. Then starts a service of its own with your node,
and runs what needs no funds. Sends no transaction that can execute. test/truth/README.md explains the report.

  CHAIN_TRUTH_SUI         a full node of Sui, by gRPC-web
  CHAIN_TRUTH_APTOS       a full node of Aptos, by REST, with /v1
  --help                  this text

The exit code is 1 if an answer differs or is missing, or if a step fails. It is 0 if no URL is given.`;

const EXIT_INTERRUPTED = 130;
const STEP_TIMEOUT_MS = 60_000;
const VARIABLES = { Sui: "CHAIN_TRUTH_SUI", Aptos: "CHAIN_TRUTH_APTOS" } as const;
const NODES = { Sui: "SUI_LOCALNET_NODES", Aptos: "APTOS_LOCALNET_NODES" } as const;
/** The service asks no node but those that are given. */
const NO_NODES = Object.fromEntries(
  ["MAINNET", "TESTNET", "DEVNET", "LOCALNET"].flatMap((network) => [
    [`SUI_${network}_NODES`, ""],
    [`APTOS_${network}_NODES`, ""],
    [`APTOS_${network}_INDEXERS`, ""],
  ]),
);
const CHAINS: readonly Chain[] = ["Sui", "Aptos"];

interface Given {
  readonly chain: Chain;
  readonly url: string;
  readonly node: Node;
}

/** @throws LaunchError for what is no URL of a node. The text of the variable may be a key, and is not printed. */
function givenNodes(): readonly Given[] {
  return CHAINS.flatMap((chain) => {
    const url = process.env[VARIABLES[chain]] ?? "";
    if (url === "") return [];
    const node = nodeAt(url);
    if (node === null)
      throw new LaunchError(
        `${VARIABLES[chain]} must be one http or https URL, without user, password, query and fragment.`,
      );
    return [{ chain, url, node }];
  });
}

async function compareAnswers({ chain, node }: Given): Promise<boolean> {
  const { lines, isAsRecorded } = reportOf(chain, node.host, await askNode[chain](node), node.withoutSecrets);
  for (const line of lines) print(line);
  return isAsRecorded;
}

async function tellStories(nodes: readonly Given[], hold: Hold): Promise<boolean> {
  const stateDirectory = await mkdtemp(join(tmpdir(), "gasworks-node-"));
  hold(() => rm(stateDirectory, { recursive: true, force: true }));
  const secrets = randomServiceSecrets();
  const vars = { ...secrets, ...NO_NODES, ...Object.fromEntries(nodes.map(({ chain, url }) => [NODES[chain], url])) };
  const service = await startWorkerd({ bundle: await build(SERVICE), stateDirectory, vars });
  hold(() => service.kill());
  const access = { serviceUrl: service.url, adminToken: secrets.ADMIN_TOKEN, timeoutMs: STEP_TIMEOUT_MS };
  let areWell = true;
  for (const { chain, node } of nodes) {
    print(`Gasworks with ${chain} at ${node.host}:`);
    areWell = (await tellStory(access, chain, (line) => print(node.withoutSecrets(line)))) && areWell;
  }
  for (const story of NEEDS_FAUCET) print(`  left out  ${story}`);
  return areWell;
}

await runCommand({
  exitCodeWhenInterrupted: EXIT_INTERRUPTED,
  run: async (hold) => {
    if (parseOptions(USAGE, {}) === null) return 0;
    const nodes = givenNodes();
    for (const chain of CHAINS)
      if (!nodes.some((given) => given.chain === chain))
        print(`${chain}: no node was asked. ${VARIABLES[chain]} is not set.`);
    if (nodes.length === 0) return 0;
    const { timeoutMs, answerBytes } = LIMITS;
    print(`Each question has ${timeoutMs / 1_000} s, and each answer at most ${answerBytes / 1_048_576} MiB.`);
    let isWell = true;
    for (const given of nodes) isWell = (await compareAnswers(given)) && isWell;
    return (await tellStories(nodes, hold)) && isWell ? 0 : 1;
  },
});
