import { done, type Outcome, refuse } from "../../errors.ts";
import { UnreadableKind } from "./bcs-cursor.ts";
import { type KindSummary, readKind } from "./kind-reader.ts";

/** A transaction kind that is safe to wrap and sign for, with the properties that a policy decides by. */
export interface InspectedKind {
  /** Exactly the inspected bytes, which are spliced into the transaction without re-encoding. */
  readonly bytes: Uint8Array;
  /** Every Move call as `0x…::module::function`, addresses in full length. */
  readonly moveTargets: readonly string[];
  readonly usesSharedObjects: boolean;
  /** True if it publishes or upgrades a package, which is not a Move call, and expensive to store. */
  readonly publishesCode: boolean;
  /** The addresses whose balances it withdraws from by an allowance. None may be a fund's. */
  readonly funders: readonly string[];
}

function readOrRefuse(bytes: Uint8Array): Outcome<KindSummary> {
  try {
    return done(readKind(bytes));
  } catch (error) {
    if (!(error instanceof UnreadableKind)) throw error;
    return error.canonical
      ? refuse(
          "unsupported_transaction",
          "transactionBytes is not the BCS of a programmable transaction kind: build it with onlyTransactionKind",
        )
      : refuse(
          "non_canonical_bytes",
          `transactionBytes is not canonical BCS (${error.message}): encode it again with the SDK`,
        );
  }
}

/**
 * Decides whether a fund may ever pay for a transaction kind, under any policy.
 *
 * - `GasCoin` in any argument position lets the sender spend the sponsor's coin. The chain allows it.
 * - A withdrawal that names the sponsor takes from its address balance; the SDK can build one. The caller checks the
 * funders of allowances.
 * - Bytes in another form than the canonical one could have one meaning here and another on chain.
 * - System transactions and unknown variants cannot be read and are refused.
 *
 * @param bytes BCS of `TransactionKind` (sui-types, `transaction.rs`).
 */
export function inspectKind(bytes: Uint8Array): Outcome<InspectedKind> {
  const read = readOrRefuse(bytes);
  if (!read.ok) return read;
  const { inputs, commands, funders } = read.value;
  const gasCoinAt = commands.findIndex(({ usesGasCoin }) => usesGasCoin);
  if (gasCoinAt >= 0)
    return refuse(
      "gas_coin_used",
      `command ${gasCoinAt} uses the gas coin, which belongs to the fund in a sponsored transaction: use a coin of the sender`,
    );
  const foreignAt = inputs.indexOf("foreign_withdrawal");
  if (foreignAt >= 0)
    return refuse(
      "foreign_withdrawal",
      `input ${foreignAt} withdraws from the sponsor's address balance: withdraw from the sender's`,
    );

  return done({
    bytes,
    moveTargets: commands.flatMap(({ moveTarget }) => moveTarget ?? []),
    publishesCode: commands.some(({ publishesCode }) => publishesCode),
    usesSharedObjects: inputs.includes("shared"),
    funders,
  });
}
