import { GrpcTypes } from "@mysten/sui/grpc";
import { expect } from "vitest";
import { createSuiNode } from "../../../shared/chain/sui/grpc/node.ts";
import type { SuiNode } from "../../../shared/chain/sui/node.ts";
import { transactionDigest } from "../../../shared/chain/sui/transaction.ts";
import { type SuiExchange, suiExchanges } from "../../devchain/truth/sui-exchanges.ts";

const U64_MAX = 2n ** 64n - 1n;
export const NODE_URL = "http://node.test";

interface MessageType<Message extends object> {
  fromBinary(bytes: Uint8Array): Message;
  toBinary(message: Message): Uint8Array;
}

/** The port at one node, and what it is made of. */
export interface Port {
  readonly node: SuiNode;
  readonly fetch: typeof globalThis.fetch;
}

/** How the port asks a method, with what the recorded request asked. */
export interface Asked<Reply extends object = object> {
  readonly reply: MessageType<Reply>;
  ask(port: Port, request: Uint8Array): Promise<unknown>;
}

export function asked<Request extends object, Reply extends object>(
  request: MessageType<Request>,
  reply: MessageType<Reply>,
  ask: (node: SuiNode, request: Request, fetch: Port["fetch"]) => Promise<unknown>,
): Asked<Reply> {
  return { reply, ask: ({ node, fetch }, bytes) => ask(node, request.fromBinary(bytes), fetch) };
}

function bytesOf(transaction: GrpcTypes.Transaction | undefined): Uint8Array {
  return transaction?.bcs?.value ?? new Uint8Array();
}

export const METHODS: Readonly<Record<string, Asked>> = {
  "LedgerService/GetServiceInfo": asked(GrpcTypes.GetServiceInfoRequest, GrpcTypes.GetServiceInfoResponse, (node) =>
    node.chainFacts(0n),
  ),
  "LedgerService/GetEpoch": asked(GrpcTypes.GetEpochRequest, GrpcTypes.GetEpochResponse, (node) => node.chainFacts(0n)),
  "LedgerService/BatchGetTransactions": asked(
    GrpcTypes.BatchGetTransactionsRequest,
    GrpcTypes.BatchGetTransactionsResponse,
    (node, { digests }) => node.lookUp(digests, "full"),
  ),
  "LedgerService/BatchGetObjects": asked(
    GrpcTypes.BatchGetObjectsRequest,
    GrpcTypes.BatchGetObjectsResponse,
    (node, { requests }) => node.observeCoins(requests.map(({ objectId }) => objectId ?? "")),
  ),
  "StateService/GetBalance": asked(GrpcTypes.GetBalanceRequest, GrpcTypes.GetBalanceResponse, (node, { owner }) =>
    node.balances(owner ?? "", []),
  ),
  "StateService/ListOwnedObjects": asked(
    GrpcTypes.ListOwnedObjectsRequest,
    GrpcTypes.ListOwnedObjectsResponse,
    (node, { owner }) => node.coins(owner ?? "", null),
  ),
  "TransactionExecutionService/SimulateTransaction": asked(
    GrpcTypes.SimulateTransactionRequest,
    GrpcTypes.SimulateTransactionResponse,
    (node, { transaction }) => node.dryRun(bytesOf(transaction)),
  ),
  "TransactionExecutionService/ExecuteTransaction": asked(
    GrpcTypes.ExecuteTransactionRequest,
    GrpcTypes.ExecuteTransactionResponse,
    (node, { transaction }) => node.submit(bytesOf(transaction), [], transactionDigest(bytesOf(transaction))),
  ),
};

const exchanges = suiExchanges();
/** A reply, and how the port asks for it. */
export interface AskedReply {
  readonly name: string;
  readonly exchange: SuiExchange;
  readonly how: Asked;
}

/** The recorded exchanges of methods that the port asks. */
export const ofPort = exchanges.flatMap((exchange, index) => {
  const how = METHODS[exchange.method];
  return how === undefined ? [] : [{ name: `${index} ${exchange.method}`, index, exchange, how }];
});
/** The recorded reply that has the most to say, where a question takes more than one method. */
function usual(method: string): SuiExchange {
  const [longest] = exchanges
    .filter((exchange) => exchange.method === method)
    .sort((a, b) => b.body.length - a.body.length);
  if (longest === undefined) throw new Error(`no reply of ${method} is recorded`);
  return longest;
}
const usualReplies = new Map(
  ["LedgerService/GetServiceInfo", "LedgerService/GetEpoch"].map((method) => [method, usual(method)]),
);

/** Asks the port, at a node that answers this method with this body. What is logged comes along. */
export async function askNode({ exchange, how }: AskedReply, body: Uint8Array) {
  const logged: string[] = [];
  const words: string[] = [];
  const fetch = async (input: unknown) => {
    const method = String(input).replace(`${NODE_URL}/sui.rpc.v2.`, "");
    if (method !== exchange.method) {
      const { headers, body: usualBody } = usualReplies.get(method) ?? usual(method);
      return new Response(usualBody.slice(), { headers });
    }
    return new Response(Uint8Array.from(body), { status: exchange.status, headers: exchange.headers });
  };
  const node = createSuiNode({
    network: "SUI_LOCALNET",
    urls: [NODE_URL],
    fetch,
    clock: { nowMs: () => Date.UTC(2026, 10, 22, 17), alarmAtMs: (atMs) => atMs },
    log: (name, fields) => {
      logged.push(name);
      words.push(String(fields?.fault));
    },
  });
  const outcome = (await how.ask({ node, fetch }, exchange.request)) as {
    readonly ok?: boolean;
    readonly kind?: string;
    readonly value?: unknown;
    readonly error?: { readonly reason: string; readonly details: string };
  };
  return { outcome, logged, words };
}

export type Answer = Awaited<ReturnType<typeof askNode>>;

export function isFault({ outcome }: Answer): boolean {
  return outcome.kind === "unknown" || outcome.error?.reason === "node_unavailable" || tellsNothing(outcome.value);
}

/** A look-up of which the endpoint answered its height alone. */
function tellsNothing(value: unknown): boolean {
  const findings = typeof value === "object" && value !== null && "value" in value ? value.value : null;
  return (
    Array.isArray(findings) && findings.length > 0 && findings.every((found) => Object(found).kind === "no_answer")
  );
}

/** Whatever a node answers: a fault is logged, and nothing else ends an answer. */
export function expectTold(answer: Answer, what: string): void {
  const { outcome, logged } = answer;
  if (isFault(answer)) expect(logged, what).toContain("node.failed");
  else
    expect(outcome.ok ?? outcome.kind ?? outcome.error?.reason, what).toBeOneOf([true, false, "executed", "refused"]);
}

/** The same numbers in each run. */
export function* numbers(seed: number): Generator<number> {
  for (let state = seed >>> 0; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state;
  }
}

export const hasMessage = ({ body }: SuiExchange) => body.length > 0 && body[0] === 0;

/** The places of all fields, and the objects and lists that they are in. */
export function* fields(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  for (const [key, child] of Object.entries(value)) {
    if (key !== "oneofKind") yield [...path, key];
    yield* fields(child, [...path, key]);
  }
}

type Change = readonly [string, (holder: Record<string, unknown>, key: string) => void];

export const CHANGES: readonly Change[] = [
  [
    "is missing",
    (holder, key) => {
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
    },
  ],
  [
    "is zero",
    (holder, key) => {
      holder[key] = emptied(holder[key]);
    },
  ],
  [
    "is huge",
    (holder, key) => {
      holder[key] = exaggerated(holder[key]);
    },
  ],
];

function emptied(value: unknown): unknown {
  if (typeof value === "bigint") return 0n;
  if (typeof value === "number") return 0;
  if (typeof value === "string") return "";
  if (typeof value === "boolean") return !value;
  if (value instanceof Uint8Array) return new Uint8Array();
  return Array.isArray(value) ? [] : value;
}

function exaggerated(value: unknown): unknown {
  if (typeof value === "bigint") return U64_MAX;
  if (typeof value === "number") return 2 ** 31 - 1;
  if (typeof value === "string") return `${value}\u0000'"<${"x".repeat(300)}`;
  if (value instanceof Uint8Array) return new Uint8Array(300).fill(255);
  return Array.isArray(value) ? [...value, ...value] : value;
}
