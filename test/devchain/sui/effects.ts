import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import type { ExecutionFailure } from "./failure.ts";
import { failureBcs, failureProto } from "./failure-encoding.ts";
import type { GasUsed } from "./gas.ts";
import { taggedDigest } from "./hash.ts";
import { type ChainObject, ownerBcs, ownerProto } from "./objects.ts";

/** One object before and after a transaction; absent before when created, absent after when deleted. */
export type ObjectChange =
  | { readonly id: string; readonly before: ChainObject | undefined; readonly after: ChainObject }
  | { readonly id: string; readonly before: ChainObject; readonly after: undefined };

/** Everything that a transaction's effects state. */
export interface EffectsFacts {
  readonly transactionDigest: string;
  readonly epoch: bigint;
  readonly failure: ExecutionFailure | undefined;
  readonly gas: GasUsed;
  readonly gasObjectId: string;
  readonly eventsDigest: string | undefined;
  readonly lamportVersion: bigint;
  /** Sorted by object id. */
  readonly changes: readonly ObjectChange[];
  /** Shared objects that were only read. */
  readonly readShared: readonly ChainObject[];
  /** Digests of the transactions that made the inputs, sorted. */
  readonly dependencies: readonly string[];
}

export interface Effects {
  readonly digest: string;
  readonly success: boolean;
  readonly bcs: Uint8Array;
  readonly proto: GrpcTypes.TransactionEffects;
}

const EFFECTS_VERSION = 2;

/** Encodes effects version 2, in BCS and in protobuf (sui-types effects_v2.rs; digest over "TransactionEffects::"). */
export function encodeEffects(facts: EffectsFacts): Effects {
  const bytes = effectsBcs(facts);
  const digest = taggedDigest("TransactionEffects", bytes);
  return { digest, success: facts.failure === undefined, bcs: bytes, proto: effectsProto(facts, bytes, digest) };
}

function effectsBcs(facts: EffectsFacts): Uint8Array {
  const gasObjectIndex = facts.changes.findIndex(({ id }) => id === facts.gasObjectId);
  return bcs.TransactionEffects.serialize({
    V2: {
      status:
        facts.failure === undefined
          ? { Success: true }
          : { Failure: { error: failureBcs(facts.failure.failure), command: facts.failure.command ?? null } },
      executedEpoch: facts.epoch,
      gasUsed: facts.gas,
      transactionDigest: facts.transactionDigest,
      gasObjectIndex: gasObjectIndex < 0 ? null : gasObjectIndex,
      eventsDigest: facts.eventsDigest ?? null,
      dependencies: [...facts.dependencies],
      lamportVersion: facts.lamportVersion,
      changedObjects: facts.changes.map((change) => [change.id, changeBcs(change)] as const),
      unchangedConsensusObjects: facts.readShared.map(
        ({ id, version, digest }) => [id, { ReadOnlyRoot: [version, digest] }] as const,
      ),
      auxDataDigest: null,
    },
  }).toBytes();
}

function changeBcs({ before, after }: ObjectChange) {
  return {
    inputState:
      before === undefined
        ? ({ NotExist: true } as const)
        : ({ Exist: [[before.version, before.digest], ownerBcs(before.owner)] } as const),
    outputState:
      after === undefined
        ? ({ NotExist: true } as const)
        : ({ ObjectWrite: [after.digest, ownerBcs(after.owner)] } as const),
    idOperation: idOperationBcs(before, after),
  };
}

function idOperationBcs(before: ChainObject | undefined, after: ChainObject | undefined) {
  if (before === undefined) return { Created: true } as const;
  return after === undefined ? ({ Deleted: true } as const) : ({ None: true } as const);
}

function effectsProto(facts: EffectsFacts, bytes: Uint8Array, digest: string): GrpcTypes.TransactionEffects {
  const changedObjects = facts.changes.map(changeProto);
  return GrpcTypes.TransactionEffects.create({
    bcs: { name: "TransactionEffects", value: bytes },
    digest,
    version: EFFECTS_VERSION,
    status: {
      success: facts.failure === undefined,
      ...(facts.failure && { error: failureProto(facts.failure) }),
    },
    epoch: facts.epoch,
    gasUsed: facts.gas,
    transactionDigest: facts.transactionDigest,
    ...optional(
      "gasObject",
      changedObjects.find(({ objectId }) => objectId === facts.gasObjectId),
    ),
    ...optional("eventsDigest", facts.eventsDigest),
    dependencies: [...facts.dependencies],
    lamportVersion: facts.lamportVersion,
    changedObjects,
    unchangedConsensusObjects: facts.readShared.map(({ id, version, digest: objectDigest, type }) => ({
      kind: GrpcTypes.UnchangedConsensusObject_UnchangedConsensusObjectKind.READ_ONLY_ROOT,
      objectId: id,
      version,
      digest: objectDigest,
      objectType: type,
    })),
  });
}

function changeProto({ id, before, after }: ObjectChange): GrpcTypes.ChangedObject {
  const { ChangedObject_InputObjectState: In, ChangedObject_OutputObjectState: Out } = GrpcTypes;
  return {
    objectId: id,
    inputState: before === undefined ? In.DOES_NOT_EXIST : In.EXISTS,
    ...(before && { inputVersion: before.version, inputDigest: before.digest, inputOwner: ownerProto(before.owner) }),
    outputState: after === undefined ? Out.DOES_NOT_EXIST : Out.OBJECT_WRITE,
    ...(after && { outputVersion: after.version, outputDigest: after.digest, outputOwner: ownerProto(after.owner) }),
    idOperation: idOperationProto(before, after),
    ...optional("objectType", after?.type ?? before?.type),
  };
}

function idOperationProto(before: ChainObject | undefined, after: ChainObject | undefined) {
  const { ChangedObject_IdOperation: Operation } = GrpcTypes;
  if (before === undefined) return Operation.CREATED;
  return after === undefined ? Operation.DELETED : Operation.NONE;
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  const entry: { [K in Key]?: Value } = {};
  if (value !== undefined) entry[key] = value;
  return entry;
}
