import { formatCoin } from "../amounts.ts";
import { type AptosNetwork, type Chain, type Network, networks, type SuiNetwork } from "../networks.ts";
import type { CallCommand, Command } from "./commands.ts";
import { callMatcher } from "./move-targets.ts";
import { whyNotOnlyPlumbing } from "./plumbing.ts";
import { checkAddresses, checkHashes, checkLimit, checkNetworks, checkTargets } from "./policy-error.ts";
import type { PolicyRequest, TransactionRequest } from "./request.ts";

/**
 * `pass`: this rule does not allow it, and another one may; `why` is told to the caller if none does. A transaction is
 * allowed if a rule allows it and none refuses it.
 */
export type RuleVerdict =
  | { readonly verdict: "allow" }
  | { readonly verdict: "pass"; readonly why?: string }
  | { readonly verdict: "refuse"; readonly why: string };

/** What one user's transactions on a chain may come to in a UTC day. Null: no limit. */
export interface DailyCap {
  readonly transactionsPerDay: number | null;
  /** MIST or octas, counted at the gas budgets. */
  readonly gasPerDayAtoms: bigint | null;
}

/** What one user's sponsorships that hold gas may come to: those that are neither executed nor over. Null: no limit. */
export interface HeldCap {
  readonly heldAtOnce: number | null;
  /** MIST or octas of gas budget. One whose budget a dry run sets counts with the highest that it may be until then. */
  readonly heldGasAtoms: bigint | null;
}

export type UserCap = DailyCap & HeldCap;

export const NO_CAP: UserCap = {
  transactionsPerDay: null,
  gasPerDayAtoms: null,
  heldAtOnce: null,
  heldGasAtoms: null,
};

export interface Rule {
  readonly name: string;
  readonly judge: (request: PolicyRequest) => RuleVerdict;
  /**
   * What transactions this rule may allow: the access key of the workflows is given these Move calls, and no others.
   * `any`: what no list of calls can name. Null: none, it only refuses, or allows wallets.
   */
  readonly mayAllow: { readonly networks: readonly Network[]; readonly targets: readonly string[] | "any" } | null;
  /** The highest gas budget that this rule can allow on a chain: lets the service refuse before it holds a coin. */
  readonly maxGasBudget?: { readonly chain: Chain; readonly maxAtoms: bigint };
  /** Counted where transactions are executed: a rule by itself does not know what came before. */
  readonly userCap?: UserCap & { readonly chain: Chain };
}

export interface PolicyRefusal {
  readonly allowed: false;
  readonly rule: string;
  readonly why: string;
}

export type PolicyVerdict = { readonly allowed: true } | PolicyRefusal;

const ALLOW: RuleVerdict = { verdict: "allow" };
const PASS: RuleVerdict = { verdict: "pass" };

function pass(why: string): RuleVerdict {
  return { verdict: "pass", why };
}

/**
 * Allows transactions that make at least one of these calls and nothing else, but for the plumbing around them: coins
 * split, merged and collected, options and vectors, if what they give goes to listed calls or back to the sender.
 * Nothing is transferred to anybody else.
 *
 * @param targets `package::module::function`, `package::module::*` or `package::*`. A function may name the types that
 *   it is called with: `package::module::function<0x2::sui::SUI>`. On Aptos the package is the account.
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
  return whyNotOnlyPlumbing(commands, { isListed, recipient: sender, ownsGas: gas.payer === "sender" });
}

/** A script, and what runs for a multisig account, is more than the call that it may name. */
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
 * Allows transactions that split, merge and transfer what the sender owns, to anybody, and make no Move call but those
 * that the SDK makes for that. On Aptos transfers are Move calls: list `0x1::aptos_account::transfer` and the like.
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
      const terms = { isListed: () => false, recipient: null, ownsGas: gas.payer === "sender" };
      const why = whyNotOnlyPlumbing(commands, terms);
      return why === null ? ALLOW : pass(why);
    },
  };
}

/**
 * Allows these scripts on Aptos.
 *
 * @param codeHashes SHA3-256 of their bytecode, `0x` and 64 digits.
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

/** Allows every user an embedded wallet on these networks; left out: on all. */
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

/** Refuses transactions that may cost more gas than this: MIST on Sui, octas on Aptos. */
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

/** Refuses these senders, whatever they send or sign. A wallet that is yet to be made has no address to go by. */
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
 * Refuses a user's transactions on a chain beyond so many, or beyond so much gas budget (MIST, octas), in a UTC day.
 * Transactions that were executed count, however they ended, and those that a node has refused after the fund had signed
 * them. What was abandoned, or refused before that, does not. What the fund holds gas for counts towards
 * `heldAtOnce` and `heldGasAtoms`, for as long as it does: on Sui from the sponsorship on, on Aptos
 * after a node has refused what a user's own key has signed.
 */
export function perUserCap(chain: Chain, caps: Partial<UserCap>): Rule {
  for (const [name, limit] of Object.entries(caps)) checkLimit("perUserCap", name, limit);
  return { name: "perUserCap", mayAllow: null, userCap: { chain, ...NO_CAP, ...caps }, judge: () => PASS };
}

function lower<Value extends number | bigint>(one: Value | null, other: Value | null): Value | null {
  if (one === null || other === null) return one ?? other;
  return other < one ? other : one;
}

/** The lowest cap of all rules on a chain; null where none has one. */
export function lowestGasBudgetCap(rules: readonly Rule[], chain: Chain): bigint | null {
  const caps = rules.flatMap(({ maxGasBudget: cap }) => (cap?.chain === chain ? [cap.maxAtoms] : []));
  return caps.reduce<bigint | null>(lower, null);
}

/** What all caps of users leave together on a chain. */
export function lowestUserCap(rules: readonly Rule[], chain: Chain): UserCap {
  const caps = rules.flatMap(({ userCap }) => (userCap?.chain === chain ? [userCap] : []));
  return caps.reduce<UserCap>(
    (lowest, cap) => ({
      transactionsPerDay: lower(lowest.transactionsPerDay, cap.transactionsPerDay),
      gasPerDayAtoms: lower(lowest.gasPerDayAtoms, cap.gasPerDayAtoms),
      heldAtOnce: lower(lowest.heldAtOnce, cap.heldAtOnce),
      heldGasAtoms: lower(lowest.heldGasAtoms, cap.heldGasAtoms),
    }),
    NO_CAP,
  );
}

/** The highest gas budget that a user can ever have on a chain, and which rule says so; null where none does. */
export function gasBudgetCeiling(
  rules: readonly Rule[],
  chain: Chain,
): { readonly maxAtoms: bigint; readonly rule: "maxGasBudget" | "perUserCap" } | null {
  const ofTransactions = lowestGasBudgetCap(rules, chain);
  const ofUser = lowestUserCap(rules, chain).heldGasAtoms;
  if (ofUser !== null && (ofTransactions === null || ofUser < ofTransactions))
    return { maxAtoms: ofUser, rule: "perUserCap" };
  return ofTransactions === null ? null : { maxAtoms: ofTransactions, rule: "maxGasBudget" };
}

/** A refusal wins over every permission, and what no rule allows is refused: an empty policy sponsors nothing. */
export function judge(rules: readonly Rule[], request: PolicyRequest): PolicyVerdict {
  let allowed = false;
  const whys: string[] = [];
  for (const rule of rules) {
    const verdict = rule.judge(request);
    if (verdict.verdict === "refuse") return { allowed: false, rule: rule.name, why: verdict.why };
    if (verdict.verdict === "pass" && verdict.why !== undefined) whys.push(`${rule.name}: ${verdict.why}`);
    allowed ||= verdict.verdict === "allow";
  }
  const because = whys.length === 0 ? "" : ` (${whys.join("; ")})`;
  const what = request.action === "create_wallet" ? "a wallet for this user" : "this transaction";
  return allowed
    ? { allowed }
    : { allowed, rule: "default", why: `no rule of the app's policy allows ${what}${because}` };
}
