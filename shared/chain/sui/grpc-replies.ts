import type { GrpcTypes } from "@mysten/sui/grpc";
import { ReplyError } from "../endpoints.ts";
import type {
  BalanceChange,
  ChainFacts,
  ChangedObject,
  DryRun,
  GasUsed,
  ObjectState,
  ObservedCoin,
  SuiCoin,
  SuiEvent,
  SuiExecution,
  SuiOwner,
} from "./node.ts";

type Timestamp = NonNullable<GrpcTypes.GetServiceInfoResponse["timestamp"]>;
type Value = NonNullable<GrpcTypes.Event["json"]>;

const OBJECT_ID = /^0x[0-9a-f]{64}$/;
const DIGEST = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Shorter epochs than this are no network that one can sponsor on; the bound also keeps a division sane. */
const MIN_EPOCH_DURATION_MS = 1_000;

export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new ReplyError(`the node's reply lacks ${name}`);
  return value;
}

function objectId(value: string | undefined, name: string): string {
  const id = required(value, name);
  if (!OBJECT_ID.test(id)) throw new ReplyError(`the node's reply has a malformed ${name}`);
  return id;
}

function digestOf(value: string | undefined, name: string): string {
  const digest = required(value, name);
  if (!DIGEST.test(digest)) throw new ReplyError(`the node's reply has a malformed ${name}`);
  return digest;
}

function safeNumber(value: bigint, name: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new ReplyError(`the node's reply has an absurd ${name}`);
  return number;
}

export function readTimestampMs({ seconds, nanos }: Timestamp): number {
  return safeNumber(seconds * 1_000n + BigInt(Math.floor(nanos / 1_000_000)), "timestamp");
}

export function readChainIdentifier({ chainId }: GrpcTypes.GetServiceInfoResponse): string {
  return digestOf(chainId, "chain_id");
}

export function readChainFacts(
  info: GrpcTypes.GetServiceInfoResponse,
  { epoch }: GrpcTypes.GetEpochResponse,
  fetchedAtMs: number,
): ChainFacts {
  const { systemState, start } = required(epoch, "epoch");
  const epochDurationMs = safeNumber(
    required(systemState?.parameters?.epochDurationMs, "epoch_duration_ms"),
    "epoch_duration_ms",
  );
  if (epochDurationMs < MIN_EPOCH_DURATION_MS) throw new ReplyError("the node's reply has an absurd epoch_duration_ms");
  const startMs = systemState?.epochStartTimestampMs;
  return {
    chainIdentifier: readChainIdentifier(info),
    epoch: required(epoch?.epoch, "epoch"),
    epochStartMs: start ? readTimestampMs(start) : safeNumber(required(startMs, "epoch start"), "epoch start"),
    epochDurationMs,
    referenceGasPriceMist: required(epoch?.referenceGasPrice, "reference_gas_price"),
    fetchedAtMs,
  };
}

export function readCoin(object: GrpcTypes.Object): SuiCoin {
  return {
    objectId: objectId(object.objectId, "object_id"),
    version: required(object.version, "version"),
    digest: digestOf(object.digest, "digest"),
    balanceMist: required(object.balance, "balance"),
  };
}

export function readObservedCoin(object: GrpcTypes.Object): ObservedCoin {
  return { ...readCoin(object), previousTransaction: digestOf(object.previousTransaction, "previous_transaction") };
}

function readGasUsed(summary: GrpcTypes.GasCostSummary | undefined): GasUsed {
  const gas = required(summary, "gas_used");
  return {
    computationCostMist: gas.computationCost ?? 0n,
    storageCostMist: gas.storageCost ?? 0n,
    storageRebateMist: gas.storageRebate ?? 0n,
    nonRefundableStorageFeeMist: gas.nonRefundableStorageFee ?? 0n,
  };
}

function readStatus(status: GrpcTypes.ExecutionStatus | undefined): { success: boolean; error: string | null } {
  const { success, error } = required(status, "status");
  if (success === true) return { success: true, error: null };
  const command = error?.command === undefined ? "" : ` in command ${error.command}`;
  return { success: false, error: `${error?.description ?? "execution failed"}${command}` };
}

export function readDryRun({ transaction }: GrpcTypes.SimulateTransactionResponse): DryRun {
  const effects = required(transaction?.effects, "effects");
  return { ...readStatus(effects.status), gasUsed: readGasUsed(effects.gasUsed) };
}

function readOwner(owner: GrpcTypes.Owner | undefined): SuiOwner | null {
  // `Owner_OwnerKind` of sui.rpc.v2: 1 address, 2 object, 3 shared, 4 immutable, 5 address through consensus.
  switch (owner?.kind) {
    case 1:
      return { kind: "address", address: required(owner.address, "owner address") };
    case 2:
      return { kind: "object", objectId: required(owner.address, "owner object") };
    case 3:
      return { kind: "shared", initialSharedVersion: required(owner.version, "initial shared version") };
    case 4:
      return { kind: "immutable" };
    case 5:
      return {
        kind: "consensus",
        address: required(owner.address, "owner address"),
        startVersion: required(owner.version, "owner start version"),
      };
    default:
      return null;
  }
}

function readChangedObject(changed: GrpcTypes.ChangedObject): ChangedObject {
  const state = (
    version: bigint | undefined,
    digest: string | undefined,
    owner: GrpcTypes.Owner | undefined,
  ): ObjectState => ({
    version: required(version, "object version"),
    digest: digestOf(digest, "object digest"),
    owner: readOwner(owner),
  });
  const { inputVersion, inputDigest, inputOwner, outputVersion, outputDigest, outputOwner, idOperation } = changed;
  // `InputObjectState` 2: exists. `OutputObjectState` 2: object written, 3: package written.
  const written = changed.outputState === 2 || changed.outputState === 3;
  return {
    objectId: objectId(changed.objectId, "changed object"),
    objectType: changed.objectType ?? null,
    // `IdOperation` 2: created, 3: deleted.
    operation: idOperation === 2 ? "created" : idOperation === 3 ? "deleted" : "none",
    input: changed.inputState === 2 ? state(inputVersion, inputDigest, inputOwner) : null,
    output: written ? state(outputVersion, outputDigest, outputOwner) : null,
  };
}

/** protobuf `Value` to the JSON that it stands for. */
function readJson(value: Value | undefined): unknown {
  switch (value?.kind.oneofKind) {
    case "boolValue":
      return value.kind.boolValue;
    case "numberValue":
      return value.kind.numberValue;
    case "stringValue":
      return value.kind.stringValue;
    case "listValue":
      return value.kind.listValue.values.map(readJson);
    case "structValue":
      return Object.fromEntries(
        Object.entries(value.kind.structValue.fields).map(([name, field]) => [name, readJson(field)]),
      );
    default:
      return null;
  }
}

function readEvent(event: GrpcTypes.Event): SuiEvent {
  return {
    packageId: required(event.packageId, "event package"),
    module: required(event.module, "event module"),
    sender: required(event.sender, "event sender"),
    eventType: required(event.eventType, "event type"),
    contents: event.contents?.value ?? new Uint8Array(),
    json: readJson(event.json),
  };
}

function readBalanceChange({ address, coinType, amount }: GrpcTypes.BalanceChange): BalanceChange {
  const text = required(amount, "balance change");
  if (!/^-?[0-9]{1,39}$/.test(text)) throw new ReplyError("the node's reply has a malformed balance change");
  return {
    address: required(address, "balance change address"),
    coinType: required(coinType, "coin type"),
    amount: BigInt(text),
  };
}

/** @param expectedDigest a reply about another transaction is refused. */
export function readExecution(transaction: GrpcTypes.ExecutedTransaction, expectedDigest: string): SuiExecution {
  if (transaction.digest !== expectedDigest) throw new ReplyError("the node answered about another digest");
  const effects = required(transaction.effects, "effects");
  return {
    digest: expectedDigest,
    ...readStatus(effects.status),
    epoch: required(effects.epoch, "epoch"),
    gasUsed: readGasUsed(effects.gasUsed),
    gasObjectId: effects.gasObject?.objectId ?? null,
    lamportVersion: required(effects.lamportVersion, "lamport_version"),
    dependencies: effects.dependencies,
    eventsDigest: effects.eventsDigest ?? null,
    changedObjects: effects.changedObjects.map(readChangedObject),
    events: (transaction.events?.events ?? []).map(readEvent),
    balanceChanges: transaction.balanceChanges.map(readBalanceChange),
    checkpoint: transaction.checkpoint ?? null,
    timestampMs: transaction.timestamp ? readTimestampMs(transaction.timestamp) : null,
  };
}
