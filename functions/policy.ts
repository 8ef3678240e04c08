import { MIST_PER_SUI, OCTAS_PER_APT } from "../shared/amounts.ts";
import { allowMoveCalls, maxGasBudget, perUserCap, type Rule } from "../shared/policy/rules.ts";

/**
 * What your app sponsors: the one file to edit. A transaction is sponsored when a rule allows it and none refuses it.
 * What no rule allows is refused. The same rules judge what an embedded wallet signs.
 *
 * As shipped, only the demo packages of the local development chain are sponsored. For your own app, for example:
 *
 *     allowMoveCalls(["SUI_MAINNET"], ["0x<your package>::game::play", "0x<your package>::shop::*"]),
 *     allowMoveCalls(["APTOS_MAINNET"], ["0x<your account>::game::play", "0x1::aptos_account::transfer"]),
 *     allowPlainTransfers(["SUI_TESTNET"]),
 *     denySenders(["0x<an address that abused it>"]),
 *
 * A rule of your own is an object with a name and a function:
 *
 *     { name: "staffOnly", judge: ({ user }) => user.endsWith("@example.com") ? { verdict: "allow" } : { verdict: "pass" } },
 */
export const policy: readonly Rule[] = [
  allowMoveCalls(
    ["SUI_LOCALNET", "APTOS_LOCALNET"],
    ["0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*"],
  ),
  maxGasBudget("sui", MIST_PER_SUI / 10n),
  maxGasBudget("aptos", OCTAS_PER_APT / 10n),
  perUserCap("sui", { transactionsPerDay: 500, gasPerDayAtoms: 5n * MIST_PER_SUI, heldAtOnce: 20 }),
  perUserCap("aptos", { transactionsPerDay: 500, gasPerDayAtoms: 5n * OCTAS_PER_APT }),
];

/** How often one user may call the workflows. Five calls at once are always let through. */
export const callsPerSecondPerUser = 10;
