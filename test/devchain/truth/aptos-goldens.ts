import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type AptosTarget, aptosAnswer, reasonToLeaveOut } from "./aptos-contract.ts";
import { signedGoldens } from "./aptos-goldens-signed.ts";
import { rulesFor } from "./aptos-rules.ts";
import { type Compared, compareCase, type LeftOut, NEEDS_FUNDS, type Replay, readable } from "./cases.ts";
import { compare } from "./compare.ts";
import { createNames } from "./names.ts";

const MANY_BYTES = 1_000_000;
/** Long enough for a block. */
const BLOCK_MS = 300;

const Goldens = z.array(
  z.object({
    /** Of the test in aptos-core that recorded the answer. */
    name: z.string(),
    method: z.enum(["GET", "POST"]),
    /** Without `/v1`. */
    path: z.string(),
    contentType: z.string().optional(),
    body: z.string().optional(),
    /** So many zeros instead. */
    bodyBytes: z.int().optional(),
    /** An account that has so much before. */
    funds: z.object({ address: z.string(), octas: z.string().transform(BigInt) }).optional(),
    status: z.int(),
    answer: z.unknown(),
  }),
);

type Golden = z.output<typeof Goldens>[number];

const NotAsked = z.array(z.object({ name: z.string(), reason: z.string().min(1) }));

function recorded(file: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, "recorded", file), "utf8"));
}

/** The tests in aptos-core whose answers are asked again, and those of the others, each with its reason. */
export function goldenNames() {
  const asked = [...Goldens.parse(recorded("aptos-api-goldens.json")), ...signedGoldens()].map(({ name }) =>
    name.replace(/ \(.*\)$/, ""),
  );
  return { asked: new Set(asked), notAsked: NotAsked.parse(recorded("aptos-api-goldens-not-asked.json")) };
}

/** Asks what the node's own tests ask, as far as no state of theirs is in the answer. */
export async function askGoldens(target: AptosTarget): Promise<Replay> {
  const cases: Compared[] = [];
  const leftOut: LeftOut[] = [];
  for (const golden of Goldens.parse(recorded("aptos-api-goldens.json"))) {
    const { name, method, path, bodyBytes, status, answer } = golden;
    const called = `golden ${name} ${method} ${path}`;
    const reason = target.chain === undefined ? whyNot(golden) : null;
    if (reason !== null) {
      leftOut.push({ name: called, reason });
      continue;
    }
    const body = bodyBytes === undefined ? (golden.body ?? "") : `${bodyBytes} bytes`;
    if (golden.funds !== undefined) await target.chain?.fund(golden.funds.address, golden.funds.octas);
    target.chain?.pass(BLOCK_MS);
    const ended = await compareCase(called, `${method} /v1${path} ${body}`, async () => {
      const asked = await ask(target, golden);
      return compare(createNames(), rulesFor(target), { status, body: answer }, asked);
    });
    cases.push(ended);
  }
  return { cases, leftOut };
}

function whyNot({ path, status, funds, bodyBytes = 0 }: Golden): string | null {
  if (funds !== undefined) return NEEDS_FUNDS;
  return bodyBytes > MANY_BYTES ? "sends more than 8 MB to the node" : reasonToLeaveOut(path, status);
}

async function ask({ call }: AptosTarget, { method, path, contentType, body, bodyBytes }: Golden) {
  const response = await call(method, path, {
    method,
    headers: contentType === undefined ? {} : { "content-type": contentType },
    ...(method === "POST" && { body: bodyBytes === undefined ? (body ?? "") : new Uint8Array(bodyBytes) }),
  });
  const text = await response.text();
  const answer = readable(() => aptosAnswer(response.status, {}, text));
  return { status: answer.status, body: answer.body };
}
