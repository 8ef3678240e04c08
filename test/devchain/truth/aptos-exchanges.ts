import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const base64 = z.string().transform((text) => Uint8Array.from(Buffer.from(text, "base64")));
const headers = z.record(z.string(), z.string());
const Exchange = z.object({
  method: z.enum(["GET", "POST"]),
  /** With `/v1`. */
  path: z.string(),
  request: z.object({ headers, body: base64 }),
  response: z.object({ status: z.int(), headers, body: base64 }),
});

/** A question and its answer, as a node gave it. */
export type AptosExchange = z.output<typeof Exchange>;

/** What an Aptos validator of July 2025 said. */
export function aptosExchanges(): readonly AptosExchange[] {
  const lines = readFileSync(join(import.meta.dirname, "recorded/aptos-node-2025-07.ndjson"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => Exchange.parse(JSON.parse(line)));
}
