import { bcs } from "@mysten/sui/bcs";
import type { ChangedObject, ObjectState, SuiExecution, SuiOwner } from "../../../shared/chain/sui/execution.ts";

/** The format of a kept execution in the codec of the SDK, which the service does without. */
const { Address, ObjectDigest } = bcs;
const digests = bcs.vector(ObjectDigest);
const u64 = bcs.u64({ name: "u64" }).transform<bigint, bigint>({ input: (value) => value, output: BigInt });

const owner = bcs.enum("Owner", {
  address: Address,
  object: Address,
  shared: u64,
  consensus: bcs.struct("Consensus", { address: Address, startVersion: u64 }),
  immutable: null,
});
const state = bcs.struct("ObjectState", { version: u64, digest: ObjectDigest, owner: bcs.option(owner) });
const changedObject = bcs.struct("ChangedObject", {
  objectId: Address,
  objectType: bcs.option(bcs.string()),
  operation: bcs.enum("Operation", { none: null, created: null, deleted: null }),
  input: bcs.option(state),
  output: bcs.option(state),
});
/** A node's own text is kept letter for letter. */
const event = bcs.struct("Event", {
  packageId: bcs.string(),
  module: bcs.string(),
  sender: bcs.string(),
  eventType: bcs.string(),
  contents: bcs.byteVector(),
  json: bcs.string(),
});
const balanceChange = bcs.struct("BalanceChange", {
  address: bcs.string(),
  coinType: bcs.string(),
  amount: bcs.string(),
});
const keptExecution = bcs.struct("KeptExecution", {
  digest: ObjectDigest,
  success: bcs.bool(),
  error: bcs.option(bcs.string()),
  abort: bcs.option(
    bcs.struct("Abort", {
      package: bcs.string(),
      module: bcs.string(),
      function: bcs.option(bcs.string()),
      abortCode: u64,
      command: bcs.option(bcs.u16()),
    }),
  ),
  epoch: u64,
  gasUsed: bcs.struct("GasUsed", {
    computationCostMist: u64,
    storageCostMist: u64,
    storageRebateMist: u64,
    nonRefundableStorageFeeMist: u64,
  }),
  gasObjectId: bcs.option(Address),
  lamportVersion: u64,
  dependencies: digests,
  eventsDigest: bcs.option(ObjectDigest),
  changedObjects: bcs.vector(changedObject),
  events: bcs.vector(event),
  balanceChanges: bcs.vector(balanceChange),
  checkpoint: bcs.option(u64),
  timestampMs: bcs.option(u64),
});

type KeptOwner = (typeof owner)["$inferInput"];

function ownerToKeep(given: SuiOwner): KeptOwner {
  switch (given.kind) {
    case "address":
      return { address: given.address };
    case "object":
      return { object: given.objectId };
    case "shared":
      return { shared: given.initialSharedVersion };
    case "consensus":
      return { consensus: { address: given.address, startVersion: given.startVersion } };
    case "immutable":
      return { immutable: true };
  }
}

function stateToKeep(given: ObjectState | null) {
  return given && { ...given, owner: given.owner && ownerToKeep(given.owner) };
}

function changeToKeep(given: ChangedObject) {
  const { objectId, objectType, operation, input, output } = given;
  const kept = { none: { none: true }, created: { created: true }, deleted: { deleted: true } } as const;
  return { objectId, objectType, operation: kept[operation], input: stateToKeep(input), output: stateToKeep(output) };
}

/** Encodes an execution without its first byte. */
export function encodedBySdk(execution: SuiExecution): Uint8Array {
  return keptExecution
    .serialize({
      ...execution,
      dependencies: [...execution.dependencies],
      changedObjects: execution.changedObjects.map(changeToKeep),
      events: execution.events.map((given) => ({ ...given, json: JSON.stringify(given.json ?? null) })),
      balanceChanges: execution.balanceChanges.map(({ amount, ...change }) => ({ ...change, amount: `${amount}` })),
      timestampMs: execution.timestampMs === null ? null : BigInt(execution.timestampMs),
    })
    .toBytes();
}
