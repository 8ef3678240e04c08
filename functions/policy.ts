import { MIST_PER_SUI } from "../shared/amounts.ts";
import { allowMoveCalls, maxGasBudget, type Rule } from "../shared/policy/rules.ts";

/**
 * What your app sponsors: the one file to edit. A transaction is sponsored when a rule allows it and none refuses it.
 * What no rule allows is refused.
 *
 * As shipped, only the demo package of the local development chain is sponsored. For your own app, for example:
 *
 *     allowMoveCalls(["SUI_MAINNET"], ["0x<your package>::game::play", "0x<your package>::shop::*"]),
 *     allowPlainTransfers(["SUI_TESTNET"]),
 *     denySenders(["0x<an address that abused it>"]),
 *
 * A rule of your own is an object with a name and a function:
 *
 *     { name: "staffOnly", judge: ({ user }) => user.endsWith("@example.com") ? { verdict: "allow" } : { verdict: "pass" } },
 */
export const policy: readonly Rule[] = [
  allowMoveCalls(["SUI_LOCALNET"], ["0xdec0de0000000000000000000000000000000000000000000000000000000001::demo::*"]),
  maxGasBudget(MIST_PER_SUI / 10n),
];
