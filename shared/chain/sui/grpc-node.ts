import type { GrpcTypes, SuiGrpcClient } from "@mysten/sui/grpc";
import { done, type Outcome, refuse } from "../../errors.ts";
import type { SuiNetwork } from "../../networks.ts";
import type { Clock, Fetch } from "../../ports.ts";
import { unlessAborted } from "../../timing.ts";
import { faultText, firstAnswer, firstVerdict, READ_TIMEOUT_MS, ReplyError } from "../endpoints.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import {
  readChainFacts,
  readCoin,
  readDryRun,
  readExecution,
  readObservedCoin,
  readTimestampMs,
  required,
} from "./grpc-replies.ts";
import { type DryRun, type Found, NODE_BATCH_LIMIT, type SubmitOutcome, type SuiCoin, type SuiNode } from "./node.ts";
import { verifyEd25519 } from "./signature.ts";

/** A node answers an execution once it is final, which takes longer than a read. */
const SUBMIT_TIMEOUT_MS = 30_000;
const COIN_PAGE_SIZE = 1_000;
/** 200 pages: far more coins than the pool ever holds. A longer listing is a node that does not end its pages. */
const MAX_COIN_PAGES = 200;
const SUI_COIN_TYPE = "0x2::coin::Coin<0x2::sui::SUI>";
const COIN_MASK = ["object_id", "version", "digest", "balance", "previous_transaction"];
const SETTLEMENT_MASK = [
  "digest",
  "effects.status",
  "effects.epoch",
  "effects.gas_used",
  "effects.gas_object",
  "effects.events_digest",
  "effects.dependencies",
  "effects.lamport_version",
  "effects.changed_objects",
  "checkpoint",
  "timestamp",
];
const FULL_MASK = [...SETTLEMENT_MASK, "events", "balance_changes"];
/** `google.rpc.Code.NOT_FOUND`, inside a batch reply. */
const GRPC_NOT_FOUND = 5;

/** gRPC codes with which a node says that it did not execute the transaction (`sui-rpc-api`, `error.rs`). */
const REFUSED_CODES = new Set(["INVALID_ARGUMENT", "FAILED_PRECONDITION"]);

export interface SuiNodeOptions {
  readonly network: SuiNetwork;
  /** Tried in this order. */
  readonly urls: readonly string[];
  readonly fetch: Fetch;
  readonly clock: Clock;
}

/** The gRPC status name, or null where no gRPC answer arrived. */
function statusOf(error: unknown): string | null {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return typeof code === "string" ? code : null;
}

/**
 * A Sui full node over gRPC-web (public JSON-RPC is switched off). The SDK's transport is loaded on first use, so
 * that requests which ask no node do not pay for it.
 */
export function createSuiNode({ network, urls, fetch, clock }: SuiNodeOptions): SuiNode {
  const clients = new Map<string, Promise<SuiGrpcClient>>();
  const clientOf = (baseUrl: string): Promise<SuiGrpcClient> => {
    const known = clients.get(baseUrl);
    if (known !== undefined) return known;
    const loading = import("@mysten/sui/grpc").then(
      ({ SuiGrpcClient }) =>
        new SuiGrpcClient({
          network: network.slice(4).toLowerCase(),
          baseUrl,
          format: "binary",
          fetch: boundedFetch(fetch),
        }),
    );
    clients.set(baseUrl, loading);
    loading.catch(() => clients.delete(baseUrl));
    return loading;
  };

  const endpoints = { network, urls };

  function read<T>(ask: (client: SuiGrpcClient, abort: AbortSignal) => Promise<T>): Promise<Outcome<T>> {
    return firstAnswer(endpoints, async (url, abort) => ask(await clientOf(url), abort));
  }

  return {
    chainFacts: (atLeastEpoch) =>
      read(async ({ ledgerService }, abort) => {
        const paths = [
          "epoch",
          "reference_gas_price",
          "start",
          "system_state.epoch_start_timestamp_ms",
          "system_state.parameters.epoch_duration_ms",
        ];
        const [info, epoch] = await Promise.all([
          ledgerService.getServiceInfo({}, { abort }).response,
          ledgerService.getEpoch({ readMask: { paths } }, { abort }).response,
        ]);
        const facts = readChainFacts(info, epoch, clock.nowMs());
        if (facts.epoch < atLeastEpoch) throw new ReplyError(`the node lags: it is in epoch ${facts.epoch}`);
        return facts;
      }),

    dryRun: async (transactionBytes) => {
      const answer = await read(async ({ transactionExecutionService }, abort): Promise<Outcome<DryRun>> => {
        const request: GrpcTypes.SimulateTransactionRequest = {
          transaction: { bcs: { value: transactionBytes } },
          doGasSelection: false,
          readMask: { paths: ["transaction.effects.status", "transaction.effects.gas_used"] },
        };
        try {
          return done(readDryRun(await transactionExecutionService.simulateTransaction(request, { abort }).response));
        } catch (error) {
          const status = statusOf(error);
          if (status !== "INVALID_ARGUMENT") throw error;
          const text = faultText(error);
          return refuse("dry_run_failed", text, { node: { status, text } });
        }
      });
      return answer.ok ? answer.value : answer;
    },

    submit: (transactionBytes, signatures, digest) =>
      firstVerdict(endpoints, (url) => submitTo(clientOf(url), transactionBytes, signatures, digest)),

    lookUp: (digests, detail) =>
      read(async (client, abort) => {
        const { ledgerService } = client;
        const info = await ledgerService.getServiceInfo({}, { abort }).response;
        const findings = await findAll(client, digests, detail === "full" ? FULL_MASK : SETTLEMENT_MASK, { abort });
        return { findings, checkpointTimeMs: readTimestampMs(required(info.timestamp, "timestamp")) };
      }),

    coins: (owner) =>
      read(async ({ stateService }) => {
        const coins: SuiCoin[] = [];
        let pageToken: Uint8Array | undefined;
        for (let page = 0; page < MAX_COIN_PAGES; page++) {
          const request: GrpcTypes.ListOwnedObjectsRequest = {
            owner,
            objectType: SUI_COIN_TYPE,
            pageSize: COIN_PAGE_SIZE,
            readMask: { paths: COIN_MASK },
            ...(pageToken && { pageToken }),
          };
          const abort = AbortSignal.timeout(READ_TIMEOUT_MS);
          const { objects, nextPageToken } = await stateService.listOwnedObjects(request, { abort }).response;
          coins.push(...objects.map(readCoin));
          if (nextPageToken === undefined || nextPageToken.length === 0) return coins;
          pageToken = nextPageToken;
        }
        throw new ReplyError(`the listing of coins has more than ${MAX_COIN_PAGES} pages`);
      }),

    observeCoins: (objectIds) =>
      read(async ({ ledgerService }, abort) => {
        const request = { requests: objectIds.map((objectId) => ({ objectId })), readMask: { paths: COIN_MASK } };
        const { objects } = await ledgerService.batchGetObjects(request, { abort }).response;
        if (objects.length !== objectIds.length) throw new ReplyError("the node answered another number of objects");
        return objects.map(({ result }) => (result.oneofKind === "object" ? readObservedCoin(result.object) : null));
      }),

    balances: (owner, digests) =>
      read(async (client, abort) => {
        const { ledgerService, stateService } = client;
        const { response: before } = await ledgerService.getServiceInfo({}, { abort });
        const request = { owner, coinType: "0x2::sui::SUI" };
        const { balance } = await stateService.getBalance(request, { abort }).response;
        const { response: after } = await ledgerService.getServiceInfo({}, { abort });
        const findings: Found[] = [];
        for (let start = 0; start < digests.length; start += NODE_BATCH_LIMIT)
          findings.push(
            ...(await findAll(client, digests.slice(start, start + NODE_BATCH_LIMIT), SETTLEMENT_MASK, {
              abort: AbortSignal.timeout(READ_TIMEOUT_MS),
            })),
          );
        return {
          coinBalanceMist: balance?.coinBalance ?? 0n,
          addressBalanceMist: balance?.addressBalance ?? 0n,
          fromCheckpoint: required(before.checkpointHeight, "checkpoint_height"),
          toCheckpoint: required(after.checkpointHeight, "checkpoint_height"),
          checkpointTimeMs: readTimestampMs(required(before.timestamp, "timestamp")),
          findings,
        };
      }),

    verifySignature: async (transactionBytes, signature, address) => {
      const verified = await verifyEd25519(transactionBytes, signature, address);
      if (verified !== null) return done(verified);
      const { isValidTransactionSignature } = await import("@mysten/sui/verify");
      return read((client, abort) =>
        unlessAborted(abort, isValidTransactionSignature(transactionBytes, signature, { address, client })),
      );
    },
  };
}

/** At most `NODE_BATCH_LIMIT` digests, in the order asked. */
async function findAll(
  { ledgerService }: SuiGrpcClient,
  digests: readonly string[],
  paths: readonly string[],
  options: { readonly abort: AbortSignal },
): Promise<readonly Found[]> {
  const request = { digests: [...digests], readMask: { paths: [...paths] } };
  const { transactions } = await ledgerService.batchGetTransactions(request, options).response;
  if (transactions.length !== digests.length) throw new ReplyError("the node answered another number of digests");
  return transactions.map(({ result }, index) => foundOf(result, digests[index] ?? ""));
}

async function submitTo(
  loading: Promise<SuiGrpcClient>,
  transactionBytes: Uint8Array,
  signatures: readonly string[],
  digest: string,
): Promise<SubmitOutcome> {
  try {
    const { transactionExecutionService } = await loading;
    const request: GrpcTypes.ExecuteTransactionRequest = {
      transaction: { bcs: { value: transactionBytes } },
      signatures: signatures.map((signature) => ({
        bcs: { value: Uint8Array.from(atob(signature), (char) => char.charCodeAt(0)) },
        signature: { oneofKind: undefined },
      })),
      readMask: { paths: FULL_MASK },
    };
    const abort = AbortSignal.timeout(SUBMIT_TIMEOUT_MS);
    const { transaction } = await transactionExecutionService.executeTransaction(request, { abort }).response;
    return { kind: "executed", execution: readExecution(required(transaction, "transaction"), digest) };
  } catch (error) {
    const status = statusOf(error);
    const text = faultText(error);
    return status !== null && REFUSED_CODES.has(status) ? { kind: "refused", status, text } : { kind: "unknown", text };
  }
}

/** One item of a batch never spoils the others: what cannot be read counts as not answered. */
function foundOf(result: GrpcTypes.GetTransactionResult["result"], digest: string): Found {
  if (result.oneofKind === "error") return result.error.code === GRPC_NOT_FOUND ? null : "no_answer";
  if (result.oneofKind !== "transaction") return "no_answer";
  try {
    return readExecution(result.transaction, digest);
  } catch (error) {
    if (error instanceof ReplyError) return "no_answer";
    throw error;
  }
}
