import { done, type Outcome } from "../../../errors.ts";
import { InvalidReplyError } from "../../failover.ts";
import { seenIn } from "../../one-reply.ts";
import { readTransactions } from "../lean-transaction.ts";
import type { AptosExecution, AptosSequenceReading, OrderlessQuery, SequenceUse } from "../node.ts";
import type { AptosLedgerState, AptosSeen } from "../seen.ts";
import { foundIn, latestOf, supportOf } from "./answers.ts";
import { accountSummaries, parsed, UnreadableReply } from "./replies.ts";
import type { Answer, Request, Tell } from "./request.ts";

/** The most summaries in one answer of a node, unless its operator has set fewer. */
const PAGE = 100;
/** A sender who makes more transactions than these in a minute hides one of them. Its row is then given up. */
const MAX_PAGES = 12;
/** A summary holds the nonce or the sequence number, without naming which. So it may belong to another transaction. */
const MAX_CANDIDATES = 4;

/** Reads one endpoint. Throws unless the status is 200, or 404 with the one code that is an answer, too. */
type Get = (url: string, request: Request, notFoundCode?: string) => Promise<Answer>;

/** The means with which a node reads its endpoints. */
export interface NonceReader {
  readonly endpointCount: number;
  readonly get: Get;
  readonly readSeen: (tell: Tell<SequenceUse>) => Promise<Outcome<AptosSeen<SequenceUse>>>;
}

interface Shown {
  readonly kind: "shown";
  readonly execution: AptosExecution;
  readonly ledger: AptosLedgerState;
}

/**
 * The answer of one endpoint. `used`: a summary names it, and the transaction is not shown. `blind`: the endpoint
 * cannot know.
 */
type NonceUse =
  | Shown
  | { readonly kind: "unused"; readonly ledger: AptosLedgerState }
  | { readonly kind: "used" | "blind"; readonly why: string; readonly ledger: AptosLedgerState };

/** Implements `AptosNode.transactionByNonce`. */
export async function transactionByNonce(
  { endpointCount, get, readSeen }: NonceReader,
  query: OrderlessQuery,
): Promise<Outcome<AptosSequenceReading>> {
  const usedAt: AptosLedgerState[] = [];
  const blindAt: AptosLedgerState[] = [];
  const unusedAt: AptosLedgerState[] = [];
  const told = await readSeen(async (url, abort) => {
    const found = await nonceUseAt(get, url, query, abort);
    const { ledger } = found;
    if (found.kind === "shown") return { value: found, ledger, isFinal: true };
    if (found.kind === "unused") {
      unusedAt.push(ledger);
      if (usedAt.length > 0) throw new InvalidReplyError("another node knows the nonce as used");
      return { value: { kind: "unused" }, ledger };
    }
    // A transaction that can still be executed is not over, even if the endpoint does not show it.
    if (ledger.timestampMs >= query.expiresAtMs) (found.kind === "used" ? usedAt : blindAt).push(ledger);
    throw new InvalidReplyError(found.why);
  });
  if (told.ok && (told.value.value.kind === "shown" || usedAt.length === 0)) return told;
  const overAt = usedAt.length > 0 ? usedAt : blindAt;
  const ledger = latestOf(overAt);
  if (ledger === null) return told;
  return done(seenIn(ledger, { kind: "used", support: supportOf(overAt, unusedAt, endpointCount) }));
}

async function nonceUseAt(get: Get, url: string, query: OrderlessQuery, abort: AbortSignal): Promise<NonceUse> {
  const { hash: known } = query;
  const own = known === null ? null : await executionOf(get, url, { hash: known, isListed: false }, query, abort);
  if (own !== null && typeof own !== "string") return own;
  const { candidates, ledger, why } = await summariesAt(get, url, query, abort);
  for (const hash of candidates.slice(0, MAX_CANDIDATES)) {
    const found = await executionOf(get, url, { hash, isListed: true }, query, abort);
    if (typeof found === "string") return { kind: "used", why: found, ledger };
    if (found !== null) return found;
  }
  if (candidates.length > MAX_CANDIDATES) return { kind: "blind", why: "too many transactions have its nonce", ledger };
  return why === null ? { kind: "unused", ledger } : { kind: "blind", why, ledger };
}

/**
 * Reads the committed transaction with a hash. A listed transaction is committed. One address may have several nodes
 * behind it. A node that lags lacks the transaction, or shows it pending.
 *
 * @returns null if it is another use of the nonce, or neither committed nor listed. A reason if the endpoint shows it
 * unreadably, or lists it without showing it committed.
 */
async function executionOf(
  get: Get,
  url: string,
  { hash, isListed }: { readonly hash: string; readonly isListed: boolean },
  query: OrderlessQuery,
  abort: AbortSignal,
): Promise<Shown | string | null> {
  const request = { path: `/transactions/by_hash/${hash}`, abort, read: readTransactions };
  try {
    const { status, body, ledger } = await get(url, request, "transaction_not_found");
    if (status === 404) return isListed ? "the node lists the transaction, and lacks it" : null;
    const found = foundIn(body, hash);
    if (found.kind !== "committed") return isListed ? "the node lists the transaction, and shows it pending" : null;
    if (!isAsked(found.execution, query)) return null;
    return { kind: "shown", execution: found.execution, ledger };
  } catch (error) {
    if (error instanceof UnreadableReply) return error.message;
    throw error;
  }
}

/**
 * Returns true if an execution belongs to the queried transaction. A nonce may be used again with a much later
 * expiration.
 */
function isAsked({ sender, nonce, expirationSecs }: AptosExecution, query: OrderlessQuery): boolean {
  return (
    sender === query.sender &&
    nonce === query.nonce &&
    expirationSecs * 1_000n === BigInt(Math.floor(query.expiresAtMs))
  );
}

/**
 * Lists the hashes of the sender's transactions that may have the nonce, up to the version of the returned ledger. A
 * short page does not prove the end, because a node may give fewer than requested. Only an empty one does.
 *
 * @returns a reason if the list is incomplete. Throws if no answer came.
 */
async function summariesAt(get: Get, url: string, query: OrderlessQuery, abort: AbortSignal) {
  const candidates: string[] = [];
  let start = query.sinceVersion;
  for (let page = 1; ; page++) {
    const path = `/accounts/${query.sender}/transaction_summaries?start_version=${start}&limit=${PAGE}`;
    const { ledger, body, why } = await pageAt(get, url, path, abort);
    if (why !== null) return { candidates, ledger, why };
    // The version before the signature comes from one reply. A ledger that ends before it has nothing to list yet.
    if (ledger.version < query.sinceVersion) return { candidates, ledger, why: "the ledger ends before the list" };
    // A node silently omits pruned transactions.
    if (ledger.lowestAvailable > query.sinceVersion) return { candidates, ledger, why: "the node has pruned them" };
    const summaries = parsed(accountSummaries, body, "list of transaction summaries");
    const last = summaries.at(-1);
    if (last === undefined) return { candidates, ledger, why: null };
    for (const { transaction_hash: hash, replay_protector: used } of summaries)
      if (used === null || used === query.nonce) candidates.push(hash);
    if (last.version < start || page === MAX_PAGES) return { candidates, ledger, why: "the list does not end" };
    start = last.version + 1n;
  }
}

/** Reads one page. A node without such lists also answers, with an error and its ledger. */
async function pageAt(get: Get, url: string, path: string, abort: AbortSignal) {
  try {
    return { ...(await get(url, { path, abort })), why: null };
  } catch (error) {
    if (!(error instanceof InvalidReplyError)) throw error;
    const { ledger } = await get(url, { path: "", abort });
    return { ledger, body: null, why: error.message };
  }
}
