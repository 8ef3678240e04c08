import type { Fund } from "../answers.ts";

/** A line of the sum that gives the available amount. */
interface Line {
  readonly label: string;
  readonly atoms: bigint;
  readonly hint?: string;
}

/** Returns the deductions from the balance. Their sum and the available amount are the balance, exactly. */
export function partsOfBalance(fund: Fund): readonly Line[] {
  const named: readonly Line[] = [
    {
      label: "not usable yet",
      atoms: BigInt(fund.unconverted?.amount ?? "0"),
      ...(fund.unconverted && { hint: fund.unconverted.cause }),
    },
    { label: "in flight", atoms: BigInt(fund.inFlight), hint: "kept for sponsorships that can still be executed" },
    { label: "earned fees", atoms: BigInt(fund.accruedFees), hint: "yours to withdraw" },
    { label: "reserve", atoms: BigInt(fund.maintenanceReserve), hint: "for the gas of the fund's own transactions" },
  ];
  const rest = named.reduce((left, { atoms }) => left - atoms, BigInt(fund.balance)) - BigInt(fund.available);
  return [...named, { label: "withdrawals under way", atoms: rest }].filter(({ atoms }) => atoms !== 0n);
}
