import * as z from "zod";
import { DECIMAL_U64 } from "./decimal-u64.ts";
import { MAX_U64 } from "./u64.ts";

export { MAX_U64 };

/** 1 SUI in MIST. */
export const MIST_PER_SUI = 1_000_000_000n;
/** 1 APT in octas. */
export const OCTAS_PER_APT = 100_000_000n;

const u64 = z.bigint().min(0n).max(MAX_U64, "must be at most 18446744073709551615 (u64)");

const NOT_EXACT = "is not a safe integer of at least 0: send a decimal string";
const NOT_U64 = "must be a u64: a decimal string, or an integer below 2^53";

/**
 * A u64 that arrives as a decimal string, or as a JSON number that JavaScript holds exactly. A number above 2^53 has
 * already lost MIST. It is sent as a string.
 */
export const u64Input = z.codec(
  z.union([z.string().regex(DECIMAL_U64, NOT_U64), z.int(NOT_EXACT).min(0, NOT_EXACT)], {
    error: ({ input }) => (typeof input === "number" ? NOT_EXACT : NOT_U64),
  }),
  u64,
  { decode: (value) => BigInt(value), encode: (value) => value.toString() },
);

const NOT_U64_TEXT = "must be a u64 as a decimal string";

/** Marks a field as an amount of MIST or octas in a JSON Schema. Programs show it in SUI or APT. */
export const ATOMS_UNIT = { "x-unit": "atoms" } as const;

/** An amount of MIST or octas, a u64, that is written as a decimal string, both ways. */
export const u64Text = z
  .codec(z.string(NOT_U64_TEXT).regex(DECIMAL_U64, NOT_U64_TEXT), u64, {
    decode: (text) => BigInt(text),
    encode: (value) => value.toString(),
  })
  .meta(ATOMS_UNIT);

/** A u64 in a result. The wire carries an exact JSON integer, which our reader gives as a number or a bigint. */
export const u64Output = z.codec(
  z
    .custom<bigint | number>((value) => typeof value === "bigint" || Number.isSafeInteger(value), "must be an integer")
    .meta({ type: "integer", minimum: 0 }),
  u64,
  { decode: (value) => BigInt(value), encode: (value) => value },
);
