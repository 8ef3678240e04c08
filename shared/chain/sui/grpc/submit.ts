import type { GrpcTypes } from "@mysten/sui/grpc";
import { faultText, submitUntilDecided } from "../../failover.ts";
import { OTHER_CHAIN, type SubmitOutcome } from "../node.ts";
import { givenStatus } from "./bounded-fetch.ts";
import type { GrpcConnection } from "./connection.ts";
import { readExecution } from "./execution.ts";
import { required } from "./fields.ts";
import { EXECUTION_MASKS } from "./masks.ts";
import type { SuiServices } from "./services.ts";

/** gRPC codes with which a node declares that it did not execute the transaction (`sui-rpc-api`, `error.rs`). */
const REFUSED_CODES = new Set(["INVALID_ARGUMENT", "FAILED_PRECONDITION"]);

/** A transaction in its submitted form. */
interface Submission {
  /** BCS of the transaction data. */
  readonly transactionBytes: Uint8Array;
  /** Base64, the sender's and the sponsor's. */
  readonly signatures: readonly string[];
  readonly digest: string;
}

/** Implements `SuiNode.submit`. */
export function submit(connection: GrpcConnection, submission: Submission): Promise<SubmitOutcome> {
  const { guard, faults } = connection;
  return submitUntilDecided<SubmitOutcome>(
    connection.endpoints(),
    async (url, abort) => {
      const outcome = await submitTo(connection.client(url), submission, new URL(url).host, abort);
      if (outcome.kind === "unknown") faults.failed(url, "submit", outcome.text);
      else faults.answered(url, "submit");
      // A node of another chain cannot have executed the transaction.
      return outcome.kind === "unknown" && guard.isStranger(url, outcome.text)
        ? { kind: "refused", status: OTHER_CHAIN, text: outcome.text }
        : outcome;
    },
    (refused) => refused.kind === "refused" && refused.status === OTHER_CHAIN,
    connection.within,
  );
}

async function submitTo(
  { transactionExecutionService }: SuiServices,
  { transactionBytes, signatures, digest }: Submission,
  endpoint: string,
  abort: AbortSignal,
): Promise<SubmitOutcome> {
  try {
    const request: GrpcTypes.ExecuteTransactionRequest = {
      transaction: { bcs: { value: transactionBytes } },
      signatures: signatures.map((signature) => ({
        bcs: { value: Uint8Array.from(atob(signature), (char) => char.charCodeAt(0)) },
        signature: { oneofKind: undefined },
      })),
      readMask: { paths: [...EXECUTION_MASKS.full] },
    };
    const { transaction } = await transactionExecutionService.executeTransaction(request, { abort }).response;
    const execution = readExecution(required(transaction, "transaction"), digest);
    return { kind: "executed", execution: { ...execution, endpoint } };
  } catch (error) {
    const status = givenStatus(error);
    const text = faultText(error);
    return status !== null && REFUSED_CODES.has(status) ? { kind: "refused", status, text } : { kind: "unknown", text };
  }
}
