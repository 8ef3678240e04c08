import { describe, expect, test } from "vitest";
import { createSuiNode } from "../../../shared/chain/sui/grpc/node.ts";
import { messageOf, withMessage } from "../../byzantine-node/altered-reply.ts";
import { rounds } from "../../support/rounds.ts";
import {
  type Asked,
  askNode,
  CHANGES,
  expectTold,
  fields,
  hasMessage,
  isFault,
  METHODS,
  numbers,
  ofPort,
} from "./asked-again.ts";
import { everyReply } from "./every-reply.ts";

/** Of each recorded reply, so that all of them take a few seconds: fields that are missing, and other changes. */
const MISSING_A_REPLY = rounds(120);
const OTHERS_A_REPLY = rounds(25, 5);
/** Many of them are alike. */
const REPLIES_A_METHOD = 6;
const SEED = 20_261_122;

/** The places of numbers that are not zero. */
function* amounts(value: unknown, path = ""): Generator<readonly [string, bigint]> {
  if (typeof value === "bigint" && value !== 0n) yield [path, value];
  else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array))
    for (const [key, child] of Object.entries(value)) yield* amounts(child, `${path}.${key}`);
}

function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .slice(1)
    .reduce<unknown>((found, key) => (found as Readonly<Record<string, unknown>> | null | undefined)?.[key], value);
}

/** So many of them, each once. */
function sample<T>(all: readonly T[], count: number, draw: Generator<number>): readonly T[] {
  const left = [...all];
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(draw.next().value % left.length, 1),
  ).flat();
}

/** So many changes of a message, each of one field, spread over it. */
function* mutations(how: Asked, message: Uint8Array, seed: number) {
  const places = [...fields(how.reply.fromBinary(message))];
  const [missing, ...others] = CHANGES.map((change) => places.map((place) => ({ place, change })));
  const draw = numbers(seed);
  const picked = [...sample(missing ?? [], MISSING_A_REPLY, draw), ...sample(others.flat(), OTHERS_A_REPLY, draw)];
  for (const { place, change } of picked) {
    const changed = how.reply.fromBinary(message);
    const key = place.at(-1) ?? "";
    const holder = place
      .slice(0, -1)
      .reduce<Record<string, unknown>>((found, step) => found[step] as Record<string, unknown>, changed as never);
    change[1](holder, key);
    let bytes: Uint8Array;
    try {
      bytes = how.reply.toBinary(changed);
    } catch {
      // No message can carry it.
      continue;
    }
    // What is missing in a list moves the others up.
    const isMissing = change[0] === "is missing" && !Array.isArray(holder);
    yield { what: `${place.join(".")} ${change[0]}`, isMissing, bytes };
  }
}

/** Replies with a message, a few of each method. */
const spoilt = Object.keys(METHODS).flatMap((method) =>
  ofPort.filter(({ exchange }) => exchange.method === method && hasMessage(exchange)).slice(0, REPLIES_A_METHOD),
);

test("each method of the port reads a reply that was recorded or fabricated, and no other replies are asked for", async () => {
  const clock = { nowMs: Date.now, alarmAtMs: Number };
  const { within: _, ...methods } = createSuiNode({ network: "SUI_LOCALNET", urls: [], fetch, clock, log: () => {} });
  const read = new Set<string>();
  for (const one of everyReply) if (!isFault(await askNode(one, one.exchange.body))) read.add(one.read);
  expect(read).toEqual(new Set([...Object.keys(methods), "functionSignatures"]));
  expect(everyReply.filter(({ exchange }) => hasMessage(exchange)).length).toBeGreaterThan(80);
});

/** By their number: answers to questions that the port asks otherwise, and no answers at all. */
const FAULTS = new Map([
  [0, "reference_gas_price alone was asked for"],
  [3, "there is no such epoch"],
  [4, "parts of an epoch were asked for"],
  [5, "parts of an epoch were asked for"],
  [6, "parts of an epoch were asked for"],
  [21, "there is no such coin type"],
  [22, "the coin type is malformed"],
  [25, "no digests were asked for"],
  [26, "the page token is malformed"],
  [44, "timed out before finality"],
  [72, "timed out before finality"],
  [76, "timed out before finality"],
  [87, "no digests were asked for"],
]);

describe("what a node said is a value, or a fault that is logged:", () => {
  test.each(ofPort)("$name", async (recorded) => {
    const answer = await askNode(recorded, recorded.exchange.body);
    expectTold(answer, recorded.name);
    expect(isFault(answer)).toBe(FAULTS.has(recorded.index));
  });

  const outcomesOf = (method: string) =>
    Promise.all(
      ofPort
        .filter(({ exchange, index }) => exchange.method === method && !FAULTS.has(index))
        .map(async (recorded) => (await askNode(recorded, recorded.exchange.body)).outcome),
    );

  test("balances, without their parts", async () => {
    const read = [
      [0n, 0n],
      [4_000_000_000n, null],
      [11_987_002_840n, null],
      [11_987_003_840n, null],
    ];
    expect(await outcomesOf("StateService/GetBalance")).toMatchObject(
      read.map(([coinBalanceMist, addressBalanceMist]) => ({
        value: { value: { coinBalanceMist, addressBalanceMist } },
      })),
    );
  });

  test("dry runs: done, aborted and refused", async () => {
    const done = { ok: true, value: { success: true, gasUsed: { storageCostMist: 1_976_000n } } };
    const refused = (text: string) => ({
      ok: false,
      error: {
        reason: "dry_run_failed",
        details: expect.stringContaining(text),
        data: { node: { status: "INTERNAL" } },
      },
    });
    expect(await outcomesOf("TransactionExecutionService/SimulateTransaction")).toMatchObject([
      done,
      done,
      {
        ok: true,
        value: { success: false, abort: { module: "balance", function: "split", abortCode: 2n, command: 1 } },
      },
      refused("Mutable parameter provided"),
      refused("Dependent package not found on-chain"),
      refused("under reference gas price"),
      refused("is lower than min: 1000000"),
      refused("is lower than the needed amount: 60000000000"),
    ]);
  });

  test("executions: nine, one of them aborted; 21 refusals", async () => {
    const outcomes = await outcomesOf("TransactionExecutionService/ExecuteTransaction");
    const executed = outcomes.filter(({ kind }) => kind === "executed");
    const refused = outcomes.filter(({ kind }) => kind === "refused");
    expect(executed).toMatchObject(executed.map((_, index) => ({ execution: { success: index !== 2 } })));
    expect([executed.length, refused.length, outcomes.length]).toEqual([9, 21, 30]);
  });
});

describe("what a node never said, neither", () => {
  test.each(spoilt)("$name", async (recorded) => {
    const { exchange, how, name } = recorded;
    const honest = await askNode(recorded, exchange.body);
    const known = [...amounts(honest.outcome)];
    for (const { what, isMissing, bytes } of mutations(how, messageOf(exchange.body), SEED)) {
      const answer = await askNode(recorded, withMessage(exchange.body, bytes));
      expectTold(answer, `${name}: ${what}`);
      if (!isMissing || isFault(answer)) continue;
      for (const [path] of known) expect(at(answer.outcome, path), `${name}: ${what}: ${path}`).not.toBe(0n);
    }
  });

  test.each(spoilt)("$name in broken frames", async (recorded) => {
    const { body } = recorded.exchange;
    const end = body.length;
    const longer = (by: number) => {
      const changed = body.slice();
      const view = new DataView(changed.buffer);
      view.setUint32(1, view.getUint32(1) + by);
      return changed;
    };
    const broken = [
      ...[0, 1, 4, 5, 6, Math.floor(end / 2), end - 1].map((length) => body.slice(0, length)),
      ...[-1, 1, 1_000, 2 ** 31].map(longer),
      Uint8Array.from([...body, 0]),
      Uint8Array.from([...body, ...body]),
    ];
    for (const [index, frames] of broken.entries()) {
      const answer = await askNode(recorded, frames);
      expect([index, isFault(answer), answer.logged]).toEqual([index, true, ["node.failed"]]);
    }
  });
});
