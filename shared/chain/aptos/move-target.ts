import { payloadTraits, transactionPayload } from "./payload.ts";

const ADDRESS_BYTES = 32;
const U64_BYTES = 8;

/**
 * Reads the target of the Move call of a raw transaction: `0x…::module::function`, the address in full length.
 *
 * @returns none for a script, for what is stored on chain, and for bytes that are empty or no such transaction.
 */
export function readMoveTargets(rawTransaction: Uint8Array): readonly string[] {
  // The payload comes after sender and sequence number.
  const payloadBytes = rawTransaction.slice(ADDRESS_BYTES + U64_BYTES);
  try {
    const { moveTarget } = payloadTraits(transactionPayload.parse(payloadBytes));
    return moveTarget === null ? [] : [moveTarget];
  } catch {
    return [];
  }
}
