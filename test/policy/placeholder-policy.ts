import { allowMoveCalls } from "../../shared/policy/rules.ts";

/** Makes a rule as the examples print it, with a placeholder in place of the package. */
export function placeholderPolicy() {
  return allowMoveCalls(["SUI_TESTNET"], ["0x<your package>::game::play"]);
}
