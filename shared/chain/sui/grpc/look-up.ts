import type { GrpcTypes } from "@mysten/sui/grpc";
import { done, type Outcome } from "../../../errors.ts";
import { InvalidReplyError, isNotOf } from "../../failover.ts";
import { seenIn } from "../../one-reply.ts";
import { withValue } from "../../seen.ts";
import type { GasOwner, LookUpDetail, SuiFound } from "../node.ts";
import type { RecentHeights } from "../recent-heights.ts";
import type { SuiLedgerState, SuiSeen } from "../seen.ts";
import type { EndpointCall, GrpcConnection } from "./connection.ts";
import { readExecution, readRawEffects } from "./execution.ts";
import { GRPC_NOT_FOUND, required } from "./fields.ts";
import { EXECUTION_MASKS, GAS_OWNER_MASK } from "./masks.ts";

const NO_ANSWER: SuiFound = { kind: "no_answer" };

/** Reads `SuiNode.lookUp`. */
export async function lookUp(
  connection: GrpcConnection,
  digests: readonly string[],
  detail: LookUpDetail,
  besides?: readonly string[],
  heights?: RecentHeights,
): Promise<Outcome<SuiSeen<readonly SuiFound[]>>> {
  let unanswered: SuiLedgerState | null = null;
  const ask = async (call: EndpointCall) => {
    const state = await connection.ledgerState(call, heights);
    try {
      return await lookUpAt(connection, call, state, digests, detail);
    } catch (error) {
      unanswered = state;
      throw error;
    }
  };
  const isFinal = ({ value }: SuiSeen<readonly SuiFound[]>) => value.every(({ kind }) => kind === "executed");
  const looked = await connection.read("lookUp", ask, { isFinal, isAsked: isNotOf(besides) });
  return !looked.ok && unanswered !== null ? done(withoutAnswers(unanswered, digests)) : looked;
}

/**
 * Looks digests up at one endpoint, after the height that it has named.
 *
 * @param digests at most `NODE_BATCH_LIMIT`. The answers have their order.
 * @throws InvalidReplyError if none of them has an answer.
 */
export async function lookUpAt(
  connection: GrpcConnection,
  call: EndpointCall,
  before: SuiLedgerState,
  digests: readonly string[],
  detail: LookUpDetail,
): Promise<SuiSeen<readonly SuiFound[]>> {
  const request = { digests: [...digests], readMask: { paths: [...EXECUTION_MASKS[detail]] } };
  const reply = call.client.ledgerService.batchGetTransactions(request, { abort: call.abort });
  const found = await connection.seenSince(before, call, reply);
  if (found.value.transactions.length !== digests.length)
    throw new InvalidReplyError("the node answered another number of digests");
  const readOne = ({ result }: GrpcTypes.GetTransactionResult, index: number) =>
    readFound(result, digests[index] ?? "", found.endpoint);
  return withValue(found, ({ transactions }) =>
    connection.readEach(call.url, "one digest", transactions, readOne, NO_ANSWER),
  );
}

/** Reads `SuiNode.gasOwners`. */
export function gasOwners(
  connection: GrpcConnection,
  digests: readonly string[],
  besides?: string,
): Promise<Outcome<SuiSeen<readonly GasOwner[]>>> {
  const request = { digests: [...digests], readMask: { paths: GAS_OWNER_MASK } };
  const ask = async (call: EndpointCall): Promise<SuiSeen<readonly GasOwner[]>> => {
    const found = await connection.seen(call, () =>
      call.client.ledgerService.batchGetTransactions(request, { abort: call.abort }),
    );
    if (found.value.transactions.length !== digests.length)
      throw new InvalidReplyError("the node answered another number of digests");
    const readOne = ({ result }: GrpcTypes.GetTransactionResult, index: number) =>
      readGasOwner(result, digests[index] ?? "");
    return withValue(found, ({ transactions }) =>
      connection.readEach<(typeof transactions)[number], GasOwner>(
        call.url,
        "one payer",
        transactions,
        readOne,
        "no_answer",
      ),
    );
  };
  return connection.read("gasOwners", ask, { isAsked: isNotOf(besides) });
}

function readGasOwner(result: GrpcTypes.GetTransactionResult["result"], digest: string): GasOwner {
  if (result.oneofKind !== "transaction")
    return result.oneofKind === "error" && result.error.code === GRPC_NOT_FOUND ? null : "no_answer";
  const { transaction } = result;
  if (transaction.digest !== digest) throw new InvalidReplyError("the node answered about another digest");
  const address = required(transaction.transaction?.gasPayment?.owner, "gas owner");
  return { address, sender: transaction.transaction?.sender ?? null, checkpoint: transaction.checkpoint ?? null };
}

/** Reads `SuiNode.rawEffects`. */
export function rawEffects(connection: GrpcConnection, digest: string): Promise<Outcome<Uint8Array | null>> {
  return connection.read("rawEffects", async ({ client: { ledgerService }, abort }) => {
    const request = { digests: [digest], readMask: { paths: ["digest", "effects.bcs"] } };
    const { transactions } = await ledgerService.batchGetTransactions(request, { abort }).response;
    const result = transactions[0]?.result;
    return result?.oneofKind === "transaction" ? readRawEffects(result.transaction, digest) : null;
  });
}

function readFound(result: GrpcTypes.GetTransactionResult["result"], digest: string, endpoint: string): SuiFound {
  if (result.oneofKind === "transaction")
    return { kind: "executed", execution: { ...readExecution(result.transaction, digest), endpoint } };
  const isMissing = result.oneofKind === "error" && result.error.code === GRPC_NOT_FOUND;
  return isMissing ? { kind: "missing" } : NO_ANSWER;
}

function withoutAnswers(state: SuiLedgerState, digests: readonly string[]): SuiSeen<readonly SuiFound[]> {
  return seenIn(
    state,
    digests.map(() => NO_ANSWER),
  );
}
