/** The service's half of a session, sealed. Nobody changes its bytes. */
export interface SessionHalf {
  readonly value: Uint8Array;
  readonly expiresAtMs: number;
}

/** The halves in memory of one shard's object, by their store key. */
export type SessionHalves = ReadonlyMap<string, SessionHalf>;

/**
 * The halves of the shards whose objects run in this isolate. On plain workerd these are all shards. Only an object
 * holds its halves, so they end with it.
 */
const shardsHere = new Map<number, WeakRef<SessionHalves>>();

/** Returns a half that has not expired. Null without one. */
export function liveHalf(halves: SessionHalves, storeKey: string, nowMs: number): Uint8Array | null {
  const half = halves.get(storeKey);
  return half === undefined || half.expiresAtMs <= nowMs ? null : half.value;
}

/** Shows the halves of a shard to the isolate of its object. */
export function showHalves(shard: number, halves: SessionHalves): void {
  if (shardsHere.get(shard)?.deref() !== halves) shardsHere.set(shard, new WeakRef(halves));
}

/**
 * Reads a half in the memory of its shard's object, which saves the call of the object. Null if the object runs
 * elsewhere or has no such half: then call it.
 */
export function halfHere(shard: number, storeKey: string, nowMs: number): Uint8Array | null {
  const halves = shardsHere.get(shard)?.deref();
  return halves === undefined ? null : liveHalf(halves, storeKey, nowMs);
}
