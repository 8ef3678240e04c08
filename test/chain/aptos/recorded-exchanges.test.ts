import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAptosNode } from "../../../shared/chain/aptos/rest/node.ts";
import { rounds } from "../../support/rounds.ts";
import { CHANGES, exchangesOf, KINDS, LONG_TEXT, outcomeOf, pathOf, pathsIn, replyOf, withAt } from "./asked-again.ts";

/** Many of them are alike. */
const REPLIES_A_KIND = 5;
const MUTATIONS_A_REPLY = rounds(200);
const SEED = 20_261_122;
/** Texts and signatures that are passed on, and no money: they may differ in what is still an answer. */
const PASSED_ON = /"(?:vmStatus|transaction|text|details|vmErrorCode|status)":/;

test("each method of the port is asked here", () => {
  const { within: _, ...methods } = createAptosNode({ network: "APTOS_LOCALNET", urls: [], fetch });
  expect(Object.keys(KINDS).sort()).toEqual(Object.keys(methods).sort());
});

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
    /^transaction(?:AtSequence|ByNonce)$/.test(kind) &&
    /^\{"ok":true,"value":\{.*"value":\{"kind":"(?:used|unused)"/.test(outcome);
  // Of a module, only the function that was asked for is read.
  if (!isAnswer || isUnshown || kind === "functionAbi") return;
  expect(withoutPassedOn(outcome), where).toEqual(withoutPassedOn(honest));
}

function withoutPassedOn(outcome: string): unknown {
  return JSON.parse(outcome, (name, value) => (PASSED_ON.test(`"${name}":`) ? undefined : value));
}
