import { bcs } from "@mysten/sui/bcs";
import { equalBytes } from "../../bytes.ts";
import { done, type Outcome, refuse } from "../../errors.ts";

type Parsed = ReturnType<typeof bcs.TransactionKind.parse>;
type Programmable = NonNullable<Parsed["ProgrammableTransaction"]>;
type Command = Programmable["commands"][number];
type Argument = ReturnType<typeof bcs.Argument.parse>;

/** A transaction kind that is safe to wrap and sign for, and what a policy wants to know about it. */
export interface InspectedKind {
  /** Exactly the bytes that were inspected: they are spliced into the transaction without re-encoding. */
  readonly bytes: Uint8Array;
  /** Every Move call as `0x…::module::function`, addresses in full length. */
  readonly moveTargets: readonly string[];
  readonly usesSharedObjects: boolean;
  /** Publishes or upgrades a package: not a Move call, and expensive to store. */
  readonly publishesCode: boolean;
}

/** Every argument of a command, whatever its position. A variant that is not listed here cannot be sponsored. */
function argumentsOf(command: Command): readonly Argument[] | null {
  switch (command.$kind) {
    case "MoveCall":
      return command.MoveCall.arguments;
    case "TransferObjects":
      return [...command.TransferObjects.objects, command.TransferObjects.address];
    case "SplitCoins":
      return [command.SplitCoins.coin, ...command.SplitCoins.amounts];
    case "MergeCoins":
      return [command.MergeCoins.destination, ...command.MergeCoins.sources];
    case "MakeMoveVec":
      return command.MakeMoveVec.elements;
    case "Upgrade":
      return [command.Upgrade.ticket];
    case "Publish":
      return [];
    default:
      return null;
  }
}

/** What the bytes say, and those same things encoded again. The codec throws on what it cannot read, or cannot write. */
function decode(bytes: Uint8Array): { readonly programmable: Programmable; readonly again: Uint8Array } | null {
  try {
    const { ProgrammableTransaction: programmable } = bcs.TransactionKind.parse(bytes);
    if (programmable === undefined) return null;
    return { programmable, again: bcs.TransactionKind.serialize({ ProgrammableTransaction: programmable }).toBytes() };
  } catch {
    return null;
  }
}

/**
 * Decides whether a fund may ever pay for a transaction kind, whatever its policy says.
 *
 * - `GasCoin` in any argument position lets the sender spend the sponsor's coin. The chain allows it.
 * - A withdrawal that does not name the sender draws on somebody else's address balance; the SDK can build one.
 * - The BCS parser accepts trailing bytes, so bytes that do not re-encode to themselves could mean one thing here and
 *   another on chain.
 * - System transactions, and variants that the codec does not know, fail to decode and are refused.
 *
 * @param bytes BCS of `TransactionKind` (sui-types, `transaction.rs`).
 */
export function inspectKind(bytes: Uint8Array): Outcome<InspectedKind> {
  const decoded = decode(bytes);
  if (decoded === null)
    return refuse("unsupported_transaction", "transactionBytes is not the BCS of a programmable transaction kind");
  const { programmable, again } = decoded;
  if (!equalBytes(again, bytes))
    return refuse(
      "non_canonical_bytes",
      "transactionBytes does not re-encode to the same bytes (trailing or non-canonical bytes)",
    );

  for (const [index, command] of programmable.commands.entries()) {
    const args = argumentsOf(command);
    if (args === null)
      return refuse("unsupported_transaction", `command ${index} is of a kind that cannot be sponsored`);
    if (args.some((argument) => argument.$kind === "GasCoin"))
      return refuse(
        "gas_coin_used",
        `command ${index} uses the gas coin, which belongs to the fund in a sponsored transaction`,
      );
  }
  for (const [index, input] of programmable.inputs.entries())
    if (input.$kind === "FundsWithdrawal" && input.FundsWithdrawal.withdrawFrom.$kind !== "Sender")
      return refuse("foreign_withdrawal", `input ${index} withdraws from another address than the sender's`);

  return done({
    bytes,
    moveTargets: programmable.commands.flatMap((command) =>
      command.$kind === "MoveCall"
        ? [`${command.MoveCall.package}::${command.MoveCall.module}::${command.MoveCall.function}`]
        : [],
    ),
    publishesCode: programmable.commands.some(({ $kind }) => $kind === "Publish" || $kind === "Upgrade"),
    usesSharedObjects: programmable.inputs.some(
      (input) => input.$kind === "Object" && input.Object.$kind === "SharedObject",
    ),
  });
}
