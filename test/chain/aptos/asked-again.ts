import type { AptosNode } from "../../../shared/chain/aptos/node.ts";
import { createAptosNode } from "../../../shared/chain/aptos/rest/node.ts";
import { type AptosExchange, aptosExchanges } from "../../devchain/truth/aptos-exchanges.ts";

/** A number that is far too long. */
export const LONG_TEXT = "9".repeat(100_000);
const ADDRESS = "(0x[0-9a-f]{1,64})";

export interface Asked {
  /** Of the request, `/v1` left out. */
  readonly path: RegExp;
  readonly method?: AptosExchange["method"];
  /** In the request's body. */
  readonly asks?: string;
  ask(node: AptosNode, parts: readonly string[], exchange: AptosExchange): Promise<unknown>;
  /** What the node answers to each further question. Absent: as an account that has used a listed number. */
  later?(path: string, exchange: AptosExchange): Response;
}

/** The methods of the port, but the one that is the same port for one call. */
type PortMethod = Exclude<keyof AptosNode, "within">;

const textOf = ({ response }: AptosExchange) => new TextDecoder().decode(response.body);

function hashIn(exchange: AptosExchange): string {
  const { hash } = Object(JSON.parse(textOf(exchange)));
  return typeof hash === "string" ? hash : `0x${"00".repeat(32)}`;
}

/** How the port asks for each of these. Nodes answer a look-up that waits in the same shape as one that does not. */
export const KINDS: Readonly<Record<PortMethod, Asked>> = {
  ledger: { path: /^\/?$/, ask: (node) => node.ledger() },
  account: { path: new RegExp(`^/accounts/${ADDRESS}$`), ask: (node, [address = ""]) => node.account(address) },
  accountExists: {
    path: new RegExp(`^/accounts/${ADDRESS}/resource/0x1::account::Account$`),
    ask: (node, [address = ""]) => node.accountExists(address),
  },
  balance: {
    path: /^\/view/,
    method: "POST",
    asks: '"0x1::primary_fungible_store::balance"',
    ask: (node) => node.balance(`0x${"ab".repeat(32)}`),
  },
  lookUp: {
    path: /^\/transactions\/(?:wait_)?by_hash\/(0x[0-9a-f]{64})$/,
    ask: (node, [hash = ""]) => node.lookUp(hash),
  },
  transactionAtSequence: {
    path: new RegExp(`^/accounts/${ADDRESS}/transactions\\?start=([0-9]+)&limit=1$`),
    ask: (node, [address = "", number = ""]) => node.transactionAtSequence(full(address), BigInt(number)),
  },
  submit: {
    path: /^\/transactions$/,
    method: "POST",
    ask: (node, _, exchange) => node.submit(Uint8Array.of(1), hashIn(exchange)),
  },
  transactionByNonce: {
    path: new RegExp(`^/accounts/${ADDRESS}/transaction_summaries`),
    ask: (node, [address = ""]) =>
      node.transactionByNonce({ sender: full(address), nonce: 8n, expiresAtMs: 0, hash: null, sinceVersion: 0n }),
    later: listedTransaction,
  },
  simulate: {
    path: /^\/transactions\/simulate/,
    method: "POST",
    ask: (node) => node.simulate(Uint8Array.of(1)),
  },
  estimateGasPrice: { path: /^\/estimate_gas_price$/, ask: (node) => node.estimateGasPrice() },
  functionAbi: {
    path: new RegExp(`^/accounts/${ADDRESS}/module/([a-z_]+)$`),
    ask: (node, [address = "", module = ""]) => node.functionAbi(address, module, "transfer"),
  },
};

function full(address: string): string {
  return `0x${address.slice(2).padStart(64, "0")}`;
}

export const pathOf = ({ path }: AptosExchange) => path.slice("/v1".length);

export function exchangesOf({ path, method = "GET", asks = "" }: Asked): readonly AptosExchange[] {
  return aptosExchanges().filter((one) => {
    const isOfPath = one.method === method && path.test(pathOf(one));
    return isOfPath && new TextDecoder().decode(one.request.body).includes(asks);
  });
}

/** A reply's body and headers, as recorded or changed. */
export interface Reply {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** In place of the body's JSON. */
  readonly text?: string;
}

export function replyOf(exchange: AptosExchange): Reply {
  return { body: JSON.parse(textOf(exchange)), headers: exchange.response.headers };
}

/** An account whose next number is the one after a listed transaction, by a node that answers as the recorded one. */
function accountAfter(exchange: AptosExchange, sequenceNumber: string): Response {
  const next = BigInt(sequenceNumber) + (textOf(exchange) === "[]" ? 0n : 1n);
  return Response.json({ sequence_number: String(next) }, { headers: exchange.response.headers });
}

/** No more summaries, and of each transaction that was listed a committed one with another nonce. */
function listedTransaction(path: string, { response: { headers } }: AptosExchange): Response {
  const [, hash] = /by_hash\/(0x[0-9a-f]{64})$/.exec(path) ?? [];
  if (hash === undefined) return Response.json([], { headers });
  const committed = exchangesOf(KINDS.lookUp).find((one) => textOf(one).includes('"type":"user_transaction"'));
  return Response.json(
    { ...Object(JSON.parse(committed === undefined ? "{}" : textOf(committed))), hash },
    { headers },
  );
}

/** What the port makes of a reply, as text. */
export async function outcomeOf(asked: Asked, exchange: AptosExchange, reply: Reply): Promise<string> {
  const [, ...parts] = asked.path.exec(pathOf(exchange)) ?? [];
  let calls = 0;
  const node = createAptosNode({
    network: "APTOS_LOCALNET",
    urls: ["http://node.test/v1"],
    fetch: async (input) => {
      calls += 1;
      if (calls > 1) return asked.later?.(String(input), exchange) ?? accountAfter(exchange, parts[1] ?? "0");
      const { status } = exchange.response;
      return new Response(reply.text ?? JSON.stringify(reply.body), { status, headers: reply.headers });
    },
  });
  const outcome = await asked.ask(node, parts, exchange);
  return JSON.stringify(outcome, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
}

type Path = readonly (string | number)[];

export function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const names = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...names.flatMap((name) => pathsIn(Object(value)[name], [...path, name]))];
}

const MISSING = Symbol("missing");

/** The same JSON with something else, or nothing, in one place. */
export function withAt(value: unknown, [name, ...rest]: Path, change: (inner: unknown) => unknown): unknown {
  if (name === undefined) return change(value);
  const inner = withAt(Object(value)[name], rest, change);
  if (Array.isArray(value))
    return inner === MISSING ? value.toSpliced(Number(name), 1) : value.with(Number(name), inner);
  const { [name]: _, ...others } = Object(value);
  return inner === MISSING ? others : { ...Object(value), [name]: inner };
}

export const CHANGES: readonly ((value: unknown) => unknown)[] = [
  () => MISSING,
  () => null,
  (value) => (Array.isArray(value) ? {} : []),
  (value) => (typeof value === "string" ? Number.parseInt(value, 10) || 7 : String(value)),
  () => LONG_TEXT,
];
