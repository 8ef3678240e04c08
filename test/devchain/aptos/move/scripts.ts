import { APTOS_PAY_TOGETHER_SCRIPT, APTOS_TRANSFER_SCRIPT } from "../../demo.ts";
import { addressArgument, amount, entry, type MoveFunction, signer } from "./function.ts";
import { transferApt } from "./fungible.ts";

const transfer = entry("script", "main", ["&signer", "address", "u64"], (call) =>
  transferApt(call.world, signer(call, 0), addressArgument(call, 0), amount(call, 1)),
);

const payTogether = entry("script", "main", ["&signer", "&signer", "address", "u64", "u64"], (call) => {
  transferApt(call.world, signer(call, 0), addressArgument(call, 0), amount(call, 1));
  transferApt(call.world, signer(call, 1), addressArgument(call, 0), amount(call, 2));
});

const SCRIPTS: ReadonlyMap<string, MoveFunction> = new Map([
  [APTOS_TRANSFER_SCRIPT, transfer],
  [APTOS_PAY_TOGETHER_SCRIPT, payTogether],
]);

/** The function of a script by its bytecode as hex, or undefined: no bytecode is run, only known ones are recognised. */
export function findScript(bytecodeHex: string): MoveFunction | undefined {
  return SCRIPTS.get(bytecodeHex);
}
