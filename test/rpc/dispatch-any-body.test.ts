import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { done, refuse } from "../../shared/errors.ts";
import { rounds } from "../support/rounds.ts";
import { endpoint, exchange, method, post } from "../support/rpc.ts";

const response = z.union([
  z.strictObject({ jsonrpc: z.literal("2.0"), result: z.unknown(), id: z.union([z.string(), z.int(), z.null()]) }),
  z.strictObject({
    jsonrpc: z.literal("2.0"),
    error: z.strictObject({
      code: z.int(),
      message: z.string(),
      data: z.looseObject({ details: z.string(), reason: z.string() }),
    }),
    id: z.union([z.string(), z.int(), z.null()]),
  }),
]);

const services = [
  endpoint([method("m", z.object({ a: z.unknown() }), z.unknown(), async ({ a }) => done(a ?? null))]),
  endpoint([method("m", z.object({}), z.null(), async () => Promise.reject(new Error("fault")))]),
  endpoint([], async () => refuse("bad_key", "no")),
  endpoint([], () => Promise.reject(new Error("fault"))),
] as const;

const id = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
const almostARequest = fc.record(
  {
    jsonrpc: fc.oneof(fc.constant("2.0"), fc.jsonValue()),
    method: fc.oneof(fc.constant("m"), fc.jsonValue()),
    params: fc.jsonValue(),
    id: fc.oneof(id, fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ unit: "binary" }),
  fc.json(),
  almostARequest.map((value) => JSON.stringify(value)),
  fc.array(fc.oneof(almostARequest, fc.jsonValue()), { maxLength: 22 }).map((value) => JSON.stringify(value)),
  fc.nat(20_000).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
);

/** The id that an answer has to carry, worked out without the code under test; undefined: no answer is due. */
function idOf(member: unknown): unknown {
  const request = z.record(z.string(), z.unknown()).safeParse(member).data;
  if (request === undefined) return null;
  const callable =
    request.jsonrpc === "2.0" &&
    typeof request.method === "string" &&
    (request.params === undefined || typeof request.params === "object");
  if (!("id" in request)) return callable ? undefined : null;
  const given = request.id;
  return typeof given === "string" || Number.isSafeInteger(given) ? given : null;
}

function parsed(body: string | Uint8Array<ArrayBuffer>): unknown {
  try {
    return JSON.parse(
      typeof body === "string"
        ? body.toWellFormed()
        : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body),
    );
  } catch {
    return null;
  }
}

/** An empty batch and one over the limit are refused as a whole. */
function idsDue(sent: unknown): readonly unknown[] {
  if (!Array.isArray(sent)) return [idOf(sent)].filter((value) => value !== undefined);
  return sent.length === 0 || sent.length > 20 ? [null] : sent.map(idOf).filter((value) => value !== undefined);
}

test("any body at all is answered in the shape of JSON-RPC, under the ids that it carries", async () => {
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(...services), async (body, service) => {
      const { status, body: answer } = await exchange(post(body), service);
      const due = idsDue(parsed(body));

      expect([200, 204, 401]).toContain(status);
      if (status === 204) expect({ answer, due }).toEqual({ answer: undefined, due: [] });
      else {
        const answers = (Array.isArray(answer) ? answer : [answer]).map((one) => response.parse(one));
        expect(answers.map((one) => one.id)).toEqual(due.length === 0 ? [null] : due);
      }
    }),
    { numRuns: rounds(1_000) },
  );
});
