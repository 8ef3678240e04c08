import * as z from "zod";
import { abortSchema } from "../shown-abort.ts";

/**
 * The fields of a Sui JSON-RPC `SuiTransactionBlockResponse` (`@mysten/sui/jsonRpc`) that a submitted transaction has.
 * u64 values are decimal strings. Versions in references and owners are numbers. Empty parts of the effects are
 * omitted. Texts are not checked further, because the transaction has already been executed, and a refusal to show it
 * would help nobody.
 */
/** Versions rise from 0 by one at a time, so none comes near the limit of exact numbers. */
const version = z.int().min(0);

const owner = z.union([
  z.object({ AddressOwner: z.string() }),
  z.object({ ObjectOwner: z.string() }),
  z.object({ Shared: z.object({ initial_shared_version: version }) }),
  z.object({ ConsensusAddressOwner: z.object({ owner: z.string(), start_version: version }) }),
  z.literal("Immutable"),
]);
/** The owner of an object, in the form of a full node's JSON-RPC. */
export type JsonRpcOwner = z.output<typeof owner>;

const objectRef = z.object({ objectId: z.string(), version, digest: z.string() });
const ownedObjectRef = z.object({ owner, reference: objectRef });

const effects = z.object({
  messageVersion: z.literal("v1"),
  status: z.object({
    status: z.enum(["success", "failure"]),
    error: z.string().exactOptional(),
    abort: abortSchema.exactOptional(),
  }),
  executedEpoch: z.string(),
  gasUsed: z.object({
    computationCost: z.string(),
    storageCost: z.string(),
    storageRebate: z.string(),
    nonRefundableStorageFee: z.string(),
  }),
  modifiedAtVersions: z.array(z.object({ objectId: z.string(), sequenceNumber: z.string() })).exactOptional(),
  transactionDigest: z.string(),
  created: z.array(ownedObjectRef).exactOptional(),
  mutated: z.array(ownedObjectRef).exactOptional(),
  unwrapped: z.array(ownedObjectRef).exactOptional(),
  deleted: z.array(objectRef).exactOptional(),
  unwrappedThenDeleted: z.array(objectRef).exactOptional(),
  wrapped: z.array(objectRef).exactOptional(),
  gasObject: ownedObjectRef,
  eventsDigest: z.string().exactOptional(),
  dependencies: z.array(z.string()).exactOptional(),
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

/** The schema of an executed transaction as a full node's JSON-RPC shows it. */
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

/** An executed transaction as a full node's JSON-RPC shows it. */
export type SuiTransactionResponse = z.output<typeof suiTransactionResponse>;
/** An object that a transaction changed, in the form of a full node's JSON-RPC. */
export type ObjectChange = SuiTransactionResponse["objectChanges"][number];
