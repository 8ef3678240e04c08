/**
 * The newest protocol version of Sui whose changes Gasworks follows (MystenLabs/sui, crates/sui-protocol-config). A chain
 * with a later one is served as before: what it adds is unknown here, and left to its nodes.
 */
export const NEWEST_KNOWN_PROTOCOL = 140n;

/** Returns whether a node's protocol version is later than all that are known. Null: the node names none. */
export function isNewerProtocol(version: string | null): boolean {
  return version !== null && BigInt(version) > NEWEST_KNOWN_PROTOCOL;
}
