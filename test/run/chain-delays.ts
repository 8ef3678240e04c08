/**
 * For tests inside the Workers runtime. Their clock stands still and jumps over hours, and the chain's is the real one:
 * after each of a thousand steps they would wait half a second of it. Those about a lag order one themselves. The recorder
 * of storage fixtures has none either: what it leaves open must not depend on how fast it was.
 */
export const SHOWS_AT_ONCE = { SUI_LAG_MS: "0", APTOS_LAG_MS: "0" };
