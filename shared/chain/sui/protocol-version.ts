/**
 * The newest protocol version of Sui whose changes Gasworks follows (MystenLabs/sui, crates/sui-protocol-config). A
 * chain with a later one is served as before. Its additions are unknown here, and only its nodes know them.
 */
export const NEWEST_KNOWN_PROTOCOL = 140n;

/** Returns true if a node's protocol version is later than all known ones. Null if the node names none. */
export function isNewerProtocol(version: string | null): boolean {
  return version !== null && BigInt(version) > NEWEST_KNOWN_PROTOCOL;
}
