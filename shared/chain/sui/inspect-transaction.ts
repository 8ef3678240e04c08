import { bcs } from "@mysten/sui/bcs";
import { equalBytes } from "../../bytes.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { UnreadableKind } from "./bcs-cursor.ts";
import { readKind } from "./kind-reader.ts";

/** A transaction that its sender is to sign, with the properties that a policy decides by. */
export interface InspectedTransaction {
  readonly sender: string;
  /** The address that pays for its gas. */
  readonly gasOwner: string;
  readonly gasBudgetMist: bigint;
  /** BCS of its kind, for `readCommands`. */
  readonly kindBytes: Uint8Array;
}

/**
 * Reads `TransactionData::V1` of a programmable transaction, in the one form that BCS allows. If the sender pays, the
 * transaction may use the gas coin. If another address pays, it may not.
 *
 * @returns refuses with `unsupported_transaction`, `non_canonical_bytes`, `gas_coin_used` or `foreign_withdrawal`.
 */
export function inspectTransaction(bytes: Uint8Array): Outcome<InspectedTransaction> {
  try {
    const data = bcs.TransactionData.parse(bytes);
    const { kind, sender, gasData } = data.V1;
    if (!equalBytes(bcs.TransactionData.serialize(data).toBytes(), bytes))
      return refuse("non_canonical_bytes", "transaction is not canonical BCS: encode it again");
    const kindBytes = bcs.TransactionKind.serialize(kind).toBytes();
    const { commands, inputs, funders } = readKind(kindBytes);
    const { owner: gasOwner, budget } = gasData;
    const isSponsored = gasOwner !== sender;
    if (isSponsored && commands.some(({ usesGasCoin }) => usesGasCoin))
      return refuse(
        "gas_coin_used",
        "transaction uses the gas coin, which belongs to its sponsor: use coins of the sender",
      );
    if (isSponsored && (inputs.includes("foreign_withdrawal") || funders.includes(gasOwner)))
      return refuse(
        "foreign_withdrawal",
        "transaction withdraws from its sponsor's balance: withdraw from the sender's",
      );
    return done({ sender, gasOwner, gasBudgetMist: BigInt(budget), kindBytes });
  } catch (error) {
    if (error instanceof UnreadableKind && !error.canonical)
      return refuse("non_canonical_bytes", "transaction is not canonical BCS: encode it again");
    return refuse(
      "unsupported_transaction",
      "transaction is not the BCS of a programmable transaction: build it with the SDK",
    );
  }
}
