import { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { balanceType } from "./accounts.ts";
import type { ExecutionFailure } from "./failure.ts";
import { failureBcs, failureProto } from "./failure-encoding.ts";
import type { AccumulatorWrite } from "./funds.ts";
import type { GasUsed } from "./gas.ts";
import { taggedDigest } from "./hash.ts";
import { type ChainObject, ownerBcs, ownerProto } from "./objects.ts";

/**
 * One object before and after a transaction. What is wrapped has no state afterwards, and what is unwrapped has none
 * before, without being deleted or created.
 */
export interface ObjectChange {
  readonly id: string;
  readonly before: ChainObject | undefined;
  readonly after: ChainObject | undefined;
  readonly operation: "none" | "created" | "deleted";
}

type Change = ObjectChange | AccumulatorWrite;

/** Everything that a transaction's effects state. */
export interface EffectsFacts {
  readonly transactionDigest: string;
  readonly epoch: bigint;
  readonly failure: ExecutionFailure | undefined;
  readonly gas: GasUsed;
  /** Absent when the gas is charged to an address balance. */
  readonly gasObjectId: string | undefined;
  readonly eventsDigest: string | undefined;
  readonly lamportVersion: bigint;
  readonly changes: readonly ObjectChange[];
  readonly funds: readonly AccumulatorWrite[];
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
  const changes: Change[] = [...facts.changes, ...facts.funds].sort((left, right) => (left.id < right.id ? -1 : 1));
  const bytes = effectsBcs(facts, changes);
  const digest = taggedDigest("TransactionEffects", bytes);
  const success = facts.failure === undefined;
  return { digest, success, bcs: bytes, proto: effectsProto(facts, changes, bytes, digest) };
}

function effectsBcs(facts: EffectsFacts, changes: readonly Change[]): Uint8Array {
  const gasObjectIndex = changes.findIndex(({ id }) => id === facts.gasObjectId);
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
      changedObjects: changes.map((change) => [change.id, changeBcs(change)] as const),
      unchangedConsensusObjects: facts.readShared.map(
        ({ id, version, digest }) => [id, { ReadOnlyRoot: [version, digest] }] as const,
      ),
      auxDataDigest: null,
    },
  }).toBytes();
}

function changeBcs(change: Change) {
  if (isAccumulatorWrite(change)) return accumulatorBcs(change);
  const { before, after, operation } = change;
  return {
    inputState:
      before === undefined
        ? ({ NotExist: true } as const)
        : ({ Exist: [[before.version, before.digest], ownerBcs(before.owner)] } as const),
    outputState:
      after === undefined
        ? ({ NotExist: true } as const)
        : ({ ObjectWrite: [after.digest, ownerBcs(after.owner)] } as const),
    idOperation: ID_OPERATION_BCS[operation],
  };
}

const ID_OPERATION_BCS = {
  none: { None: true },
  created: { Created: true },
  deleted: { Deleted: true },
} as const;

function isAccumulatorWrite(change: Change): change is AccumulatorWrite {
  return "account" in change;
}

/** An account's entry stands among the changed objects, but as one that neither was nor is (sui-types effects_v2.rs). */
function accumulatorBcs({ account, operation, amount }: AccumulatorWrite) {
  return {
    inputState: { NotExist: true },
    outputState: {
      AccumulatorWriteV1: {
        address: { address: account.address, ty: balanceType(account.coinType) },
        operation: operation === "merge" ? ({ Merge: true } as const) : ({ Split: true } as const),
        value: { Integer: amount },
      },
    },
    idOperation: { None: true },
  } as const;
}

function effectsProto(
  facts: EffectsFacts,
  changes: readonly Change[],
  bytes: Uint8Array,
  digest: string,
): GrpcTypes.TransactionEffects {
  const changedObjects = changes.map(changeProto);
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

function changeProto(change: Change): GrpcTypes.ChangedObject {
  if (isAccumulatorWrite(change)) return accumulatorProto(change);
  const { id, before, after, operation } = change;
  const {
    ChangedObject_InputObjectState: In,
    ChangedObject_OutputObjectState: Out,
    ChangedObject_IdOperation: Operation,
  } = GrpcTypes;
  const operations = { none: Operation.NONE, created: Operation.CREATED, deleted: Operation.DELETED };
  return {
    objectId: id,
    inputState: before === undefined ? In.DOES_NOT_EXIST : In.EXISTS,
    ...(before && { inputVersion: before.version, inputDigest: before.digest, inputOwner: ownerProto(before.owner) }),
    outputState: after === undefined ? Out.DOES_NOT_EXIST : Out.OBJECT_WRITE,
    ...(after && { outputVersion: after.version, outputDigest: after.digest, outputOwner: ownerProto(after.owner) }),
    idOperation: operations[operation],
    ...optional("objectType", after?.type ?? before?.type),
  };
}

function accumulatorProto({ id, account, operation, amount }: AccumulatorWrite): GrpcTypes.ChangedObject {
  const { AccumulatorWrite_AccumulatorOperation: Operation } = GrpcTypes;
  return {
    objectId: id,
    inputState: GrpcTypes.ChangedObject_InputObjectState.DOES_NOT_EXIST,
    outputState: GrpcTypes.ChangedObject_OutputObjectState.ACCUMULATOR_WRITE,
    accumulatorWrite: {
      address: account.address,
      accumulatorType: balanceType(account.coinType),
      operation: operation === "merge" ? Operation.MERGE : Operation.SPLIT,
      valueKind: GrpcTypes.AccumulatorWrite_AccumulatorValue.INTEGER,
      integerValue: amount,
      integerTuple: [],
      eventDigestValue: [],
    },
    idOperation: GrpcTypes.ChangedObject_IdOperation.NONE,
  };
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  const entry: { [K in Key]?: Value } = {};
  if (value !== undefined) entry[key] = value;
  return entry;
}
