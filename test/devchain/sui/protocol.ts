/** The rules of the Sui protocol in which the versions differ that this chain can be run as. */
export interface Protocol {
  readonly version: number;
  /** `storage_rebate_rate`: the part of a storage deposit that comes back, in basis points. */
  readonly rebateBasisPoints: bigint;
  /** Internal gas units for 1,000 bytes of a package that a transaction names. */
  readonly packageReadUnits: bigint;
  /** `enable_allowances`: a sender may withdraw what somebody else allows. */
  readonly allowances: boolean;
}

const V136: Protocol = { version: 136, rebateBasisPoints: 9_900n, packageReadUnits: 15_000n, allowances: false };
const V138: Protocol = { ...V136, version: 138, rebateBasisPoints: 9_999n, allowances: true };
/** `obj_access_cost_read_per_package_kb`. Before it, a package cost as any object: `obj_access_cost_read_per_byte`. */
const V139: Protocol = { ...V138, version: 139, packageReadUnits: 154n };

/**
 * The versions by number, as mainnet has them (MystenLabs/sui, sui-protocol-config, and its release notes). All of them
 * have address aliases and gas free of charge for listed coins.
 */
const PROTOCOLS: ReadonlyMap<number, Protocol> = new Map(
  [V136, { ...V136, version: 137 }, V138, V139, { ...V139, version: 140 }].map((protocol) => [
    protocol.version,
    protocol,
  ]),
);

export const PROTOCOL_VERSIONS: readonly number[] = [...PROTOCOLS.keys()];

/** The version that the chain is run as, unless another one is ordered. */
export const LATEST_PROTOCOL = Math.max(...PROTOCOL_VERSIONS);

/** @throws Error if the chain cannot be run as that version. */
export function protocolOf(version: number): Protocol {
  const protocol = PROTOCOLS.get(version);
  if (protocol === undefined) throw new Error(`no protocol ${version}: there are ${PROTOCOL_VERSIONS.join(", ")}`);
  return protocol;
}
