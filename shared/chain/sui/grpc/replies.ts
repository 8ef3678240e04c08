import { bcs } from "@mysten/sui/bcs";
import type { GrpcTypes } from "@mysten/sui/grpc";
import { InvalidReplyError } from "../../failover.ts";
import { failureText, readAbort } from "../execution-failure.ts";
import type {
  BalanceChange,
  Balances,
  ChainFacts,
  ChangedObject,
  CoinVersion,
  DryRun,
  GasUsed,
  ObjectState,
  ObservedCoin,
  OwnedObject,
  SuiCoin,
  SuiEvent,
  SuiExecution,
  SuiOwner,
  TypeBalance,
} from "../node.ts";

type Timestamp = NonNullable<GrpcTypes.GetServiceInfoResponse["timestamp"]>;
type Value = NonNullable<GrpcTypes.Event["json"]>;

const OBJECT_ID = /^0x[0-9a-f]{64}$/;
/** Of a simulation. An app's transaction moves a few coins of a few people. */
const MAX_BALANCE_CHANGES = 256;
const DIGEST = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Shorter epochs than this are no network that one can sponsor on; the bound also keeps a division sane. */
const MIN_EPOCH_DURATION_MS = 1_000;

export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new InvalidReplyError(`the node's reply lacks ${name}`);
  return value;
}

function objectId(value: string | undefined, name: string): string {
  const id = required(value, name);
  if (!OBJECT_ID.test(id)) throw new InvalidReplyError(`the node's reply has a malformed ${name}`);
  return id;
}

function digestOf(value: string | undefined, name: string): string {
  const digest = required(value, name);
  if (!DIGEST.test(digest)) throw new InvalidReplyError(`the node's reply has a malformed ${name}`);
  return digest;
}

function safeNumber(value: bigint, name: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new InvalidReplyError(`the node's reply has an absurd ${name}`);
  return number;
}

export function readTimestampMs({ seconds, nanos }: Timestamp): number {
  // A message without them reads as zero, and no chain began in 1970.
  if (seconds === 0n) throw new InvalidReplyError("the node's reply lacks the seconds of a timestamp");
  return safeNumber(seconds * 1_000n + BigInt(Math.floor(nanos / 1_000_000)), "timestamp");
}

export function readChainIdentifier({ chainId }: GrpcTypes.GetServiceInfoResponse): string {
  return digestOf(chainId, "chain_id");
}

export function readChainFacts(
  info: GrpcTypes.GetServiceInfoResponse,
  { epoch }: GrpcTypes.GetEpochResponse,
  { endpoint, fetchedAtMs }: Pick<ChainFacts, "endpoint" | "fetchedAtMs">,
): ChainFacts {
  const { systemState, start } = required(epoch, "epoch");
  const epochDurationMs = safeNumber(
    required(systemState?.parameters?.epochDurationMs, "epoch_duration_ms"),
    "epoch_duration_ms",
  );
  if (epochDurationMs < MIN_EPOCH_DURATION_MS)
    throw new InvalidReplyError("the node's reply has an absurd epoch_duration_ms");
  const startMs = systemState?.epochStartTimestampMs;
  return {
    chainIdentifier: readChainIdentifier(info),
    epoch: required(epoch?.epoch, "epoch"),
    epochStartMs: start ? readTimestampMs(start) : safeNumber(required(startMs, "epoch start"), "epoch start"),
    epochDurationMs,
    referenceGasPriceMist: required(epoch?.referenceGasPrice, "reference_gas_price"),
    checkpoint: required(info.checkpointHeight, "checkpoint_height"),
    timestampMs: readTimestampMs(required(info.timestamp, "timestamp")),
    endpoint,
    fetchedAtMs,
  };
}

function readCoinVersion(object: GrpcTypes.Object): CoinVersion {
  return {
    objectId: objectId(object.objectId, "object_id"),
    version: required(object.version, "version"),
    digest: digestOf(object.digest, "digest"),
    balanceMist: required(object.balance, "balance"),
  };
}

/**
 * Reads one coin of an address' listing.
 *
 * @returns none if it has another owner: a coin may move between the index and the object that a node reads.
 */
export function readCoin(object: GrpcTypes.Object, address: string): readonly SuiCoin[] {
  const coin = readCoinVersion(object);
  const owner = readKnownOwner(object.owner);
  const isListedOwner = owner.kind === "address" || owner.kind === "consensus";
  return isListedOwner && owner.address === address ? [{ ...coin, owner }] : [];
}

/** Type names are ASCII (`move-core-types`, `identifier.rs`). */
function typeName(value: string | undefined, name: string): string {
  const type = required(value, name);
  if (!/^[\x20-\x7e]+$/.test(type)) throw new InvalidReplyError(`the node's reply has a malformed ${name}`);
  return type;
}

/** Reads one object of an address' listing. @returns none as `readCoin`. */
export function readOwnedObject(object: GrpcTypes.Object, address: string): readonly OwnedObject[] {
  const owner = readKnownOwner(object.owner);
  if ((owner.kind !== "address" && owner.kind !== "consensus") || owner.address !== address) return [];
  return [
    {
      objectId: objectId(object.objectId, "object_id"),
      objectType: typeName(object.objectType, "object_type"),
      owner,
      balanceAtoms: object.balance ?? null,
    },
  ];
}

/** Reads one balance of an address' listing. A node that cannot tell the parts of it shows no address balances. */
export function readTypeBalance(balance: GrpcTypes.Balance): TypeBalance {
  const { addressBalanceMist: addressBalanceAtoms } = readBalance(balance);
  return { coinType: typeName(balance.coinType, "coin_type"), addressBalanceAtoms: addressBalanceAtoms ?? 0n };
}

export function readObservedCoin(object: GrpcTypes.Object): ObservedCoin {
  return {
    ...readCoinVersion(object),
    owner: readKnownOwner(object.owner),
    previousTransaction: digestOf(object.previousTransaction, "previous_transaction"),
  };
}

/**
 * Reads what an address holds. A node leaves out a part that is zero, and both parts if the sum is zero (`sui-rpc-api`,
 * `get_balance.rs`), so that a missing part follows from what is there. Older nodes do not know the parts.
 */
export function readBalance(
  given: GrpcTypes.Balance | undefined,
): Pick<Balances, "coinBalanceMist" | "addressBalanceMist"> {
  const { balance: sum, coinBalance, addressBalance } = required(given, "balance");
  if (coinBalance !== undefined && addressBalance !== undefined)
    return { coinBalanceMist: coinBalance, addressBalanceMist: addressBalance };
  const sumMist = required(sum, "balance");
  const restMist = sumMist - (coinBalance ?? addressBalance ?? 0n);
  if (restMist < 0n) throw new InvalidReplyError("the node's reply has a balance below its part");
  if (coinBalance !== undefined) return { coinBalanceMist: coinBalance, addressBalanceMist: restMist };
  if (addressBalance !== undefined) return { coinBalanceMist: restMist, addressBalanceMist: addressBalance };
  return { coinBalanceMist: sumMist, addressBalanceMist: sumMist === 0n ? 0n : null };
}

function readGasUsed(summary: GrpcTypes.GasCostSummary | undefined): GasUsed {
  const gas = required(summary, "gas_used");
  return {
    computationCostMist: required(gas.computationCost, "computation_cost"),
    storageCostMist: required(gas.storageCost, "storage_cost"),
    storageRebateMist: required(gas.storageRebate, "storage_rebate"),
    nonRefundableStorageFeeMist: required(gas.nonRefundableStorageFee, "non_refundable_storage_fee"),
  };
}

function readStatus(status: GrpcTypes.ExecutionStatus | undefined): Pick<SuiExecution, "success" | "error" | "abort"> {
  const { success, error } = required(status, "status");
  if (required(success, "success")) return { success: true, error: null, abort: null };
  return { success: false, error: failureText(error), abort: readAbort(error) };
}

export function readDryRun({ transaction }: GrpcTypes.SimulateTransactionResponse): DryRun {
  const effects = required(transaction?.effects, "effects");
  const changes = transaction?.balanceChanges ?? [];
  // Whoever pays for gas has one, unless somebody else gave them as much: none at all means that none are told.
  const areTold = changes.length > 0 && changes.length <= MAX_BALANCE_CHANGES;
  const balanceChanges = areTold ? changes.map(readBalanceChange) : null;
  return { ...readStatus(effects.status), gasUsed: readGasUsed(effects.gasUsed), balanceChanges };
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

function readKnownOwner(owner: GrpcTypes.Owner | undefined): SuiOwner {
  const known = readOwner(required(owner, "owner"));
  if (known === null) throw new InvalidReplyError("the node's reply has an unknown kind of owner");
  return known;
}

/** Of an enumeration: its zero is what nobody has said. */
function known<E extends number>(value: E | undefined, name: string): E {
  if (required(value, name) === 0) throw new InvalidReplyError(`the node's reply lacks ${name}`);
  return required(value, name);
}

function readChangedObject(changed: GrpcTypes.ChangedObject): ChangedObject {
  const state = (
    version: bigint | undefined,
    digest: string | undefined,
    owner: GrpcTypes.Owner | undefined,
  ): ObjectState => ({
    version: required(version, "object version"),
    digest: digestOf(digest, "object digest"),
    owner: readOwner(required(owner, "object owner")),
  });
  const { inputVersion, inputDigest, inputOwner, outputVersion, outputDigest, outputOwner } = changed;
  const inputState = known(changed.inputState, "input_state");
  const outputState = known(changed.outputState, "output_state");
  const idOperation = known(changed.idOperation, "id_operation");
  // `InputObjectState` 2: exists. `OutputObjectState` 2: object written, 3: package written.
  const written = outputState === 2 || outputState === 3;
  return {
    objectId: objectId(changed.objectId, "changed object"),
    objectType: changed.objectType ?? null,
    // `IdOperation` 2: created, 3: deleted.
    operation: idOperation === 2 ? "created" : idOperation === 3 ? "deleted" : "none",
    input: inputState === 2 ? state(inputVersion, inputDigest, inputOwner) : null,
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
    contents: required(event.contents?.value, "event contents"),
    json: readJson(event.json),
  };
}

function readBalanceChange({ address, coinType, amount }: GrpcTypes.BalanceChange): BalanceChange {
  const text = required(amount, "balance change");
  if (!/^-?[0-9]{1,39}$/.test(text)) throw new InvalidReplyError("the node's reply has a malformed balance change");
  return {
    address: required(address, "balance change address"),
    coinType: required(coinType, "coin type"),
    amount: BigInt(text),
  };
}

/** @returns null where the effects are of another transaction, or of a version that the SDK's codec does not know. */
export function readRawEffects({ effects }: GrpcTypes.ExecutedTransaction, digest: string): Uint8Array | null {
  const bytes = required(effects?.bcs?.value, "effects.bcs");
  try {
    const read = bcs.TransactionEffects.parse(bytes);
    return read.V2?.transactionDigest === digest ? bytes : null;
  } catch {
    return null;
  }
}

/** @param expectedDigest a reply about another transaction is refused. */
export function readExecution(transaction: GrpcTypes.ExecutedTransaction, expectedDigest: string): SuiExecution {
  if (transaction.digest !== expectedDigest) throw new InvalidReplyError("the node answered about another digest");
  const effects = required(transaction.effects, "effects");
  const { changedObjects, gasObject } = effects;
  // Where only the gas object was asked for, it is told all the same.
  const changed = changedObjects.length > 0 || gasObject === undefined ? changedObjects : [gasObject];
  return {
    digest: expectedDigest,
    ...readStatus(effects.status),
    epoch: required(effects.epoch, "epoch"),
    gasUsed: readGasUsed(effects.gasUsed),
    gasObjectId: effects.gasObject ? objectId(effects.gasObject.objectId, "gas object") : null,
    lamportVersion: required(effects.lamportVersion, "lamport_version"),
    dependencies: effects.dependencies,
    eventsDigest: effects.eventsDigest ?? null,
    changedObjects: changed.map(readChangedObject),
    events: (transaction.events?.events ?? []).map(readEvent),
    balanceChanges: transaction.balanceChanges.map(readBalanceChange),
    checkpoint: transaction.checkpoint ?? null,
    timestampMs: transaction.timestamp ? readTimestampMs(transaction.timestamp) : null,
  };
}
