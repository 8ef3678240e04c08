import { normalizeSuiAddress } from "@mysten/sui/utils";
import { readU64, u64Value } from "./data.ts";
import { byValue, type MoveCall, type MoveFunction, U64 } from "./types.ts";

const U64_MAX = 2n ** 64n - 1n;

/** Where the functions of `0x1::u64` are in it, and where they fail: recorded (1.62), of `max` modelled. */
const AT = {
  max: { index: 0 },
  divide_and_round_up: { index: 4, instruction: 6 },
  pow: { index: 5, instruction: 19 },
} as const;

/** Some functions of `0x1::u64`: they show how arithmetic fails. */
export const INTEGER_FUNCTIONS: readonly MoveFunction[] = [
  u64Function("max", (_, x, y) => (x > y ? x : y)),
  u64Function("divide_and_round_up", (call, x, y) => {
    if (y === 0n) call.arithmeticError(AT.divide_and_round_up.instruction);
    return (x + y - 1n) / y;
  }),
  u64Function("pow", (call, base, exponent) => {
    // An exponent is a u8: this is not above 8,160 bits.
    const power = base ** exponent;
    if (power > U64_MAX) call.arithmeticError(AT.pow.instruction);
    return power;
  }),
];

function u64Function(
  name: keyof typeof AT,
  compute: (call: MoveCall, one: bigint, other: bigint) => bigint,
): MoveFunction {
  const second = name === "pow" ? ({ kind: "primitive", name: "u8" } as const) : U64;
  const read = (bytes: Uint8Array) => (bytes.length === 1 ? BigInt(bytes[0] ?? 0) : readU64(bytes));
  return {
    package: normalizeSuiAddress("0x1"),
    module: "u64",
    name,
    index: AT[name].index,
    isEntry: false,
    typeParameters: [],
    parameters: [byValue(U64), byValue(second)],
    returns: [U64],
    takesContext: false,
    run: (call) => [u64Value(compute(call, read(call.bytes(0)), read(call.bytes(1))))],
  };
}
