import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FEE_STATEMENT, readTransactions } from "../../../shared/chain/aptos/lean-transaction.ts";
import { longTest, rounds, shortTest } from "../../support/rounds.ts";

const MIB = 1024 * 1024;
const FEE = { type: FEE_STATEMENT, data: { total_charge_gas_units: "5", storage_fee_refund_octas: "0" } };
/** Beyond what is read whole. */
const LARGE = { address: "0x1", data: "x".repeat(600 * 1024) };

/** A reply that comes in pieces of any length. */
function replyOf(text: string, pieces: readonly number[] = [text.length]): Response {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const length = Math.max(pieces[next % pieces.length] ?? 1, 1);
      next += 1;
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, at + length));
      at += length;
    },
  });
  return new Response(body);
}

async function readBack(text: string, pieces?: readonly number[]): Promise<unknown> {
  return JSON.parse(await readTransactions(replyOf(text, pieces)));
}

const anyEvent = fc.oneof(
  fc.constant(FEE),
  fc.record({ type: fc.constantFrom("0x1::coin::Deposit", FEE_STATEMENT.slice(1)), data: fc.json() }),
  fc.record({
    type: fc.constant("0x2::a::B"),
    data: fc.record({ type: fc.constant(FEE_STATEMENT), changes: fc.json() }),
  }),
  fc.jsonValue(),
);

const isFee = (event: unknown) => Object(event).type === FEE_STATEMENT;

describe("of a large transaction", () => {
  test("everything is read but what it wrote, and of its events the fee statements", async () => {
    const own = fc.record({
      hash: fc.string(),
      payload: fc.record({ arguments: fc.array(fc.jsonValue()), changes: fc.jsonValue(), events: fc.jsonValue() }),
      events: fc.array(anyEvent, { maxLength: 6 }),
      changes: fc.array(fc.jsonValue(), { maxLength: 6 }),
      success: fc.boolean(),
    });
    const pieces = fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(own, pieces, fc.boolean(), fc.constantFrom(undefined, 2), async (one, sizes, inList, indent) => {
        const large = { ...one, changes: [...one.changes, LARGE] };
        const lean = { ...one, changes: [], events: one.events.filter(isFee) };
        const text = JSON.stringify(inList ? [large] : large, null, indent);
        expect(await readBack(text, sizes)).toEqual(JSON.parse(JSON.stringify(inList ? [lean] : lean)));
      }),
      { numRuns: rounds(60, 2) },
    );
  });

  longTest("tens of mebibytes of changes and of events are read, and neither is kept", async () => {
    const text = JSON.stringify({
      hash: "0x1",
      events: [...Array.from({ length: 40_000 }, () => ({ type: "0x2::spam::Spam", data: "y".repeat(300) })), FEE],
      changes: Array.from({ length: 400 }, () => ({ data: "x".repeat(64 * 1024) })),
    });
    expect(text.length).toBeGreaterThan(35 * MIB);
    const kept = await readTransactions(replyOf(text, [64 * 1024]));
    expect(kept.length).toBeLessThan(2_000);
    expect(JSON.parse(kept)).toEqual({ hash: "0x1", events: [FEE], changes: [] });
  });

  longTest("what else is large is refused, and so is what never ends", async () => {
    const payload = JSON.stringify({ payload: "x".repeat(3 * MIB) });
    await expect(readTransactions(replyOf(payload, [64 * 1024]))).rejects.toThrow("exceeds");
    let sentBytes = 0;
    const chunk = new TextEncoder().encode(`"${"z".repeat(MIB)}",`);
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"changes":[')),
      pull: (controller) => {
        sentBytes += chunk.length;
        // Whoever reads on for ever fails here, and does not hang.
        if (sentBytes < 200 * MIB) controller.enqueue(chunk);
        else controller.error(new Error("read to the end"));
      },
    });
    await expect(readTransactions(new Response(endless))).rejects.toThrow("exceeds");
    expect(sentBytes).toBeLessThan(140 * MIB);
  });
});

shortTest("a small transaction is read as it is", async () => {
  const text = JSON.stringify({ changes: [1], events: [2] });
  expect(await readTransactions(replyOf(text, [3]))).toBe(text);
  expect(await readTransactions(new Response(null))).toBe("");
});
