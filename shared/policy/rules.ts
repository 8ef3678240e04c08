import { formatCoin } from "../coin-text.ts";
import { type AptosNetwork, type Chain, type Network, networks, type SuiNetwork } from "../networks.ts";
import type { CallCommand, Command } from "./commands.ts";
import { callMatcher } from "./move-targets.ts";
import { whyNotOnlyPlumbing } from "./plumbing.ts";
import { checkAddresses, checkHashes, checkLimit, checkNetworks, checkTargets } from "./policy-error.ts";
import type { TransactionRequest } from "./request.ts";
import { NO_CAP, type Rule, type RuleVerdict, type UserCap } from "./rule.ts";

const ALLOW: RuleVerdict = { verdict: "allow" };
const PASS: RuleVerdict = { verdict: "pass" };

function pass(why: string): RuleVerdict {
  return { verdict: "pass", why };
}

/**
 * Allows transactions that make at least one of these calls, and nothing else except plumbing. Plumbing is the split,
 * merge and collection of coins, and options and vectors. Its results must go to listed calls or back to the sender.
 * Nothing is transferred to another address.
 *
 * @param targets `package::module::function`, `package::module::*` or `package::*`. A function may name its type
 * arguments: `package::module::function<0x2::sui::SUI>`. On Aptos the package is the account.
 */
export function allowMoveCalls(networks: readonly Network[], targets: readonly string[]): Rule {
  const name = "allowMoveCalls";
  const allowed = checkNetworks(name, networks);
  const listed = checkTargets(name, targets);
  const matches = callMatcher(listed);
  const isListed = ({ target, typeArguments }: CallCommand) => matches(target, typeArguments);
  return {
    name,
    mayAllow: { networks: allowed, targets: listed },
    judge: (request) => {
      if (request.action === "create_wallet" || !allowed.includes(request.network)) return PASS;
      const { commands, chain } = request;
      const why = chain === "sui" ? whyNotOnSui(request, isListed) : whyNotOnAptos(commands, isListed);
      if (why !== null) return pass(why);
      return commands.some((command) => command.kind === "call" && isListed(command))
        ? ALLOW
        : pass("no command calls what is listed");
    },
  };
}

function whyNotOnSui({ commands, sender, gas }: TransactionRequest, isListed: (call: CallCommand) => boolean) {
  return whyNotOnlyPlumbing(commands, { isListed, recipients: new Set([sender]), ownsGas: gas.payer === "sender" });
}

/**
 * Returns the reason if a payload is more than listed calls. A script, or a run for a multisig account, does more than
 * the call that it may name.
 */
function whyNotOnAptos(commands: readonly Command[], isListed: (call: CallCommand) => boolean): string | null {
  for (const command of commands) {
    if (command.kind === "script") return `runs the script ${command.codeHash}, which is not listed`;
    if (command.kind === "multisig") return `acts for the multisig account ${command.account}`;
    if (command.kind !== "call") return "runs what this rule does not know";
    if (!isListed(command)) return `calls ${command.target}, which is not listed`;
  }
  return null;
}

/**
 * Allows transactions that split, merge and transfer the sender's own objects, to any address. They make no Move calls
 * except those that the SDK makes for that. On Aptos transfers are Move calls: list `0x1::aptos_account::transfer` and
 * similar ones.
 */
export function allowPlainTransfers(networks: readonly SuiNetwork[]): Rule {
  const name = "allowPlainTransfers";
  const allowed: readonly Network[] = checkNetworks(name, networks);
  return {
    name,
    mayAllow: { networks: allowed, targets: "any" },
    judge: (request) => {
      if (request.action === "create_wallet" || !allowed.includes(request.network)) return PASS;
      const { commands, gas } = request;
      const terms = { isListed: () => false, recipients: null, ownsGas: gas.payer === "sender" };
      const why = whyNotOnlyPlumbing(commands, terms);
      return why === null ? ALLOW : pass(why);
    },
  };
}

/**
 * Allows these scripts on Aptos.
 *
 * @param codeHashes the SHA3-256 of each bytecode: `0x` and 64 digits.
 */
export function allowScripts(networks: readonly AptosNetwork[], codeHashes: readonly string[]): Rule {
  const name = "allowScripts";
  const allowed: readonly Network[] = checkNetworks(name, networks);
  const hashes = new Set(checkHashes(name, codeHashes));
  return {
    name,
    mayAllow: { networks: allowed, targets: "any" },
    judge: (request) => {
      if (request.action === "create_wallet" || !allowed.includes(request.network)) return PASS;
      const { commands } = request;
      const listed = commands.every((command) => command.kind === "script" && hashes.has(command.codeHash));
      return listed && commands.length > 0 ? ALLOW : pass("runs no script that is listed");
    },
  };
}

/** Allows every user an embedded wallet on these networks. Without a list, it allows them on all networks. */
export function allowWallets(on: readonly Network[] = networks): Rule {
  const name = "allowWallets";
  const allowed = checkNetworks(name, on);
  return {
    name,
    mayAllow: null,
    judge: ({ action, network }) => {
      if (action !== "create_wallet") return PASS;
      return allowed.includes(network) ? ALLOW : pass(`makes no wallets on ${network}`);
    },
  };
}

/** Refuses transactions that may cost more gas than this. The limit is in MIST on Sui, in octas on Aptos. */
export function maxGasBudget(chain: Chain, maxAtoms: bigint): Rule {
  checkLimit("maxGasBudget", "maxAtoms", maxAtoms);
  return {
    name: "maxGasBudget",
    mayAllow: null,
    maxGasBudget: { chain, maxAtoms },
    judge: (request) => {
      if (request.action === "create_wallet" || request.chain !== chain) return PASS;
      const { budgetAtoms } = request.gas;
      return budgetAtoms !== null && budgetAtoms > maxAtoms
        ? { verdict: "refuse", why: `the gas budget is above ${formatCoin(chain, maxAtoms)}` }
        : PASS;
    },
  };
}

/**
 * Refuses every transaction and signature of these senders. A wallet that does not exist yet has no address to match.
 */
export function denySenders(senders: readonly string[]): Rule {
  const denied = new Set(checkAddresses("denySenders", senders));
  return {
    name: "denySenders",
    mayAllow: null,
    judge: (request) =>
      request.action !== "create_wallet" && denied.has(request.sender)
        ? { verdict: "refuse", why: "this sender is not sponsored" }
        : PASS,
  };
}

/**
 * Refuses a user's transactions on a chain beyond a count, or beyond a sum of gas budgets (MIST, octas). Both limits
 * count over a UTC day. Executed transactions count, also after an abort. Transactions that a node refused after the
 * fund had signed them count, too. Abandoned transactions, and those refused before the fund signed, do not count.
 * While the fund holds gas for a transaction, it counts towards `heldAtOnce` and `heldGasAtoms`. On Sui the fund holds
 * gas from the sponsorship on. On Aptos it does so after a node has refused a transaction that a user's own key has
 * signed.
 */
export function perUserCap(chain: Chain, caps: Partial<UserCap>): Rule {
  for (const [name, limit] of Object.entries(caps)) checkLimit("perUserCap", name, limit);
  return { name: "perUserCap", mayAllow: null, userCap: { chain, ...NO_CAP, ...caps }, judge: () => PASS };
}
