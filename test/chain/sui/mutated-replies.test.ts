import { expect, test } from "vitest";
import { messageOf, withMessage } from "../../byzantine-node/altered-reply.ts";
import { heldBytes } from "../../support/heap.ts";
import { rounds } from "../../support/rounds.ts";
import {
  type AskedReply,
  askNode,
  expectTold,
  CHANGES as FIELD_CHANGES,
  fields,
  hasMessage,
  numbers,
} from "./asked-again.ts";
import { everyReply } from "./every-reply.ts";

const MUTATED_REPLIES = rounds(35_000, 700);
/** Before the heap is measured for the first time: caches are full then. */
const WARM_UP = 500;
const MAX_GROWTH_BYTES = 16 * 1024 * 1024;
const MAX_CHANGES = 3;
const LONG_BYTES = 5_000;
const SEED = 20_261_124;
const FRAME_HEADER_BYTES = 5;
/** Field 2,000, which no message has, as a number. */
const UNKNOWN_FIELD = [0x80, 0x7d, 0x01];

type Draw = (below: number) => number;
type Change = (bytes: Uint8Array, draw: Draw) => Uint8Array;

function drawer(seed: number): Draw {
  const source = numbers(seed);
  // The low bits of this generator repeat soon.
  return (below) => (below === 0 ? 0 : (source.next().value >>> 8) % below);
}

function joined(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

function spliced(bytes: Uint8Array, draw: Draw, put: (removed: Uint8Array) => readonly number[] | Uint8Array) {
  const start = draw(bytes.length + 1);
  const end = Math.min(bytes.length, start + draw(20));
  return joined(bytes.subarray(0, start), put(bytes.subarray(start, end)), bytes.subarray(end));
}

/** Changes of bytes: they make missing, repeated and unknown fields, other types, enums and lengths. */
const CHANGES: readonly Change[] = [
  (bytes, draw) => {
    const index = at(bytes, draw);
    return bytes.with(index, (bytes[index] ?? 0) ^ (1 << draw(8)));
  },
  (bytes, draw) => bytes.with(at(bytes, draw), draw(256)),
  (bytes, draw) => spliced(bytes, draw, () => []),
  (bytes, draw) => spliced(bytes, draw, (removed) => [...removed, ...removed]),
  (bytes, draw) => spliced(bytes, draw, (removed) => [...removed].map(() => draw(256))),
  (bytes, draw) => spliced(bytes, draw, (removed) => [...UNKNOWN_FIELD, ...removed]),
  (bytes, draw) => spliced(bytes, draw, () => new Uint8Array(LONG_BYTES).fill(draw(256))),
  (bytes, draw) => bytes.subarray(0, draw(bytes.length)),
  (bytes) => joined(bytes, bytes),
];

function at(bytes: Uint8Array, draw: Draw): number {
  return Math.min(draw(bytes.length), Math.max(0, bytes.length - 1));
}

function changed(bytes: Uint8Array, draw: Draw): Uint8Array {
  let out = bytes;
  for (let left = 1 + draw(MAX_CHANGES); left > 0 && out.length > 0; left -= 1)
    out = CHANGES[draw(CHANGES.length)]?.(out, draw) ?? out;
  return out;
}

/** The same message with one or more fields changed. Null: no message can carry that. */
function withFieldsChanged({ how }: AskedReply, message: Uint8Array, draw: Draw): Uint8Array | null {
  const reply = how.reply.fromBinary(message);
  for (let left = 1 + draw(MAX_CHANGES); left > 0; left -= 1) {
    const places = [...fields(reply)];
    const place = places[draw(places.length)] ?? [];
    const holder = place.slice(0, -1).reduce<unknown>((found, step) => Object(found)[step], reply);
    FIELD_CHANGES[draw(FIELD_CHANGES.length)]?.[1](Object(holder), place.at(-1) ?? "");
  }
  try {
    return how.reply.toBinary(reply);
  } catch {
    return null;
  }
}

/** By what reads them, so that each gets its share of the changes. */
const replies = [
  ...Map.groupBy(
    everyReply.filter(({ exchange }) => hasMessage(exchange)),
    ({ read }) => read,
  ).values(),
];

test("any change to the bytes of a reply gives a value, or a fault of the node that is logged", async () => {
  const draw = drawer(SEED);
  let before = 0;
  for (let round = 0; round < MUTATED_REPLIES; round += 1) {
    if (round === WARM_UP) before = heldBytes();
    const ofOne = replies[draw(replies.length)] ?? [];
    const one = ofOne[draw(ofOne.length)];
    if (one === undefined) throw new Error("nothing is recorded");
    const { body } = one.exchange;
    const message = messageOf(body);
    const mutated = draw(2) === 0 ? withFieldsChanged(one, message, draw) : null;
    // Now and then the frames themselves.
    const reply =
      mutated === null && draw(5) === 0 ? changed(body, draw) : withMessage(body, mutated ?? changed(message, draw));
    const what = `${one.name}, round ${round}`;
    const answer = await askNode(one, reply);
    expectTold(answer, what);
    const text = JSON.stringify(answer.outcome, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
    expect(text.length, what).toBeLessThan(LONG_BYTES + 50 * body.length + FRAME_HEADER_BYTES);
    // Nothing of ours failed, and was taken for a fault of the node.
    expect(answer.words.join(), what).not.toMatch(/is not (?:a function|iterable)|Cannot (?:convert|read)|TypeError/);
  }
  expect(heldBytes() - before).toBeLessThan(MAX_GROWTH_BYTES);
});
