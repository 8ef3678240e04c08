import type { GrpcTypes, SuiGrpcClient } from "@mysten/sui/grpc";
import { done, type Outcome, refuse } from "../../errors.ts";
import type { SuiNetwork } from "../../networks.ts";
import type { Clock, Fetch } from "../../ports.ts";
import { unlessAborted } from "../../timing.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import {
  ReplyError,
  readChainFacts,
  readCoin,
  readDryRun,
  readExecution,
  readObservedCoin,
  readTimestampMs,
  required,
} from "./grpc-replies.ts";
import type { Found, SubmitOutcome, SuiCoin, SuiNode } from "./node.ts";
import { verifyEd25519 } from "./signature.ts";

const READ_TIMEOUT_MS = 10_000;
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

interface CallFault {
  /** gRPC status name, or null where no gRPC answer arrived. */
  readonly code: string | null;
  readonly text: string;
}

function faultOf(error: unknown): CallFault {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  const text = error instanceof Error ? error.message : String(error);
  return { code: typeof code === "string" ? code : null, text: text.slice(0, 1_000) };
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

  /** One answer from the first endpoint that gives one. `endsWith`: a gRPC status that is an answer too. */
  async function read<T>(
    ask: (client: SuiGrpcClient, abort: AbortSignal) => Promise<T>,
    endsWith?: string,
  ): Promise<Outcome<T> | CallFault> {
    let last: CallFault = { code: null, text: `no node is configured for ${network}: set ${network}_NODES` };
    for (const url of urls) {
      try {
        const client = await clientOf(url);
        return done(await ask(client, AbortSignal.timeout(READ_TIMEOUT_MS)));
      } catch (error) {
        last = faultOf(error);
        if (endsWith !== undefined && last.code === endsWith) break;
      }
    }
    return last;
  }

  async function readOrUnavailable<T>(
    ask: (client: SuiGrpcClient, abort: AbortSignal) => Promise<T>,
  ): Promise<Outcome<T>> {
    const answer = await read(ask);
    return "ok" in answer ? answer : refuse("node_unavailable", `no Sui node answered: ${answer.text}`);
  }

  return {
    chainFacts: (atLeastEpoch) =>
      readOrUnavailable(async ({ ledgerService }, abort) => {
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
      const answer = await read(async ({ transactionExecutionService }, abort) => {
        const request: GrpcTypes.SimulateTransactionRequest = {
          transaction: { bcs: { value: transactionBytes } },
          doGasSelection: false,
          readMask: { paths: ["transaction.effects.status", "transaction.effects.gas_used"] },
        };
        return readDryRun(await transactionExecutionService.simulateTransaction(request, { abort }).response);
      }, "INVALID_ARGUMENT");
      if ("ok" in answer) return answer;
      return answer.code === "INVALID_ARGUMENT"
        ? refuse("dry_run_failed", answer.text, { node: { status: answer.code, text: answer.text } })
        : refuse("node_unavailable", `no Sui node answered: ${answer.text}`);
    },

    submit: async (transactionBytes, signatures, digest) => {
      let unknown: SubmitOutcome | null = null;
      for (const url of urls) {
        const outcome = await submitTo(clientOf(url), transactionBytes, signatures, digest);
        if (outcome.kind === "executed") return outcome;
        // After an endpoint that may have executed it, another one's refusal proves nothing.
        if (outcome.kind === "refused") return unknown ?? outcome;
        unknown = outcome;
      }
      return unknown ?? { kind: "unknown", text: `no node is configured for ${network}: set ${network}_NODES` };
    },

    lookUp: (digests, detail) =>
      readOrUnavailable(async ({ ledgerService }, abort) => {
        const info = await ledgerService.getServiceInfo({}, { abort }).response;
        const paths = detail === "full" ? FULL_MASK : SETTLEMENT_MASK;
        const request = { digests: [...digests], readMask: { paths } };
        const { transactions } = await ledgerService.batchGetTransactions(request, { abort }).response;
        if (transactions.length !== digests.length) throw new ReplyError("the node answered another number of digests");
        const findings = transactions.map(({ result }, index) => foundOf(result, digests[index] ?? ""));
        return { findings, checkpointTimeMs: readTimestampMs(required(info.timestamp, "timestamp")) };
      }),

    coins: (owner) =>
      readOrUnavailable(async ({ stateService }) => {
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
      readOrUnavailable(async ({ ledgerService }, abort) => {
        const request = { requests: objectIds.map((objectId) => ({ objectId })), readMask: { paths: COIN_MASK } };
        const { objects } = await ledgerService.batchGetObjects(request, { abort }).response;
        if (objects.length !== objectIds.length) throw new ReplyError("the node answered another number of objects");
        return objects.map(({ result }) => (result.oneofKind === "object" ? readObservedCoin(result.object) : null));
      }),

    coinBalanceMist: (owner) =>
      readOrUnavailable(async ({ stateService }, abort) => {
        const { balance } = await stateService.getBalance({ owner, coinType: "0x2::sui::SUI" }, { abort }).response;
        return balance?.coinBalance ?? 0n;
      }),

    verifySignature: async (transactionBytes, signature, address) => {
      const verified = await verifyEd25519(transactionBytes, signature, address);
      if (verified !== null) return done(verified);
      const { isValidTransactionSignature } = await import("@mysten/sui/verify");
      return readOrUnavailable((client, abort) =>
        unlessAborted(abort, isValidTransactionSignature(transactionBytes, signature, { address, client })),
      );
    },
  };
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
    const { code, text } = faultOf(error);
    return code !== null && REFUSED_CODES.has(code)
      ? { kind: "refused", status: code, text }
      : { kind: "unknown", text };
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
