import { fromBase58, toHex } from "@mysten/sui/utils";
import type { ObjectChange } from "./effects.ts";
import { type ChainObject, GENESIS_TRANSACTION, type Owner, withDigest } from "./objects.ts";
import type { LiveObject, Workspace } from "./workspace.ts";

/** All objects that a transaction writes get one version: the highest of what it takes or may receive, and one more. */
export function lamportVersion(inputs: Iterable<ChainObject>): bigint {
  let highest = 0n;
  for (const { version } of inputs) if (version > highest) highest = version;
  return highest + 1n;
}

export interface WriteStamp {
  readonly version: bigint;
  readonly previousTransaction: string;
}

export function writtenVersion(
  object: LiveObject,
  before: ChainObject | undefined,
  { version, previousTransaction }: WriteStamp,
  storageRebate: bigint,
): ChainObject {
  const { id, type, hasPublicTransfer, contents } = object;
  const owner = ownerAt(object, before?.owner, version);
  return withDigest({
    id,
    version,
    owner,
    type,
    hasPublicTransfer,
    contents,
    previousTransaction,
    storageRebate,
  });
}

/** An object comes under consensus at the version that puts it there, and keeps that start while its owner stays. */
function ownerAt({ id, owner }: LiveObject, before: Owner | undefined, version: bigint): Owner {
  if (owner === undefined) throw new Error(`object ${id} was left without an owner`);
  switch (owner.kind) {
    case "shared":
      return before?.kind === "shared" ? before : { kind: "shared", initialSharedVersion: version };
    case "party":
      return before?.kind === "party" && before.address === owner.address
        ? before
        : { ...owner, startVersion: version };
    default:
      return owner;
  }
}

export function objectChanges(
  before: ReadonlyMap<string, ChainObject>,
  written: readonly ChainObject[],
  { objects, created, deleted }: Workspace,
): ObjectChange[] {
  const changes: ObjectChange[] = written.map((after) => ({
    id: after.id,
    before: before.get(after.id),
    after,
    operation: created.has(after.id) ? "created" : "none",
  }));
  for (const gone of before.values()) {
    if (objects.has(gone.id)) continue;
    changes.push({ id: gone.id, before: gone, after: undefined, operation: deleted.has(gone.id) ? "deleted" : "none" });
  }
  for (const id of deleted) {
    const wasWrapped = !before.has(id) && !created.has(id);
    if (wasWrapped) changes.push({ id, before: undefined, after: undefined, operation: "deleted" });
  }
  return changes;
}

/** @param publishedBy of the packages that it calls, if it calls any. */
export function dependencies(inputs: Iterable<ChainObject>, publishedBy: string | null): string[] {
  const digests = new Set<string>(publishedBy === null ? [] : [publishedBy]);
  for (const { previousTransaction } of inputs) digests.add(previousTransaction);
  digests.delete(GENESIS_TRANSACTION);
  const keyed = [...digests].map((digest) => ({ digest, order: toHex(fromBase58(digest)) }));
  return keyed.sort((left, right) => (left.order < right.order ? -1 : 1)).map(({ digest }) => digest);
}
