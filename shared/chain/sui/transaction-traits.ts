import { UnreadableKind } from "./bcs-cursor.ts";
import { type CommandSummary, readLeadingKind } from "./kind-reader.ts";

/**
 * Reads the targets of the Move calls of `TransactionData::V1`, as `CommandSummary` names them, and the kinds of its
 * commands.
 *
 * @returns none if the bytes are empty or another format.
 */
export function readTraits(transactionBytes: Uint8Array): {
  readonly targets: readonly string[];
  readonly commands: readonly CommandSummary["kind"][];
} {
  if (transactionBytes[0] !== 0) return { targets: [], commands: [] };
  try {
    const { commands } = readLeadingKind(transactionBytes.subarray(1));
    return {
      targets: commands.flatMap(({ moveTarget }) => moveTarget ?? []),
      commands: [...new Set(commands.map(({ kind }) => kind))],
    };
  } catch (error) {
    if (error instanceof UnreadableKind) return { targets: [], commands: [] };
    throw error;
  }
}
