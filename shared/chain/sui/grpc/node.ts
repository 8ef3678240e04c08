import type { GrpcTypes, SuiGrpcClient } from "@mysten/sui/grpc";
import type { Clock, Fetch, Log } from "../../../bindings/ports.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import type { SuiNetwork } from "../../../networks.ts";
import { batchesOf } from "../../../paging.ts";
import { unlessAborted, withTimeLimit } from "../../../timing.ts";
import { createEndpointFaults } from "../../endpoint-faults.ts";
import { EndpointMemory } from "../../endpoint-memory.ts";
import {
  type CallTime,
  faultText,
  InvalidReplyError,
  READ_TIMEOUT_MS,
  readNewest,
  submitUntilDecided,
} from "../../failover.ts";
import { lags } from "../../lag.ts";
import { ChainGuard, type KnownChain } from "../chain-guard.ts";
import { namesChain, type Reply, readLedgerState, type SuiLedgerState, seenSince } from "../ledger-state.ts";
import {
  type ChainFacts,
  type CoinPage,
  type DryRun,
  type Found,
  type LookUpDetail,
  NODE_BATCH_LIMIT,
  type Observed,
  OTHER_CHAIN,
  type Seen,
  type SubmitOutcome,
  type SuiNode,
} from "../node.ts";
import { judgeEd25519, judgeSignature } from "../signature.ts";
import { boundedFetch, givenStatus } from "./bounded-fetch.ts";
import { readExecution, readRawEffects } from "./execution.ts";
import { required } from "./fields.ts";
import { listBalances, listOwned } from "./listing.ts";
import { readBalance, readChainFacts, readCoin, readDryRun, readObservedCoin } from "./replies.ts";

const COIN_PAGE_SIZE = 1_000;
const SUI_COIN_TYPE = "0x2::coin::Coin<0x2::sui::SUI>";
const COIN_MASK = ["object_id", "version", "digest", "owner", "balance"];
const OBSERVED_COIN_MASK = [...COIN_MASK, "previous_transaction"];
/** Of the objects that a transaction changed, the gas object alone: a sender can make the others many. */
const CHARGE_MASK = [
  "digest",
  "effects.status",
  "effects.epoch",
  "effects.gas_used",
  "effects.gas_object",
  "effects.lamport_version",
  "checkpoint",
  "timestamp",
];
const EFFECTS_MASK = [...CHARGE_MASK, "effects.changed_objects"];
const DRY_RUN_MASK = ["transaction.effects.status", "transaction.effects.gas_used", "transaction.balance_changes"];
const FULL_MASK = [...EFFECTS_MASK, "effects.events_digest", "effects.dependencies", "events", "balance_changes"];
const MASKS: Readonly<Record<LookUpDetail, readonly string[]>> = {
  charge: CHARGE_MASK,
  effects: EFFECTS_MASK,
  full: FULL_MASK,
};
/** `google.rpc.Code.NOT_FOUND`, inside a batch reply. */
const GRPC_NOT_FOUND = 5;

/**
 * gRPC codes with which an endpoint says of itself that it does not simulate, now or at all. With every other one a
 * node says what it thinks of the transaction: also with INTERNAL (`sui-rpc-api`, `simulate.rs`).
 */
const NO_SIMULATION_CODES = new Set([
  "CANCELLED",
  "DEADLINE_EXCEEDED",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "UNAUTHENTICATED",
  "UNAVAILABLE",
  "UNIMPLEMENTED",
]);

/** gRPC codes with which a node says that it did not execute the transaction (`sui-rpc-api`, `error.rs`). */
const REFUSED_CODES = new Set(["INVALID_ARGUMENT", "FAILED_PRECONDITION"]);

export interface SuiNodeOptions {
  readonly network: SuiNetwork;
  /** Tried in this order. */
  readonly urls: readonly string[];
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Log;
  /** What is known of endpoints that hang or lag; absent: nothing yet. */
  readonly memory?: EndpointMemory;
  /** What the caller knows of its chain; null or absent: nothing yet. Endpoints that say otherwise are not believed. */
  readonly known?: () => KnownChain | null;
}

/** What all calls of one node have in common. */
interface Connections {
  readonly clients: Map<string, Promise<SuiGrpcClient>>;
  readonly faults: ReturnType<typeof createEndpointFaults>;
  readonly guard: ChainGuard;
  readonly memory: EndpointMemory;
}

/**
 * A Sui full node over gRPC-web (public JSON-RPC is switched off). The SDK's transport is loaded on first use, so
 * that requests which ask no node do not pay for it.
 */
export function createSuiNode(options: SuiNodeOptions): SuiNode {
  const { network, urls, clock, log, memory = new EndpointMemory(clock), known = () => null } = options;
  const guard = new ChainGuard({ network, urls, clock, log, known });
  const faults = createEndpointFaults(network, log);
  return nodeWithin(options, { clients: new Map(), faults, guard, memory }, null);
}

/** @param within null: each question has its own time-outs, and nothing above them. */
function nodeWithin(options: SuiNodeOptions, connections: Connections, within: CallTime | null): SuiNode {
  const { network, urls, fetch, clock } = options;
  const { clients, faults, guard, memory } = connections;
  const clientOf = (baseUrl: string): Promise<SuiGrpcClient> => {
    const loaded = clients.get(baseUrl);
    if (loaded !== undefined) return loaded;
    const loading = import("@mysten/sui/grpc").then(
      ({ SuiGrpcClient }) =>
        new SuiGrpcClient({
          network: network.slice(4).toLowerCase(),
          baseUrl,
          format: "binary",
          fetch: boundedFetch(guard.fetchOf(baseUrl, fetch)),
        }),
    );
    clients.set(baseUrl, loading);
    loading.catch(() => clients.delete(baseUrl));
    return loading;
  };

  const endpoints = () => ({ network, urls: guard.order(), memory });

  /**
   * @param question under which the log names a fault.
   * @param isAsked which endpoints; by default all of them.
   * @param isFinal whether an answer stays as it is, however old; by default none does.
   */
  function read<T>(
    question: keyof SuiNode,
    ask: (client: SuiGrpcClient, abort: AbortSignal, url: string) => Promise<T>,
    {
      isAsked = () => true,
      isFinal = () => false,
    }: { isAsked?: (url: string) => boolean; isFinal?: (value: T) => boolean } = {},
  ): Promise<Outcome<T>> {
    return readNewest(
      { ...endpoints(), isAsked },
      async (url, abort) => {
        const value = await faults.watch(url, question, async () => ask(await clientOf(url), abort, url));
        return { value, timeMs: guard.shownMs(url) ?? clock.nowMs(), isFinal: isFinal(value) };
      },
      within,
    );
  }

  /** From the first endpoint that takes the page's token. Which one has given it nobody remembers. */
  async function page<T>(
    question: keyof SuiNode,
    ask: (client: SuiGrpcClient, abort: AbortSignal) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const refused = new Set<string>();
    for (;;) {
      const askOne = async (client: SuiGrpcClient, abort: AbortSignal, url: string) => {
        const answer = await ask(client, abort);
        if (!answer.ok) refused.add(url);
        return answer;
      };
      const answer = flat(await read(question, askOne, { isAsked: (url) => !refused.has(url) }));
      if (answer.ok || answer.error.reason !== "bad_params" || refused.size >= urls.length) return answer;
    }
  }

  async function stand(client: SuiGrpcClient, abort: AbortSignal, url: string): Promise<SuiLedgerState> {
    const standing = await readLedgerState(client, url, abort);
    guard.believe(url, standing);
    return standing;
  }

  /** What the endpoint answers, as of a height that it has told before. */
  async function seen<T>(
    client: SuiGrpcClient,
    abort: AbortSignal,
    url: string,
    ask: () => Reply<T>,
  ): Promise<Seen<T>> {
    const before = await stand(client, abort, url);
    return seenSince(before, ask(), () => readLedgerState(client, url, abort));
  }

  /**
   * What could be read of a batch. An item that cannot be read is a fault of the endpoint, and spoils no other. Where
   * none can, the next endpoint is asked.
   */
  function readEach<R, T>(
    url: string,
    question: string,
    results: readonly R[],
    readOne: (result: R, index: number) => T,
  ) {
    const unreadable: InvalidReplyError[] = [];
    const values = results.map((result, index) => {
      try {
        return readOne(result, index);
      } catch (error) {
        if (!(error instanceof InvalidReplyError)) throw error;
        unreadable.push(error);
        return "no_answer";
      }
    });
    if (unreadable.length > 0) faults.failed(url, question, unreadable[0]);
    else faults.answered(url, question);
    if (values.length > 0 && values.every((value) => value === "no_answer"))
      throw unreadable[0] ?? new InvalidReplyError(`the node could not tell of ${question}`);
    return values;
  }

  /** At most `NODE_BATCH_LIMIT` digests, in the order asked, looked up after the standing was read. */
  async function findAll(
    client: SuiGrpcClient,
    before: SuiLedgerState,
    digests: readonly string[],
    detail: LookUpDetail,
    abort: AbortSignal,
    url: string,
  ): Promise<Seen<readonly Found[]>> {
    const request = { digests: [...digests], readMask: { paths: [...MASKS[detail]] } };
    const reply = client.ledgerService.batchGetTransactions(request, { abort });
    const found = await seenSince(before, reply, () => readLedgerState(client, url, abort));
    const { transactions } = found.value;
    if (transactions.length !== digests.length)
      throw new InvalidReplyError("the node answered another number of digests");
    const value = readEach(url, "one digest", transactions, ({ result }, index) =>
      foundOf(result, digests[index] ?? ""),
    );
    return { ...found, value };
  }

  return {
    within: (call) => nodeWithin(options, connections, call),

    chainFacts: async (atLeastEpoch, besides) => {
      const strangers: ChainFacts[] = [];
      const laggards: ChainFacts[] = [];
      const ask = async ({ ledgerService }: SuiGrpcClient, abort: AbortSignal, url: string) => {
        const paths = [
          "epoch",
          "reference_gas_price",
          "start",
          "system_state.epoch_start_timestamp_ms",
          "system_state.parameters.epoch_duration_ms",
        ];
        const call = ledgerService.getEpoch({ readMask: { paths } }, { abort });
        const [info, headers, epoch] = await Promise.all([
          ledgerService.getServiceInfo({}, { abort }).response,
          call.headers,
          call.response,
        ]);
        const facts = readChainFacts(info, epoch, { endpoint: new URL(url).host, fetchedAtMs: clock.nowMs() });
        const ofEpoch = headers["x-sui-chain-id"];
        if (typeof ofEpoch === "string" && !namesChain(ofEpoch, facts.chainIdentifier))
          throw new InvalidReplyError("the endpoint answers for more than one chain");
        if (!guard.isOurs(url, facts.chainIdentifier)) {
          strangers.push(facts);
          throw new InvalidReplyError(`the endpoint is of another chain: ${facts.chainIdentifier}`);
        }
        if (facts.epoch < atLeastEpoch) throw new InvalidReplyError(`the node lags: it is in epoch ${facts.epoch}`);
        if (lags(facts.timestampMs, clock.nowMs())) {
          laggards.push(facts);
          throw new InvalidReplyError(
            `the node lags: its newest checkpoint is of ${new Date(facts.timestampMs).toISOString()}`,
          );
        }
        return facts;
      };
      const answer = await read("chainFacts", ask, { isAsked: isNotOf(besides) });
      // Where every endpoint seems to lag it may be our clock that is ahead.
      const newest = laggards.reduce<ChainFacts | null>(
        (best, one) => (best === null || one.timestampMs > best.timestampMs ? one : best),
        null,
      );
      if (!answer.ok && newest !== null) return done(newest);
      const [stranger] = strangers;
      return !answer.ok && stranger !== undefined && strangers.length === urls.length ? done(stranger) : answer;
    },

    dryRun: async (transactionBytes) => {
      const answer = await read("dryRun", async ({ transactionExecutionService }, abort): Promise<Outcome<DryRun>> => {
        const request: GrpcTypes.SimulateTransactionRequest = {
          transaction: { bcs: { value: transactionBytes } },
          doGasSelection: false,
          readMask: { paths: DRY_RUN_MASK },
        };
        try {
          return done(readDryRun(await transactionExecutionService.simulateTransaction(request, { abort }).response));
        } catch (error) {
          const status = givenStatus(error);
          if (status === null || NO_SIMULATION_CODES.has(status)) throw error;
          const text = faultText(error);
          return refuse("dry_run_failed", text, { node: { status, text } });
        }
      });
      return flat(answer);
    },

    submit: (transactionBytes, signatures, digest) =>
      submitUntilDecided(
        endpoints(),
        async (url, abort) => {
          const outcome = await submitTo(clientOf(url), transactionBytes, signatures, { digest, abort });
          if (outcome.kind === "unknown") faults.failed(url, "submit", outcome.text);
          else faults.answered(url, "submit");
          // What another chain's node says is about nothing of ours, and it cannot have executed it.
          return outcome.kind === "unknown" && guard.isStranger(url, outcome.text)
            ? { kind: "refused", status: OTHER_CHAIN, text: outcome.text }
            : outcome;
        },
        (refused) => refused.kind === "refused" && refused.status === OTHER_CHAIN,
        within,
      ),

    lookUp: async (digests, detail) => {
      let spoilt: SuiLedgerState | null = null;
      const ask = async (client: SuiGrpcClient, abort: AbortSignal, url: string) => {
        const standing = await stand(client, abort, url);
        try {
          return await findAll(client, standing, digests, detail, abort, url);
        } catch (error) {
          spoilt = standing;
          throw error;
        }
      };
      const isFinal = ({ value }: Seen<readonly Found[]>) =>
        value.every((found) => found !== null && found !== "no_answer");
      const looked = await read("lookUp", ask, { isFinal });
      return !looked.ok && spoilt !== null ? done(withoutAnswers(spoilt, digests)) : looked;
    },

    rawEffects: (digest) =>
      read("rawEffects", async ({ ledgerService }, abort) => {
        const request = { digests: [digest], readMask: { paths: ["digest", "effects.bcs"] } };
        const { transactions } = await ledgerService.batchGetTransactions(request, { abort }).response;
        const result = transactions[0]?.result;
        return result?.oneofKind === "transaction" ? readRawEffects(result.transaction, digest) : null;
      }),

    coins: (owner, tokens) => {
      const tokenOf = (url: string) => (tokens === null ? null : tokens.of(url));
      const ask = async ({ stateService }: SuiGrpcClient, abort: AbortSignal, url: string): Promise<CoinPage> => {
        const pageToken = tokenOf(url) ?? null;
        const request: GrpcTypes.ListOwnedObjectsRequest = {
          owner,
          objectType: SUI_COIN_TYPE,
          pageSize: COIN_PAGE_SIZE,
          readMask: { paths: COIN_MASK },
          ...(pageToken && { pageToken }),
        };
        try {
          const { objects, nextPageToken } = await stateService.listOwnedObjects(request, { abort }).response;
          const coins = objects.flatMap((object) => readCoin(object, owner));
          const next = nextPageToken === undefined || nextPageToken.length === 0 ? null : nextPageToken;
          return { url, coins, next };
        } catch (error) {
          tokens?.failed(url, pageToken !== null && givenStatus(error) === "INVALID_ARGUMENT");
          throw error;
        }
      };
      return read("coins", ask, { isAsked: (url) => tokenOf(url) !== undefined });
    },

    owned: (owner, after) => page("owned", (client, abort) => listOwned(client, owner, after, abort)),

    typeBalances: (owner, after) => page("typeBalances", (client, abort) => listBalances(client, owner, after, abort)),

    observeCoins: (objectIds, besides) =>
      read(
        "observeCoins",
        async (client, abort, url) => {
          const request = {
            requests: objectIds.map((objectId) => ({ objectId })),
            readMask: { paths: OBSERVED_COIN_MASK },
          };
          const observed = await seen(client, abort, url, () =>
            client.ledgerService.batchGetObjects(request, { abort }),
          );
          const { objects } = observed.value;
          if (objects.length !== objectIds.length)
            throw new InvalidReplyError("the node answered another number of objects");
          return { ...observed, value: readEach(url, "one coin", objects, ({ result }) => observedOf(result)) };
        },
        { isAsked: isNotOf(besides) },
      ),

    balances: (owner, digests, ownDigests = [], besides) =>
      read(
        "balances",
        async (client, abort, url) => {
          const request = { owner, coinType: "0x2::sui::SUI" };
          const reading = await seen(client, abort, url, () => client.stateService.getBalance(request, { abort }));
          const { balance } = reading.value;
          const findings: Found[] = [];
          for (const [asked, detail] of [
            [digests, "charge"],
            [ownDigests, "effects"],
          ] as const)
            for (const batch of batchesOf(asked, NODE_BATCH_LIMIT)) {
              const found = await withTimeLimit(READ_TIMEOUT_MS, async (signal) => {
                const standing = await stand(client, signal, url);
                if (standing.checkpoint < reading.newestCheckpoint)
                  throw new InvalidReplyError("the look-up stands behind the balance that it is compared with");
                return findAll(client, standing, batch, detail, signal, url);
              });
              findings.push(...found.value);
            }
          return { ...reading, value: { ...readBalance(balance), findings } };
        },
        { isAsked: isNotOf(besides) },
      ),

    judgeSignature: async (transactionBytes, signature, address) => {
      const judged = await judgeEd25519(transactionBytes, signature, address);
      if (judged !== null) return done(judged);
      return read("judgeSignature", (client, abort) =>
        unlessAborted(abort, judgeSignature(transactionBytes, signature, address, client)),
      );
    },
  };
}

/** What a node has said of the question itself is an answer of its own. */
function flat<T>(answer: Outcome<Outcome<T>>): Outcome<T> {
  return answer.ok ? answer.value : answer;
}

async function submitTo(
  loading: Promise<SuiGrpcClient>,
  transactionBytes: Uint8Array,
  signatures: readonly string[],
  { digest, abort }: { readonly digest: string; readonly abort: AbortSignal },
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
    const { transaction } = await transactionExecutionService.executeTransaction(request, { abort }).response;
    return { kind: "executed", execution: readExecution(required(transaction, "transaction"), digest) };
  } catch (error) {
    const status = givenStatus(error);
    const text = faultText(error);
    return status !== null && REFUSED_CODES.has(status) ? { kind: "refused", status, text } : { kind: "unknown", text };
  }
}

function foundOf(result: GrpcTypes.GetTransactionResult["result"], digest: string): Found {
  if (result.oneofKind === "error") return result.error.code === GRPC_NOT_FOUND ? null : "no_answer";
  return result.oneofKind === "transaction" ? readExecution(result.transaction, digest) : "no_answer";
}

function observedOf(result: GrpcTypes.GetObjectResult["result"]): Observed {
  if (result.oneofKind === "error") return result.error.code === GRPC_NOT_FOUND ? null : "no_answer";
  return result.oneofKind === "object" ? readObservedCoin(result.object) : "no_answer";
}

function withoutAnswers(standing: SuiLedgerState, digests: readonly string[]): Seen<readonly Found[]> {
  return { ...standing, value: digests.map(() => "no_answer") };
}

/** Whether an endpoint is of another host than the one given. */
function isNotOf(host: string | undefined): (url: string) => boolean {
  return (url) => new URL(url).host !== host;
}
