import { payloadTraits, transactionPayload } from "./payload.ts";

const ADDRESS_BYTES = 32;
const U64_BYTES = 8;

/**
 * Reads the target of a raw transaction's Move call, `0x…::module::function` with the address in full length, and the
 * kinds of its commands.
 *
 * @returns none for bytes that are empty or another format. A script, and a payload that is stored on chain, has no
 * target.
 */
export function readTraits(rawTransaction: Uint8Array): {
  readonly targets: readonly string[];
  readonly commands: readonly ("entry_function" | "script" | "multisig")[];
} {
  // The payload comes after sender and sequence number.
  const payloadBytes = rawTransaction.slice(ADDRESS_BYTES + U64_BYTES);
  try {
    const { moveTarget, isScript, isMultisig } = payloadTraits(transactionPayload.parse(payloadBytes));
    return {
      targets: moveTarget === null ? [] : [moveTarget],
      commands: [
        ...(moveTarget === null ? [] : (["entry_function"] as const)),
        ...(isScript ? (["script"] as const) : []),
        ...(isMultisig ? (["multisig"] as const) : []),
      ],
    };
  } catch {
    return { targets: [], commands: [] };
  }
}
