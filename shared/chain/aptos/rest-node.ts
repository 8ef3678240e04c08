import type { AptosNetwork } from "../../networks.ts";
import type { Fetch } from "../../ports.ts";
import { boundedReply, faultText, firstAnswer, firstVerdict, READ_TIMEOUT_MS, ReplyError } from "../endpoints.ts";
import type { AptosFound, AptosNode, AptosSubmitOutcome, LedgerState } from "./node.ts";
import { type PendingTransaction, pendingTransaction } from "./pending-transaction.ts";
import {
  type ApiError,
  account,
  accountResource,
  accountTransactions,
  apiError,
  gasEstimate,
  ledgerInfo,
  lookedUp,
  moduleAbi,
  parsed,
  readExecution,
  readLedgerState,
  viewedU64,
} from "./rest-replies.ts";
import { isOfNetwork } from "./signing.ts";

/** What a node answers about anything but transactions is far smaller. */
const MAX_REPLY_BYTES = 1024 * 1024;
/** A module comes with its bytecode in hex: a transaction's worth of it, or what several have published in parts. */
const MAX_MODULE_REPLY_BYTES = 4 * 1024 * 1024;
/** A transaction comes with all that it wrote, which a user can make large. */
const MAX_TRANSACTION_REPLY_BYTES = 32 * 1024 * 1024;

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
const OF_THE_ENDPOINT = new Set([
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
}

interface Request {
  readonly path: string;
  readonly abort: AbortSignal;
  readonly post?: { readonly contentType: string; readonly body: Uint8Array<ArrayBuffer> | string };
  readonly maxBytes?: number;
}

/** What a node of the right chain has said, with whatever status. */
interface Answer {
  readonly status: number;
  readonly ledger: LedgerState;
  readonly body: unknown;
}

/** @throws for everything that is no answer of a node of this chain. */
async function ask(
  { network, fetch }: AptosNodeOptions,
  url: string,
  { path, abort, post, maxBytes = MAX_REPLY_BYTES }: Request,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    headers: { accept: JSON_TYPE, ...(post && { "content-type": post.contentType }) },
    ...(post && { method: "POST", body: post.body }),
    // What is asked is asked of this endpoint and of nobody that it names.
    redirect: "manual",
    signal: abort,
  });
  const text = await boundedReply(response, maxBytes).text();
  if (!response.headers.has("x-aptos-chain-id"))
    throw new ReplyError(`the endpoint answered HTTP ${response.status}, and not as an Aptos node`);
  const ledger = readLedgerState(response.headers);
  if (!isOfNetwork(ledger.chainId, network))
    throw new ReplyError(`the endpoint is a node of chain ${ledger.chainId}, which is not ${network}`);
  return { status: response.status, ledger, body: JSON.parse(text) };
}

/** An Aptos full node over its REST API (aptos-core, `api/doc/spec.yaml`). */
export function createAptosNode(options: AptosNodeOptions): AptosNode {
  /** @throws for everything but a 200, and a 404 with the one code that is an answer too. */
  async function get(url: string, request: Request, notFoundCode?: string): Promise<Answer> {
    const answer = await ask(options, url, request);
    if (answer.status === 200) return answer;
    const error = apiError.safeParse(answer.body).data;
    if (answer.status === 404 && error !== undefined && error.error_code === notFoundCode) return answer;
    const reason = error === undefined ? "" : `: ${error.error_code}: ${error.message}`;
    throw new ReplyError(`the node answered HTTP ${answer.status}${reason}`);
  }

  async function ledgerOf(url: string, abort: AbortSignal): Promise<LedgerState> {
    const { ledger, body } = await get(url, { path: "", abort });
    if (parsed(ledgerInfo, body, "ledger info").chain_id !== ledger.chainId)
      throw new ReplyError("the node names two chain ids");
    return ledger;
  }

  async function accountOf(url: string, address: string, abort: AbortSignal, query = "") {
    const { ledger, body } = await get(url, { path: `/accounts/${address}${query}`, abort });
    return { sequenceNumber: parsed(account, body, "account").sequence_number, ledger };
  }

  async function submitTo(url: string, signedTransaction: Uint8Array<ArrayBuffer>, hash: string) {
    try {
      const answer = await ask(options, url, {
        path: "/transactions",
        abort: AbortSignal.timeout(READ_TIMEOUT_MS),
        post: { contentType: SIGNED_TRANSACTION_TYPE, body: signedTransaction },
        maxBytes: MAX_TRANSACTION_REPLY_BYTES,
      });
      return verdictOf(answer, hash);
    } catch (error) {
      return { kind: "unknown", text: faultText(error) } as const;
    }
  }

  return {
    ledger: () => firstAnswer(options, ledgerOf),

    account: (address) => firstAnswer(options, (url, abort) => accountOf(url, address, abort)),

    exists: (address) =>
      firstAnswer(options, async (url, abort) => {
        const path = `/accounts/${address}/resource/${ACCOUNT_RESOURCE}`;
        const { status, body } = await get(url, { path, abort }, "resource_not_found");
        if (status === 404) return false;
        parsed(accountResource, body, "account resource");
        return true;
      }),

    balance: (address) =>
      firstAnswer(options, async (url, abort) => {
        const ledger = await ledgerOf(url, abort);
        const { body } = await get(url, {
          path: `/view?ledger_version=${ledger.version}`,
          abort,
          post: { contentType: JSON_TYPE, body: JSON.stringify(aptBalanceView(address)) },
        });
        const [octas] = parsed(viewedU64, body, "balance");
        return { octas, ledger };
      }),

    lookUp: (hash) =>
      firstAnswer(options, async (url, abort) => {
        const request = { path: `/transactions/by_hash/${hash}`, abort, maxBytes: MAX_TRANSACTION_REPLY_BYTES };
        const { status, body, ledger } = await get(url, request, "transaction_not_found");
        return { found: status === 404 ? { kind: "missing" } : foundIn(body, hash), ledger };
      }),

    executedAt: (sender, sequenceNumber) =>
      firstAnswer(options, async (url, abort) => {
        const { ledger, body } = await get(url, {
          path: `/accounts/${sender}/transactions?start=${sequenceNumber}&limit=1`,
          abort,
          maxBytes: MAX_TRANSACTION_REPLY_BYTES,
        });
        const [transaction] = parsed(accountTransactions, body, "list of transactions");
        if (transaction === undefined) {
          // The list is short of what the node has pruned: that the number is still to come, the account must say too.
          const { sequenceNumber: next } = await accountOf(url, sender, abort, `?ledger_version=${ledger.version}`);
          if (next > sequenceNumber) throw new ReplyError("the node no longer has the transaction");
          return { execution: null, ledger };
        }
        const execution = readExecution(transaction);
        if (execution.sender !== sender || execution.sequenceNumber !== sequenceNumber)
          throw new ReplyError("the node answered another transaction");
        return { execution, ledger };
      }),

    submit: (signedTransaction, hash) =>
      firstVerdict<AptosSubmitOutcome>(
        options,
        (url) => submitTo(url, Uint8Array.from(signedTransaction), hash),
        (outcome) => outcome.kind === "refused" && OF_THE_ENDPOINT.has(outcome.status),
      ),

    gasPrice: () =>
      firstAnswer(options, async (url, abort) => {
        const { body } = await get(url, { path: "/estimate_gas_price", abort });
        return parsed(gasEstimate, body, "gas estimate").gas_estimate;
      }),

    functionAbi: (address, module, name) =>
      firstAnswer(options, async (url, abort) => {
        const path = `/accounts/${address}/module/${encodeURIComponent(module)}`;
        const request = { path, abort, maxBytes: MAX_MODULE_REPLY_BYTES };
        const { status, body } = await get(url, request, "module_not_found");
        if (status === 404) return null;
        const functions = parsed(moduleAbi, body, "module").abi?.exposed_functions ?? [];
        const found = functions.find((one) => one.name === name);
        if (found === undefined) return null;
        const { is_entry: isEntry, generic_type_params, params: parameters } = found;
        return { isEntry, typeParameters: generic_type_params.length, parameters };
      }),
  };
}

function sameHash<T extends { readonly hash: string }>(transaction: T, hash: string): T {
  if (transaction.hash !== hash) throw new ReplyError("the node answered another transaction");
  return transaction;
}

function foundIn(body: unknown, hash: string): AptosFound {
  const transaction = sameHash(parsed(lookedUp, body, "transaction"), hash);
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
 * @throws ReplyError where it leaves open whether a mempool has taken the transaction.
 */
function verdictOf({ status, body }: Answer, hash: string): AptosSubmitOutcome {
  if (status === 202) {
    const transaction: PendingTransaction = sameHash(parsed(pendingTransaction, body, "pending transaction"), hash);
    return { kind: "accepted", transaction };
  }
  const error: ApiError = parsed(apiError, body, `answer with HTTP ${status}`);
  if (status !== 400 && !OF_THE_ENDPOINT.has(error.error_code))
    throw new ReplyError(`the node answered HTTP ${status}: ${error.error_code}: ${error.message}`);
  return { kind: "refused", status: error.error_code, text: error.message, vmErrorCode: error.vm_error_code };
}
