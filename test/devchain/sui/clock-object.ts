import { bcs } from "@mysten/sui/bcs";
import { normalizeStructTag, normalizeSuiAddress } from "@mysten/sui/utils";
import type { Checkpoint } from "./chain-state.ts";
import { taggedDigest } from "./hash.ts";
import { type ChainObject, withDigest } from "./objects.ts";
import type { ObjectStore } from "./store.ts";

export const CLOCK_ID = normalizeSuiAddress("0x6");
export const CLOCK_TYPE = normalizeStructTag("0x2::clock::Clock");
export const Clock = bcs.struct("Clock", { id: bcs.Address, timestamp_ms: bcs.u64() });

const INITIAL_SHARED_VERSION = 1n;

/** On a real chain each commit of consensus writes it; here each checkpoint does, and nothing is kept of it. */
function clockAt({ sequenceNumber, timestampMs }: Checkpoint): ChainObject {
  return withDigest({
    id: CLOCK_ID,
    version: INITIAL_SHARED_VERSION + sequenceNumber,
    owner: { kind: "shared", initialSharedVersion: INITIAL_SHARED_VERSION },
    type: CLOCK_TYPE,
    hasPublicTransfer: false,
    contents: Clock.serialize({ id: CLOCK_ID, timestamp_ms: BigInt(timestampMs) }).toBytes(),
    previousTransaction: taggedDigest("TransactionData", new TextEncoder().encode(`commit ${sequenceNumber}`)),
    storageRebate: 0n,
  });
}

/** The same objects, and the Clock at 0x6 as of a checkpoint. Earlier versions of it are pruned. */
export function withClock(store: ObjectStore, checkpoint: () => Checkpoint): ObjectStore {
  return {
    ...store,
    liveObject: (id) => (id === CLOCK_ID ? clockAt(checkpoint()) : store.liveObject(id)),
    objectAtVersion(id, version) {
      if (id !== CLOCK_ID) return store.objectAtVersion(id, version);
      const clock = clockAt(checkpoint());
      return clock.version === version ? clock : undefined;
    },
  };
}
