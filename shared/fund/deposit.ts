import type { FundBooks } from "./ledger/books.ts";

/** Raises the event of a booked deposit. Raises none for an amount of zero. */
export function raiseDeposit(books: FundBooks, amountAtoms: bigint): void {
  const { balanceAtoms } = books.totals();
  if (amountAtoms > 0n) books.raise({ type: "fund.deposit", amountAtoms, balanceAtoms });
}
