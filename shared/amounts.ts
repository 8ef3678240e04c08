import * as z from "zod";

export const MAX_U64 = 2n ** 64n - 1n;
export const MIST_PER_SUI = 1_000_000_000n;

const DECIMAL_U64 = /^(0|[1-9][0-9]{0,19})$/;

const u64 = z.bigint().min(0n).max(MAX_U64, "must be at most 18446744073709551615 (u64)");

const NOT_EXACT = "is not a safe integer of at least 0: send a decimal string";
const NOT_U64 = "must be a u64: a decimal string, or an integer below 2^53";

/**
 * A u64 that arrives as a decimal string, or as a JSON number where JavaScript can hold it exactly: above 2^53 a number
 * has already lost MIST. Sent as a string.
 */
export const u64Input = z.codec(
  z.union([z.string().regex(DECIMAL_U64, NOT_U64), z.int(NOT_EXACT).min(0, NOT_EXACT)], {
    error: ({ input }) => (typeof input === "number" ? NOT_EXACT : NOT_U64),
  }),
  u64,
  { decode: (value) => BigInt(value), encode: (value) => value.toString() },
);

/** A u64 in a result. The wire carries an exact JSON integer, which our reader gives as a number or a bigint. */
export const u64Output = z.codec(
  z
    .custom<bigint | number>((value) => typeof value === "bigint" || Number.isSafeInteger(value), "must be an integer")
    .meta({ type: "integer", minimum: 0 }),
  u64,
  { decode: (value) => BigInt(value), encode: (value) => value },
);

/** `1234567890n` → `1.23456789 SUI`: for terminals and logs, never parsed back. */
export function formatSui(amountMist: bigint): string {
  const sign = amountMist < 0n ? "-" : "";
  const abs = amountMist < 0n ? -amountMist : amountMist;
  const fraction = (abs % MIST_PER_SUI).toString().padStart(9, "0").replace(/0+$/, "");
  return `${sign}${abs / MIST_PER_SUI}${fraction ? `.${fraction}` : ""} SUI`;
}
