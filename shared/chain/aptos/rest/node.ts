import type { Fetch } from "../../../bindings/ports.ts";
import { done, type Outcome } from "../../../errors.ts";
import type { AptosNetwork } from "../../../networks.ts";
import { withTimeLimit } from "../../../timing.ts";
import type { EndpointMemory } from "../../endpoint-memory.ts";
import {
  type CallTime,
  faultText,
  httpFault,
  InvalidReplyError,
  limitMsOf,
  READ_TIMEOUT_MS,
  readNewest,
  readReplyText,
  submitUntilDecided,
  type TimedAnswer,
} from "../../failover.ts";
import { matchesNetwork } from "../chain-id.ts";
import type { FunctionAbi } from "../entry-call.ts";
import { readTransactions } from "../lean-transaction.ts";
import type {
  AptosFound,
  AptosNode,
  AptosSequenceReading,
  AptosSimulation,
  AptosSubmitOutcome,
  LedgerState,
  UsedSupport,
} from "../node.ts";
import { type PendingTransaction, pendingTransaction } from "../pending-transaction.ts";
import { encodeUnsigned } from "../signed-transaction.ts";
import {
  type ApiError,
  account,
  accountResource,
  accountTransactions,
  accountWithKey,
  apiError,
  gasEstimate,
  ledgerInfo,
  moduleAbi,
  parsed,
  readExecution,
  readLedgerState,
  simulated,
  transactionReply,
  UnreadableReply,
  viewedU64,
} from "./replies.ts";

/** A ledger, an account, a number, an error: each takes less than 1 KiB. */
const MAX_REPLY_BYTES = 64 * 1024;
/** An account's resource, whose type the chain defines. */
const MAX_RESOURCE_REPLY_BYTES = 1024 * 1024;
/** A module comes with its bytecode in hex: a transaction's worth of it, or what several have published in parts. */
const MAX_MODULE_REPLY_BYTES = 4 * 1024 * 1024;
/** A transaction that waits is what was submitted: 64 KiB in BCS, and its signatures. */
const MAX_PENDING_REPLY_BYTES = 2 * 1024 * 1024;
/** What a simulated transaction would write. One that is larger is not simulated, and so not paid for. */
const MAX_SIMULATION_REPLY_BYTES = 4 * 1024 * 1024;

const JSON_TYPE = "application/json";
const SIGNED_TRANSACTION_TYPE = "application/x.aptos.signed_transaction+bcs";
const ACCOUNT_RESOURCE = "0x1::account::Account";

/**
 * What an address holds of APT in its primary fungible store, zero without one. That is what the prologue counts
 * (aptos-framework, `aptos_account::is_fungible_balance_at_least`): what a legacy CoinStore holds pays for no gas.
 */
const aptBalanceView = (address: string) => ({
  function: "0x1::primary_fungible_store::balance",
  type_arguments: ["0x1::fungible_asset::Metadata"],
  arguments: [address, "0xa"],
});

/** Errors that are about the endpoint: it has taken nothing, and another one may (aptos-core, `api/types/src/error.rs`). */
const ENDPOINT_ERROR_CODES = new Set([
  "mempool_is_full",
  "rate_limited",
  "node_not_bootstrapped",
  "api_disabled",
  "rejected_by_filter",
]);

export interface AptosNodeOptions {
  readonly network: AptosNetwork;
  /** Base URLs, `/v1` included. Tried in this order. */
  readonly urls: readonly string[];
  readonly fetch: Fetch;
  /** What is known of endpoints that hang or lag; absent: nothing, and each is believed as far as it has come. */
  readonly memory?: EndpointMemory;
  /** Whether an endpoint that answers is of the chain that is expected; by default, whether it is of the network. */
  readonly accepts?: (url: string, ledger: LedgerState) => boolean;
}

interface Request {
  readonly path: string;
  readonly abort: AbortSignal;
  readonly post?: { readonly contentType: string; readonly body: Uint8Array<ArrayBuffer> | string };
  readonly read?: (response: Response) => Promise<string>;
}

const upTo = (maxBytes: number) => (response: Response) => readReplyText(response, maxBytes);
const readSmall = upTo(MAX_REPLY_BYTES);
const readResource = upTo(MAX_RESOURCE_REPLY_BYTES);

/** What a node of the right chain has said, with whatever status. */
interface Answer {
  readonly status: number;
  readonly ledger: LedgerState;
  readonly body: unknown;
}

/** What an endpoint tells, and the ledger of the reply that tells it. */
type Read<T> = Omit<TimedAnswer<T>, "timeMs"> & { readonly ledger: LedgerState };

/** @throws for everything that is no answer of a node of this chain. */
async function ask(
  { network, fetch, accepts }: AptosNodeOptions,
  url: string,
  { path, abort, post, read = readSmall }: Request,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    headers: { accept: JSON_TYPE, ...(post && { "content-type": post.contentType }) },
    ...(post && { method: "POST", body: post.body }),
    // What is asked is asked of this endpoint and of nobody that it names.
    redirect: "manual",
    signal: abort,
  });
  try {
    if (!response.headers.has("x-aptos-chain-id"))
      throw new InvalidReplyError(`${httpFault(response.status)}, and not as an Aptos node`);
    const ledger = readLedgerState(response.headers);
    const isAccepted = accepts?.(url, ledger) ?? matchesNetwork(ledger.chainId, network);
    if (!isAccepted)
      throw new InvalidReplyError(
        `a node of chain ${ledger.chainId} at version ${ledger.version} is not believed on ${network}`,
      );
    return { status: response.status, ledger, body: await bodyOf(response, read) };
  } catch (error) {
    await response.body?.cancel().catch(() => undefined);
    throw error;
  }
}

/** Their bodies are of the moment, whatever they are about. */
function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 429;
}

/** @throws UnreadableReply where it is too long, breaks off, or is no JSON. */
async function bodyOf(response: Response, read: (response: Response) => Promise<string>): Promise<unknown> {
  try {
    return JSON.parse(await read(response));
  } catch (error) {
    const fault = error instanceof SyntaxError ? "it is no JSON" : faultText(error);
    const Fault = isTransientStatus(response.status) ? InvalidReplyError : UnreadableReply;
    throw new Fault(`the node's reply cannot be read: ${fault}`);
  }
}

/** An Aptos full node over its REST API (aptos-core, `api/doc/spec.yaml`). */
export function createAptosNode(options: AptosNodeOptions): AptosNode {
  return nodeWithin(options, null);
}

/** @param within null: each question has its own time-outs, and nothing above them. */
function nodeWithin(options: AptosNodeOptions, within: CallTime | null): AptosNode {
  const { memory } = options;

  /** Of the first endpoint that answers and does not lag. What it tells is of the ledger that its reply names. */
  function read<T>(tell: (url: string, abort: AbortSignal) => Promise<Read<T>>): Promise<Outcome<T>> {
    const askOne = async (url: string, abort: AbortSignal) => {
      const { ledger, ...told } = await tell(url, abort);
      return { ...told, timeMs: ledger.timeMs };
    };
    return readNewest(options, askOne, within);
  }

  /** @throws for everything but a 200, and a 404 with the one code that is an answer too. */
  async function get(url: string, request: Request, notFoundCode?: string): Promise<Answer> {
    const answer = await ask(options, url, request);
    if (answer.status === 200) return answer;
    const error = apiError.safeParse(answer.body).data;
    if (answer.status === 404 && error !== undefined && error.error_code === notFoundCode) return answer;
    const reason = error === undefined ? "" : `: ${error.error_code}: ${error.message}`;
    const Fault = isTransientStatus(answer.status) ? InvalidReplyError : UnreadableReply;
    throw new Fault(`the node answered HTTP ${answer.status}${reason}`);
  }

  async function ledgerOf(url: string, abort: AbortSignal): Promise<Read<LedgerState>> {
    const { ledger, body } = await get(url, { path: "", abort });
    if (parsed(ledgerInfo, body, "ledger info").chain_id !== ledger.chainId)
      throw new InvalidReplyError("the node names two chain ids");
    return { value: ledger, ledger };
  }

  /**
   * @returns the text of a fault where the endpoint answers, and does not show it in a way that can be read.
   * @throws where it gives no answer.
   */
  async function executionAt(url: string, sender: string, sequenceNumber: bigint, abort: AbortSignal) {
    const path = `/accounts/${sender}/transactions?start=${sequenceNumber}&limit=1`;
    try {
      const { ledger, body } = await get(url, { path, abort, read: readTransactions });
      const [transaction] = parsed(accountTransactions, body, "list of transactions");
      if (transaction === undefined) return "the node shows no transaction with this sequence number";
      const execution = readExecution(transaction);
      // A list that begins later is short of what the node has pruned.
      return execution.sender === sender && execution.sequenceNumber === sequenceNumber
        ? ({ kind: "shown", execution, ledger } as const)
        : "the node answered another transaction";
    } catch (error) {
      if (error instanceof UnreadableReply) return error.message;
      throw error;
    }
  }

  async function submitTo(
    url: string,
    abort: AbortSignal,
    { body, hash }: { readonly body: Uint8Array<ArrayBuffer>; readonly hash: string },
  ) {
    try {
      const answer = await ask(options, url, {
        path: "/transactions",
        abort,
        post: { contentType: SIGNED_TRANSACTION_TYPE, body },
        read: upTo(MAX_PENDING_REPLY_BYTES),
      });
      const isBehind = memory?.noteTime(url, answer.ledger.timeMs) === "behind";
      return { outcome: verdictOf(answer, hash), isBehind };
    } catch (error) {
      return { outcome: { kind: "unknown", text: faultText(error) } as const, isBehind: false };
    }
  }

  return {
    within: (call) => nodeWithin(options, call),

    ledger: () => read(ledgerOf),

    account: (address) =>
      read(async (url, abort) => {
        const { ledger, body } = await get(url, { path: `/accounts/${address}`, abort });
        const { sequence_number, authentication_key } = parsed(accountWithKey, body, "account");
        return { value: { sequenceNumber: sequence_number, authenticationKey: authentication_key, ledger }, ledger };
      }),

    accountExists: (address) =>
      read(async (url, abort) => {
        const request = { path: `/accounts/${address}/resource/${ACCOUNT_RESOURCE}`, abort, read: readResource };
        const { status, body, ledger } = await get(url, request, "resource_not_found");
        if (status === 404) return { value: false, ledger };
        parsed(accountResource, body, "account resource");
        return { value: true, ledger, isFinal: true };
      }),

    balance: (address) =>
      read(async (url, abort) => {
        // Without a version the state is that of the ledger in the same reply's headers (aptos-core, `view_function.rs`).
        const post = { contentType: JSON_TYPE, body: JSON.stringify(aptBalanceView(address)) };
        const { ledger, body } = await get(url, { path: "/view", abort, post });
        const [octas] = parsed(viewedU64, body, "balance");
        return { value: { octas, ledger }, ledger };
      }),

    lookUp: (hash) =>
      read(async (url, abort) => {
        const request = { path: `/transactions/by_hash/${hash}`, abort, read: readTransactions };
        const { status, body, ledger } = await get(url, request, "transaction_not_found");
        const found: AptosFound = status === 404 ? { kind: "missing" } : foundIn(body, hash);
        return { value: { found, ledger }, ledger, isFinal: found.kind === "committed" };
      }),

    transactionAtSequence: async (sender, sequenceNumber) => {
      const usedAt: LedgerState[] = [];
      const unusedAt: LedgerState[] = [];
      const told = await read<AptosSequenceReading>(async (url, abort) => {
        const found = await executionAt(url, sender, sequenceNumber, abort);
        if (typeof found !== "string") return { value: found, ledger: found.ledger, isFinal: true };
        // Whatever kept the transaction from being read: the account's own reply says whether there is one.
        const { ledger, body } = await withTimeLimit(limitMsOf(READ_TIMEOUT_MS, within), (again) =>
          get(url, { path: `/accounts/${sender}`, abort: again }),
        );
        if (parsed(account, body, "account").sequence_number > sequenceNumber) {
          usedAt.push(ledger);
          throw new InvalidReplyError(found);
        }
        unusedAt.push(ledger);
        if (usedAt.length > 0) throw new InvalidReplyError("another node knows the sequence number as used");
        return { value: { kind: "unused", ledger }, ledger };
      });
      // That it is used, a node that lags may not know yet.
      const isShown = told.ok && told.value.kind === "shown";
      const ledger = latestOf(usedAt);
      if (isShown || ledger === null) return told;
      return done({ kind: "used", ledger, support: supportOf(usedAt, unusedAt, options.urls.length) });
    },

    submit: async (signedTransaction, hash) => {
      let isBehind = false;
      return submitUntilDecided<AptosSubmitOutcome>(
        options,
        async (url, abort) => {
          const told = await submitTo(url, abort, { body: Uint8Array.from(signedTransaction), hash });
          ({ isBehind } = told);
          return told.outcome;
        },
        // Whoever lags may know nothing yet of the money that pays.
        (outcome) => outcome.kind === "refused" && (isBehind || ENDPOINT_ERROR_CODES.has(outcome.status)),
        within,
      );
    },

    simulate: (rawTransaction) =>
      read(async (url, abort) => {
        const answer = await ask(options, url, {
          path: "/transactions/simulate",
          abort,
          post: { contentType: SIGNED_TRANSACTION_TYPE, body: encodeUnsigned(rawTransaction) },
          read: upTo(MAX_SIMULATION_REPLY_BYTES),
        });
        return { value: simulationIn(answer), ledger: answer.ledger };
      }),

    estimateGasPrice: () =>
      read(async (url, abort) => {
        const { body, ledger } = await get(url, { path: "/estimate_gas_price", abort });
        return { value: parsed(gasEstimate, body, "gas estimate").gas_estimate, ledger };
      }),

    functionAbi: (address, module, name) =>
      read(async (url, abort) => {
        const path = `/accounts/${address}/module/${encodeURIComponent(module)}`;
        const request = { path, abort, read: upTo(MAX_MODULE_REPLY_BYTES) };
        const { status, body, ledger } = await get(url, request, "module_not_found");
        return { value: status === 404 ? null : functionIn(body, name), ledger };
      }),
  };
}

/** Null: there is none. */
function latestOf(ledgers: readonly LedgerState[]): LedgerState | null {
  return ledgers.reduce<LedgerState | null>((best, one) => (best && best.version >= one.version ? best : one), null);
}

/** Numbers do not go back: of an earlier ledger that has one as used, and a later one that has not, one is wrong. */
function supportOf(
  usedAt: readonly LedgerState[],
  unusedAt: readonly LedgerState[],
  endpointCount: number,
): UsedSupport {
  if (unusedAt.some((unused) => usedAt.some((used) => unused.version >= used.version))) return "disputed";
  return usedAt.length > 1 || endpointCount === 1 ? "agreed" : "alone";
}

/** Null: the module has no such function. */
function functionIn(body: unknown, name: string): FunctionAbi | null {
  const functions = parsed(moduleAbi, body, "module").abi?.exposed_functions ?? [];
  const found = functions.find((one) => one.name === name);
  if (found === undefined) return null;
  const { is_entry: isEntry, generic_type_params, params: parameters } = found;
  return { isEntry, typeParameters: generic_type_params.length, parameters };
}

/** @throws InvalidReplyError for what says nothing of the transaction. */
function simulationIn({ status, body }: Answer): AptosSimulation {
  if (status === 200) {
    const [{ success, vm_status: vmStatus, gas_used: gasUsedUnits }] = parsed(simulated, body, "simulation");
    return gasUsedUnits === 0n
      ? { kind: "discarded", vmStatus }
      : { kind: "executed", success, vmStatus, gasUsedUnits };
  }
  const { error_code: code, message } = parsed(apiError, body, `answer with HTTP ${status}`);
  if (status === 400 && !ENDPOINT_ERROR_CODES.has(code)) return { kind: "discarded", vmStatus: message };
  throw new InvalidReplyError(`the node answered HTTP ${status}: ${code}: ${message}`);
}

function sameHash<T extends { readonly hash: string }>(transaction: T, hash: string): T {
  if (transaction.hash !== hash) throw new InvalidReplyError("the node answered another transaction");
  return transaction;
}

function foundIn(body: unknown, hash: string): AptosFound {
  const transaction = sameHash(parsed(transactionReply, body, "transaction"), hash);
  if (transaction.type === "user_transaction")
    return {
      kind: "committed",
      execution: readExecution(transaction),
      transaction: parsed(pendingTransaction, body, "transaction"),
    };
  const { type: _, ...pending } = transaction;
  return { kind: "pending", transaction: pending };
}

/**
 * What a node's answer to a submission says. Only what the node's own checks say is a refusal: an internal error can follow
 * the admission (`Failed to build PendingTransaction from mempool response, even though it said the request was accepted`).
 *
 * @throws InvalidReplyError where it leaves open whether a mempool has taken the transaction.
 */
function verdictOf({ status, body }: Answer, hash: string): AptosSubmitOutcome {
  if (status === 202) {
    const transaction: PendingTransaction = sameHash(parsed(pendingTransaction, body, "pending transaction"), hash);
    return { kind: "accepted", transaction };
  }
  const error: ApiError = parsed(apiError, body, `answer with HTTP ${status}`);
  if (status !== 400 && !ENDPOINT_ERROR_CODES.has(error.error_code))
    throw new InvalidReplyError(`the node answered HTTP ${status}: ${error.error_code}: ${error.message}`);
  return { kind: "refused", status: error.error_code, text: error.message, vmErrorCode: error.vm_error_code };
}
