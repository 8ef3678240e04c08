import * as z from "zod";

export const MAX_U64 = 2n ** 64n - 1n;
export const MIST_PER_SUI = 1_000_000_000n;

const DECIMAL_U64 = /^(0|[1-9][0-9]{0,19})$/;

/** A u64 that arrives as a decimal string. Never through a JavaScript number: above 2^53 that loses MIST. */
export const u64String = z
  .string()
  .regex(DECIMAL_U64, "must be a decimal string of digits without sign or leading zeros")
  .transform((text) => BigInt(text))
  .refine((value) => value <= MAX_U64, "must be at most 18446744073709551615 (u64)");

/** A u64 that arrives as a decimal string or as a JSON number that JavaScript can hold exactly. */
export const u64Input = z.union(
  [
    u64String,
    z
      .number()
      .refine((value) => Number.isSafeInteger(value) && value >= 0, "is not a safe integer: send a decimal string")
      .transform((value) => BigInt(value)),
  ],
  {
    error: (issue) =>
      typeof issue.input === "number"
        ? "is not a safe integer: send a decimal string"
        : "must be a u64: a decimal string, or an integer below 2^53",
  },
);

/** A u64 in a result. The wire writes it as an exact JSON integer. */
export const u64Output = z.bigint().min(0n).max(MAX_U64);

/** `1234567890n` → `1.23456789 SUI`: for terminals and logs, never parsed back. */
export function formatSui(amountMist: bigint): string {
  const sign = amountMist < 0n ? "-" : "";
  const abs = amountMist < 0n ? -amountMist : amountMist;
  const fraction = (abs % MIST_PER_SUI).toString().padStart(9, "0").replace(/0+$/, "");
  return `${sign}${abs / MIST_PER_SUI}${fraction ? `.${fraction}` : ""} SUI`;
}
