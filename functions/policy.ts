import { MIST_PER_SUI, OCTAS_PER_APT } from "../shared/amounts.ts";
import type { Rule } from "../shared/policy/rule.ts";
import { allowMoveCalls, allowWallets, maxGasBudget, perUserCap } from "../shared/policy/rules.ts";

/**
 * Your app's policy: edit this file. A transaction is sponsored if a rule allows it and none refuses it. A transaction
 * that no rule allows is refused. The same rules decide what an embedded wallet signs, and which user gets one.
 *
 * As shipped, every user may have a wallet, and only the demo packages of the local development chain are sponsored.
 * For your own app, for example:
 *
 *     allowMoveCalls(["SUI_MAINNET"], ["0x<your package>::game::play", "0x<your package>::shop::*"]),
 *     allowMoveCalls(["SUI_MAINNET"], ["0x<your package>::market::buy<0x2::sui::SUI>"]),
 *     allowMoveCalls(["APTOS_MAINNET"], ["0x<your account>::game::play", "0x1::aptos_account::transfer"]),
 *     allowPlainTransfers(["SUI_TESTNET"]),
 *     denySenders(["0x<an address that abused it>"]),
 *
 * `allowMoveCalls` also allows the commands that an SDK puts around a call: coins that are split for a payment, options,
 * vectors, transfers back to the sender. It allows no transfer to another address. A user who tries one reads:
 *
 *     default: no rule of the app's policy allows this transaction (allowMoveCalls: command 2 transfers to 0x…, which is not the sender)
 *
 * The workflows' access keys get the Move calls of this list, so that a stolen key has no other calls paid for.
 * `npm start` does that. `npm run self-host` and `npm run deploy -- --url …` do it with `--set-key-policy`.
 *
 * A rule of your own is an object with a name and a function. It gets the user and each command of the transaction:
 *
 *     {
 *       name: "verifiedUsers",
 *       mayAllow: null,
 *       judge: ({ user }) =>
 *         user.claims.email_verified === true
 *           ? { verdict: "pass" }
 *           : { verdict: "refuse", why: "verify your e-mail address first" },
 *     },
 *
 * `mayAllow: null` means that the rule never allows a transaction. A rule that does names its networks and calls, or
 * `"any"` if no list of calls can name them. The access key refuses every call that is not named:
 *
 *     {
 *       name: "playsOnce",
 *       mayAllow: { networks: ["SUI_MAINNET"], targets: ["0x<your package>::game::play"] },
 *       judge: (request) => {
 *         if (request.action === "create_wallet" || request.network !== "SUI_MAINNET") return { verdict: "pass" };
 *         const [command, ...others] = request.commands;
 *         const plays = command?.kind === "call" && command.target === "0x<your package>::game::play";
 *         return plays && others.length === 0 ? { verdict: "allow" } : { verdict: "pass" };
 *       },
 *     },
 *
 * A start and a deployment refuse a rule without `mayAllow`.
 */
export const policy: readonly Rule[] = [
  allowMoveCalls(
    ["SUI_LOCALNET", "APTOS_LOCALNET"],
    ["0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*"],
  ),
  allowWallets(),
  maxGasBudget("sui", MIST_PER_SUI / 10n),
  maxGasBudget("aptos", OCTAS_PER_APT / 10n),
  perUserCap("sui", { transactionsPerDay: 500, gasPerDayAtoms: 5n * MIST_PER_SUI }),
  perUserCap("aptos", { transactionsPerDay: 500, gasPerDayAtoms: 5n * OCTAS_PER_APT }),
  // Limit the open sponsorships of one user, so that one user cannot exhaust the fund.
  perUserCap("sui", { heldAtOnce: 20, heldGasAtoms: MIST_PER_SUI }),
  perUserCap("aptos", { heldAtOnce: 20, heldGasAtoms: OCTAS_PER_APT }),
];

/** Limits how often one user may call the workflows. Five calls at once always pass. */
export const callsPerSecondPerUser = 10;
