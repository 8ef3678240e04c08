import { done, type Outcome } from "../../../errors.ts";
import { withTimeLimit } from "../../../timing.ts";
import {
  type CallTime,
  faultText,
  InvalidReplyError,
  isNotOf,
  limitMsOf,
  READ_TIMEOUT_MS,
  readNewest,
  submitUntilDecided,
} from "../../failover.ts";
import { seenIn } from "../../one-reply.ts";
import { readTransactions } from "../lean-transaction.ts";
import type { AptosFound, AptosNode, AptosSequenceReading, AptosSubmitOutcome, SequenceUse } from "../node.ts";
import type { AptosLedgerState, AptosSeen } from "../seen.ts";
import { encodeUnsigned } from "../signed-transaction.ts";
import { ENDPOINT_ERROR_CODES, foundIn, functionIn, latestOf, simulationIn, supportOf, verdictOf } from "./answers.ts";
import {
  MAX_MODULE_REPLY_BYTES,
  MAX_PENDING_REPLY_BYTES,
  MAX_RESOURCE_REPLY_BYTES,
  MAX_SIMULATION_REPLY_BYTES,
} from "./limits.ts";
import { transactionByNonce } from "./nonce.ts";
import {
  account,
  accountResource,
  accountTransactions,
  accountWithKey,
  apiError,
  gasEstimate,
  ledgerInfo,
  parsed,
  readExecution,
  UnreadableReply,
  viewedU64,
} from "./replies.ts";
import {
  type Answer,
  type AptosNodeOptions,
  aptBalanceView,
  ask,
  isTransientStatus,
  JSON_TYPE,
  type Read,
  type Request,
  type Tell,
  upTo,
} from "./request.ts";

const SIGNED_TRANSACTION_TYPE = "application/x.aptos.signed_transaction+bcs";
const ACCOUNT_RESOURCE = "0x1::account::Account";

const readResource = upTo(MAX_RESOURCE_REPLY_BYTES);

/** Creates an Aptos full node over its REST API (aptos-core, `api/doc/spec.yaml`). */
export function createAptosNode(options: AptosNodeOptions): AptosNode {
  return nodeWithin(options, null);
}

/** @param within null if each question has only its own time-outs. */
function nodeWithin(options: AptosNodeOptions, within: CallTime | null): AptosNode {
  const { memory } = options;

  /**
   * Reads from the first endpoint that answers and does not lag. Its answer belongs to the ledger that the reply names.
   */
  function read<T>(tell: Tell<T>, besides?: string): Promise<Outcome<T>> {
    const askOne = async (url: string, abort: AbortSignal) => {
      const { ledger, ...told } = await tell(url, abort);
      return { ...told, timeMs: ledger.timestampMs };
    };
    return readNewest(besides === undefined ? options : { ...options, isAsked: isNotOf(besides) }, askOne, within);
  }

  /** @throws unless the status is 200, or 404 with the one code that is an answer, too. */
  async function get(url: string, request: Request, notFoundCode?: string): Promise<Answer> {
    const answer = await ask(options, url, request);
    if (answer.status === 200) return answer;
    const error = apiError.safeParse(answer.body).data;
    if (answer.status === 404 && error !== undefined && error.error_code === notFoundCode) return answer;
    const reason = error === undefined ? "" : `: ${error.error_code}: ${error.message}`;
    const Fault = isTransientStatus(answer.status) ? InvalidReplyError : UnreadableReply;
    throw new Fault(`the node answered HTTP ${answer.status}${reason}`);
  }

  /** Reads as `read` does. The answer is evidence about the ledger that the reply names. */
  function readSeen<T>(tell: Tell<T>, besides?: string): Promise<Outcome<AptosSeen<T>>> {
    return read(async (url, abort) => {
      const told = await tell(url, abort);
      return { ...told, value: seenIn(told.ledger, told.value) };
    }, besides);
  }

  async function ledgerOf(url: string, abort: AbortSignal): Promise<Read<null>> {
    const { ledger, body } = await get(url, { path: "", abort });
    if (parsed(ledgerInfo, body, "ledger info").chain_id !== ledger.chain)
      throw new InvalidReplyError("the node names two chain ids");
    return { value: null, ledger };
  }

  /**
   * @returns the text of a fault if the endpoint answers, but does not show it in a readable way.
   * @throws if it gives no answer.
   */
  async function executionAt(url: string, sender: string, sequenceNumber: bigint, abort: AbortSignal) {
    const path = `/accounts/${sender}/transactions?start=${sequenceNumber}&limit=1`;
    try {
      const { ledger, body } = await get(url, { path, abort, read: readTransactions });
      const [transaction] = parsed(accountTransactions, body, "list of transactions");
      if (transaction === undefined) return "the node shows no transaction with this sequence number";
      const execution = readExecution(transaction);
      // A list that begins later lacks transactions that the node has pruned.
      return execution.sender === sender && execution.sequenceNumber === sequenceNumber && execution.nonce === null
        ? { execution, ledger }
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
      const isBehind = memory?.noteTime(url, answer.ledger.timestampMs) === "behind";
      return { outcome: verdictOf(answer, hash), isBehind };
    } catch (error) {
      return { outcome: { kind: "unknown", text: faultText(error) } as const, isBehind: false };
    }
  }

  return {
    within: (call) => nodeWithin(options, call),

    ledger: () => readSeen(ledgerOf),

    estimateGasPrice: () =>
      read(async (url, abort) => {
        const { body, ledger } = await get(url, { path: "/estimate_gas_price", abort });
        return { value: parsed(gasEstimate, body, "gas estimate").gas_estimate, ledger };
      }),

    account: (address, besides) =>
      readSeen(async (url, abort) => {
        const { ledger, body } = await get(url, { path: `/accounts/${address}`, abort });
        const { sequence_number, authentication_key } = parsed(accountWithKey, body, "account");
        return { value: { sequenceNumber: sequence_number, authenticationKey: authentication_key }, ledger };
      }, besides),

    accountExists: (address) =>
      read(async (url, abort) => {
        const request = { path: `/accounts/${address}/resource/${ACCOUNT_RESOURCE}`, abort, read: readResource };
        const { status, body, ledger } = await get(url, request, "resource_not_found");
        if (status === 404) return { value: false, ledger };
        parsed(accountResource, body, "account resource");
        return { value: true, ledger, isFinal: true };
      }),

    balance: (address, besides) =>
      readSeen(async (url, abort) => {
        // The request names no version, so the state is that of the ledger in the reply's headers (aptos-core,
        // `view_function.rs`).
        const post = { contentType: JSON_TYPE, body: JSON.stringify(aptBalanceView(address)) };
        const { ledger, body } = await get(url, { path: "/view", abort, post });
        const [octas] = parsed(viewedU64, body, "balance");
        return { value: octas, ledger };
      }, besides),

    lookUp: (hash) =>
      readSeen(async (url, abort) => {
        const request = { path: `/transactions/by_hash/${hash}`, abort, read: readTransactions };
        const { status, body, ledger } = await get(url, request, "transaction_not_found");
        const found: AptosFound = status === 404 ? { kind: "missing" } : foundIn(body, hash);
        return { value: found, ledger, isFinal: found.kind === "committed" };
      }),

    transactionAtSequence: async (sender, sequenceNumber) => {
      const usedAt: AptosLedgerState[] = [];
      const unusedAt: AptosLedgerState[] = [];
      const told: Outcome<AptosSequenceReading> = await readSeen<SequenceUse>(async (url, abort) => {
        const found = await executionAt(url, sender, sequenceNumber, abort);
        if (typeof found !== "string") {
          const { execution, ledger } = found;
          return { value: { kind: "shown", execution }, ledger, isFinal: true };
        }
        // The account's own reply shows whether a transaction exists, even an unreadable one.
        const { ledger, body } = await withTimeLimit(limitMsOf(READ_TIMEOUT_MS, within), (again) =>
          get(url, { path: `/accounts/${sender}`, abort: again }),
        );
        if (parsed(account, body, "account").sequence_number > sequenceNumber) {
          usedAt.push(ledger);
          throw new InvalidReplyError(found);
        }
        unusedAt.push(ledger);
        if (usedAt.length > 0) throw new InvalidReplyError("another node knows the sequence number as used");
        return { value: { kind: "unused" }, ledger };
      });
      // A node that lags may not know yet that the number is used.
      const isShown = told.ok && told.value.value.kind === "shown";
      const ledger = latestOf(usedAt);
      if (isShown || ledger === null) return told;
      return done(seenIn(ledger, { kind: "used", support: supportOf(usedAt, unusedAt, options.urls.length) }));
    },

    transactionByNonce: (query) => transactionByNonce({ endpointCount: options.urls.length, get, readSeen }, query),

    submit: async (signedTransaction, hash) => {
      let isBehind = false;
      return submitUntilDecided<AptosSubmitOutcome>(
        options,
        async (url, abort) => {
          const told = await submitTo(url, abort, { body: Uint8Array.from(signedTransaction), hash });
          ({ isBehind } = told);
          return told.outcome;
        },
        // A node that lags may not know the paying money yet.
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

    functionAbi: (address, module, name) =>
      read(async (url, abort) => {
        const path = `/accounts/${address}/module/${encodeURIComponent(module)}`;
        const request = { path, abort, read: upTo(MAX_MODULE_REPLY_BYTES) };
        const { status, body, ledger } = await get(url, request, "module_not_found");
        return { value: status === 404 ? null : functionIn(body, name), ledger };
      }),
  };
}
