import type { Problem } from "../../../shared/http/problem.ts";
import type { Answers, Project } from "../answers.ts";
import { projectsOf } from "../gather.ts";
import type { Visit } from "../visit.ts";
import type { Question } from "./question.ts";

type Explained = Answers["GET /transactions/:id"];
type Wallet = Answers["GET /projects/:id/wallets"]["items"][number];

const DAY_MS = 86_400_000;
/** The admin API searches the transactions of a sender in at most this time. */
const SENDER_MS = 31 * DAY_MS;
/** A fresh transaction may be a moment ahead of this clock. */
const AHEAD_MS = 60_000;
/** A filtered page may be empty and have a next one. */
const MAX_PAGES = 5;

/** A wallet, and the project that it belongs to. */
export interface FoundWallet {
  readonly project: Project;
  readonly wallet: Wallet;
}

/** The result of a search. */
export interface Found {
  /** Null if no transaction was searched, or if the search was refused. */
  readonly answer: Explained | null;
  readonly wallets: readonly FoundWallet[];
  readonly problem: Problem | null;
  /** True if the answer is about a sender, and not about one transaction. */
  readonly isOfSender: boolean;
}

const NOTHING: Found = { answer: null, wallets: [], problem: null, isOfSender: false };

/** Returns true if a fund or a node knows the transaction. */
export function isKnown({ stories }: Explained): boolean {
  return stories.some(({ causes, ledger, chain }) => causes.length + ledger.length > 0 || chain?.execution);
}

function foundBy(
  answered: { readonly ok: true; readonly value: Explained } | { readonly ok: false; readonly error: Problem },
) {
  return answered.ok ? { ...NOTHING, answer: answered.value } : { ...NOTHING, problem: answered.error };
}

async function findTransaction(visit: Visit, id: string): Promise<Found> {
  return foundBy(await visit.call("GET /transactions/:id", { id }));
}

async function findSender(visit: Visit, sender: string): Promise<Found> {
  const toMs = visit.nowMs + AHEAD_MS;
  const query = {
    sender,
    from: new Date(toMs - SENDER_MS).toISOString(),
    to: new Date(toMs).toISOString(),
  };
  return { ...foundBy(await visit.call("GET /transactions", { query })), isOfSender: true };
}

async function findRequest(visit: Visit, requestId: string): Promise<Found> {
  return foundBy(await visit.call("GET /transactions", { query: { requestId } }));
}

async function walletsIn(visit: Visit, project: Project, query: Readonly<Record<string, string>>) {
  const found: FoundWallet[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const answered: Awaited<ReturnType<typeof visit.call<"GET /projects/:id/wallets">>> = await visit.call(
      "GET /projects/:id/wallets",
      { id: project.id, query: { ...query, limit: "200", ...(cursor !== null && { cursor }) } },
    );
    if (!answered.ok) break;
    found.push(...answered.value.items.map((wallet) => ({ project, wallet })));
    cursor = answered.value.nextCursor;
    if (cursor === null || found.length > 0) break;
  }
  return found;
}

async function findWallets(visit: Visit, query: Readonly<Record<string, string>>): Promise<readonly FoundWallet[]> {
  const { items } = await projectsOf(visit);
  const found = await Promise.all(items.map((project) => walletsIn(visit, project, query)));
  return found.flat();
}

/** The hash of a transaction and an address look the same: the transaction comes first, then sender and wallet. */
async function findHash(visit: Visit, hash: string): Promise<Found> {
  const transaction = await findTransaction(visit, hash);
  if (transaction.problem !== null || (transaction.answer !== null && isKnown(transaction.answer))) return transaction;
  const [sender, wallets] = [await findSender(visit, hash), await findWallets(visit, { address: hash })];
  const isSender = sender.answer !== null && isKnown(sender.answer);
  return isSender || wallets.length > 0 ? { ...sender, wallets } : transaction;
}

/** Answers a question with the routes of the admin API. One search runs at a time, so the steps follow each other. */
export async function find(visit: Visit, question: Exclude<Question, { kind: "empty" | "page" }>): Promise<Found> {
  switch (question.kind) {
    case "digest": {
      const found = await findTransaction(visit, question.digest);
      const isFound = found.answer === null || isKnown(found.answer);
      return isFound ? found : { ...found, wallets: await findWallets(visit, { walletId: question.digest }) };
    }
    case "hash":
      return findHash(visit, question.hash);
    case "request":
      return findRequest(visit, question.requestId);
    case "wallet": {
      const wallets = await findWallets(visit, { walletId: question.walletId });
      const [first] = wallets;
      // A reader wants to know the effect on the wallet.
      return first === undefined ? NOTHING : { ...(await findSender(visit, first.wallet.address)), wallets };
    }
  }
}
