import * as z from "zod";

/**
 * A Sui JSON-RPC `SuiTransactionBlockResponse` (`@mysten/sui/jsonRpc`), as far as a submitted transaction fills it.
 * u64 are decimal strings, as there. Texts are not checked further: this is an answer about something that has
 * already happened on chain, and refusing to show it would help nobody.
 */
const owner = z.union([
  z.object({ AddressOwner: z.string() }),
  z.object({ ObjectOwner: z.string() }),
  z.object({ Shared: z.object({ initial_shared_version: z.string() }) }),
  z.object({ ConsensusAddressOwner: z.object({ owner: z.string(), start_version: z.string() }) }),
  z.literal("Immutable"),
]);
export type JsonRpcOwner = z.output<typeof owner>;

const objectRef = z.object({ objectId: z.string(), version: z.string(), digest: z.string() });
const ownedObjectRef = z.object({ owner, reference: objectRef });

const effects = z.object({
  messageVersion: z.literal("v1"),
  status: z.object({ status: z.enum(["success", "failure"]), error: z.string().exactOptional() }),
  executedEpoch: z.string(),
  gasUsed: z.object({
    computationCost: z.string(),
    storageCost: z.string(),
    storageRebate: z.string(),
    nonRefundableStorageFee: z.string(),
  }),
  modifiedAtVersions: z.array(z.object({ objectId: z.string(), sequenceNumber: z.string() })),
  transactionDigest: z.string(),
  created: z.array(ownedObjectRef),
  mutated: z.array(ownedObjectRef),
  unwrapped: z.array(ownedObjectRef),
  deleted: z.array(objectRef),
  unwrappedThenDeleted: z.array(objectRef),
  wrapped: z.array(objectRef),
  gasObject: ownedObjectRef,
  eventsDigest: z.string().exactOptional(),
  dependencies: z.array(z.string()),
});

const event = z.object({
  id: z.object({ txDigest: z.string(), eventSeq: z.string() }),
  packageId: z.string(),
  transactionModule: z.string(),
  sender: z.string(),
  type: z.string(),
  parsedJson: z.unknown(),
  bcsEncoding: z.literal("base64"),
  bcs: z.string(),
});

const changedObject = z.object({
  sender: z.string(),
  objectType: z.string(),
  objectId: z.string(),
  version: z.string(),
});

const objectChange = z.discriminatedUnion("type", [
  changedObject.extend({ type: z.literal("created"), owner, digest: z.string() }),
  changedObject.extend({ type: z.literal("mutated"), owner, previousVersion: z.string(), digest: z.string() }),
  changedObject.extend({ type: z.literal("deleted") }),
  changedObject.extend({ type: z.literal("wrapped") }),
]);

export const suiTransactionResponse = z.object({
  digest: z.string(),
  effects,
  events: z.array(event),
  objectChanges: z.array(objectChange),
  balanceChanges: z.array(z.object({ owner, coinType: z.string(), amount: z.string() })),
  timestampMs: z.string().exactOptional(),
  checkpoint: z.string().exactOptional(),
  confirmedLocalExecution: z.boolean().exactOptional(),
});

export type SuiTransactionResponse = z.output<typeof suiTransactionResponse>;
export type ObjectChange = SuiTransactionResponse["objectChanges"][number];
