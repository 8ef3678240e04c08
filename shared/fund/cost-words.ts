/** The costs of dangerous changes of a fund, in whole sentences. The dashboard and the command line print them. */
export const COST_WORDS = {
  recover: {
    closes: "The fund is closed until its records agree with the chain.",
    takes: "On Aptos that takes about an hour. From an address balance it takes until the next epoch is over.",
    changes: "Open signatures become worthless, and the ledger notes corrections.",
  },
  confirmWithdrawals: "An Idempotency-Key from before the recovery would pay again.",
  forceClose: "A withdrawal that ends as unresolvable may have paid, and its Idempotency-Key never pays again.",
  dropCoin: "The coin is taken out of the records, and the ledger notes its amount as a correction.",
  withdraw: "Nobody can take it back.",
  irrevocable: "Signatures on Aptos, or from an address balance, stay valid until they expire.",
} as const;
