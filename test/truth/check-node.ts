import { type Hold, runCommand } from "../../shared/cli/command.ts";
import { LaunchError, parseOptions, print } from "../../shared/cli/terminal.ts";
import type { Chain } from "../devchain/truth/listed-differences.ts";
import { LIMITS, nodeAt } from "./node.ts";
import { purseOf } from "./purse.ts";
import { reportOf } from "./report.ts";
import { type Given, giveBackKept, tellStories } from "./service.ts";
import { askNode } from "./suites.ts";

const USAGE = `Usage: CHAIN_TRUTH_SUI=<url> CHAIN_TRUTH_APTOS=<url> npm run check-node

Asks your node what was recorded of others, and compares the answers. Then starts a service of its own with your node.
Without a key it runs what needs no funds, and sends no transaction that can execute. test/truth/README.md explains the
report, and what a key is for.

  CHAIN_TRUTH_SUI         a full node of Sui, by gRPC-web
  CHAIN_TRUTH_APTOS       a full node of Aptos, by REST, with /v1
  CHAIN_TRUTH_SUI_KEY     a funded key, suiprivkey1…, which pays for the stories that need a fund
  CHAIN_TRUTH_APTOS_KEY   the same for Aptos, ed25519-priv-0x…
  --give-back <directory> only gives back what a story that was interrupted has left in its fund
  --help                  this text

The exit code is 1 if an answer differs or is missing, or if a step fails. It is 0 if no URL is given.`;

const EXIT_INTERRUPTED = 130;
const VARIABLES = { Sui: "CHAIN_TRUTH_SUI", Aptos: "CHAIN_TRUTH_APTOS" } as const;
const CHAINS: readonly Chain[] = ["Sui", "Aptos"];

/** Takes a key out of the environment, also without a URL of its chain. So nothing that is started here gets it. */
function takenKey(chain: Chain) {
  const name = `${VARIABLES[chain]}_KEY`;
  const key = process.env[name] ?? "";
  delete process.env[name];
  return { name, key };
}

/** @throws LaunchError for what is no URL of a node, or no key. Both may be secret, and are not printed. */
function givenNodes(): readonly Given[] {
  const keys = { Sui: takenKey("Sui"), Aptos: takenKey("Aptos") };
  return CHAINS.flatMap((chain) => {
    const url = process.env[VARIABLES[chain]] ?? "";
    if (url === "") return [];
    const node = nodeAt(url);
    if (node === null)
      throw new LaunchError(
        `${VARIABLES[chain]} must be one http or https URL, without user, password, query and fragment.`,
      );
    const { name, key } = keys[chain];
    const purse = key === "" ? null : purseOf(chain, key, url.replace(/\/+$/, ""));
    if (key !== "" && purse === null)
      throw new LaunchError(`${name} must be one Ed25519 key, in the form that --help names.`);
    return [{ chain, url, node, purse }];
  });
}

async function compareAnswers({ chain, node }: Given): Promise<boolean> {
  const { lines, isAsRecorded } = reportOf(chain, node.host, await askNode[chain](node), node.withoutSecrets);
  for (const line of lines) print(line);
  return isAsRecorded;
}

async function run(hold: Hold): Promise<number> {
  const options = parseOptions(USAGE, { "give-back": { type: "string" } });
  if (options === null) return 0;
  const nodes = givenNodes();
  for (const chain of CHAINS)
    if (!nodes.some((given) => given.chain === chain))
      print(`${chain}: no node was asked. ${VARIABLES[chain]} is not set.`);
  if (nodes.length === 0) return 0;
  const { "give-back": stateDirectory } = options;
  if (stateDirectory !== undefined) return (await giveBackKept(stateDirectory, nodes, hold)) ? 0 : 1;
  const { timeoutMs, answerBytes } = LIMITS;
  print(`Each question has ${timeoutMs / 1_000} s, and each answer at most ${answerBytes / 1_048_576} MiB.`);
  let isWell = true;
  for (const given of nodes) isWell = (await compareAnswers(given)) && isWell;
  return (await tellStories(nodes, hold)) && isWell ? 0 : 1;
}

await runCommand({ exitCodeWhenInterrupted: EXIT_INTERRUPTED, run });
