import { GrpcTypes } from "@mysten/sui/grpc";
import type { ChainState, Checkpoint, EpochInfo } from "../chain-state.ts";
import { taggedDigest } from "../hash.ts";
import type { CommittedTransaction } from "../ledger.ts";
import { applyMask, type Mask, parseMask, submask } from "../masks.ts";
import { objectProto, timestampProto, transactionProto } from "../proto.ts";
import type { Protocol } from "../protocol.ts";
import { protocolConfig } from "../protocol-config.ts";
import { GrpcStatus, invalidArgument, notFound } from "../status.ts";
import { decodeTransaction, parseAddress, parseDigest } from "../transaction.ts";
import type { ChainView } from "../view.ts";
import { type Methods, unary } from "./method.ts";

const SYSTEM_STATE_VERSION = 2n;
const MAX_BATCH = 50;

/** Of a local network (recorded, 1.62); nobody can stake here. */
const STAKING_PARAMETERS = {
  stakeSubsidyStartEpoch: 0n,
  maxValidatorCount: 150n,
  minValidatorJoiningStake: 30_000_000_000_000_000n,
  validatorLowStakeThreshold: 20_000_000_000_000_000n,
  validatorVeryLowStakeThreshold: 15_000_000_000_000_000n,
  validatorLowStakeGracePeriod: 7n,
};
/** Modelled: the whole supply is in the faucet's coin. */
const NO_SUBSIDY = {
  balance: 0n,
  distributionCounter: 0n,
  currentDistributionAmount: 0n,
  stakeSubsidyPeriodLength: 10n,
  stakeSubsidyDecreaseRate: 1_000,
};

const OBJECT_MASK = ["object_id", "version", "digest"];
const TRANSACTION_MASK = ["digest"];
/** Objects beside a transaction have no JSON, and those beside an executed one no balance (recorded, 1.62). */
const OBJECT_BCS: Mask = new Map([["bcs", "all"]]);
const WITHOUT_BALANCE: Mask = new Map(
  GrpcTypes.Object.fields
    .map(({ name, localName }) => name ?? localName)
    .filter((name) => name !== "balance" && name !== "json")
    .map((name) => [name, "all"]),
);
const CHECKPOINT_MASK = ["sequence_number", "digest"];
const EPOCH_MASK = ["epoch", "first_checkpoint", "last_checkpoint", "start", "end", "reference_gas_price"];

/** The chain's parameters that a node tells beside its state. */
export interface ChainParameters {
  readonly epochDurationMs: bigint;
  protocol(): Protocol;
}

export function ledgerService(view: () => ChainView, state: ChainState, parameters: ChainParameters): Methods {
  function objectResult({ store }: ChainView, request: GrpcTypes.GetObjectRequest, mask: Mask): GrpcTypes.Object {
    const id = parseAddress("object_id", request.objectId);
    const { version } = request;
    const object = version === undefined ? store.liveObject(id) : store.objectAtVersion(id, version);
    if (object === undefined) {
      throw notFound(`Object ${id}${version === undefined ? "" : ` with version ${version}`} not found`);
    }
    return applyMask(GrpcTypes.Object, objectProto(object, mask), mask);
  }

  function transactionResult(shown: ChainView, given: string | undefined, mask: Mask): GrpcTypes.ExecutedTransaction {
    const digest = parseDigest(given);
    const transaction = shown.findTransaction(digest);
    if (transaction === undefined) throw notFound(`Transaction ${digest} not found`);
    return maskTransaction(transaction, mask);
  }

  return {
    "LedgerService/GetServiceInfo": unary(GrpcTypes.GetServiceInfoRequest, GrpcTypes.GetServiceInfoResponse, () => {
      const { checkpoint, epoch } = view();
      return {
        chainId: state.chainId,
        chain: "unknown",
        epoch: epoch.epoch,
        checkpointHeight: checkpoint.sequenceNumber,
        timestamp: timestampProto(checkpoint.timestampMs),
        lowestAvailableCheckpoint: 0n,
        lowestAvailableCheckpointObjects: 0n,
        server: "sui-devchain/1",
      };
    }),

    // Checkpoints are made up from the clock: their digests and the rest of their summaries are not served.
    "LedgerService/GetCheckpoint": unary(
      GrpcTypes.GetCheckpointRequest,
      GrpcTypes.GetCheckpointResponse,
      ({ checkpointId, readMask }) => {
        const { checkpoint, epoch } = view();
        if (checkpointId.oneofKind === "digest") throw notFound(`Checkpoint ${checkpointId.digest} not found`);
        const number = checkpointId.oneofKind === "sequenceNumber" ? checkpointId.sequenceNumber : null;
        if (number !== null && number !== checkpoint.sequenceNumber) throw notFound(`Checkpoint ${number} not found`);
        const mask = parseMask(GrpcTypes.Checkpoint, readMask?.paths ?? CHECKPOINT_MASK);
        return { checkpoint: applyMask(GrpcTypes.Checkpoint, checkpointProto(checkpoint, epoch), mask) };
      },
    ),

    "LedgerService/GetEpoch": unary(GrpcTypes.GetEpochRequest, GrpcTypes.GetEpochResponse, (request) => {
      const latest = view().epoch;
      const info = request.epoch === undefined ? latest : state.epochAt(request.epoch);
      if (info === undefined || info.epoch > latest.epoch)
        throw notFound(`Committee for epoch ${request.epoch} not found`);
      const mask = parseMask(GrpcTypes.Epoch, request.readMask?.paths ?? EPOCH_MASK);
      return { epoch: applyMask(GrpcTypes.Epoch, epochProto(info, parameters), mask) };
    }),

    "LedgerService/GetObject": unary(GrpcTypes.GetObjectRequest, GrpcTypes.GetObjectResponse, (request) => ({
      object: objectResult(view(), request, parseMask(GrpcTypes.Object, request.readMask?.paths ?? OBJECT_MASK)),
    })),

    "LedgerService/BatchGetObjects": unary(
      GrpcTypes.BatchGetObjectsRequest,
      GrpcTypes.BatchGetObjectsResponse,
      ({ requests, readMask }) => {
        refuseLargeBatch(requests.length);
        const mask = parseMask(GrpcTypes.Object, readMask?.paths ?? OBJECT_MASK);
        const shown = view();
        const objects = requests.map((request): GrpcTypes.GetObjectResult => {
          const result = orError(() => objectResult(shown, request, mask));
          return result instanceof GrpcStatus
            ? { result: { oneofKind: "error", error: errorProto(result) } }
            : { result: { oneofKind: "object", object: result } };
        });
        return { objects };
      },
    ),

    "LedgerService/GetTransaction": unary(
      GrpcTypes.GetTransactionRequest,
      GrpcTypes.GetTransactionResponse,
      ({ digest, readMask }) => ({
        transaction: transactionResult(
          view(),
          digest,
          parseMask(GrpcTypes.ExecutedTransaction, readMask?.paths ?? TRANSACTION_MASK),
        ),
      }),
    ),

    "LedgerService/BatchGetTransactions": unary(
      GrpcTypes.BatchGetTransactionsRequest,
      GrpcTypes.BatchGetTransactionsResponse,
      ({ digests, readMask }) => {
        refuseLargeBatch(digests.length);
        const mask = parseMask(GrpcTypes.ExecutedTransaction, readMask?.paths ?? TRANSACTION_MASK);
        const shown = view();
        const transactions = digests.map((digest): GrpcTypes.GetTransactionResult => {
          const result = orError(() => transactionResult(shown, digest, mask));
          return result instanceof GrpcStatus
            ? { result: { oneofKind: "error", error: errorProto(result) } }
            : { result: { oneofKind: "transaction", transaction: result } };
        });
        return { transactions };
      },
    ),
  };
}

/** Selects the masked fields of a committed transaction; its `transaction` is decoded only when it is wanted. */
export function maskTransaction(
  { bytes, executed, objects }: CommittedTransaction,
  mask: Mask,
  objectMask: Mask = WITHOUT_BALANCE,
): GrpcTypes.ExecutedTransaction {
  const masked = { ...applyMask(GrpcTypes.ExecutedTransaction, executed, mask) };
  const wantedObjects = submask(mask, "objects");
  if (objects !== undefined && wantedObjects !== undefined) {
    const all = {
      objects: objects.map((object) => applyMask(GrpcTypes.Object, objectProto(object, OBJECT_BCS), objectMask)),
    };
    masked.objects = applyMask(GrpcTypes.ObjectSet, GrpcTypes.ObjectSet.create(all), wantedObjects);
  }
  const wanted = submask(mask, "transaction");
  if (wanted === undefined) return masked;
  masked.transaction = applyMask(GrpcTypes.Transaction, transactionProto(decodeTransaction(bytes)), wanted);
  return masked;
}

function refuseLargeBatch(size: number): void {
  if (size > MAX_BATCH) {
    throw invalidArgument(`number of batch requests exceed limit of ${MAX_BATCH}`);
  }
}

function orError<Result>(read: () => Result): Result | GrpcStatus {
  try {
    return read();
  } catch (error) {
    if (error instanceof GrpcStatus) return error;
    throw error;
  }
}

function errorProto({ code, message }: GrpcStatus) {
  return { code, message, details: [] };
}

function checkpointProto({ sequenceNumber, timestampMs }: Checkpoint, { epoch }: EpochInfo): GrpcTypes.Checkpoint {
  const text = new TextEncoder().encode(`${sequenceNumber}/${timestampMs}`);
  return GrpcTypes.Checkpoint.create({
    sequenceNumber,
    digest: taggedDigest("CheckpointSummary", text),
    summary: { epoch, sequenceNumber, timestamp: timestampProto(timestampMs) },
  });
}

function epochProto(info: EpochInfo, { epochDurationMs, protocol: ofChain }: ChainParameters): GrpcTypes.Epoch {
  const protocol = ofChain();
  const { epoch, startMs, referenceGasPrice, firstCheckpoint } = info;
  return GrpcTypes.Epoch.create({
    epoch,
    firstCheckpoint,
    start: timestampProto(startMs),
    referenceGasPrice,
    systemState: {
      version: SYSTEM_STATE_VERSION,
      epoch,
      protocolVersion: BigInt(protocol.version),
      referenceGasPrice,
      safeMode: false,
      safeModeStorageRewards: 0n,
      safeModeComputationRewards: 0n,
      safeModeStorageRebates: 0n,
      safeModeNonRefundableStorageFee: 0n,
      epochStartTimestampMs: BigInt(startMs),
      parameters: { epochDurationMs, ...STAKING_PARAMETERS },
      storageFund: { totalObjectStorageRebates: 0n, nonRefundableBalance: 0n },
      stakeSubsidy: NO_SUBSIDY,
    },
    protocolConfig: protocolConfig(protocol),
  });
}
