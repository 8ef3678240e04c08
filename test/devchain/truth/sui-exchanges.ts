import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromBase64 } from "@mysten/sui/utils";
import * as z from "zod";

const FRAME_HEADER_BYTES = 5;

const headers = z.record(z.string(), z.string());
const Exchange = z.object({
  path: z.string(),
  request: z.object({ headers, body: z.string() }),
  response: z.object({ status: z.number(), headers, body: z.string() }),
});

/** A question and its answer, as a node gave it, in binary gRPC-web frames. */
export interface SuiExchange {
  /** `Service/Method`. */
  readonly method: string;
  readonly request: Uint8Array;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The text form of gRPC-web: base64 of each frame, one after the other. */
function binary(base64: string): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder().decode(fromBase64(base64));
  const parts = (text.match(/[^=]+=*/g) ?? []).map(fromBase64);
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** What the frames of sui-node 1.62 said. */
export function suiExchanges(): readonly SuiExchange[] {
  const lines = readFileSync(join(import.meta.dirname, "recorded/sui-node-1.62.ndjson"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => {
    const { path, request, response } = Exchange.parse(JSON.parse(line));
    const { "content-type": _, ...rest } = response.headers;
    return {
      method: path.replace("/sui.rpc.v2.", ""),
      request: binary(request.body).subarray(FRAME_HEADER_BYTES),
      status: response.status,
      headers: { ...rest, "content-type": "application/grpc-web+proto" },
      body: binary(response.body),
    };
  });
}
