import { Transaction } from "@mysten/sui/transactions";

/** The demo package of the development chain. Put your own package here, and into functions/policy.ts. */
const PACKAGE = "0xdec0de0000000000000000000000000000000000000000000000000000000001";

/** Returns the transaction that mints a badge. */
export function mintTransaction(name: string): Transaction {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
  return transaction;
}

/** Returns a transaction that no rule of the policy allows. */
export function refusedTransaction(): Transaction {
  const transaction = new Transaction();
  transaction.moveCall({ target: "0x2::coin::zero", typeArguments: ["0x2::sui::SUI"] });
  return transaction;
}
