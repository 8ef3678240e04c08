import { InvalidReplyError } from "../../failover.ts";
import type { FunctionAbi } from "../entry-call.ts";
import type { AptosFound, AptosSimulation, AptosSubmitOutcome, UsedSupport } from "../node.ts";
import type { PendingTransaction } from "../pending-transaction.ts";
import { pendingTransaction } from "../pending-transaction.ts";
import type { AptosLedgerState } from "../seen.ts";
import type { ApiError } from "./replies.ts";
import { apiError, moduleAbi, parsed, readExecution, simulated, transactionReply } from "./replies.ts";
import type { Answer } from "./request.ts";

/**
 * Errors about the endpoint, which has accepted nothing. Another endpoint may (aptos-core, `api/types/src/error.rs`).
 */
export const ENDPOINT_ERROR_CODES = new Set([
  "mempool_is_full",
  "rate_limited",
  "node_not_bootstrapped",
  "api_disabled",
  "rejected_by_filter",
]);

/** Returns the latest ledger. Null if the list is empty. */
export function latestOf(ledgers: readonly AptosLedgerState[]): AptosLedgerState | null {
  return ledgers.reduce<AptosLedgerState | null>(
    (best, one) => (best && best.version >= one.version ? best : one),
    null,
  );
}

/**
 * Numbers never decrease. If an earlier ledger shows one as used and a later ledger does not, one of the two is wrong.
 */
export function supportOf(
  usedAt: readonly AptosLedgerState[],
  unusedAt: readonly AptosLedgerState[],
  endpointCount: number,
): UsedSupport {
  if (unusedAt.some((unused) => usedAt.some((used) => unused.version >= used.version))) return "disputed";
  return usedAt.length > 1 || endpointCount === 1 ? "agreed" : "alone";
}

/** Null if the module has no such function. */
export function functionIn(body: unknown, name: string): FunctionAbi | null {
  const functions = parsed(moduleAbi, body, "module").abi?.exposed_functions ?? [];
  const found = functions.find((one) => one.name === name);
  if (found === undefined) return null;
  const { is_entry: isEntry, generic_type_params, params: parameters } = found;
  return { isEntry, typeParameters: generic_type_params.length, parameters };
}

/** @throws InvalidReplyError for an answer that does not show the transaction. */
export function simulationIn({ status, body }: Answer): AptosSimulation {
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

/** Reads an answer about a transaction hash. @throws InvalidReplyError if it is about another hash. */
export function foundIn(body: unknown, hash: string): AptosFound {
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
 * Judges a node's answer to a submission. Only a verdict of the node's own checks is a refusal. An internal error can
 * follow the admission (`Failed to build PendingTransaction from mempool response, even though it said the request was
 * accepted`).
 *
 * @throws InvalidReplyError if a mempool may have accepted the transaction.
 */
export function verdictOf({ status, body }: Answer, hash: string): AptosSubmitOutcome {
  if (status === 202) {
    const transaction: PendingTransaction = sameHash(parsed(pendingTransaction, body, "pending transaction"), hash);
    return { kind: "accepted", transaction };
  }
  const error: ApiError = parsed(apiError, body, `answer with HTTP ${status}`);
  if (status !== 400 && !ENDPOINT_ERROR_CODES.has(error.error_code))
    throw new InvalidReplyError(`the node answered HTTP ${status}: ${error.error_code}: ${error.message}`);
  return { kind: "refused", status: error.error_code, text: error.message, vmErrorCode: error.vm_error_code };
}
