import { GrpcTypes } from "@mysten/sui/grpc";
import type { ChainState, EpochInfo } from "../chain-state.ts";
import type { CommittedTransaction } from "../ledger.ts";
import { applyMask, type Mask, parseMask, submask } from "../masks.ts";
import { objectProto, timestampProto, transactionProto } from "../proto.ts";
import { PROTOCOL_CONFIG, PROTOCOL_VERSION } from "../protocol-config.ts";
import { GrpcStatus, invalidArgument, notFound } from "../status.ts";
import { decodeTransaction, parseAddress, parseDigest } from "../transaction.ts";
import type { ChainView } from "../view.ts";
import { type Methods, unary } from "./method.ts";

const SYSTEM_STATE_VERSION = 2n;
const MAX_BATCH = 50;

const OBJECT_MASK = ["object_id", "version", "digest"];
const TRANSACTION_MASK = ["digest"];
const EPOCH_MASK = ["epoch", "first_checkpoint", "last_checkpoint", "start", "end", "reference_gas_price"];

export function ledgerService(view: () => ChainView, state: ChainState, epochDurationMs: bigint): Methods {
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
        chain: "localnet",
        epoch: epoch.epoch,
        checkpointHeight: checkpoint.sequenceNumber,
        timestamp: timestampProto(checkpoint.timestampMs),
        lowestAvailableCheckpoint: 0n,
        lowestAvailableCheckpointObjects: 0n,
        server: "sui-devchain/1",
      };
    }),

    "LedgerService/GetEpoch": unary(GrpcTypes.GetEpochRequest, GrpcTypes.GetEpochResponse, (request) => {
      const latest = view().epoch;
      const info = request.epoch === undefined ? latest : state.epochAt(request.epoch);
      if (info === undefined || info.epoch > latest.epoch) throw notFound(`Epoch ${request.epoch} not found`);
      const mask = parseMask(GrpcTypes.Epoch, request.readMask?.paths ?? EPOCH_MASK);
      return { epoch: applyMask(GrpcTypes.Epoch, epochProto(info, epochDurationMs), mask) };
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
export function maskTransaction({ bytes, executed }: CommittedTransaction, mask: Mask): GrpcTypes.ExecutedTransaction {
  const masked = { ...applyMask(GrpcTypes.ExecutedTransaction, executed, mask) };
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

function epochProto(info: EpochInfo, epochDurationMs: bigint): GrpcTypes.Epoch {
  const { epoch, startMs, referenceGasPrice, firstCheckpoint } = info;
  return GrpcTypes.Epoch.create({
    epoch,
    firstCheckpoint,
    start: timestampProto(startMs),
    referenceGasPrice,
    systemState: {
      version: SYSTEM_STATE_VERSION,
      epoch,
      protocolVersion: PROTOCOL_VERSION,
      referenceGasPrice,
      safeMode: false,
      epochStartTimestampMs: BigInt(startMs),
      parameters: { epochDurationMs },
      storageFund: { totalObjectStorageRebates: 0n, nonRefundableBalance: 0n },
    },
    protocolConfig: PROTOCOL_CONFIG,
  });
}
