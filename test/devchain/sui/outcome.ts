import { fromBase58, toHex } from "@mysten/sui/utils";
import type { ObjectChange } from "./effects.ts";
import { storageCost } from "./gas.ts";
import { type ChainObject, GENESIS_TRANSACTION, type Owner, storageBytes, withDigest } from "./objects.ts";
import type { LiveObject } from "./workspace.ts";

/** All objects that a transaction writes get one version: the highest of its inputs, and one more. */
export function lamportVersion(inputs: Iterable<ChainObject>): bigint {
  let highest = 0n;
  for (const { version } of inputs) if (version > highest) highest = version;
  return highest + 1n;
}

export function writtenVersion(
  object: LiveObject,
  version: bigint,
  previousTransaction: string,
  withoutDeposit: boolean,
): ChainObject {
  const { id, type, hasPublicTransfer, contents } = object;
  const storageRebate = withoutDeposit ? 0n : storageCost(storageBytes(type, contents));
  return withDigest({
    id,
    version,
    owner: ownerOf(object),
    type,
    hasPublicTransfer,
    contents,
    previousTransaction,
    storageRebate,
  });
}

function ownerOf({ id, owner }: LiveObject): Owner {
  if (owner === undefined) throw new Error(`object ${id} was left without an owner`);
  return owner;
}

export function objectChanges(
  before: ReadonlyMap<string, ChainObject>,
  written: readonly ChainObject[],
  deleted: readonly ChainObject[],
): ObjectChange[] {
  const changes: ObjectChange[] = [
    ...written.map((after) => ({ id: after.id, before: before.get(after.id), after })),
    ...deleted.map((gone) => ({ id: gone.id, before: gone, after: undefined })),
  ];
  return changes.sort((left, right) => (left.id < right.id ? -1 : 1));
}

export function dependencies(inputs: Iterable<ChainObject>): string[] {
  const digests = new Set<string>();
  for (const { previousTransaction } of inputs) digests.add(previousTransaction);
  digests.delete(GENESIS_TRANSACTION);
  const keyed = [...digests].map((digest) => ({ digest, order: toHex(fromBase58(digest)) }));
  return keyed.sort((left, right) => (left.order < right.order ? -1 : 1)).map(({ digest }) => digest);
}
