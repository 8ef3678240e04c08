import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AptosNode } from "../../../shared/chain/aptos/node.ts";
import { createAptosNode } from "../../../shared/chain/aptos/rest/node.ts";
import { type AptosExchange, aptosExchanges } from "../../devchain/truth/aptos-exchanges.ts";
import { rounds } from "../../support/rounds.ts";

/** Many of them are alike. */
const REPLIES_A_KIND = 5;
const MUTATIONS_A_REPLY = rounds(200);
const SEED = 20_261_122;
const LONG_TEXT = "9".repeat(100_000);
const ADDRESS = "(0x[0-9a-f]{1,64})";

interface Asked {
  /** Of the request, `/v1` left out. */
  readonly path: RegExp;
  readonly method?: AptosExchange["method"];
  /** In the request's body. */
  readonly asks?: string;
  ask(node: AptosNode, parts: readonly string[], exchange: AptosExchange): Promise<unknown>;
}

const textOf = ({ response }: AptosExchange) => new TextDecoder().decode(response.body);

function hashIn(exchange: AptosExchange): string {
  const { hash } = Object(JSON.parse(textOf(exchange)));
  return typeof hash === "string" ? hash : `0x${"00".repeat(32)}`;
}

/** How the port asks for each of these. Nodes answer a look-up that waits in the same shape as one that does not. */
const KINDS: Readonly<Record<string, Asked>> = {
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
  estimateGasPrice: { path: /^\/estimate_gas_price$/, ask: (node) => node.estimateGasPrice() },
  functionAbi: {
    path: new RegExp(`^/accounts/${ADDRESS}/module/([a-z_]+)$`),
    ask: (node, [address = "", module = ""]) => node.functionAbi(address, module, "transfer"),
  },
};

function full(address: string): string {
  return `0x${address.slice(2).padStart(64, "0")}`;
}

const pathOf = ({ path }: AptosExchange) => path.slice("/v1".length);

function exchangesOf({ path, method = "GET", asks = "" }: Asked): readonly AptosExchange[] {
  return aptosExchanges().filter((one) => {
    const isOfPath = one.method === method && path.test(pathOf(one));
    return isOfPath && new TextDecoder().decode(one.request.body).includes(asks);
  });
}

/** A reply's body and headers, as recorded or changed. */
interface Reply {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

function replyOf(exchange: AptosExchange): Reply {
  return { body: JSON.parse(textOf(exchange)), headers: exchange.response.headers };
}

/** An account whose next number is the one after a listed transaction, by a node that answers as the recorded one. */
function accountAfter(exchange: AptosExchange, sequenceNumber: string): Response {
  const next = BigInt(sequenceNumber) + (textOf(exchange) === "[]" ? 0n : 1n);
  return Response.json({ sequence_number: String(next) }, { headers: exchange.response.headers });
}

/** What the port makes of a reply, as text. */
async function outcomeOf(asked: Asked, exchange: AptosExchange, reply: Reply): Promise<string> {
  const [, ...parts] = asked.path.exec(pathOf(exchange)) ?? [];
  let calls = 0;
  const node = createAptosNode({
    network: "APTOS_LOCALNET",
    urls: ["http://node.test/v1"],
    fetch: async () => {
      calls += 1;
      if (calls > 1) return accountAfter(exchange, parts[1] ?? "0");
      const { status } = exchange.response;
      return new Response(JSON.stringify(reply.body), { status, headers: reply.headers });
    },
  });
  const outcome = await asked.ask(node, parts, exchange);
  return JSON.stringify(outcome, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
}

/** Texts and signatures that are passed on, and no money: they may differ in what is still an answer. */
const PASSED_ON = /"(?:vmStatus|transaction|text|details|vmErrorCode|status)":/;

type Path = readonly (string | number)[];

function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const names = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...names.flatMap((name) => pathsIn(Object(value)[name], [...path, name]))];
}

const MISSING = Symbol("missing");

/** The same JSON with something else, or nothing, in one place. */
function withAt(value: unknown, [name, ...rest]: Path, change: (inner: unknown) => unknown): unknown {
  if (name === undefined) return change(value);
  const inner = withAt(Object(value)[name], rest, change);
  if (Array.isArray(value))
    return inner === MISSING ? value.toSpliced(Number(name), 1) : value.with(Number(name), inner);
  const { [name]: _, ...others } = Object(value);
  return inner === MISSING ? others : { ...Object(value), [name]: inner };
}

const CHANGES: readonly ((value: unknown) => unknown)[] = [
  () => MISSING,
  () => null,
  (value) => (Array.isArray(value) ? {} : []),
  (value) => (typeof value === "string" ? Number.parseInt(value, 10) || 7 : String(value)),
  () => LONG_TEXT,
];

describe.each(Object.entries(KINDS))("what a node of July 2025 said when asked for %s", (kind, asked) => {
  const exchanges = exchangesOf(asked);
  const some = exchanges
    .toSorted((a, b) => a.response.status - b.response.status || b.response.body.length - a.response.body.length)
    .filter((_, index, all) => index % Math.ceil(all.length / REPLIES_A_KIND) === 0);

  test("is an answer, or the node's own error", async () => {
    expect(exchanges.length).toBeGreaterThan(0);
    for (const exchange of exchanges) {
      const outcome = await outcomeOf(asked, exchange, replyOf(exchange));
      const { status } = exchange.response;
      if (status < 300) expect(outcome, pathOf(exchange)).toMatch(/^\{"(?:ok":true|kind":"accepted)/);
      else expect(outcome).toMatch(/"ok":true|node_unavailable|"kind":"(?:refused|unknown)/);
    }
  });

  test("is, with anything changed, the same answer or a fault of the node", async () => {
    const at = fc.tuple(fc.nat(), fc.nat(CHANGES.length - 1));
    for (const exchange of some) {
      const reply = replyOf(exchange);
      const honest = await outcomeOf(asked, exchange, reply);
      const places = pathsIn(reply.body).filter((path) => path.length > 0);
      const mutate = fc.asyncProperty(at, async ([place, which]) => {
        const path = places[place % Math.max(places.length, 1)];
        const change = CHANGES[which];
        if (path === undefined || change === undefined) return;
        const body = withAt(reply.body, path, change);
        expectNoLie(kind, honest, await outcomeOf(asked, exchange, { ...reply, body }), path.join("."));
      });
      await fc.assert(mutate, { numRuns: MUTATIONS_A_REPLY, seed: SEED });
      for (const name of Object.keys(reply.headers).filter((one) => one.startsWith("x-aptos-")))
        for (const value of [null, "", "-1", "soon", LONG_TEXT]) {
          const { [name]: _, ...others } = reply.headers;
          const headers = value === null ? others : { ...others, [name]: value };
          expectNoLie(kind, honest, await outcomeOf(asked, exchange, { ...reply, headers }), name);
        }
    }
  });
});

/** Never a fault of our own, and never another amount, number, hash, address or time than the node has said. */
function expectNoLie(kind: string, honest: string, outcome: string, where: string): void {
  expect(outcome, where).not.toMatch(/undefined|Cannot (?:convert|read)|TypeError|NaN/);
  const isAnswer = outcome.startsWith('{"ok":true') || outcome.startsWith('{"kind":"accepted');
  const isUnshown =
    kind === "transactionAtSequence" && /^\{"ok":true,"value":\{.*"value":\{"kind":"(?:used|unused)"/.test(outcome);
  // Of a module, only the function that was asked for is read.
  if (!isAnswer || isUnshown || kind === "functionAbi") return;
  expect(withoutPassedOn(outcome), where).toEqual(withoutPassedOn(honest));
}

function withoutPassedOn(outcome: string): unknown {
  return JSON.parse(outcome, (name, value) => (PASSED_ON.test(`"${name}":`) ? undefined : value));
}
