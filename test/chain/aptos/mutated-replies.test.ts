import { expect, test } from "vitest";
import { heldBytes } from "../../support/heap.ts";
import { rounds } from "../../support/rounds.ts";
import { numbers } from "../sui/asked-again.ts";
import { CHANGES, exchangesOf, KINDS, outcomeOf, pathOf, pathsIn, replyOf, withAt } from "./asked-again.ts";

const MUTATED_REPLIES = rounds(20_000, 1_000);
/** Before the heap is measured for the first time: caches are full then. */
const WARM_UP = 500;
const MAX_GROWTH_BYTES = 16 * 1024 * 1024;
const MAX_CHANGES = 3;
const SEED = 20_261_124;

/** Beside what changes a known field: what a newer node may say. */
const ALL_CHANGES: readonly ((value: unknown) => unknown)[] = [
  ...CHANGES,
  () => "an_unknown_variant",
  (value) => ({ ...Object(value), an_unknown_field: [value] }),
  (value) => (typeof value === "number" ? -value : typeof value === "string" ? `${value}\u0000` : true),
  () => 1e308,
];

/** By what reads them, so that each gets its share of the changes. */
const recorded = Object.values(KINDS).map((asked) => ({ asked, exchanges: exchangesOf(asked) }));

test("any change to the JSON of a reply gives a value, or a fault of the node", async () => {
  const source = numbers(SEED);
  const draw = (below: number) => (below === 0 ? 0 : (source.next().value >>> 8) % below);
  let before = 0;
  for (let round = 0; round < MUTATED_REPLIES; round += 1) {
    if (round === WARM_UP) before = heldBytes();
    const one = recorded[draw(recorded.length)];
    const exchange = one?.exchanges[draw(one.exchanges.length)];
    if (one === undefined || exchange === undefined) throw new Error("nothing is recorded");
    const reply = replyOf(exchange);
    let { body } = reply;
    for (let left = 1 + draw(MAX_CHANGES); left > 0 && typeof body !== "symbol"; left -= 1) {
      const paths = pathsIn(body);
      const change = ALL_CHANGES[draw(ALL_CHANGES.length)] ?? (() => null);
      body = withAt(body, paths[draw(paths.length)] ?? [], change);
    }
    const text = JSON.stringify(body) ?? "";
    // Now and then the text itself.
    const sent = draw(5) === 0 ? text.slice(0, draw(text.length)) : text;
    const outcome = await outcomeOf(one.asked, exchange, { ...reply, body, text: sent });
    const what = `${pathOf(exchange)}, round ${round}`;
    expect(outcome, what).toMatch(/^\{"(?:ok":(?:true|false)|kind":"(?:accepted|refused|unknown)")/);
    expect(outcome, what).not.toMatch(/is not a function|Cannot (?:convert|read)|TypeError/);
  }
  expect(heldBytes() - before).toBeLessThan(MAX_GROWTH_BYTES);
});
